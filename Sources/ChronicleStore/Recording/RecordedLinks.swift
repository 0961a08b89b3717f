/// A link table, from which its triggers are generated. Equal descriptions have equal triggers. The primary key consists of
/// `owner` and `destination`.
struct RecordedLinks: Hashable, Sendable {
    struct End: Hashable, Sendable {
        let column: String
        let entityID: Int64
        /// The name, not quoted.
        let table: String
        var subentities: [RecordedTable.Subentity] = []
        /// `nil` if this end has no relationship.
        let attribute: Int?
        let preservesValues: Bool
        let cascades: Bool
    }

    /// The name, not quoted.
    let name: String
    let owner: End
    let destination: End
    /// Whether the table contains the reverse of every link.
    let isSymmetric: Bool
}
