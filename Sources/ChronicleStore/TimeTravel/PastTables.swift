import ChronicleCore

/// The tables whose rows have changed since a position. A temporary table contains each changed row, as it was. The rows as
/// of the position are those of the table without the changed ones, and those of the temporary table that existed. SQLite
/// combines each part of such a UNION ALL with the query around it, so that both use their indexes.
/// https://www.sqlite.org/optoverview.html#flattening
struct PastTables: Sendable {
    let storeIdentifier: String
    let position: Int64
    var tables: [String: PastTable] = [:]
    var links: [String: PastLinks] = [:]
    /// The properties by the name of the table; each with a model.
    var unknown: [String: [String: UnknownValue]] = [:]
    /// The relationships by table and primary key.
    var unknownLists: [String: [Int64: UnknownValue]] = [:]
    var unknownLinks: [String: UnknownValue] = [:]

    /// A relationship of these tables changed between to-one and to-many.
    var changedForms: Set<String> = []

    struct UnknownValue: Sendable {
        let table: String
        let entity: String
        let property: String
        let key: Int64
    }

    func source(_ name: String) -> String { tables[name]?.source ?? quoted(name) }

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

struct PastLinks: Sendable {
    let name: String
    /// The quoted name of the temporary table.
    let temporary: String

    var source: String {
        """
        (SELECT m.owner AS owner, m.destination AS destination FROM main.\(quoted(name)) AS m \
        LEFT JOIN \(temporary) AS p ON p.owner = m.owner AND p.destination = m.destination \
        WHERE p.owner IS NULL UNION ALL \
        SELECT p.owner AS owner, p.destination AS destination FROM \(temporary) AS p WHERE p.present)
        """
    }
}
