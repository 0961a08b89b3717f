package import ChronicleCore

/// The version of a schema, as a store keeps it.
package struct StoreVersion: Equatable, Sendable {
    package let identifier: Schema.Version
    /// A stage migrates the store from this version, which may be later.
    private let replaced: Schema.Version?
    private let hash: String

    package init(_ identifier: Schema.Version, of schema: Schema, replacing replaced: Schema.Version? = nil) {
        self.identifier = identifier
        self.replaced = replaced
        hash = schema.versionHash
    }

    /// `nil` if no program has declared a version.
    package init?(_ meta: some MetaValues) throws {
        guard let text = try meta.text(.schemaVersion) else { return nil }
        guard let identifier = Schema.Version(text) else {
            throw meta.damaged(.schemaVersion, "the version is invalid", underlying: nil)
        }
        self.identifier = identifier
        replaced = nil
        hash = try meta.text(.schemaHash) ?? ""
    }

    package static func == (lhs: StoreVersion, rhs: StoreVersion) -> Bool {
        lhs.identifier == rhs.identifier && lhs.hash == rhs.hash
    }

    package func store(_ meta: some MetaValues) throws {
        try meta.set(.schemaVersion, identifier.description)
        try meta.set(.schemaHash, hash)
    }

    /// A later version of the store is an error, unless a stage migrates it to this one. Returns the version of the store.
    @discardableResult
    package func requireNotLater<Meta: MetaValues>(_ meta: Meta) throws -> StoreVersion? {
        let stored = try StoreVersion(meta)
        guard let stored, stored.identifier > identifier, stored.identifier != replaced else { return stored }
        throw SwiftDataError.newerSchemaVersion.with(
            detail: "the \(Meta.noun) has version \(stored.identifier) of its schema, but this program supports "
                + "versions up to \(identifier); update the program")
    }

    /// A store that is opened read-only must have this version.
    package func requireCurrent<Meta: MetaValues>(_ meta: Meta, storeIdentifier: String) throws {
        guard let stored = try requireNotLater(meta), stored.identifier < identifier else { return }
        throw SwiftDataError.loadIssueModelContainer.with(
            detail: "the \(Meta.noun) has version \(stored.identifier) of its schema, and must be migrated to "
                + "\(identifier); open it once with `allowsSave: true`",
            storeIdentifier: storeIdentifier)
    }
}
