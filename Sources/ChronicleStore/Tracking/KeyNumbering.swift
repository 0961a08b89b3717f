import ChronicleCore
import ChronicleSQLite
import Foundation

/// Assigns the numbers of a ``KeyTable`` before a table is recorded, in short transactions between which programs can write. The
/// transaction that begins the recording numbers only the keys that are new since.
///
/// A number says nothing about whether a row has the key, so the table may contain keys of rows that do not exist any more. If
/// the process ends in between, the file has no history, only tables of keys: the next
/// ``TrackedDatabase/track(_:preservesValues:reconciles:recordsNewTables:)`` continues, and ``TrackedDatabase/untrack()`` drops them.
struct KeyNumbering {
    /// A table whose recording is about to begin.
    struct Plan {
        let name: String
        /// The number that the entity has, or will get.
        let entity: Int64
        let isKnownEntity: Bool
        let rowCount: Int64
    }

    /// Tables with fewer rows are numbered when their recording begins.
    static let minimumRowCount: Int64 = 20_000

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Planning

    /// The tables to number. Their entities get their numbers in the order of the tables. Changes of the schema, which can give
    /// tables other numbers, must have been followed.
    func plans(_ tables: [TrackedTable]) throws -> [Plan] {
        let isTracked = try FileFormat.isTracked(connection)
        guard try !RecorderObjects(connection).isIncomplete else { return [] }
        let tracking = TableTracking(connection)
        if !isTracked { try tracking.requireNoReservedNames() }
        let entities = try isTracked ? tracking.registry.entities() : []
        var next = (entities.map(\.number).max() ?? 0) + 1
        var plans: [Plan] = []
        for table in tables {
            var number = next
            var known = entities.first { $0.name == table.name }
            if let entity = known {
                if entity.tableName != nil, try tracking.interruption(of: entity, table) == nil { continue }
                if try tracking.hasOtherKeys(entity, table) { known = nil } else { number = entity.number }
            }
            if known == nil { next += 1 }
            guard KeyTable(table, of: number) != nil, try hasManyRows(table) else { continue }
            let count = try connection.scalarInt64("SELECT count(*) FROM \(table.keyScan)") ?? 0
            plans.append(Plan(name: table.name, entity: number, isKnownEntity: known != nil, rowCount: count))
        }
        return plans
    }

    private func hasManyRows(_ table: TrackedTable) throws -> Bool {
        let limit = Self.minimumRowCount
        return try connection.scalarInt64("SELECT count(*) FROM (SELECT 1 FROM \(table.keyScan) LIMIT \(limit))")
            == limit
    }

    // MARK: Numbering

    /// Numbers the keys of the next rows in the order of the keys.
    ///
    /// - Parameter last: The key of the last row before, or `nil` to begin.
    /// - Returns: The key of the last row, or `nil` after all rows, or if something else has changed the table or the history.
    func number(_ plan: Plan, after last: [PropertyValue]?, limit: Int) throws -> [PropertyValue]? {
        guard try isCurrent(plan), let table = try TrackedTable(plan.name, connection), table.reason == nil,
            let keys = KeyTable(table, of: plan.entity), try prepare(keys, plan, isFirst: last == nil)
        else { return nil }
        let columns = keys.key.columns
        let row = columns.map { "t.\($0.collated)" }.joined(separator: ", ")
        let names = columns.map { "t.\(quoted($0.name))" }
        let isPresent = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        func place(_ first: Int) -> String { columns.indices.map { "?\(first + $0)" }.joined(separator: ", ") }
        // SQLite searches the index for the first column only, if all have collations.
        let isAfter = last == nil ? "" : " AND t.\(columns[0].collated) >= ?1 AND (\(row)) > (\(place(1)))"
        let end = try connection.prepare(
            """
            SELECT \(names.joined(separator: ", ")) FROM \(table.keyScan) WHERE \(isPresent)\(isAfter) \
            ORDER BY \(row) LIMIT 1 OFFSET \(limit - 1)
            """)
        try bind(last ?? [], end, from: 1)
        let isLast = try !end.step()
        let boundary = isLast ? nil : columns.indices.map { end.plainValue(Int32($0)) }
        end.reset()
        let isBefore = boundary == nil ? "" : " AND (\(row)) <= (\(place(columns.count + 1)))"
        let insert = try connection.prepare(keys.insertion("\(isPresent)\(isAfter)\(isBefore)", orderedBy: row))
        try bind(last ?? [], insert, from: 1)
        if let boundary { try bind(boundary, insert, from: columns.count + 1) }
        try insert.run()
        return boundary
    }

    private func bind(_ key: [PropertyValue], _ statement: Statement, from index: Int) throws {
        for (offset, value) in key.enumerated() { try statement.bind(value, at: Int32(index + offset)) }
    }

    /// Another process may have begun to record the table, or another one.
    private func isCurrent(_ plan: Plan) throws -> Bool {
        guard try FileFormat.isTracked(connection) else { return !plan.isKnownEntity }
        let isKnown = try EntityRegistry(connection).entities().contains { $0.number == plan.entity }
        return isKnown == plan.isKnownEntity
    }

    /// Returns `false` if the table of keys is not the one that the recording would create.
    private func prepare(_ keys: KeyTable, _ plan: Plan, isFirst: Bool) throws -> Bool {
        let stored = try keys.storedDefinition(connection)
        if stored == keys.createTable { return true }
        guard isFirst, !plan.isKnownEntity, try stored == nil || KeyTable.isRemainder(keys.key.table, connection) else {
            return false
        }
        if stored != nil { try connection.execute("DROP TABLE \(quoted(keys.key.table))") }
        try connection.execute(keys.createTable)
        return true
    }
}
