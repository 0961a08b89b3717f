import Chronicle

/// The parts of a table that do not change while it is open.
final class TableLayout: Sendable {
    /// A to-one relationship, seen from the table that has it.
    struct Reference: Sendable {
        let column: Int
        let destination: String
        /// The rule that applies to the row when its destination is deleted.
        let rule: Schema.Relationship.DeleteRule
    }

    let name: String
    let origin: PersistentIdentifier.Origin
    /// The stored properties of the class; none for an entity that the schema does not have.
    let properties: [Schema.Property]
    /// The columns of the schema, which come first and which inserted rows have.
    let schemaColumns: [Int]
    let references: [Reference]
    /// The columns that are unique together.
    let constraints: [[Int]]
    /// Those marked `.preserveValueOnDeletion`.
    let preserved: [Int]

    init(_ name: String, _ origin: PersistentIdentifier.Origin, _ schema: Schema) {
        (self.name, self.origin) = (name, origin)
        let entity = schema.entitiesByName[name]
        properties = entity?.storedProperties ?? []
        schemaColumns = Array(properties.indices)
        references = properties.compactMap { property in
            property.relationship.map { Reference(column: property.slot, $0, schema) }
        }
        constraints = entity?.uniqueProperties.map { $0.map(\.slot) } ?? []
        preserved = entity?.preservedProperties.map(\.slot) ?? []
    }

    /// The values that have to be unique; `nil` if one is null, because null is not equal to null.
    func values(_ constraint: Int, of row: [PropertyValue]) -> [PropertyValue]? {
        let values = constraints[constraint].map { row[$0] }
        return values.contains(where: \.isNull) ? nil : values
    }

    /// - Throws: `SwiftDataError.modelValidationFailure` for a snapshot that does not belong to this table.
    func requireFit(_ snapshot: DefaultSnapshot) throws {
        guard snapshot.values.count != schemaColumns.count else { return }
        throw SwiftDataError.modelValidationFailure.with(
            detail: "a snapshot has \(snapshot.values.count) values for \(schemaColumns.count) columns",
            entityName: name, persistentIdentifier: snapshot.persistentIdentifier)
    }
}

extension TableLayout.Reference {
    fileprivate init(column: Int, _ relationship: Schema.Relationship, _ schema: Schema) {
        self.init(
            column: column, destination: relationship.destination, rule: schema.deleteRule(towards: relationship))
    }
}
