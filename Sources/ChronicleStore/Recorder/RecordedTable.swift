/// A model table as the recorder sees it: everything the triggers of one entity are made of.
///
/// The value is a plain description, so that two of them can be compared: equal tables have equal triggers.
/// The table itself must exist in the main database with a rowid primary key, and have a column called `id`.
struct RecordedTable: Hashable, Sendable {
    /// One stored property of the entity: an attribute, or a to-one relationship.
    struct Column: Hashable, Sendable {
        /// The number of the attribute in its entity: never reused, the same after a rename.
        let number: Int
        /// The name of the column in the table.
        let name: String
        /// Whether a delete keeps the last value.
        let preserved: Bool
    }

    /// What statements call the column that holds the identity of a model. Every table knows its key by this name; the
    /// column itself is called `id`, unless that is the name of an attribute.
    /// https://www.sqlite.org/lang_createtable.html#rowid
    static let primaryKey = "_rowid_"

    /// The identity of the entity in this file, 1 or greater.
    let entityID: Int64
    /// The name of the table, not quoted.
    let name: String
    /// The columns whose changes are recorded, in any order; the primary key is not one of them.
    let columns: [Column]
    /// The column names of each unique index.
    ///
    /// The recorder finds the rows that a foreign `REPLACE` removes by these, with the operator `=`. An index must
    /// therefore be unconditional and use the columns' own collation.
    let uniqueness: [[String]]
}

extension RecordedTable {
    /// What happened to a model, as the last two bits of the column `what`.
    enum Operation: Int64, Sendable {
        /// One more value that a delete kept, following the row of that delete.
        case preservedValue = 0
        case insert = 1
        case update = 2
        case delete = 3
    }

    /// The content of the column `what` for an operation on this entity.
    func what(_ operation: Operation) -> Int64 {
        entityID << 2 | operation.rawValue
    }

    /// The columns that a tombstone keeps, in the order in which they are written.
    var preservedColumns: [Column] {
        columns.filter(\.preserved).sorted { $0.number < $1.number }
    }
}
