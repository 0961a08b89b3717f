import ChronicleCore

/// The tables whose rows have changed since a position, with the SQL of their rows as of the position.
///
/// A temporary table contains each row that has changed, as it was. The rows as of the position are those of the table
/// without the changed ones, and those of the temporary table that existed. SQLite combines each part of such a UNION
/// ALL with the query around it, so that both use their indexes. https://www.sqlite.org/optoverview.html#flattening
struct PastTables: Sendable {
    let storeIdentifier: String
    let position: Int64
    /// The tables of models that have changed, by name.
    var tables: [String: PastTable] = [:]
    /// The link tables that have changed, by name.
    var links: [String: PastLinks] = [:]
    /// The properties with unknown values, each with a model, by the name of the table.
    var unknown: [String: [String: UnknownValue]] = [:]
    /// The to-many relationships whose destinations are unknown, by table and primary key.
    var unknownLists: [String: [Int64: UnknownValue]] = [:]
    /// The link tables of these relationships.
    var unknownLinks: [String: UnknownValue] = [:]

    /// The tables of models of which a relationship changed between to-one and to-many.
    var changedForms: Set<String> = []

    /// A value that the history does not contain.
    struct UnknownValue: Sendable {
        /// The name of the table.
        let table: String
        let entity: String
        let property: String
        let key: Int64
    }

    /// Returns the content of the FROM clause for the rows of a table of models.
    func source(_ name: String) -> String { tables[name]?.source ?? quoted(name) }

    /// Returns the content of the FROM clause for the rows of a link table.
    ///
    /// - Throws: ``SwiftDataError/historyValueMissing`` if rows are unknown.
    func linkSource(_ name: String) throws -> String {
        if let unknown = unknownLinks[name] { throw error(unknown) }
        return links[name]?.source ?? quoted(name)
    }

    func error(_ value: UnknownValue) -> SwiftDataError {
        .historyValueMissing.with(
            detail:
                "the history does not contain the value as of position \(position); use a later position, or enable "
                + "preserving values for later changes",
            entityName: value.entity, propertyName: value.property,
            persistentIdentifier: PersistentIdentifier.Origin(
                storeIdentifier: storeIdentifier, entityName: value.entity, rootEntityName: value.table
            ).identifier(value.key))
    }
}

/// The changed rows of a link table.
struct PastLinks: Sendable {
    let name: String
    /// The name of the temporary table, quoted.
    let temporary: String

    /// The rows as of the position.
    var source: String {
        """
        (SELECT m.owner AS owner, m.destination AS destination FROM main.\(quoted(name)) AS m \
        LEFT JOIN \(temporary) AS p ON p.owner = m.owner AND p.destination = m.destination \
        WHERE p.owner IS NULL UNION ALL \
        SELECT p.owner AS owner, p.destination AS destination FROM \(temporary) AS p WHERE p.present)
        """
    }
}
