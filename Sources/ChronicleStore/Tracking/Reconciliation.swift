import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Records what programs changed without triggers, so that the history explains the rows of the recorded tables again: one
/// transaction of other programs with the metadata `reconciled`. It contains inserts with their values, updates of values
/// that differ from the last recorded ones, and deletes. The values of deleted rows are not known.
struct Reconciliation {
    let connection: Connection

    static let metadata = ["reconciled": "true"]

    struct Table {
        let entity: RecordedEntity
        /// `nil` if the table was dropped.
        let table: TrackedTable?
        var difference = Baseline.Difference()
        /// The numbers of columns that the history did not contain before.
        var addedAttributes: [Int] = []
        /// Whether all rows are inserts.
        var isNew = false
        /// Whether changes can be missing whose values the history does not contain.
        var requiresValues = false
        /// Whether the values are compared with the recorded ones, as they are if they are required. Otherwise, only those of added
        /// columns are.
        var comparesValues = true
        /// Whether that is so.
        fileprivate(set) var hasUnknownValues = false
        /// The attributes whose values differ, by key, with the positions of the recorded values, or 0 for NULL.
        fileprivate var values: [Int64: [Int: Int64]] = [:]

        init(
            entity: RecordedEntity, table: TrackedTable?, difference: Baseline.Difference, addedAttributes: [Int] = [],
            isNew: Bool = false, requiresValues: Bool = false, comparesValues: Bool = true
        ) {
            (self.entity, self.table, self.difference) = (entity, table, difference)
            (self.addedAttributes, self.isNew, self.requiresValues) = (addedAttributes, isNew, requiresValues)
            self.comparesValues = requiresValues || comparesValues
        }
    }

    init(_ connection: Connection) { self.connection = connection }

    /// Reconciles all tables whose recording was not interrupted. Returns the numbers of recorded changes.
    func run() throws -> [String: Int] {
        var headers = HeaderWriter(connection)
        let first = try headers.groupExternalChanges(resolvesConflicts: true)
        var tables = try tables()
        try compareValues(&tables)
        var counts: [String: Int] = [:]
        // The transaction has the present date.
        try PendingTransaction.discard(connection)
        for table in tables {
            let count = try record(table)
            if count > 0 { counts[table.entity.name] = count }
        }
        if !counts.isEmpty {
            let position = try HeaderWriter.groupExternalChanges(from: first, connection)
            try MetadataTable.insert(Self.metadata, at: position, connection)
        }
        for table in tables {
            if let present = table.table { try Baseline(of: table.entity.number, connection).set(present) }
        }
        return counts
    }

    private func tables() throws -> [Table] {
        let tracking = TableTracking(connection)
        var tables: [Table] = []
        for entity in try EntityRegistry(connection).entities() {
            guard let name = entity.tableName, let table = try TrackedTable(name, connection),
                try tracking.interruption(of: entity, table) == nil
            else { continue }
            let difference = try Self.namingCollations(of: name) {
                try KeyTable(table, of: entity.number)?.numberRows(connection)
                return try Baseline(of: entity.number, connection).difference(table) ?? .init()
            }
            tables.append(Table(entity: entity, table: table, difference: difference))
        }
        return tables
    }

    // MARK: Comparing

    /// Finds the values that differ from the recorded ones. Reads the history if the values of a table are compared.
    func compareValues(_ tables: inout [Table]) throws {
        var recorded: [Int: RecordedValues] = [:]
        let compared = tables.indices.filter {
            tables[$0].table != nil && !tables[$0].isNew && tables[$0].comparesValues
        }
        if !compared.isEmpty {
            do { recorded = try recordedValues(tables, compared) } catch let error as SQLiteError
                where error.isMissingCollation
            {
                for index in compared {
                    try Self.namingCollations(of: tables[index].entity.name) {
                        _ = try recordedValues(tables, [index])
                    }
                }
                throw error
            }
        }
        for index in tables.indices where tables[index].table != nil && !tables[index].isNew {
            let found = recorded[index] ?? RecordedValues()
            tables[index].values = found.different
            let added = Dictionary(
                uniqueKeysWithValues: tables[index].addedAttributes.map { ($0, Set<Int64>()) })
            try Self.namingCollations(of: tables[index].entity.name) {
                for (attribute, known) in added.merging(found.added, uniquingKeysWith: { $1 }) {
                    try compareAdded(attribute, known, &tables[index])
                }
                if tables[index].requiresValues {
                    let expected = try expectedCount(tables[index], without: Set(added.keys).union(found.added.keys))
                    tables[index].hasUnknownValues = found.count < expected || found.hasForgotten
                }
            }
        }
    }

    /// What the history contains of a table.
    private struct RecordedValues {
        /// The number of values of columns that were not added.
        var count = 0
        /// The keys of rows whose value of an added column was set since, by the number of the column. Others have NULL.
        var added: [Int: Set<Int64>] = [:]
        /// Whether an added column was set to a value that the history does not contain.
        var hasForgotten = false
        /// The values that differ, with the positions of the recorded ones.
        var different: [Int64: [Int: Int64]] = [:]
    }

    private func recordedValues(_ tables: [Table], _ compared: [Int]) throws -> [Int: RecordedValues] {
        let indexes = Dictionary(
            compared.map { (tables[$0].entity.number, $0) }, uniquingKeysWith: { first, _ in first })
        let verifier = try StoreVerifier(connection, nil) { _ in }
        let properties = try MetaCheck(verifier: verifier).run()
        guard let registry = try RegistryCheck(verifier: verifier).run() else { return [:] }
        let deleted = tables.map { Set($0.difference.deleted) }
        var result: [Int: RecordedValues] = [:]
        // Rows can lack a value of a column that was added without being unknown.
        var added: [Int64: [Int64: Int64]] = [:]
        for index in compared where tables[index].requiresValues {
            let entity = tables[index].entity
            for attribute in entity.attributes where attribute.isPresent {
                let name = MetaName.addedColumn(entity.number, number: attribute.number)
                guard let position = try MetaTable.integer(name, connection), position >= properties.completeAfter,
                    !tables[index].addedAttributes.contains(attribute.number)
                else { continue }
                added[entity.number, default: [:]][Int64(attribute.number)] = position
                result[index, default: .init()].added[attribute.number] = []
            }
        }
        let check = try ReplayCheck(verifier, properties, registry, entities: Set(indexes.keys), added: added)
        try check.forEachDifferentValue { entity, key, attribute, isKnown in
            guard let index = indexes[entity], !deleted[index].contains(key) else { return }
            if added[entity]?[attribute] != nil {
                result[index]?.added[Int(attribute)]?.insert(key)
                if !isKnown { result[index]?.hasForgotten = true }
            } else {
                result[index, default: .init()].count += 1
            }
        } _: { entity, key, attribute, position in
            guard let index = indexes[entity] else { return }
            result[index, default: .init()].different[key, default: [:]][Int(attribute)] = position
        }
        return result
    }

    /// The number of values of the rows that were not inserted, without those of some attributes.
    private func expectedCount(_ table: Table, without attributes: Set<Int>) throws -> Int {
        // An index can have a collation that only the program has.
        let hint = table.entity.keyColumns == nil ? " NOT INDEXED" : ""
        let rows = try connection.scalarInt64("SELECT count(*) FROM \(source(table))\(hint)") ?? 0
        let columns = table.entity.attributes.count { $0.isPresent && !attributes.contains($0.number) }
        return (Int(rows) - table.difference.inserted.count) * columns
    }

    /// The values of a column that was added were NULL before, except for the keys with a known value.
    private func compareAdded(_ number: Int, _ known: Set<Int64>, _ table: inout Table) throws {
        guard let name = table.entity.attributes.first(where: { $0.number == number })?.name else { return }
        let statement = try connection.prepare(
            "SELECT t.\(RecorderSQL.key) FROM \(source(table)) AS t WHERE t.\(quoted(name)) IS NOT NULL")
        while try statement.step() {
            let key = statement.int64(0)
            if !known.contains(key) { table.values[key, default: [:]][number] = 0 }
        }
    }

    private func source(_ table: Table) -> String {
        TrackedRows.source(table.entity.name, table.entity.number, table.entity.keyColumns)
    }

    // MARK: Recording

    /// SQLite needs the collations of columns and indexes for some of the statements, and only the program may have them.
    private static func namingCollations<Result>(of table: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError where error.isMissingCollation {
            throw SwiftDataError.unsupportedFeature.with(
                detail:
                    "the rows of the table cannot be compared, because a column or an index has a collation that only the "
                    + "program defines (\(error.message)); drop such an index and create it again afterwards; a table with "
                    + "such a column cannot be reconciled",
                entityName: table, underlying: DatabaseError(error))
        }
    }

    /// Returns the number of changes.
    func record(_ table: Table) throws -> Int {
        try Self.namingCollations(of: table.entity.name) { try recordDifferences(of: table) }
    }

    private func recordDifferences(of table: Table) throws -> Int {
        for key in table.difference.deleted {
            try insert(.delete, table, key, "NULL, NULL, NULL", from: nil)
        }
        guard let present = table.table else { return table.difference.deleted.count }
        let recorded = present.recordedTable(table.entity)
        let columns = recorded.columns
        let rows = "\(source(table)) AS t WHERE t.\(RecorderSQL.key) = ?1"
        for key in table.difference.inserted {
            var operation = ChangeTable.Operation.insert
            for column in columns where column.preservation.inserts != .none {
                let (number, value) = RecorderSQL.preservedValue(column, "t", column.preservation.inserts)
                try insert(operation, table, key, "\(number), NULL, \(value)", from: rows)
                operation = .preservedValue
            }
            if operation == .insert { try insert(.insert, table, key, "NULL, NULL, NULL", from: nil) }
        }
        let inserted = Set(table.difference.inserted)
        let updated = table.values.sorted { $0.key < $1.key }.filter { !inserted.contains($0.key) }
        for (key, positions) in updated {
            var masks = AttributeMasks()
            for number in positions.keys { masks.insert(number) }
            masks.pad(to: recorded.maskCount)
            try insert(.update, table, key, "\(masks.literal), NULL, NULL", from: nil)
            for column in columns where column.preservation.updates != .none {
                guard let position = positions[column.number] else { continue }
                let value = "t.\(quoted(column.name))"
                let earlier = "(SELECT c.new_value FROM \(ChangeTable.name) AS c WHERE c.id = ?2)"
                try insert(
                    .preservedValue, table, key, "\(column.number), \(earlier), \(value)",
                    from: "\(rows) AND \(RecorderSQL.isSmall(value))", earlier: position)
            }
        }
        return table.difference.deleted.count + table.difference.inserted.count + updated.count
    }

    /// `values` are the attributes, the previous value and the new value. `rows` is their table and condition, whose
    /// first parameter is the key. The second one is the position of the previous value.
    private func insert(
        _ operation: ChangeTable.Operation, _ table: Table, _ key: Int64, _ values: String, from rows: String?,
        earlier: Int64? = nil
    ) throws {
        let kind = ChangeTable.Kind(operation, of: table.entity.number).rawValue
        let statement = try connection.cached(
            "INSERT INTO \(ChangeTable.name)(\(ChangeTable.values)) SELECT \(kind), ?1, \(values)"
                + (rows.map { " FROM \($0)" } ?? ""))
        try statement.bind(key, at: 1)
        if let earlier { try statement.bind(earlier, at: 2) }
        try statement.run()
    }
}
