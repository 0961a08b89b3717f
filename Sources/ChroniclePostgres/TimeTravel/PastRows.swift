#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore
    import Synchronization

    /// The rows of a store as of a position.
    ///
    /// Each read first adds the changes that were committed since the previous one, in the same snapshot. Rows whose state is
    /// known do not change any more, so reads show the same state while others write.
    final class PastRows: Sendable {
        /// The store with the present rows.
        let present: PostgresStore
        let position: Int64
        private let state: Mutex<State>

        private struct State {
            var tables: PastTables
            /// The position up to which changes were read, and its check value.
            var reached: Int64
            var checkValue: Int64?
            /// The entities of the history. Other programs may add some.
            var recorded: [RecordedEntity]
            var layout: PastLayout
            /// Whether the latest read found transactions without a position, which every read reads again.
            var hasPending = false
        }

        /// - Parameters:
        ///   - position: The position, which was checked.
        ///   - checkValue: The check value of the position, if the token has one.
        init(_ present: PostgresStore, _ position: Int64, checkValue: Int64?) {
            self.present = present
            self.position = position
            let layout = present.layout
            state = Mutex(
                State(
                    tables: PastTables(
                        qualified: { layout.qualified($0) },
                        unknowns: PastUnknowns(storeIdentifier: present.identifier, position: position)),
                    reached: position, checkValue: checkValue, recorded: layout.recorded,
                    layout: PastLayout(layout.recorded, present.schema)))
        }

        static let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"

        /// Runs `body` with the tables as of the position, in a transaction with a snapshot.
        func read<Result>(
            _ connection: Connection, _ begin: String = PastRows.begin,
            _ body: (Connection, PastTables) throws -> Result
        ) throws -> Result {
            // A copy from before the snapshot: others may add later changes meanwhile.
            var state = state.withLock { $0 }
            if state.hasPending { try connection.numberTransactions() }
            do {
                let result = try connection.transaction(begin) {
                    // Changes of an interrupted table are not read, because its columns may differ. The table therefore remains
                    // unknown in this store after the recording continues.
                    state.tables.unknowns.interruptions.merge(try present.interruptions($0)) { $1 }
                    try addChanges($0, to: &state)
                    return try body($0, state.tables)
                }
                self.state.withLock { if state.reached >= $0.reached { $0 = state } }
                return result
            } catch let error as PostgresError {
                guard let value = PastTable.unknownValue(error) else { throw error }
                if let links = state.tables.unknowns.links[value.table] { throw state.tables.unknowns.error(links) }
                guard let table = state.tables.tables[value.table],
                    let column = table.columns.first(where: { $0.number == value.number })
                else { throw error }
                throw state.tables.unknowns.error(
                    .init(table: value.table, entity: value.table, property: column.name, key: value.key))
            }
        }

        /// Checks that the rows that relationships of an entity's models reach are known; see `PastUnknowns`.
        func requireKnownDestinations(of entityName: String, loadsModels: Bool, _ tables: PastTables) throws {
            try tables.unknowns.requireKnownDestinations(
                of: entityName, loadsModels: loadsModels, state.withLock(\.layout))
        }

        // MARK: Changes

        private func addChanges(_ connection: Connection, to state: inout State) throws {
            let schema = connection.schema
            let found = try connection.run(
                """
                SELECT h.*, (SELECT check_value FROM \(schema).chronicle_transaction WHERE position = $1), \
                EXISTS (SELECT FROM \(PastChangeReader.pending(schema)) AS p) FROM (\(HistoryState.select(connection))) AS h
                """, Parameters(.int64(state.reached)))
            let history = try HistoryState(found)
            let facts = history.facts(at: state.reached, known: found.isNull(0, 7) ? nil : found.int64(0, 7))
            let check = HistoryPositions.tokenCheck
            if let failure = check.failure(position: state.reached, checkValue: state.checkValue, facts) {
                throw check.error(failure, position: state.reached, facts)
            }
            state.hasPending = found.bool(0, 8)
            guard history.position > state.reached || state.hasPending else { return }
            var reader = PastChangeReader(connection, state.recorded, present.schema)
            var changes = try changes(reader, state)
            if changes == nil {
                state.recorded = try Catalog(connection).entities()
                reader = PastChangeReader(connection, state.recorded, present.schema)
                changes = try self.changes(reader, state)
            }
            guard let changes else {
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "a change of the history refers to an entity that is missing in chronicle_entity; restore the "
                        + "tables from a backup")
            }
            state.layout = reader.layout
            try PastWriter(connection, present.schema, reader.layout).write(changes, to: &state.tables)
            state.tables.unknowns.changedForms = try changedForms(reader.layout, connection)
            (state.reached, state.checkValue) = (history.position, history.position == 0 ? nil : history.checkValue)
        }

        /// Reads the changes after the position that was reached, or returns `nil` if one has an unknown entity, which another
        /// program may have added.
        private func changes(_ reader: PastChangeReader, _ state: State) throws -> PastChanges? {
            let tables = state.tables.tables
            var changes = PastChanges(reader.layout) { table, key in tables[table.name]?.isPresent(key) }
            var isOutdated = false
            try reader.read(after: state.reached) { change in
                if !reader.layout.entities.contains(change.entity) { isOutdated = true }
                if !isOutdated { try changes.add(change) }
            }
            return isOutdated ? nil : changes
        }

        /// Returns the tables of which a relationship changed its form after the position.
        private func changedForms(_ layout: PastLayout, _ connection: Connection) throws -> Set<String> {
            let changed = try MetaTable.changedRelationships(connection)
            return Set(
                layout.tables.compactMap { number, table in
                    changed[number].map { $0 > position } == true ? table.name : nil
                })
        }
    }

    /// Adds changed rows, as they were, to the tables as of a position.
    private struct PastWriter {
        private let connection: Connection
        private let schema: Schema
        private let layout: PastLayout
        /// The number of rows that one statement reads.
        private static let partSize = 5_000

        init(_ connection: Connection, _ schema: Schema, _ layout: PastLayout) {
            (self.connection, self.schema, self.layout) = (connection, schema, layout)
        }

        func write(_ changes: PastChanges, to tables: inout PastTables) throws {
            var rows: [Int64: [(key: Int64, row: PastChanges.Row)]] = [:]
            for (key, row) in changes.rows where !row.isKnown { rows[key.table, default: []].append((key.key, row)) }
            for (number, rows) in rows {
                guard let table = layout.tables[number], tables.unknowns.interruptions[table.name] == nil else {
                    continue
                }
                let sorted = rows.sorted { $0.key < $1.key }
                for start in stride(from: 0, to: sorted.count, by: Self.partSize) {
                    try write(
                        Array(sorted[start..<min(start + Self.partSize, sorted.count)]), of: table, to: &tables)
                }
            }
            for (name, links) in changes.links { tables.links[name, default: PastLinks()].append(links) }
            tables.unknowns.insertLists(of: changes)
        }

        private func write(
            _ rows: [(key: Int64, row: PastChanges.Row)], of table: PastLayout.Table, to tables: inout PastTables
        ) throws {
            var past = tables.tables[table.name] ?? PastTable(table.name, columns(of: table))
            // Without a second reference, the arrays are not copied.
            tables.tables[table.name] = nil
            let needed = rows.filter { entry in
                entry.row.isPresent && !entry.row.isComplete
                    && past.columns.contains {
                        entry.row.values[$0.number] == nil && !entry.row.unknown.contains($0.number)
                    }
            }
            let present = try presentRows(needed.map(\.key), past)
            for (key, row) in rows {
                guard row.isPresent else {
                    past.append(key, nil, unknown: [])
                    continue
                }
                var unknown: Set<Int> = []
                let entity = table.entityName(row.entity)
                let values = past.columns.enumerated().map { index, column -> PropertyValue in
                    var value: PropertyValue?
                    if let known = row.values[column.number] {
                        value = column.type.stored(schema.pastValue(known, of: column.name, inEntity: entity))
                    } else if row.unknown.contains(column.number) {
                        value = nil
                    } else if row.isComplete {
                        value = schema.valueOfEarlierRow(of: column.name, inEntity: entity, columnDefault: .null)
                    } else {
                        value = present[key]?[index]
                    }
                    if let value { return value }
                    unknown.insert(column.number)
                    tables.unknowns.insert(
                        .init(table: table.name, entity: entity, property: column.name, key: key))
                    return .null
                }
                past.append(key, values, unknown: unknown)
            }
            tables.tables[table.name] = past
        }

        /// Returns the values of rows that exist, in the order of the columns.
        private func presentRows(_ keys: [Int64], _ table: PastTable) throws -> [Int64: [PropertyValue]] {
            guard !keys.isEmpty else { return [:] }
            let key = quoted(EntityTable.primaryKey)
            let names = ([key] + table.columns.map { quoted($0.name) }).joined(separator: ", ")
            let result = try connection.run(
                "SELECT \(names) FROM \(connection.table(table.name)) WHERE \(key) = ANY($1)",
                Parameters(.array(ParameterArray(keys))))
            var rows: [Int64: [PropertyValue]] = [:]
            for row in 0..<result.count {
                rows[result.int64(row, 0)] = table.columns.indices.map { index in
                    RowReader.plainValue(result, row, index + 1, table.columns[index].type)
                }
            }
            return rows
        }

        /// Returns the columns that fetches read.
        private func columns(of table: PastLayout.Table) -> [PastTable.Column] {
            var names: Set<String> = []
            var columns: [PastTable.Column] = []
            func add(_ name: String, _ type: ColumnType) {
                guard let number = table.attributes[name], names.insert(name).inserted else { return }
                columns.append(.init(number: number, name: name, type: type))
            }
            for entity in schema.entities.sorted(by: { $0.name < $1.name }) where entity.rootName == table.name {
                for property in entity.storedProperties { add(property.name, ColumnType(property)) }
                if entity.superentity != nil { add(Schema.entityAttribute, .text) }
            }
            return columns
        }
    }

    extension ColumnType {
        /// Returns a value of the history as the column contains it, or `nil` if its type was another one that was not
        /// converted exactly.
        fileprivate func stored(_ value: PropertyValue) -> PropertyValue? {
            switch (self, value) {
            case (_, .null), (.integer, .integer), (.real, .real), (.text, .text), (.blob, .blob): value
            case (.real, .integer(let integer)): Double(exactly: integer).map { .real($0) }
            default: nil
            }
        }
    }
#endif
