import ChronicleCore
import ChronicleSQL

/// Transfers the destinations of relationships that a new schema stores in another way, for example because a to-one
/// relationship became a to-many relationship.
///
/// The pairs of models and destinations are copied to a temporary table before the tables of the new schema exist, and
/// from there to their new place when the triggers exist that record the changes.
package struct RelationshipTransfer<Tables: RelationshipTables> {
    private let tables: Tables
    private let relationships: [RelationshipChange]

    private static var pairs: String { Tables.temporary("chronicle_pair") }

    /// Copies the pairs, and removes the columns and link tables that the new schema does not use.
    ///
    /// - Parameters:
    ///   - tables: The tables, whose entities have their new names.
    ///   - plan: The relationships that those of the schema continue. Columns have their names before.
    package init(_ tables: Tables, _ plan: SchemaPlan) throws {
        self.tables = tables
        relationships = try RelationshipChange.changes(plan, to: tables.schema, exists: tables.contains)
        guard !relationships.isEmpty else { return }
        try tables.createPairs()
        for (number, relationship) in relationships.enumerated() { try copy(relationship, number, plan) }
        for relationship in relationships { try remove(relationship.old, plan) }
    }

    private func copy(_ relationship: RelationshipChange, _ number: Int, _ plan: SchemaPlan) throws {
        guard let destination = relationship.property.relationship?.destination else { return }
        let table = relationship.entity.name
        let columns = try tables.columns(of: table).keys
        // Other classes in the table do not have the relationship any more.
        let owners = plan.tables[table]?.classes.filter { $0.earlier[relationship.property.name] != nil } ?? []
        let rows = owners.map { tables.rows(of: $0.entity, columns) }.joined(separator: " OR ")
        try tables.copyPairs(relationship, number, to: destination, rows: rows)
    }

    /// Removes the earlier place of a relationship, which would otherwise keep values that nothing updates.
    private func remove(_ storage: RelationshipStorage, _ plan: SchemaPlan) throws {
        switch storage {
        case .links(let table, _, _):
            // They are also those of the other side, which became that of another relationship.
            let isContinued = try tables.schema.links.contains { links in
                try tables.earlierLinks(of: links, plan).contains { $0.table == table }
            }
            if !isContinued { try tables.dropLinks(table) }
        case .column(let table, let name), .inverseColumn(let table, let name):
            guard plan.tables[table]?.continues(column: name) != true, try tables.reloaded().contains(storage) else {
                return
            }
            try tables.dropColumn(name, of: table, newName: newName(ofColumn: name, of: table, plan))
        }
    }

    /// Returns the name that a dropped column has in the history: that of the property that continues it, or `nil` if none does.
    private func newName(ofColumn name: String, of table: String, _ plan: SchemaPlan) -> String? {
        tables.schema.entitiesByName[table]?.properties.first { property in
            guard let earlier = plan.tables[table]?.earlier(property.name) else { return false }
            return earlier.place == .column && earlier.name == name
        }?.name
    }

    /// Copies the pairs to their new place.
    ///
    /// - Parameter recording: A closure that records the changes of another one.
    /// - Returns: The names of the entities whose relationships have another place.
    /// - Throws: `SwiftDataError.backwardMigration` if a to-one relationship would have several destinations.
    @discardableResult
    package func apply(recording: (() throws -> Void) throws -> Void = { try $0() }) throws -> Set<String> {
        guard !relationships.isEmpty else { return [] }
        for (number, relationship) in relationships.enumerated() {
            try requireSingleDestinations(relationship, number)
        }
        try recording {
            for (number, relationship) in relationships.enumerated() {
                try tables.writePairs(number, to: relationship.new)
            }
        }
        try tables.execute("DROP TABLE \(Self.pairs)")
        return Set(relationships.map(\.entity.name))
    }

    private func requireSingleDestinations(_ relationship: RelationshipChange, _ number: Int) throws {
        guard let key = relationship.new.uniqueColumn else { return }
        let repeated = "\(Self.pairs) WHERE relationship = \(number) GROUP BY \(key) HAVING count(*) > 1"
        guard try tables.exists(repeated) else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the relationship is to-one now, or its inverse is, but the \(Tables.Catalog.Meta.noun) has models "
                + "with several destinations; remove all but one, for example in the `willMigrate` closure of a stage",
            entityName: relationship.entity.name, propertyName: relationship.property.name)
    }
}
