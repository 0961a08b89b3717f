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
    /// OR FAIL spares SQLite the journal that takes a single statement back (https://www.sqlite.org/lang_conflict.html):
    /// a save that fails is taken back as a whole.
    let insert: String
    /// Insert so many rows whose keys are bound too, each before its columns; the most rows first. When there are many,
    /// what a statement costs beside its rows is shared.
    let insertsWithKeys: [(sql: String, rows: Int)]
    let delete: String
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
        _ entity: Schema.Entity, number: Int64, storeIdentifier: String, origins: [String: PersistentIdentifier.Origin]
    ) {
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
        selection = (["id"] + columns.map(\.name)).map { "\(FetchSQL.table).\(quoted($0))" }.joined(separator: ", ")
        let places = names.map { _ in "?" }
        insert =
            names.isEmpty
            ? "INSERT OR FAIL INTO \(table) DEFAULT VALUES"
            : "INSERT OR FAIL INTO \(table)(\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
        let row = "(" + (["?"] + places).joined(separator: ", ") + ")"
        let all = ([quoted("id")] + names).joined(separator: ", ")
        // SQLite's default limit on parameters is 32,766. https://www.sqlite.org/limits.html
        let most = 32_766 / (columns.count + 1)
        insertsWithKeys = [50, 8, 1].filter { $0 <= max(most, 1) }.map { count in
            let rows = Array(repeating: row, count: count).joined(separator: ", ")
            return ("INSERT OR FAIL INTO \(table)(\(all)) VALUES \(rows)", count)
        }
        delete = "DELETE FROM \(table) WHERE \"id\" = ?"
    }

    /// Writes these columns of one row; the primary key is the last parameter.
    func update(_ slots: PropertySet) -> String {
        let assignments = slots.map { "\(quoted(columns[$0].name)) = ?" }
        return "UPDATE OR FAIL \(quoted(entity.name)) SET \(assignments.joined(separator: ", ")) WHERE \"id\" = ?"
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
