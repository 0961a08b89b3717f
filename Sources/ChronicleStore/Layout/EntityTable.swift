import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// The table of an entity, with its statements: the primary key and a column for each stored property, by slot.
final class EntityTable: Sendable {
    let entity: Schema.Entity
    /// The name of the entity, or of the root from which it inherits.
    let name: String
    let tableNumber: Int64
    let origin: PersistentIdentifier.Origin
    let columns: [Column]
    /// Repeated here because a loop over this array retains no references.
    let conversions: [Conversion]
    let referenceSlots: [Int]
    let cascadeSlots: [Int]
    /// The relationships, each with the query for the key of a row if the two columns disagree about it.
    let oneToOnes: [(relationship: OneToOneRelationship, disagreement: String)]
    /// The slots without reals: SQLite considers 0.0 and -0.0 equal.
    let comparableUniqueSlots: [Int]
    /// The statements in descending order of row count; the rows share the cost of a statement. OR FAIL saves SQLite the
    /// journal for undoing a statement (https://www.sqlite.org/lang_conflict.html); a save that fails is rolled back as a
    /// whole.
    let inserts: [(sql: String, rows: Int)]
    /// The statements with the keys as parameters before the columns of each row.
    let insertsWithKeys: [(sql: String, rows: Int)]
    let exists: String
    let delete: String
    let deleteRange: String
    /// The highest key that the table ever contained, from which SQLite chooses the next one. The rows of `sqlite_sequence`
    /// may be missing or wrong. https://www.sqlite.org/autoinc.html
    let highestKey: String
    let isLinked: Bool
    let isReferenced: Bool
    let selection: String
    let selectedNames: [String]
    var selectedCount: Int { selectedNames.count }
    /// `nil` if no entity inherits from this one.
    let kinds: Kinds?

    /// The entities of the rows in a table that several entities share.
    struct Kinds: Sendable {
        /// The column with the name of the entity.
        let column: Int32
        /// The tables by the names of the entities, with the column of the selection for each slot.
        let members: [String: Member]
        let root: String

        fileprivate init?(_ selected: ModelColumns, _ subtables: [EntityTable]) {
            guard let position = selected.entityPosition else { return nil }
            column = Int32(position)
            // The first member is the entity of the table itself.
            let tables: [EntityTable?] = [nil] + subtables
            let pairs = zip(selected.members, tables).map { member, table in
                (member.entity.name, Member(table: table, columns: member.positions.map { Int32($0) }))
            }
            members = Dictionary(uniqueKeysWithValues: pairs)
            root = selected.members[0].entity.rootName
        }
    }

    struct Member: Sendable {
        let table: EntityTable?
        let columns: [Int32]
    }

    struct Column: Sendable {
        let name: String
        let destination: PersistentIdentifier.Origin?
    }

    /// The conversion of a column's values when they are read.
    enum Conversion: Sendable {
        case none
        /// From a blob to the NaN with these bits.
        case nan
        /// From a primary key to the identifier of the destination.
        case reference

        init(_ property: Schema.Property) {
            if property.relationship != nil {
                self = .reference
            } else if case .real = SQLType(property) {
                self = .nan
            } else {
                self = .none
            }
        }
    }

    init(
        _ entity: Schema.Entity, number: Int64, tableNumber: Int64? = nil, storeIdentifier: String,
        origins: [String: PersistentIdentifier.Origin],
        isLinked: Bool, isReferenced: Bool, cascadeSlots: [Int],
        subtables: [EntityTable] = [], oneToOnes: [OneToOneRelationship] = []
    ) {
        name = entity.rootName
        self.isLinked = isLinked
        self.isReferenced = isReferenced || isLinked
        self.cascadeSlots = cascadeSlots
        self.entity = entity
        self.tableNumber = tableNumber ?? number
        origin =
            origins[entity.name]
            ?? .init(
                storeIdentifier: storeIdentifier, entityName: entity.name, rootEntityName: entity.rootName)
        columns = entity.storedProperties.map { property in
            Column(name: property.name, destination: property.relationship.flatMap { origins[$0.destination] })
        }
        let conversions = entity.storedProperties.map(Conversion.init)
        self.conversions = conversions
        referenceSlots = entity.storedProperties.filter { $0.relationship != nil }.map(\.slot)
        self.oneToOnes = oneToOnes.map { ($0, $0.disagreements("= ?").sql) }
        let uniqueSlots = Set(entity.uniqueProperties.joined().filter(\.isAttribute).map(\.slot))
        comparableUniqueSlots = uniqueSlots.sorted().filter { if case .nan = conversions[$0] { false } else { true } }
        let table = quoted(name)
        let names = columns.map { quoted($0.name) }
        let selected = ModelColumns(entity, subentities: subtables.map(\.entity))
        kinds = Kinds(selected, subtables)
        selectedNames = selected.names
        selection = selected.selection(SQLiteDialect()).sql
        let insert = "INSERT OR FAIL INTO \(table)"
        let kind = entity.superentity == nil ? nil : RecorderSQL.literal(entity.name)
        func inserts(_ columns: [String]) -> [(sql: String, rows: Int)] {
            let row = "(\((columns.map { _ in "?" } + (kind.map { [$0] } ?? [])).joined(separator: ", ")))"
            let names = columns + (kind == nil ? [] : [quoted(Schema.entityAttribute)])
            // SQLite's default limit on parameters is 32,766. https://www.sqlite.org/limits.html
            return [50, 8, 1].filter { $0 == 1 || $0 * columns.count <= 32_766 }.map { count in
                let rows = Array(repeating: row, count: count).joined(separator: ", ")
                return ("\(insert)(\(names.joined(separator: ", "))) VALUES \(rows)", count)
            }
        }
        self.inserts = names.isEmpty && kind == nil ? [("\(insert) DEFAULT VALUES", 1)] : inserts(names)
        insertsWithKeys = inserts([RecorderSQL.key] + names)
        exists = "SELECT 1 FROM \(table) WHERE _rowid_ = ?"
        delete = "DELETE FROM \(table) WHERE _rowid_ = ?"
        deleteRange = "DELETE FROM \(table) WHERE _rowid_ BETWEEN ? AND ?"
        highestKey = """
            SELECT max(ifnull((SELECT max(_rowid_) FROM \(table)), 0), \
            ifnull((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = ?), 0))
            """
    }

    /// The primary key is the last parameter, or is followed by the values that the row must have in other columns.
    func update(_ slots: PropertySet, keeping kept: PropertySet? = nil) -> String {
        let table = quoted(name)
        if kept == nil, let slot = comparedSlot(slots) {
            let column = quoted(columns[slot].name)
            return
                "UPDATE OR FAIL \(table) SET \(column) = ?1 WHERE _rowid_ = ?2 AND \(column) IS NOT ?1 COLLATE BINARY"
        }
        let assignments = slots.map { "\(quoted(columns[$0].name)) = ?" }
        let conditions = kept?.map { " AND \(quoted(columns[$0].name)) IS ? COLLATE BINARY" }.joined() ?? ""
        return "UPDATE OR FAIL \(table) SET \(assignments.joined(separator: ", ")) WHERE _rowid_ = ?\(conditions)"
    }

    /// The column of an update that skips a row that already has the value, so that the recorder does not need to read the
    /// previous one. A `REAL` column is always written, because 0.0 and -0.0 compare as equal.
    func comparedSlot(_ slots: PropertySet) -> Int? {
        var iterator = slots.makeIterator()
        guard let slot = iterator.next(), iterator.next() == nil else { return nil }
        if case .nan = conversions[slot] { return nil }
        return slot
    }
}

func quoted(_ name: String) -> String { RecorderSQL.quoted(name) }
