import ChronicleCore

/// The table of the links of a relationship: its statements.
///
/// It is called by the owner's property, `Item.tags`. No class has such a name, and no two relationships have the same.
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

    /// The columns that a property of the relationship leads from and to. A symmetric one has both directions of each link
    /// in the table.
    static func columns(of property: Schema.Property, in links: Schema.Links) -> (from: String, to: String) {
        links.property === property ? ("owner", "destination") : ("destination", "owner")
    }

    /// Selects the rows that the links of one row lead to, whose key is the parameter, or of many, whose keys are a list in
    /// JSON. Behind the columns comes the key of the row that leads there.
    ///
    /// In the order of their keys, which is that of the table's primary key, or of its index.
    func select(_ property: Schema.Property, of destination: EntityTable, ofMany: Bool) -> String {
        let (from, to) = Self.columns(of: property, in: links)
        return """
            SELECT \(destination.selection), l.\(from) FROM \(quoted(links.name)) AS l \
            JOIN \(quoted(destination.entity.name)) AS \(FetchSQL.table) \
            ON \(FetchSQL.table).\(quoted(RecordedTable.primaryKey)) = l.\(to) \
            WHERE l.\(from) \(ofMany ? "IN (SELECT value FROM json_each(?))" : "= ?") ORDER BY l.\(from), l.\(to)
            """
    }
}
