/// What a delete kept of a model: the values of attributes marked `.preserveValueOnDeletion`.
///
/// ```swift
/// let name = delete.tombstone[\.name]        // String?
/// for (attribute, value) in delete.tombstone { print(attribute, value) }
/// ```
///
/// An attribute that was `nil`, one that is not preserved, and one that was preserved only later are absent. Attributes
/// that the class no longer has are there by name.
public struct HistoryTombstone<Model: PersistentModel>: Sendable, Sequence {
    public typealias Element = (name: String, value: any Sendable)
    private let values: [Element]

    /// A tombstone with these values, by attribute name.
    public init(_ values: [Element] = []) {
        self.values = values
    }

    public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }

    /// The value of an attribute by its name.
    public subscript(name: String) -> (any Sendable)? {
        values.first { $0.name == name }?.value
    }

    /// The value of an attribute, without its type.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        Model.properties.name(of: keyPath).flatMap { self[$0] }
    }

    /// The value of an attribute.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? {
        Model.properties.name(of: keyPath).flatMap { self[$0] } as? Value
    }
}
