import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A change of a row with its preserved values.
struct RevisionChange {
    let position: Int64
    let entity: Int64
    let key: Int64
    let operation: PastOperation
    /// The changed attributes of an update.
    let masks: AttributeMasks
    /// The preserved values before the change.
    var values: [(attribute: Int, old: PropertyValue)] = []
    /// The rows of the change in the table of changes.
    var rowCount = 1

    /// See ``ChangeBuffer/hasAllValues(_:)``.
    var hasAllValues: Bool { rowCount == values.count }

    func old(_ attribute: Int) -> PropertyValue? { values.first { $0.attribute == attribute }?.old }
}

/// The changes of a table's rows: in ascending order of their keys, and in descending order of their positions.
final class RevisionChanges {
    private let connection: Connection
    private let entities: [Int64]
    private let start: Int64
    private let source: Source
    /// The preserved values that precede their change in descending order.
    private var values: [(position: Int64, kind: ChangeTable.Kind, key: Int64, value: (Int, PropertyValue)?)] = []

    private enum Source {
        /// SQLite sorts the rows of all changes.
        case scan(Statement)
        /// The index by model has the changes of the keys, which are read one after the other.
        case index(Statement, keys: [Int64])
    }
    private var nextKey = 0
    private var isReadingKey = false

    /// - Parameters:
    ///   - entities: The numbers of the entities whose rows the table contains.
    ///   - start: The position before the first change.
    ///   - keys: The keys in ascending order, or `nil` for all rows.
    init(_ connection: Connection, _ entities: [Int64], after start: Int64, keys: [Int64]?, isIndexed: Bool) throws {
        (self.connection, self.entities, self.start) = (connection, entities, start)
        let list = entities.map(String.init).joined(separator: ", ")
        if let keys, isIndexed {
            let parts = entities.map {
                "SELECT id FROM \(ChangeTable.name) INDEXED BY \(ModelIndex.name) WHERE primary_key = ?1 "
                    + "AND \(ModelIndex.condition) AND \(ChangeTable.entity()) = \($0) AND id > ?2"
            }
            let sql = parts.joined(separator: " UNION ALL ") + " ORDER BY id DESC"
            source = .index(try connection.prepare(sql), keys: keys)
            return
        }
        let condition = keys == nil ? "" : " AND primary_key IN (SELECT value FROM json_each(?2))"
        let statement = try connection.prepare(
            """
            SELECT id, kind, primary_key, attributes, old_value FROM \(ChangeTable.name) WHERE id > ?1 \
            AND \(ChangeTable.isChange()) AND \(ChangeTable.entity()) IN (\(list))\(condition) \
            ORDER BY primary_key, id DESC
            """)
        try statement.bind(start, at: 1)
        if let keys { try statement.bind("[\(keys.map(String.init).joined(separator: ","))]", at: 2) }
        source = .scan(statement)
    }

    func next() throws -> RevisionChange? {
        switch source {
        case .scan(let statement): try scan(statement)
        case .index(let statement, let keys): try search(statement, keys)
        }
    }

    // MARK: Scan

    private func scan(_ statement: Statement) throws -> RevisionChange? {
        values.removeAll(keepingCapacity: true)
        while try statement.step() {
            let position = try statement.position(ChangeTable.Column.id)
            let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
            let key = try statement.integer(ChangeTable.Column.primaryKey, of: .change(position))
            guard kind.operation != .preservedValue else {
                values.append((position, kind, key, try value(statement, position)))
                continue
            }
            var change = try change(statement, kind, key, position)
            for (index, preserved) in values.reversed().enumerated() {
                guard preserved.key == key, preserved.kind.entity == kind.entity,
                    preserved.position == position + Int64(index) + 1
                else { throw damaged("a preserved value without a change", preserved.position) }
                change.rowCount += 1
                if let value = preserved.value { change.values.append(value) }
            }
            return change
        }
        if let last = values.last { throw damaged("a preserved value without a change", last.position) }
        return nil
    }

    // MARK: Search

    private func search(_ statement: Statement, _ keys: [Int64]) throws -> RevisionChange? {
        while true {
            if isReadingKey {
                if try statement.step() { return try collect(statement.position(0), keys[nextKey - 1]) }
                isReadingKey = false
            }
            guard nextKey < keys.count, !entities.isEmpty else { return nil }
            statement.reset()
            try statement.bind(keys[nextKey], at: 1)
            try statement.bind(start, at: 2)
            nextKey += 1
            isReadingKey = true
        }
    }

    private func collect(_ position: Int64, _ key: Int64) throws -> RevisionChange {
        let statement = try connection.cached(
            "SELECT id, kind, primary_key, attributes, old_value FROM \(ChangeTable.name) WHERE id >= ? ORDER BY id")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { throw damaged("the index by model does not match the row", position) }
        let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
        guard statement.int64(ChangeTable.Column.id) == position, entities.contains(kind.entity),
            statement.int64(ChangeTable.Column.primaryKey) == key
        else { throw damaged("the index by model does not match the row", position) }
        var change = try change(statement, kind, key, position)
        while try statement.step() {
            let next = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
            guard next.isChange, next.operation == .preservedValue else { break }
            let id = statement.int64(ChangeTable.Column.id)
            guard id == position + Int64(change.rowCount), next.entity == kind.entity,
                statement.int64(ChangeTable.Column.primaryKey) == key
            else { throw damaged("a preserved value without a change", id) }
            change.rowCount += 1
            if let value = try value(statement, id) { change.values.append(value) }
        }
        return change
    }

    // MARK: Rows

    private func change(
        _ statement: Statement, _ kind: ChangeTable.Kind, _ key: Int64, _ position: Int64
    ) throws -> RevisionChange {
        let operation: PastOperation
        var masks = AttributeMasks()
        var values: [(Int, PropertyValue)] = []
        switch kind.operation {
        case .insert, .delete:
            operation = kind.operation == .insert ? .insert : .delete
            if let value = try value(statement, position) { values.append(value) }
        case .update:
            operation = .update
            if statement.isInteger(ChangeTable.Column.attributes) {
                masks = AttributeMasks(statement.int64(ChangeTable.Column.attributes))
                guard masks.isValid else { throw damaged("the attribute masks are invalid", position) }
            } else {
                masks = try statement.masks(ChangeTable.Column.attributes, at: position)
            }
        case .preservedValue, nil: throw damaged("the kind of the row is unknown", position)
        }
        return RevisionChange(
            position: position, entity: kind.entity, key: key, operation: operation, masks: masks, values: values)
    }

    /// `nil` if the value was erased, or too large to be preserved.
    private func value(_ statement: Statement, _ position: Int64) throws -> (Int, PropertyValue)? {
        if statement.isNull(ChangeTable.Column.attributes) { return nil }
        let attribute = try statement.integer(ChangeTable.Column.attributes, of: .change(position))
        return (Int(attribute), statement.plainValue(ChangeTable.Column.oldValue))
    }

    private func damaged(_ detail: String, _ position: Int64) -> SwiftDataError {
        .damagedRow(.change(position), detail)
    }
}

/// The transactions of changes: the positions of their headers, or that of the last change if no header follows it yet.
final class RevisionHeaders {
    private let connection: Connection
    private let start: Int64
    private let newest: Int64
    /// A bit for each position after ``start``, or `nil` if the headers of few changes are looked up.
    private var positions: [UInt64]?
    /// For each element of ``positions``, the index of the first one from it on that is not 0, so that the length of a
    /// transaction does not matter.
    private var nextIndex: [Int] = []
    /// The transaction that was found last.
    private var latest: (first: Int64, header: Int64)?

    init(_ connection: Connection, after start: Int64, newest: Int64, isComplete: Bool) throws {
        (self.connection, self.start, self.newest) = (connection, start, newest)
        guard isComplete else { return }
        // Each position has a row. A damaged file may have a row with any number.
        let pages = try connection.scalarInt64("PRAGMA page_count") ?? 0
        let pageSize = try connection.scalarInt64("PRAGMA page_size") ?? 0
        guard newest - start <= pages * pageSize else {
            throw SwiftDataError.damagedRow(.change(newest), "the row before it is missing")
        }
        var positions = [UInt64](repeating: 0, count: Int(max(newest - start, 0) / 64 + 1))
        let statement = try connection.cached(
            "SELECT id FROM \(ChangeTable.name) WHERE id > ? AND \(ChangeTable.endsTransaction())")
        defer { statement.reset() }
        try statement.bind(start, at: 1)
        while try statement.step() {
            let place = try statement.position(0) - start - 1
            guard place >= 0, place / 64 < positions.count else { continue }
            positions[Int(place / 64)] |= 1 << UInt64(place % 64)
        }
        nextIndex = [Int](repeating: positions.count, count: positions.count)
        var next = positions.count
        for index in positions.indices.reversed() {
            if positions[index] != 0 { next = index }
            nextIndex[index] = next
        }
        self.positions = positions
    }

    func header(after position: Int64) throws -> Int64 {
        if let latest, latest.first <= position, position <= latest.header { return latest.header }
        guard let positions else {
            let found = try search(position)
            latest = found
            return found.header
        }
        // The position itself is no header.
        let place = position - start
        var index = Int(place / 64)
        guard index < positions.count else { return newest }
        var word = positions[index] & (.max << UInt64(place % 64))
        if word == 0 {
            guard index + 1 < positions.count else { return newest }
            index = nextIndex[index + 1]
            guard index < positions.count else { return newest }
            word = positions[index]
        }
        let header = start + 1 + Int64(index * 64 + word.trailingZeroBitCount)
        latest = (position, header)
        return header
    }

    private func search(_ position: Int64) throws -> (first: Int64, header: Int64) {
        let statement = try connection.cached(ModelHistoryReader.selectHeader)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { return (position, newest) }
        let header = try HistoryHeader(statement)
        return (min(header.first, position), header.position)
    }
}
