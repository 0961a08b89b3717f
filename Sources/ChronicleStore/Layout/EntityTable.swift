import ChronicleCore

/// The table of an entity: its statements, and how its rows are named.
///
/// A row is the primary key and one column for each stored property, in the order of their slots.
final class EntityTable: Sendable {
    let entity: Schema.Entity
    /// The entity's number in the history.
    let number: Int64
    let origin: PersistentIdentifier.Origin
    let columns: [Column]
    /// The storage of each column, again: without the rest, a loop over values has nothing to retain.
    let storages: [Storage]
    /// The slots of to-one relationships.
    let referenceSlots: [Int]
    /// Insert so many rows, the most first: when there are many, what a statement costs beside its rows is shared.
    ///
    /// OR FAIL spares SQLite the journal that takes a single statement back (https://www.sqlite.org/lang_conflict.html):
    /// a save that fails is taken back as a whole.
    let inserts: [(sql: String, rows: Int)]
    /// The same with keys that are bound too, each before the columns of its row.
    let insertsWithKeys: [(sql: String, rows: Int)]
    let delete: String
    /// The highest key that the table ever had, by which SQLite chooses the next one: that of a row, or of
    /// `sqlite_sequence`, where rows may be missing or wrong. https://www.sqlite.org/autoinc.html
    let highestKey: String
    /// Whether there may be links to its rows.
    let isLinked: Bool
    /// What a fetch selects of the table, the primary key first.
    let selection: String

    /// A column as a row is read and written.
    struct Column: Sendable {
        let name: String
        let storage: Storage
        /// Where a to-one relationship leads.
        let destination: PersistentIdentifier.Origin?
    }

    enum Storage: Sendable { case integer, real, text, blob, reference }

    init(
        _ entity: Schema.Entity, number: Int64, storeIdentifier: String, origins: [String: PersistentIdentifier.Origin],
        isLinked: Bool
    ) {
        self.isLinked = isLinked
        self.entity = entity
        self.number = number
        origin = origins[entity.name] ?? .init(storeIdentifier: storeIdentifier, entityName: entity.name)
        columns = entity.storedProperties.map { property in
            Column(
                name: property.name, storage: Storage(property),
                destination: property.relationship.flatMap { origins[$0.destination] })
        }
        storages = columns.map(\.storage)
        referenceSlots = entity.storedProperties.filter { $0.relationship != nil }.map(\.slot)
        let table = quoted(entity.name)
        let names = columns.map { quoted($0.name) }
        selection = ([RecordedTable.primaryKey] + columns.map(\.name)).map { "\(FetchSQL.table).\(quoted($0))" }.joined(
            separator: ", ")
        let insert = "INSERT OR FAIL INTO \(table)"
        func inserts(_ columns: [String]) -> [(sql: String, rows: Int)] {
            let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
            // SQLite's default limit on parameters is 32,766. https://www.sqlite.org/limits.html
            return [50, 8, 1].filter { $0 == 1 || $0 * columns.count <= 32_766 }.map { count in
                let rows = Array(repeating: row, count: count).joined(separator: ", ")
                return ("\(insert)(\(columns.joined(separator: ", "))) VALUES \(rows)", count)
            }
        }
        self.inserts = names.isEmpty ? [("\(insert) DEFAULT VALUES", 1)] : inserts(names)
        insertsWithKeys = inserts([RecorderSQL.key] + names)
        delete = "DELETE FROM \(table) WHERE _rowid_ = ?"
        highestKey = """
            SELECT max(ifnull((SELECT max(_rowid_) FROM \(table)), 0), \
            ifnull((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = ?), 0))
            """
    }

    /// Writes these columns of one row; the primary key is the last parameter.
    func update(_ slots: PropertySet) -> String {
        let assignments = slots.map { "\(quoted(columns[$0].name)) = ?" }
        return "UPDATE OR FAIL \(quoted(entity.name)) SET \(assignments.joined(separator: ", ")) WHERE _rowid_ = ?"
    }
}

extension EntityTable.Storage {
    init(_ property: Schema.Property) {
        switch property.attribute?.storage {
        case .integer: self = .integer
        case .real: self = .real
        case .text, .decimal, .json: self = .text
        case .blob: self = .blob
        case nil: self = .reference
        }
    }
}

/// A name as an SQL identifier.
func quoted(_ name: String) -> String { RecorderSQL.quoted(name) }
