package import ChronicleCore
import ChronicleSQL

// The values and links that remain from removed properties.
extension StoreTables {
    /// Returns the links of a removed relationship that the schema declares again, as tables with conditions. The links are
    /// in their earlier tables.
    package func leftoverRows(
        of links: Schema.Links, _ plan: SchemaPlan
    ) throws -> [(table: String, condition: String)] {
        let owners = plan.leftoverOwners(of: links)
        guard !owners.isEmpty else { return [] }
        return try leftoverLinks(of: links, plan).flatMap { source in
            let table = dialect.table(source.table)
            return try owners.flatMap { owner in
                let isOwner = (owner.column == ModelTables.linkOwner) != source.isReversed
                let column = isOwner ? ModelTables.linkOwner : ModelTables.linkDestination
                let columns = try columns(of: owner.table).keys
                return try owner.classes.compactMap { entity in
                    let condition =
                        "\(column) IN (SELECT \(ModelTables.primaryKey) FROM \(dialect.table(owner.table)) "
                        + "WHERE \(rows(of: entity, whereNew: owner.property, plan, columns)))"
                    return try exists("\(table) WHERE \(condition)") ? (table, condition) : nil
                }
            }
        }
    }

    /// Returns whether the tables must be changed before they have the values of the schema, although they have its columns and
    /// links: names change, relationships move, or values and links remain from removed properties.
    package func requireChanges(for plan: SchemaPlan) throws -> Bool {
        if plan.changesNames { return true }
        if try !RelationshipChange.changes(plan, to: schema, exists: contains).isEmpty { return true }
        for links in schema.links {
            let isMoved = try earlierLinks(of: links, plan).contains { $0 != EarlierLinks(inPlaceOf: links) }
            if try isMoved || !leftoverRows(of: links, plan).isEmpty { return true }
        }
        return try hasLeftoverValues(plan)
    }

    /// Returns whether columns have values of removed properties that the schema declares again.
    private func hasLeftoverValues(_ plan: SchemaPlan) throws -> Bool {
        if plan.opening.isKnown { return false }
        for (table, tablePlan) in plan.tables where try hasTable(table) {
            let columns = try columns(of: table).keys
            for item in tablePlan.classes {
                for property in item.entity.storedProperties where item.earlier[property.name] == nil {
                    var condition = rows(of: item.entity, whereNew: property.name, plan, columns)
                    if property.defaultValue?.isNull ?? true {
                        condition = "\(dialect.quoted(property.name)) IS NOT NULL AND \(condition)"
                    }
                    if try exists("\(dialect.table(table)) WHERE \(condition)") { return true }
                }
            }
        }
        return false
    }
}
