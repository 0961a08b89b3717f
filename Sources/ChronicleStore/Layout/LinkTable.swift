import ChronicleCore

/// The table is named after the owner's property, such as `Item.tags`. Entity names contain no period, so the name is
/// unique.
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
}
