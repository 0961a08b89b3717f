/// The description of a model table from which the triggers of its entity are generated. Equal descriptions have equal
/// triggers.
///
/// The table itself must exist in the main database, have a rowid primary key, and have a column named `id`.
struct RecordedTable: Hashable, Sendable {
    /// A stored property of the entity: an attribute or a to-one relationship.
    struct Column: Hashable, Sendable {
        /// The number of the attribute in its entity. It is never reused and does not change when the attribute is
        /// renamed.
        let number: Int
        /// The name of the column in the table.
        let name: String
        /// Whether deletes preserve the last value.
        let preserved: Bool
    }

    /// The name of the primary key in statements. SQLite accepts this name in every rowid table; the column itself
    /// is named `id`, unless an attribute has that name. https://www.sqlite.org/lang_createtable.html#rowid
    static let primaryKey = "_rowid_"

    /// The number of the entity in this file, 1 or greater.
    let entityID: Int64
    /// The name of the table, not quoted.
    let name: String
    /// The recorded columns in any order, without the primary key.
    let columns: [Column]
    /// The column names of each unique index.
    ///
    /// The recorder compares these columns with `=` to find the rows that a `REPLACE` of another program deletes.
    /// Indexes must therefore not be partial, and must use the collations of their columns.
    let uniqueness: [[String]]
}

extension RecordedTable {
    /// The kind of a change, as the last two bits of the column `what`.
    enum Operation: Int64, Sendable {
        /// A further preserved value, which follows the row of its delete.
        case preservedValue = 0
        case insert = 1
        case update = 2
        case delete = 3
    }

    /// Returns the value of the column `what` for an operation on this entity.
    func what(_ operation: Operation) -> Int64 {
        entityID << 2 | operation.rawValue
    }

    /// The columns whose values deletes preserve, in the order in which they are written.
    var preservedColumns: [Column] {
        columns.filter(\.preserved).sorted { $0.number < $1.number }
    }
}
