package import ChronicleCore
package import ChronicleSQL

/// What a store supplies to move relationships to other tables and columns.
package protocol RelationshipTables: StoreTables {
    /// Returns the name of a temporary table with its schema.
    static func temporary(_ name: String) -> String

    /// Returns the tables after changes of definitions.
    func reloaded() throws -> Self

    func execute(_ sql: String) throws
    func createLinks(_ links: Schema.Links) throws
    /// Drops a table of links, if it exists.
    func dropLinks(_ table: String) throws
    /// Copies links to a new temporary table.
    func copyLinks(_ table: String, toTemporary name: String) throws
    /// Copies links to the table of a relationship, which may contain some of them.
    func copyLinks(_ source: EarlierLinks, to links: Schema.Links) throws
    /// Drops a column with its indexes. The attribute keeps its number in the history.
    ///
    /// - Parameter newName: The name of the property that continues the history of the column, or `nil` if none does.
    func dropColumn(_ name: String, of table: String, newName: String?) throws

    /// Creates the temporary table `chronicle_pair` with the columns `relationship`, `source` and `destination`.
    func createPairs() throws
    /// Copies the pairs of a relationship whose models and destinations exist.
    ///
    /// - Parameters:
    ///   - number: The number of the relationship in the table.
    ///   - destination: The table of the destinations.
    ///   - rows: The condition for the models.
    ///   - destinations: The condition for the destinations.
    func copyPairs(
        _ relationship: RelationshipChange, _ number: Int, to destination: String, rows: String, destinations: String
    ) throws
    /// Writes the pairs of a relationship to a column or a table of links.
    func writePairs(_ number: Int, to storage: RelationshipStorage) throws
}

extension RelationshipTables {
    /// Moves links from the tables of an earlier schema, if relationships were renamed, the alphabetical order of their
    /// sides changed, or two of them became the sides of one.
    package func moveEarlierLinks(_ plan: SchemaPlan) throws {
        var moves = try schema.links.map { (links: $0, sources: try earlierLinks(of: $0, plan)) }
        let continued = Set(moves.flatMap(\.sources).map(\.table))
        for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
            for property in table.droppedLinks {
                for case .links(let links, _, _) in plan.storages(of: property, in: name)
                where !continued.contains(links) {
                    try dropLinks(links)
                }
            }
        }
        let names = Set(schema.links.map(\.name))
        let foldedNames = Set(names.map(folded))
        try dropFoldedLeftovers(of: moves.map(\.links), continued, plan)
        // The links of a removed relationship that became the other side of one.
        for links in schema.links where !links.isSymmetric {
            guard let other = links.inverse.map({ "\(links.destination).\($0.name)" }), !continued.contains(other),
                !names.contains(other), !plan.usesLinks(other), try hasTable(other),
                try references(other, from: links.destination, to: links.owner)
            else { continue }
            try dropLinks(other)
        }
        // A table may have the links of several relationships, if both sides of one became sides of different ones.
        let inPlace = Set(moves.filter { $0.sources.contains(EarlierLinks(inPlaceOf: $0.links)) }.map(\.links.name))
        var uses: [String: Int] = [:]
        for source in moves.flatMap(\.sources) { uses[source.table, default: 0] += 1 }
        var temporaries: [String: String] = [:]
        for index in moves.indices {
            for (number, source) in moves[index].sources.enumerated() {
                let table = source.table
                guard source != EarlierLinks(inPlaceOf: moves[index].links),
                    foldedNames.contains(folded(table)) || uses[table] ?? 0 > 1
                else { continue }
                let temporary = temporaries[table] ?? "chronicle_moved_\(temporaries.count)"
                if temporaries.updateValue(temporary, forKey: table) == nil {
                    try copyLinks(table, toTemporary: temporary)
                    // The links of this table make room for those of another one.
                    if !inPlace.contains(table) { try dropLinks(table) }
                }
                moves[index].sources[number].table = temporary
                moves[index].sources[number].isTemporary = true
            }
        }
        for (links, sources) in moves { try move(sources, to: links, plan) }
        for temporary in temporaries.values.sorted() { try execute("DROP TABLE \(Self.temporary(temporary))") }
    }

    /// Drops the tables of removed relationships whose names differ only in their case from those of others, if the database
    /// compares them without regard to it.
    private func dropFoldedLeftovers(
        of all: [Schema.Links], _ continued: Set<String>, _ plan: SchemaPlan
    ) throws {
        for links in all {
            if let other = all.map(\.name).first(where: { $0 != links.name && folded($0) == folded(links.name) }) {
                throw SchemaPlan.failure(
                    "another program has the relationship \(other), whose name differs only in its case; give one of them "
                        + "another name",
                    links.owner, links.property.name)
            }
            guard let other = try tableName(folded: links.name), other != links.name, !continued.contains(other) else {
                continue
            }
            if plan.usesLinks(other), try exists(dialect.table(other)) {
                throw SchemaPlan.failure(
                    "the store has links of the relationship \(other), whose name differs only in its case, and which would "
                        + "be lost; declare it as the original name, or give one of them another name",
                    links.owner, links.property.name)
            }
            try dropLinks(other)
        }
    }

    private func move(_ sources: [EarlierLinks], to links: Schema.Links, _ plan: SchemaPlan) throws {
        let tables = try reloaded()
        let own = EarlierLinks(inPlaceOf: links)
        if try tables.hasTable(links.name), !sources.contains(own) {
            if try !tables.references(links.name, from: links.owner, to: links.destination) {
                try requireReplaceable(links, plan)
                try dropLinks(links.name)
            } else if !sources.isEmpty || plan.continues(links) {
                // Links of a removed relationship.
                try dropLinks(links.name)
            }
        }
        for source in sources where source != own {
            if try !reloaded().hasTable(links.name) { try createLinks(links) }
            try copyLinks(source, to: links)
            if !source.isTemporary { try dropLinks(source.table) }
        }
    }

    /// Throws an error if links of another relationship that had the same name would be lost.
    private func requireReplaceable(_ links: Schema.Links, _ plan: SchemaPlan) throws {
        // A relationship that was stored in another place replaces the links that remain from a removed one.
        if plan.opening.stage != nil || plan.continues(links) { return }
        guard try exists(dialect.table(links.name)) else { return }
        throw SwiftDataError.backwardMigration.with(
            detail: "the \(Catalog.Meta.noun) has links of another relationship with this name; rename the "
                + "relationship",
            entityName: links.owner, propertyName: links.property.name)
    }
}
