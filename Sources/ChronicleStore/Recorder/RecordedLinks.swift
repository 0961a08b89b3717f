/// A table of links as its triggers see it. Equal descriptions have equal triggers.
///
/// The table has two columns, `owner` and `destination`, which together are its primary key.
struct RecordedLinks: Hashable, Sendable {
    /// One end of the links.
    struct End: Hashable, Sendable {
        /// The column that refers to it.
        let column: String
        let entityID: Int64
        /// The name of the entity's table, not quoted.
        let table: String
        /// The number of the property that leads along the links from here; nil when there is none.
        let attribute: Int?
        /// Whether a delete of a row at this end deletes those at the other.
        let cascades: Bool
    }

    /// The name of the table, not quoted.
    let name: String
    let owner: End
    let destination: End
    /// Whether with every link the reversed one is in the table, too.
    let isSymmetric: Bool
}
