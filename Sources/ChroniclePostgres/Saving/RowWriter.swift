#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// Writes the rows of a save with a pipeline, in an order that avoids conflicts: updates of references (so that
    /// deleting the previous destination does not cascade to them), deletes (so that unique values become available), other
    /// updates, inserts. Links are removed before all of them and added after them.
    struct RowWriter {
        let layout: StoreLayout
        let request: DataStoreSaveChangesRequest<DefaultSnapshot>
        private(set) var values: RowValues
        /// The identifiers in the order of the request; empty until they are known.
        private(set) var inserted: [PersistentIdentifier] = []
        /// The steps attribute errors to models.
        private(set) var steps: [Step] = []
        let bindsKeys: Bool
        let insertRuns: [Run]

        typealias Run = (rows: Range<Int>, table: EntityTable)

        struct Step {
            let statement: Int
            let operation: Operation
            let table: EntityTable?
            let snapshots: ArraySlice<DefaultSnapshot>
        }

        enum Operation {
            case insert, update, delete
            /// See ``RowWriter/requireUpdatedRows(_:)``.
            case requireRows
            case link(DataStoreLink)
        }

        /// The number of rows of a statement, and the size of their values in bytes.
        private static let (rowLimit, sizeLimit) = (5_000, 16_000_000)

        /// - Parameter bindsKeys: Whether the keys of the new rows are known in any case.
        init(
            _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ layout: StoreLayout, bindsKeys: Bool = false
        ) throws {
            (self.request, self.layout) = (request, layout)
            values = RowValues(storeIdentifier: layout.storeIdentifier)
            insertRuns = try Self.runs(request.inserted, layout)
            let updates = try Self.runs(request.updated, layout)
            let isRestoring = insertRuns.contains { run in
                !request.inserted[run.rows.lowerBound].persistentIdentifier.isTemporary
            }
            self.bindsKeys =
                bindsKeys || isRestoring
                || request.linked.contains { $0.owner.isTemporary || $0.destination.isTemporary }
                || Self.assignsOneToOnes(request.inserted, insertRuns)
                || Self.referencesNewRows(request.inserted, insertRuns)
                || Self.referencesNewRows(request.updated, updates)
        }

        mutating func write(to pipeline: inout Pipeline) throws {
            try unlink(&pipeline)
            let updates = try updates()
            for update in updates where update.movesReference { try self.update(update, &pipeline) }
            try delete(&pipeline)
            // A replayed transaction may have changed a row before it was deleted.
            if !request.deleted.isEmpty, request.replay == nil { try requireUpdatedRows(&pipeline) }
            for update in updates where !update.movesReference { try self.update(update, &pipeline) }
            for run in insertRuns { try insert(run, &pipeline) }
            try link(&pipeline)
        }

        mutating func readKeys(_ results: [QueryResult]) {
            guard !bindsKeys else { return }
            for step in steps {
                guard case .insert = step.operation, let table = step.table else { continue }
                let result = results[step.statement]
                for row in 0..<step.snapshots.count {
                    inserted.append(table.origin.identifier(result.int64(row, 0)))
                }
            }
        }

        // MARK: Keys

        /// Determines the keys with one round trip.
        mutating func chooseKeys(_ connection: Connection) throws {
            var highest: [String: (table: EntityTable, key: Int64)] = [:]
            var reserved: [Int] = []
            let results = try connection.pipeline { pipeline in
                for run in insertRuns where isTemporary(run) {
                    pipeline.add(run.table.statements.lockForKeys)
                    reserved.append(
                        pipeline.add(run.table.statements.reserveKeys, Parameters(.int64(Int64(run.rows.count)))))
                }
                for run in insertRuns where !isTemporary(run) {
                    for row in run.rows {
                        let key = try key(request.inserted[row], run.table)
                        highest[run.table.name] = (run.table, max(highest[run.table.name]?.key ?? 0, key))
                    }
                }
                for name in highest.keys.sorted() {
                    guard let (table, key) = highest[name] else { continue }
                    pipeline.add(table.statements.lockForRestoring)
                    pipeline.add(table.statements.setHighestKey, Parameters(.int64(key)))
                }
            }
            var next = reserved[...]
            for run in insertRuns {
                if isTemporary(run), let index = next.popFirst() {
                    let keys = results[index]
                    for row in 0..<keys.count { inserted.append(run.table.origin.identifier(keys.int64(row, 0))) }
                } else {
                    for row in run.rows {
                        inserted.append(run.table.origin.identifier(try key(request.inserted[row], run.table)))
                    }
                }
            }
            values.replacements = Dictionary(
                zip(request.inserted.lazy.map(\.persistentIdentifier), inserted),
                uniquingKeysWith: { first, _ in first })
        }

        /// Includes the keys of rows that they reference.
        mutating func setKeys(
            _ identifiers: [PersistentIdentifier], _ replacements: [PersistentIdentifier: PersistentIdentifier]
        ) {
            inserted = identifiers
            values.replacements = replacements
        }

        /// The rows of a run share the origin of their identifiers, so the first one decides.
        private func isTemporary(_ run: Run) -> Bool {
            request.inserted[run.rows.lowerBound].persistentIdentifier.isTemporary
        }

        private static func referencesNewRows(_ snapshots: [DefaultSnapshot], _ runs: [Run]) -> Bool {
            runs.contains { rows, table in
                !table.referenceSlots.isEmpty
                    && snapshots[rows].contains { snapshot in
                        table.referenceSlots.contains { slot in
                            guard slot < snapshot.values.count, case .reference(let identifier) = snapshot.values[slot]
                            else { return false }
                            return identifier.isTemporary
                        }
                    }
            }
        }

        /// Such a row may have to be reconciled.
        private static func assignsOneToOnes(_ snapshots: [DefaultSnapshot], _ runs: [Run]) -> Bool {
            runs.contains { rows, table in
                table.oneToOnes.contains { relationship in
                    let slot = relationship.side.slot
                    return snapshots[rows].contains { slot < $0.values.count && $0.values[slot] != .null }
                }
            }
        }

        static func runs(_ snapshots: [DefaultSnapshot], _ layout: StoreLayout) throws -> [Run] {
            var runs: [Run] = []
            var start = 0
            for index in snapshots.indices {
                let isLast = index + 1 == snapshots.count
                let identifier = snapshots[index].persistentIdentifier
                guard
                    isLast
                        || !(identifier.sharesOrigin(with: snapshots[index + 1].persistentIdentifier)
                            || identifier.isTemporary == snapshots[index + 1].persistentIdentifier.isTemporary
                                && identifier.entityName == snapshots[index + 1].persistentIdentifier.entityName)
                else { continue }
                runs.append((start..<index + 1, try layout.table(named: identifier.entityName)))
                start = index + 1
            }
            return runs
        }

        func key(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws -> Int64 {
            let identifier = snapshot.persistentIdentifier
            guard let key = identifier.integerPrimaryKey, identifier.storeIdentifier == layout.storeIdentifier else {
                throw SwiftDataError.modelNotFound.with(
                    detail: "the model belongs to another store", entityName: table.entity.name,
                    persistentIdentifier: identifier)
            }
            return key
        }

        // MARK: Inserts

        private mutating func insert(_ run: Run, _ pipeline: inout Pipeline) throws {
            let (rows, table) = run
            for row in rows { try requireColumns(of: request.inserted[row], table) }
            if !bindsKeys, rows.count == 1 || table.statements.insertMany == nil {
                for row in rows {
                    var parameters = Parameters()
                    let snapshot = request.inserted[row]
                    for slot in table.columns.indices {
                        try values.append(snapshot.values[slot], snapshot, slot, of: table, to: &parameters)
                    }
                    let statement = pipeline.add(table.statements.insert, parameters)
                    steps.append(
                        Step(
                            statement: statement, operation: .insert, table: table,
                            snapshots: request.inserted[row..<row + 1]))
                }
                return
            }
            for part in parts(request.inserted[rows]) {
                var parameters = Parameters()
                if bindsKeys {
                    parameters.append(ParameterArray(inserted[part.indices].compactMap(\.integerPrimaryKey)))
                }
                for slot in table.columns.indices { try values.append(slot, part, of: table, to: &parameters) }
                let sql = bindsKeys ? table.statements.insertWithKeys : table.statements.insertMany ?? ""
                let statement = pipeline.add(sql, parameters)
                steps.append(Step(statement: statement, operation: .insert, table: table, snapshots: part))
            }
        }

        /// Several statements write the parts.
        private func parts(_ snapshots: ArraySlice<DefaultSnapshot>) -> [ArraySlice<DefaultSnapshot>] {
            var parts: [ArraySlice<DefaultSnapshot>] = []
            var start = snapshots.startIndex
            var size = 0
            for index in snapshots.indices {
                size += snapshots[index].values.reduce(0) { $0 + $1.approximateSize }
                if index + 1 - start >= Self.rowLimit || size >= Self.sizeLimit || index + 1 == snapshots.endIndex {
                    parts.append(snapshots[start..<index + 1])
                    (start, size) = (index + 1, 0)
                }
            }
            return parts
        }

        // MARK: Updates

        private struct Update {
            let table: EntityTable
            let changed: PropertySet
            let snapshots: ArraySlice<DefaultSnapshot>
            var movesReference: Bool { table.referenceSlots.contains(where: changed.contains) }
        }

        private func updates() throws -> [Update] {
            var updates: [Update] = []
            for (rows, table) in try Self.runs(request.updated, layout) {
                var start = rows.lowerBound
                for row in rows {
                    try requireColumns(of: request.updated[row], table)
                    let changed = request.updated[row].changed
                    guard row + 1 == rows.upperBound || request.updated[row + 1].changed != changed else { continue }
                    for part in parts(request.updated[start..<row + 1]) {
                        updates.append(Update(table: table, changed: changed, snapshots: part))
                    }
                    start = row + 1
                }
            }
            return updates
        }

        private mutating func update(_ update: Update, _ pipeline: inout Pipeline) throws {
            let table = update.table
            guard !update.changed.isEmpty else { return }
            var parameters = Parameters()
            let sql: String
            if update.snapshots.count == 1, let snapshot = update.snapshots.first {
                for slot in update.changed {
                    try values.append(snapshot.values[slot], snapshot, slot, of: table, to: &parameters)
                }
                parameters.append(try key(snapshot, table))
                sql = table.statements.update(update.changed)
            } else {
                parameters.append(ParameterArray(try update.snapshots.map { try key($0, table) }))
                for slot in update.changed { try values.append(slot, update.snapshots, of: table, to: &parameters) }
                parameters.append(Int64(update.snapshots.count))
                sql = table.statements.updateMany(update.changed)
            }
            let statement = pipeline.add(sql, parameters)
            steps.append(Step(statement: statement, operation: .update, table: table, snapshots: update.snapshots))
        }

        /// Requires that the deletes of the save have not deleted a row that it updates, because another context had
        /// connected the row with a deleted one. Its changes would be lost without a report, or the error of the update would
        /// not show the reason: after the rollback, the row exists.
        mutating func requireUpdatedRows(_ pipeline: inout Pipeline) throws {
            for update in try updates() {
                let keys = ParameterArray(try update.snapshots.map { try key($0, update.table) })
                let statement = pipeline.add(update.table.statements.requireRows, Parameters(.array(keys)))
                steps.append(
                    Step(
                        statement: statement, operation: .requireRows, table: update.table, snapshots: update.snapshots)
                )
            }
        }

        // MARK: Deletes

        /// In reverse order, nothing is left to cascade to, because a context lists owners before their destinations. Each
        /// level of a cascade needs a part of the server's stack.
        private mutating func delete(_ pipeline: inout Pipeline) throws {
            let isReversed = request.deleted.count >= 1_000
            let runs = try Self.runs(request.deleted, layout)
            for (rows, table) in isReversed ? runs.reversed() : runs {
                let keys = ParameterArray(try request.deleted[rows].map { try key($0, table) })
                let statement = pipeline.add(table.statements.delete, Parameters(.array(keys)))
                steps.append(
                    Step(statement: statement, operation: .delete, table: table, snapshots: request.deleted[rows]))
            }
        }

        // MARK: Links

        private mutating func link(_ pipeline: inout Pipeline) throws {
            try write(request.linked, &pipeline) { table in
                "INSERT INTO \(table)(owner, destination) SELECT * FROM "
                    + "\(rows(of: ["$1::bigint[]", "$2::bigint[]"])) AS v "
                    + "ON CONFLICT DO NOTHING"
            }
        }

        private mutating func unlink(_ pipeline: inout Pipeline) throws {
            try write(request.unlinked, &pipeline) { table in
                "DELETE FROM \(table) USING \(rows(of: ["$1::bigint[]", "$2::bigint[]"])) AS v(o, d) "
                    + "WHERE owner = v.o AND destination = v.d"
            }
        }

        private mutating func write(
            _ links: [DataStoreLink], _ pipeline: inout Pipeline, _ sql: (String) -> String
        ) throws {
            var start = 0
            for index in links.indices
            where index + 1 == links.count || links[index + 1].name != links[index].name
                || index + 1 - start >= 50_000
            {
                let definition = try layout.links(named: links[index].name)
                let part = links[start...index]
                let statement = pipeline.add(
                    sql(layout.qualified(definition.name)),
                    Parameters(
                        .array(ParameterArray(try part.map { try definition.ownerKey($0, key) })),
                        .array(ParameterArray(try part.map { try definition.destinationKey($0, key) }))))
                steps.append(
                    Step(statement: statement, operation: .link(links[index]), table: nil, snapshots: []))
                start = index + 1
            }
        }

        private func key(_ identifier: PersistentIdentifier, _ rootEntityName: String) -> Int64? {
            (values.replacements[identifier] ?? identifier).key(in: layout.storeIdentifier, rootEntityName)
        }

        /// A snapshot of another version of the model may not have one value for each column.
        private func requireColumns(of snapshot: DefaultSnapshot, _ table: EntityTable) throws {
            guard snapshot.values.count != table.columns.count else { return }
            throw SwiftDataError.modelValidationFailure.with(
                detail:
                    "the snapshot has \(snapshot.values.count) values, but the table has \(table.columns.count) columns",
                entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
        }
    }

    extension PropertyValue {
        /// The approximate size of the value in a statement.
        fileprivate var approximateSize: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .blob(let data): data.count
            default: 8
            }
        }
    }
#endif
