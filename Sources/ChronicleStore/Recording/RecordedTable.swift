import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore

/// A model table, from which the triggers of its entity are generated. Equal descriptions have equal triggers. The table
/// must exist in the main database.
struct RecordedTable: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        /// The number is never reused, and the same after a rename.
        let number: Int
        let name: String
        let preservation: Preservation
        /// How the trigger of an update compares values.
        var comparison = Comparison.value
    }

    /// The differences between values that the trigger of an update records.
    enum Comparison: Hashable, Sendable {
        /// Those that the decoding of an attribute can see.
        case value
        /// Those between texts that the collation of the column considers equal, too.
        case text
        /// Those between 1 and 1.0, too, in a column that contains values of any type.
        case textAndType
    }

    /// A column of a unique index or a primary key.
    struct IndexedColumn: Hashable, Sendable {
        let name: String
        /// `nil` for the collation of the column.
        var collation: String?
        /// See ``ColumnDefault``.
        var replacement: String?
    }

    /// SQLite accepts this name in every rowid table; the column itself is `id`, unless an attribute has that name.
    /// https://www.sqlite.org/lang_createtable.html#rowid
    static let primaryKey = ModelTables.primaryKey

    /// 1 or greater.
    let entityID: Int64
    /// The name, not quoted.
    let name: String
    /// The columns in the order of their numbers, without the primary key.
    let columns: [Column]
    let key: RowKey
    /// The columns of each unique index. The recorder finds the rows that a `REPLACE` of another program deletes by
    /// comparing them with `=`, so indexes must not be partial.
    private(set) var uniqueness: [[IndexedColumn]]
    /// The lists in the order of their numbers.
    let lists: [List]
    let subentities: [Subentity]
    /// Whether the triggers divide the history into transactions; see ``PendingTransaction``.
    var isTracked = false

    /// A relationship in a link table whose `owner` is a row of this table, and whose links a delete preserves.
    struct List: Hashable, Sendable {
        let number: Int
        let links: String
    }

    struct Subentity: Hashable, Sendable {
        let name: String
        let number: Int64
    }

    init(
        entityID: Int64, name: String, key: RowKey = .model, columns: [Column], uniqueness: [[IndexedColumn]],
        lists: [List] = [], subentities: [Subentity] = []
    ) {
        self.lists = lists.sorted { $0.number < $1.number }
        self.subentities = subentities
        self.entityID = entityID
        self.name = name
        self.key = key
        self.columns = columns.sorted { $0.number < $1.number }
        self.uniqueness = uniqueness
    }

    /// In files of earlier versions, the triggers ignore the values that REPLACE stores instead of NULL.
    var withoutReplacements: RecordedTable {
        var table = self
        table.uniqueness = uniqueness.map { $0.map { IndexedColumn(name: $0.name, collation: $0.collation) } }
        return table
    }

    var withoutUniqueness: RecordedTable {
        var table = self
        table.uniqueness = []
        return table
    }

    func kind(_ operation: ChangeTable.Operation) -> ChangeTable.Kind { .init(operation, of: entityID) }

    /// The row may be of a subentity.
    func kind(_ operation: ChangeTable.Operation, ofRow row: String) -> String {
        RecorderSQL.kind(
            operation, of: entityID, subentities, column: "\(row).\(RecorderSQL.quoted(Schema.entityAttribute))")
    }

    var maskCount: Int { (columns.last?.number ?? 0) / AttributeMasks.attributesPerMask + 1 }
}
