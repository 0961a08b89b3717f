import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore

/// The description of a model table from which the triggers of its entity are generated. Equal descriptions have equal
/// triggers.
///
/// The table itself must exist in the main database.
struct RecordedTable: Hashable, Sendable {
    /// A stored property of the entity: an attribute or a to-one relationship.
    struct Column: Hashable, Sendable {
        /// The number of the attribute in its entity. It is never reused and does not change when the attribute is
        /// renamed.
        let number: Int
        /// The name of the column in the table.
        let name: String
        /// The values that the history preserves.
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
        /// The collation of the index, or `nil` if it is that of the column.
        var collation: String?
        /// The literal of the value that REPLACE stores instead of NULL, or `nil` if there is none.
        var replacement: String?
    }

    /// The name of the primary key in statements. SQLite accepts this name in every rowid table; the column itself
    /// is named `id`, unless an attribute has that name. https://www.sqlite.org/lang_createtable.html#rowid
    static let primaryKey = ModelTables.primaryKey

    /// The number of the entity in this file, 1 or greater.
    let entityID: Int64
    /// The name of the table, not quoted.
    let name: String
    /// The recorded columns in the order of their numbers, without the primary key.
    let columns: [Column]
    /// How the history identifies the rows.
    let key: RowKey
    /// The columns of each unique index.
    ///
    /// The recorder compares these columns with `=` to find the rows that a `REPLACE` of another program deletes.
    /// Indexes must therefore not be partial.
    private(set) var uniqueness: [[IndexedColumn]]
    /// The relationships whose links a delete preserves, in the order of their numbers.
    let lists: [List]
    /// The other entities whose rows are in the table.
    let subentities: [Subentity]
    /// Whether the triggers divide the history into transactions; see ``PendingTransaction``.
    var isTracked = false

    /// A to-many relationship in a link table whose `owner` is a row of this table.
    struct List: Hashable, Sendable {
        /// The number of the relationship in its entity.
        let number: Int
        /// The name of the link table, not quoted.
        let links: String
    }

    /// An entity that inherits from the entity of the table.
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

    /// The description in files of earlier versions, whose triggers ignore the values that REPLACE stores instead of
    /// NULL.
    var withoutReplacements: RecordedTable {
        var table = self
        table.uniqueness = uniqueness.map { $0.map { IndexedColumn(name: $0.name, collation: $0.collation) } }
        return table
    }

    /// Returns the kind of the rows of an operation on this entity.
    func kind(_ operation: ChangeTable.Operation) -> ChangeTable.Kind { .init(operation, of: entityID) }

    /// Returns the expression of the kind of the rows of an operation on a row, which may be of a subentity.
    func kind(_ operation: ChangeTable.Operation, ofRow row: String) -> String {
        RecorderSQL.kind(
            operation, of: entityID, subentities, column: "\(row).\(RecorderSQL.quoted(Schema.entityAttribute))")
    }

    /// The minimum number of masks of an update.
    var maskCount: Int { (columns.last?.number ?? 0) / AttributeMasks.attributesPerMask + 1 }
}
