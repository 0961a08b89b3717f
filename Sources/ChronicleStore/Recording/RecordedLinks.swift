/// The description of a link table from which its triggers are generated. Equal descriptions have equal triggers.
///
/// The table has two columns, `owner` and `destination`, which together are its primary key.
struct RecordedLinks: Hashable, Sendable {
    /// One end of the links.
    struct End: Hashable, Sendable {
        /// The column that references this end.
        let column: String
        let entityID: Int64
        /// The name of the entity's table, not quoted.
        let table: String
        /// The other entities whose rows are in the table.
        var subentities: [RecordedTable.Subentity] = []
        /// The number of the relationship from this end, or `nil` if there is none.
        let attribute: Int?
        /// Whether the history preserves the added and removed destinations.
        let preservesValues: Bool
        /// Whether deleting a row at this end deletes the linked rows at the other end.
        let cascades: Bool
    }

    /// The name of the table, not quoted.
    let name: String
    let owner: End
    let destination: End
    /// Whether the table contains the reverse of every link.
    let isSymmetric: Bool
}
