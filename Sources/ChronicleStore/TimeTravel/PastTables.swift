import ChronicleSQLStore

/// The tables whose rows have changed since a position. A temporary table contains each changed row, as it was. The rows as
/// of the position are those of the table without the changed ones, and those of the temporary table that existed. SQLite
/// combines each part of such a UNION ALL with the query around it, so that both use their indexes.
/// https://www.sqlite.org/optoverview.html#flattening
struct PastTables: Sendable {
    /// The tables of models that have changed, by name.
    var tables: [String: PastTable] = [:]
    var links: [String: PastLinks] = [:]
    var unknowns: PastUnknowns

    func source(_ name: String) -> String { tables[name]?.source ?? quoted(name) }

    func linkSource(_ name: String) throws -> String {
        try unknowns.requireLinks(name)
        return links[name]?.source ?? quoted(name)
    }
}

struct PastLinks: Sendable {
    let name: String
    /// Quoted.
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
