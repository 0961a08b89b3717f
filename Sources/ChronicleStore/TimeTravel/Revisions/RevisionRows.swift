import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// What the revisions of a table are made of, in one snapshot.
struct RevisionPlan {
    let table: PastLayout.Table
    /// The columns of the primary key if its values are numbered; otherwise empty.
    let keyColumns: [String]
    /// The name of the present rows in a FROM clause.
    let present: String
    let columns: [PastTable.Column]
    let schema: Schema
    let storeIdentifier: String
    /// The keys in ascending order, or `nil` for all rows.
    let keys: [Int64]?
    /// The position at which the history begins.
    let start: Int64
    let newest: Int64
    /// The bounds of the positions at which a revision is current, or `nil`.
    let lowerBound: Int64?
    let upperBound: Int64?
    /// The numbers of the attributes of which an update must change one, or `nil`.
    let changed: Set<Int>?
    /// See ``PastRows``.
    let completeDeletes: Int64?
    let isIndexed: Bool
}

/// The revisions of a table's rows, in ascending order of their keys and in descending order of their positions.
///
/// The newest state of a row is its present one, or none if it was deleted. Undoing the transactions one at a time
/// restores the earlier states, by the rules of ``PastChanges``.
final class RevisionRows: ComputedRows {
    private let plan: RevisionPlan
    private let connection: Connection
    private let changes: RevisionChanges
    private let headers: RevisionHeaders
    private let present: Statement
    /// The key of the next present row.
    private var presentKey: Int64?
    private var upcoming: RevisionChange?
    /// The columns by the numbers of their attributes.
    private let places: [Int: Int]

    // The state of the current row.
    private var key: Int64?
    private var row: Int64 = 0
    private var exists = false
    private var values: [PropertyValue]
    private var unknown: Set<Int> = []
    /// 0 if the history does not contain the transaction that began the revision.
    private var begin: Int64 = 0
    private var end: Int64?
    private var isInsert = false
    /// The changes of the transaction that began the revision, the newest first.
    private var group: [RevisionChange] = []

    init(_ plan: RevisionPlan, _ connection: Connection) throws {
        (self.plan, self.connection) = (plan, connection)
        places = Dictionary(
            plan.columns.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        values = Array(repeating: .null, count: plan.columns.count)
        changes = try RevisionChanges(
            connection, plan.table.entities.keys.sorted(), after: plan.start, keys: plan.keys,
            isIndexed: plan.isIndexed)
        headers = try RevisionHeaders(
            connection, after: plan.start, newest: plan.newest,
            isComplete: plan.keys == nil || !plan.isIndexed)
        let names = ["_rowid_"] + plan.columns.map { quoted($0.name) }
        let condition = plan.keys == nil ? "" : " WHERE m._rowid_ IN (SELECT value FROM json_each(?1))"
        present = try connection.prepare(
            "SELECT \(names.map { "m.\($0)" }.joined(separator: ", ")) FROM \(plan.present) AS m\(condition) "
                + "ORDER BY m._rowid_")
        if let keys = plan.keys { try present.bind("[\(keys.map(String.init).joined(separator: ","))]", at: 1) }
        try advancePresent()
        upcoming = try changes.next()
    }

    // MARK: Columns

    /// The columns of the table: the key; the values, which end the query if they are unknown and used; the values, which
    /// are NULL if they are unknown; and the interval.
    static func declarations(_ columns: [PastTable.Column]) -> [String] {
        let types = [""] + columns.map { " \($0.type)" } + columns.map { " \($0.type)" } + ["", "", "", ""]
        return zip(names(columns), types).map { $0 + $1 }
    }

    /// The quoted names of the columns.
    static func names(_ columns: [PastTable.Column]) -> [String] {
        [quoted(RecordedTable.primaryKey)] + columns.map { quoted($0.name) } + columns.map { quoted(known($0.name)) }
            + [begin, end, isInsert, unknown]
    }

    // Names of properties contain no period.
    static func known(_ column: String) -> String { "known.\(column)" }
    static let begin = quoted("revision.begin")
    static let end = quoted("revision.end")
    static let isInsert = quoted("revision.insert")
    /// The places of the unknown columns, separated by commas, or NULL.
    static let unknown = quoted("revision.unknown")

    func value(_ column: Int, _ result: borrowing ComputedValue) throws {
        let count = plan.columns.count
        switch column {
        case 0: result.set(row)
        case 1..<count + 1:
            guard unknown.isEmpty || !unknown.contains(column - 1) else { throw missing(column - 1) }
            result.set(values[column - 1])
        case count + 1..<count * 2 + 1:
            let place = column - count - 1
            if unknown.contains(place) { result.setNull() } else { result.set(values[place]) }
        case count * 2 + 1: result.set(begin)
        case count * 2 + 2: if let end { result.set(end) } else { result.setNull() }
        case count * 2 + 3: result.set(isInsert ? Int64(1) : 0)
        default:
            if unknown.isEmpty { return result.setNull() }
            result.set(unknown.sorted().map(String.init).joined(separator: ","))
        }
    }

    private func missing(_ place: Int) -> SwiftDataError {
        .historyValueMissing.with(
            detail:
                "the history does not contain the value at position \(begin), which a condition or the order needs; fetch "
                + "revisions of later positions, or enable preserving values for later changes",
            entityName: plan.table.name, propertyName: plan.columns[place].name,
            persistentIdentifier: PersistentIdentifier.Origin(
                storeIdentifier: plan.storeIdentifier, entityName: plan.table.name
            ).identifier(row))
    }

    // MARK: Revisions

    func next() throws -> Bool {
        while true {
            guard let key else {
                guard try beginRow() else { return false }
                continue
            }
            if !group.isEmpty {
                for change in group { undo(change) }
                try setKey()
                end = begin
                group.removeAll(keepingCapacity: true)
            }
            guard let change = upcoming, change.key == key else {
                self.key = nil
                (begin, isInsert) = (0, false)
                if exists, matches { return true }
                continue
            }
            try beginTransaction(change, key)
            if exists, matches { return true }
        }
    }

    private func beginRow() throws -> Bool {
        let changed = upcoming?.key
        guard let next = [presentKey, changed].compactMap({ $0 }).min() else { return false }
        (key, row, end, exists) = (next, next, nil, presentKey == next)
        unknown.removeAll(keepingCapacity: true)
        for place in values.indices { values[place] = exists ? present.plainValue(Int32(place + 1)) : .null }
        if exists { try advancePresent() }
        return true
    }

    private func advancePresent() throws {
        let next = try present.step() ? present.int64(0) : nil
        presentKey = next
    }

    private func beginTransaction(_ first: RevisionChange, _ key: Int64) throws {
        begin = try headers.header(after: first.position)
        var next: RevisionChange? = first
        while let change = next, change.key == key, try headers.header(after: change.position) == begin {
            isInsert = change.operation == .insert
            group.append(change)
            next = try changes.next()
        }
        upcoming = next
    }

    private var matches: Bool {
        if let upper = plan.upperBound, max(begin, plan.start, plan.lowerBound ?? 0) >= upper { return false }
        if let lower = plan.lowerBound, let end, end <= lower { return false }
        guard let changed = plan.changed else { return true }
        return isInsert
            || group.contains { change in
                var isChanged = change.operation != .update
                change.masks.forEach { if changed.contains($0) { isChanged = true } }
                return isChanged
            }
    }

    // MARK: Undoing changes

    private func undo(_ change: RevisionChange) {
        switch change.operation {
        case .insert: exists = false
        case .update:
            // The table lacks a row that the history does not delete.
            if !exists { unknown = Set(values.indices) }
            exists = true
            change.masks.forEach { number in
                guard let place = places[number] else { return }
                if let old = change.old(number) { set(old, place, change.entity) } else { unknown.insert(place) }
            }
        case .delete:
            exists = true
            restore(change)
        }
    }

    /// A key keeps its number, so it is known even if the changes lack its values.
    private func setKey() throws {
        guard exists, !unknown.isEmpty, !plan.keyColumns.isEmpty else { return }
        let places = plan.keyColumns.map { name in plan.columns.firstIndex { $0.name == name } }
        guard places.contains(where: { $0.map(unknown.contains) ?? false }),
            let key = try KeyTable.values(
                of: row, entity: plan.table.number, count: plan.keyColumns.count, connection)
        else { return }
        for (place, value) in zip(places, key) {
            if let place, unknown.remove(place) != nil { values[place] = value }
        }
    }

    private func set(_ value: PropertyValue, _ place: Int, _ entity: Int64) {
        values[place] =
            value.isNull
            ? plan.schema.pastValue(
                value, of: plan.columns[place].name, inEntity: plan.table.entityName(entity)) : value
        if !unknown.isEmpty { unknown.remove(place) }
    }

    /// See ``PastChanges``.
    private func restore(_ change: RevisionChange) {
        unknown.removeAll(keepingCapacity: true)
        let entityName = plan.table.entityName(change.entity)
        let lacksOthers = change.hasAllValues && plan.completeDeletes.map { change.position > $0 } ?? false
        for (place, column) in plan.columns.enumerated() {
            if let value = change.old(column.number) {
                set(value, place, change.entity)
            } else if column.name == Schema.entityAttribute {
                values[place] = change.entity == plan.table.number ? .null : .text(entityName)
            } else if plan.table.others[change.entity]?.contains(column.number) == true {
                values[place] = .null
            } else if lacksOthers {
                values[place] = plan.schema.valueOfEarlierRow(
                    of: column.name, inEntity: entityName, columnDefault: column.defaultValue)
            } else {
                unknown.insert(place)
            }
        }
    }
}

extension ComputedValue {
    fileprivate func set(_ value: PropertyValue) {
        switch value {
        case .integer(let integer): set(integer)
        case .real(let real): set(real)
        case .text(let text): set(text)
        case .blob(let data): data.withUnsafeBytes { set($0) }
        // Values of the history are plain.
        case .null, .reference, .references: setNull()
        }
    }
}
