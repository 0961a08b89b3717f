import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Records what programs changed without triggers, so that the history explains the rows of the recorded tables again: one
/// transaction of other programs with the metadata `reconciled`. It contains inserts with their values, updates of values
/// that differ from the last recorded ones, and deletes. The values of deleted rows are not known.
struct Reconciliation {
    let connection: Connection

    static let metadata = ["reconciled": "true"]

    private struct Table {
        let entity: RecordedEntity
        let table: TrackedTable
        var difference = Baseline.Difference()
        /// The attributes whose values differ, by key, with the positions of the recorded values.
        var values: [Int64: [Int: Int64]] = [:]
    }

    init(_ connection: Connection) { self.connection = connection }

    /// Reconciles all tables whose recording was not interrupted. Returns the numbers of recorded changes.
    func run() throws -> [String: Int] {
        var headers = HeaderWriter(connection)
        let first = try headers.sealExternalChanges(resolvesConflicts: true)
        let tables = try tables()
        var counts: [String: Int] = [:]
        // The transaction has the present date.
        try PendingTransaction.discard(connection)
        for table in tables {
            let count = try record(table)
            if count > 0 { counts[table.table.name] = count }
        }
        if !counts.isEmpty {
            let position = try HeaderWriter.sealExternalChanges(from: first, connection)
            try MetadataTable.insert(Self.metadata, at: position, connection)
        }
        for table in tables { try Baseline(of: table.entity.number, connection).set(table.table) }
        return counts
    }

    private func tables() throws -> [Table] {
        let tracking = TableTracking(connection)
        var tables: [Int64: Table] = [:]
        for entity in try EntityRegistry(connection).entities() {
            guard let name = entity.tableName, let table = try TrackedTable(name, connection),
                try tracking.interruption(of: entity, table) == nil
            else { continue }
            try KeyTable(table, of: entity.number)?.numberRows(connection)
            let difference = try Baseline(of: entity.number, connection).difference(table) ?? .init()
            tables[entity.number] = Table(entity: entity, table: table, difference: difference)
        }
        let verifier = try StoreVerifier(connection, nil) { _ in }
        let properties = try MetaCheck(verifier: verifier).run()
        guard let registry = try RegistryCheck(verifier: verifier).run() else { return Array(tables.values) }
        try ReplayCheck(verifier, properties, registry).forEachDifferentValue { entity, key, attribute, position in
            tables[entity]?.values[key, default: [:]][Int(attribute)] = position
        }
        return tables.values.sorted { $0.entity.number < $1.entity.number }
    }

    // MARK: Recording

    private func record(_ table: Table) throws -> Int {
        for key in table.difference.deleted {
            try insert(.delete, table, key, "NULL, NULL, NULL", from: nil)
        }
        let columns = table.table.recordedTable(table.entity).columns
        for key in table.difference.inserted {
            var operation = ChangeTable.Operation.insert
            for column in columns where column.preservation.inserts != .none {
                let (number, value) = RecorderSQL.preservedValue(column, "t", column.preservation.inserts)
                try insert(operation, table, key, "\(number), NULL, \(value)", from: rows(table))
                operation = .preservedValue
            }
            if operation == .insert { try insert(.insert, table, key, "NULL, NULL, NULL", from: nil) }
        }
        let inserted = Set(table.difference.inserted)
        let updated = table.values.sorted { $0.key < $1.key }.filter { !inserted.contains($0.key) }
        for (key, positions) in updated {
            var masks = AttributeMasks()
            for number in positions.keys { masks.insert(number) }
            masks.pad(to: table.table.recordedTable(table.entity).maskCount)
            try insert(.update, table, key, "\(masks.literal), NULL, NULL", from: nil)
            for column in columns where column.preservation.updates != .none {
                guard let position = positions[column.number] else { continue }
                let value = "t.\(quoted(column.name))"
                try insert(
                    .preservedValue, table, key,
                    "\(column.number), (SELECT c.new_value FROM \(ChangeTable.name) AS c WHERE c.id = \(position)), \(value)",
                    from: "\(rows(table)) AND \(RecorderSQL.isSmall(value))")
            }
        }
        return table.difference.deleted.count + table.difference.inserted.count + updated.count
    }

    private func rows(_ table: Table) -> String {
        let source = TrackedRows.source(table.table.name, table.entity.number, table.table.keyColumns)
        return "\(source) AS t WHERE t.\(RecorderSQL.key) = ?1"
    }

    /// `values` are the attributes, the previous value and the new value. `rows` is their table and condition, whose
    /// parameter is the key.
    private func insert(
        _ operation: ChangeTable.Operation, _ table: Table, _ key: Int64, _ values: String, from rows: String?
    ) throws {
        let kind = ChangeTable.Kind(operation, of: table.entity.number).rawValue
        let statement = try connection.prepare(
            "INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) SELECT \(kind), ?1, \(values)"
                + (rows.map { " FROM \($0)" } ?? ""))
        try statement.bind(key, at: 1)
        try statement.run()
    }
}
