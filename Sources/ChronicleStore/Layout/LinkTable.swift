import ChronicleCore
import ChronicleSQL

/// The link table of a relationship, with its statements.
///
/// It is named after the owner's property, such as `Item.tags`. Entity names contain no period, so the name is unique.
struct LinkTable: Sendable {
    let links: Schema.Links
    let insert: String
    let delete: String

    init(_ links: Schema.Links) {
        self.links = links
        let table = quoted(links.name)
        insert = "INSERT INTO \(table)(owner, destination) VALUES (?, ?)"
        delete = "DELETE FROM \(table) WHERE owner = ? AND destination = ?"
    }

    /// Returns a statement that selects the destinations of one row, whose key is the parameter, or of several rows,
    /// whose keys are a JSON array. The last column is the key of the source.
    ///
    /// The rows are in the order of their keys, which is the order of the table's primary key and of its index. All
    /// columns of the order are selected; see ``FetchSQL/select(_:past:)``.
    ///
    /// - Parameter past: The tables as of a position, or `nil` for the present rows.
    /// - Throws: ``SwiftDataError/historyValueMissing`` if links as of the position are unknown.
    func select(
        _ property: Schema.Property, of destination: EntityTable, ofMany: Bool, past: PastTables?
    ) throws -> String {
        let (from, to) = ModelTables.linkColumns(of: property, in: links)
        return """
            SELECT \(destination.selection), l.\(from), l.\(to) \
            FROM \(try past?.linkSource(links.name) ?? quoted(links.name)) AS l \
            JOIN \(past?.source(destination.name) ?? quoted(destination.name)) AS \(FetchSQL.table) \
            ON \(FetchSQL.table).\(quoted(RecordedTable.primaryKey)) = l.\(to) \
            WHERE l.\(from) \(ofMany ? "IN (SELECT value FROM json_each(?))" : "= ?") ORDER BY l.\(from), l.\(to)
            """
    }
}
