/// The name of a property of a store, which the table `chronicle_meta` contains with its value.
///
/// Those that only one store has are declared there.
package struct MetaName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The version of the format of the store.
    package static let format = MetaName("format")
    /// The UUID that was generated when the store was created.
    package static let storeIdentifier = MetaName("store")
    /// Whether the history is recorded: `on` or `off`.
    package static let history = MetaName("history")
    /// Whether the history preserves the values of all properties: `on` or `off`.
    package static let preservesValues = MetaName("preservesValues")
    /// The version of the schema, such as `1.0.0`, if a program declared it; see ``StoreVersion``.
    package static let schemaVersion = MetaName("schemaVersion")
    /// The hash of the schema with that version.
    package static let schemaHash = MetaName("schemaHash")

    /// The token up to which the transactions of another store were replayed, as JSON.
    package static let replayed = MetaName("replayed")

    /// The properties of the entity with this number: those of its newest declaration, and removed ones whose columns or
    /// links remain; see `StoredEntity`.
    package static func properties(_ entity: Int64) -> MetaName { MetaName("properties:\(entity)") }

    /// The store was opened with the schema with this `Schema.declarationKey(_:)`; see ``KnownSchemas``.
    package static func known(_ key: String) -> MetaName { MetaName(knownPrefix + key) }
    package static let knownPrefix = "known:"

    /// The tables meet the requirements of the schema with this signature, and their definitions had the digest that is
    /// the value.
    package static func completeFor(_ signature: String) -> MetaName { MetaName("complete:\(signature)") }
    /// The SQL condition for the rows of ``completeFor(_:)``.
    package static let isCompletion = "name >= 'complete:' AND name < 'complete;'"
}

/// The properties of a store, as the table `chronicle_meta` contains them.
package protocol MetaValues {
    /// What errors call the store: `file` or `store`.
    static var noun: String { get }

    /// Returns the text stored under a name, or `nil` if there is none.
    func text(_ name: MetaName) throws -> String?
    func set(_ name: MetaName, _ text: String) throws
    /// Returns the error for a row that Chronicle cannot have written.
    func damaged(_ name: MetaName, _ detail: String, underlying: (any Error)?) -> any Error
}
