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
    /// The statements that remove the values of relationships from columns which have those of removed ones as well.
    private var cleanings: [String] = []

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
        for relationship in relationships {
            let keepsColumn = try keepsColumn(relationship, plan)
            if keepsColumn || relationship.new.place == .column { cleanings += try cleaning(relationship, plan) }
            if !keepsColumn { try remove(relationship.old, plan) }
        }
    }

    /// Returns whether another class in the table has values in the column of a relationship, which a program that returns to an
    /// earlier schema finds again.
    private func keepsColumn(_ relationship: RelationshipChange, _ plan: SchemaPlan) throws -> Bool {
        switch relationship.old {
        case .column(let table, let name): name == relationship.property.name && plan.keepsColumn(name, of: table)
        case .inverseColumn(let table, let name): plan.keepsColumn(name, of: table)
        case .links: false
        }
    }

    /// Returns the statement that removes the values of a relationship's models from the column of its name, if they exist.
    private func cleaning(_ relationship: RelationshipChange, _ plan: SchemaPlan) throws -> [String] {
        let (table, name) = (relationship.entity.name, relationship.property.name)
        guard try tables.columns(of: table)[name] != nil else { return [] }
        let column = tables.dialect.quoted(name)
        return [
            "UPDATE \(tables.dialect.table(table)) SET \(column) = NULL WHERE \(column) IS NOT NULL "
                + "AND (\(try rows(of: relationship, plan)))"
        ]
    }

    /// Returns the condition for the models that have a relationship in its earlier place.
    private func rows(of relationship: RelationshipChange, _ plan: SchemaPlan) throws -> String {
        let table = relationship.entity.name
        let columns = try tables.columns(of: table).keys
        // Other classes in the table do not have the relationship any more, or have it in another place.
        let owners = plan.tables[table]?.classes.filter {
            $0.earlier[relationship.property.name]?.place == relationship.old.place
        }
        return (owners ?? []).map { tables.rows(of: $0.entity, columns) }.joined(separator: " OR ")
    }

    private func copy(_ relationship: RelationshipChange, _ number: Int, _ plan: SchemaPlan) throws {
        guard let destination = relationship.property.relationship?.destination else { return }
        try tables.copyPairs(
            relationship, number, to: destination, rows: try rows(of: relationship, plan),
            destinations: try destinations(of: relationship, plan))
    }

    /// Returns the condition for the destinations of a relationship. In the column of its inverse, other classes may have the values
    /// of another relationship, or of a removed one.
    private func destinations(of relationship: RelationshipChange, _ plan: SchemaPlan) throws -> String {
        guard case .inverseColumn(let table, let name) = relationship.old else { return tables.dialect.true.sql }
        let owners = tables.models.entities.filter { $0.rootName == relationship.entity.name }
        let declared = Set(
            owners.compactMap { $0.propertiesByName[relationship.property.name]?.relationship?.destination })
        let leftovers = plan.tables[table]?.leftovers[name] ?? []
        let classes = plan.entities.keys.filter { key in
            plan.root(of: key) == table && !leftovers.contains(key)
                && declared.contains { $0 == table || key == $0 || plan.entities.inherits(key, from: $0) }
        }
        return tables.rows(ofStored: Set(classes), in: table, plan, try tables.columns(of: table).keys)
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
        for relationship in relationships { try requireSingleDestinations(relationship) }
        try recording {
            for cleaning in cleanings { try tables.execute(cleaning) }
            for (number, relationship) in relationships.enumerated() {
                try tables.writePairs(number, to: relationship.new)
            }
        }
        try tables.execute("DROP TABLE \(Self.pairs)")
        return Set(relationships.map(\.entity.name))
    }

    /// The pairs of classes that had the relationship in different places have the same new place.
    private func requireSingleDestinations(_ relationship: RelationshipChange) throws {
        guard let key = relationship.new.uniqueColumn else { return }
        let numbers = relationships.indices.filter { relationships[$0].new == relationship.new }
        let other = key == "source" ? "destination" : "source"
        let repeated =
            "\(Self.pairs) WHERE relationship IN (\(numbers.map(String.init).joined(separator: ", "))) "
            + "GROUP BY \(key) HAVING count(DISTINCT \(other)) > 1"
        guard try tables.exists(repeated) else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the relationship is to-one now, or its inverse is, but the \(Tables.Catalog.Meta.noun) has models "
                + "with several destinations; remove all but one, for example in the `willMigrate` closure of a stage",
            entityName: relationship.entity.name, propertyName: relationship.property.name)
    }
}
