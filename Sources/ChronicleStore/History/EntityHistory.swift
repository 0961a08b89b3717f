import ChronicleCore
import Foundation

/// An entity as the history has it: how to make its changes, and what its attributes are called.
final class EntityHistory: Sendable {
    let name: String
    let origin: PersistentIdentifier.Origin
    let maker: any ChangeMaker
    /// By the attribute's number.
    private let attributes: [Attribute?]

    private struct Attribute: Sendable {
        let name: String
        /// What the class has of it, if it does.
        let property: Schema.Property?
    }

    init(_ recorded: RecordedEntity, _ entity: Schema.Entity?, storeIdentifier: String) {
        name = recorded.name
        origin = .init(storeIdentifier: storeIdentifier, entityName: recorded.name)
        maker = entity.map { Self.maker($0.type) } ?? TypedChangeMaker<RemovedModel>()
        // A table has 32,767 columns at most; many times that, renamed and removed, would be another program's doing.
        let known = recorded.attributes.filter { (0...1_000_000).contains($0.number) }
        var attributes = [Attribute?](repeating: nil, count: (known.map(\.number).max() ?? -1) + 1)
        for attribute in known {
            attributes[attribute.number] = Attribute(
                name: attribute.name, property: attribute.isPresent ? entity?.property(named: attribute.name) : nil)
        }
        self.attributes = attributes
    }

    private static func maker<Model: PersistentModel>(_ type: Model.Type) -> any ChangeMaker {
        TypedChangeMaker<Model>()
    }

    /// The names of the attributes in a list of masks, the first of which has the lowest numbers; `nil` when one of them
    /// is not known.
    func names(_ masks: [Int64]) -> [String]? {
        var names: [String] = []
        for (index, mask) in masks.enumerated() {
            guard mask >> RecorderSQL.attributesPerMask == 0 else { return nil }
            var rest = mask
            while rest != 0 {
                let number = index * RecorderSQL.attributesPerMask + rest.trailingZeroBitCount
                guard number < attributes.count, let attribute = attributes[number] else { return nil }
                names.append(attribute.name)
                rest &= rest - 1
            }
        }
        return names
    }

    /// Whether the attribute is known.
    func hasAttribute(_ number: Int64) -> Bool {
        attributes.indices.contains(Int(clamping: number)) && attributes[Int(number)] != nil
    }

    /// The name and the value of an attribute that a delete kept; `nil` when there is no value.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` for what is no value of the property's type.
    func kept(_ number: Int64, _ value: PropertyValue) throws -> HistoryTombstone<RemovedModel>.Element? {
        guard !value.isNull, hasAttribute(number), let attribute = attributes[Int(number)] else { return nil }
        guard let property = attribute.property else { return value.plainValue.map { (attribute.name, $0) } }
        do {
            return try property.decode(value.inForm(of: property)).map { (attribute.name, $0) }
        } catch let error as SwiftDataError {
            throw error.adding(entityName: name)
        }
    }
}

extension PropertyValue {
    /// A real that has no number in SQLite is kept as the eight bytes of its bits.
    fileprivate func inForm(of property: Schema.Property) -> PropertyValue {
        guard case .blob(let bytes) = self, property.attribute?.storage == .real, bytes.count == 8 else { return self }
        return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }

    /// The value itself, for attributes whose type nobody knows any more.
    fileprivate var plainValue: (any Sendable)? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .blob(let value): value
        case .reference(let value): value
        case .references(let value): value
        }
    }
}
