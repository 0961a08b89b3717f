#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// Writes the rows of a save one by one, each in a savepoint, after a pipeline failed because of a unique value: an
    /// update may need the value of a row that is updated later. Rows that exchange their values have no such order, and
    /// get other values in between. Also determines the row of the conflict.
    struct OrderedWriter {
        private let layout: StoreLayout
        private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
        private var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]
        /// The entities and keys of the rows of which two changes set the same attribute.
        private var released: (entities: [Int64], keys: [Int64]) = ([], [])

        init(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ layout: StoreLayout) throws {
            (self.request, self.layout) = (request, layout)
        }

        /// Returns the identifiers of the inserted rows in the order of the request.
        mutating func write(_ connection: Connection) throws -> [PersistentIdentifier] {
            var inserts = try RowWriter(part(inserted: request.inserted, linked: request.linked), layout)
            // The references of updates need the keys as well.
            if !request.inserted.isEmpty {
                try inserts.chooseKeys(connection)
                replacements = inserts.values.replacements
            }
            try run(part(unlinked: request.unlinked), connection)
            var later: [DefaultSnapshot] = []
            for snapshot in request.updated {
                let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
                let moves = table.referenceSlots.filter(snapshot.changed.contains)
                if moves.isEmpty {
                    later.append(snapshot)
                } else if try !tryRun(part(updated: [snapshot]), connection) {
                    later += try move(snapshot, moves, table, connection)
                }
            }
            try run(part(deleted: request.deleted), connection)
            if !request.deleted.isEmpty, request.replay == nil {
                var check = try RowWriter(part(updated: request.updated), layout, bindsKeys: true)
                try run(&check, connection) { try $0.requireUpdatedRows(&$1) }
            }
            try update(later, connection)
            for row in request.inserted.indices {
                var writer = try RowWriter(part(inserted: [request.inserted[row]]), layout, bindsKeys: true)
                writer.setKeys([inserts.inserted[row]], replacements)
                try run(&writer, connection)
            }
            try run(part(linked: request.linked), connection)
            return inserts.inserted
        }

        func mergeChanges(_ connection: Connection) throws {
            guard !released.keys.isEmpty else {
                try connection.run(HistoryTables.mergeChanges(connection.schema))
                return
            }
            try connection.run(
                HistoryTables.mergeReleasedChanges(connection.schema),
                Parameters(.array(ParameterArray(released.entities)), .array(ParameterArray(released.keys))))
        }

        /// Updates only the references of a row whose unique values are not available yet, and returns the remaining
        /// updates. If the unique values contain a reference, the row references no other row in between, so that deleting
        /// its previous destination does not delete the row.
        private mutating func move(
            _ snapshot: DefaultSnapshot, _ slots: [Int], _ table: EntityTable, _ connection: Connection
        ) throws -> [DefaultSnapshot] {
            let parts = snapshot.movingReferences(slots)
            if let rest = parts.rest, try tryRun(part(updated: [parts.references]), connection) { return [rest] }
            guard !request.deleted.isEmpty else { return [snapshot] }
            if let detached = snapshot.detached(slots, table.entity) {
                _ = try tryRun(part(updated: [detached]), connection)
            }
            for property in slots.lazy.map({ table.entity.storedProperties[$0] }) where !property.isOptional {
                _ = try release(property, of: snapshot, table, connection)
            }
            return [snapshot]
        }

        private mutating func update(_ snapshots: [DefaultSnapshot], _ connection: Connection) throws {
            var waiting = snapshots
            while !waiting.isEmpty {
                var conflicting: [DefaultSnapshot] = []
                for snapshot in waiting where try !tryRun(part(updated: [snapshot]), connection) {
                    conflicting.append(snapshot)
                }
                if conflicting.count == waiting.count, try !releaseUniqueValues(of: conflicting, connection) {
                    // Throws the error of the first one, unless another session has released its value meanwhile.
                    try run(part(updated: [conflicting.removeFirst()]), connection)
                }
                waiting = try conflicting.orderedForUpdate { try owners(of: $0, connection).map(\.key) }
            }
        }

        /// Changes unique values that rows exchange to values that no other row has, until their updates set them again.
        /// Returns whether a value was changed.
        private mutating func releaseUniqueValues(
            of snapshots: [DefaultSnapshot], _ connection: Connection
        ) throws -> Bool {
            var isReleased = false
            for (snapshot, property) in try snapshots.heldUniqueValues(owners: { try owners(of: $0, connection) }) {
                let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
                if try release(property, of: snapshot, table, connection) { isReleased = true }
            }
            return isReleased
        }

        /// Changes a value to one that no other row has. Returns `false` if a constraint of another program prevents it.
        private mutating func release(
            _ property: Schema.Property, of snapshot: DefaultSnapshot, _ table: EntityTable, _ connection: Connection
        ) throws -> Bool {
            let column = table.columns[property.slot]
            guard let key = snapshot.persistentIdentifier.integerPrimaryKey else { return false }
            do {
                // References are checked when the transaction commits.
                _ = try connection.transaction {
                    try $0.run(
                        "UPDATE \(layout.qualified(table.name)) SET \(quoted(column.name)) = "
                            + "\(property.isOptional ? "NULL" : column.randomValue) "
                            + "WHERE \(EntityTable.primaryKey) = $1", Parameters(.int64(key)))
                }
            } catch let error as PostgresError where error.isConstraintViolation || error.isUniqueViolation {
                return false
            }
            // The identifier of a batch update may name a superclass of the row.
            let subtables = table.kinds?.members.values.compactMap { $0.table?.number } ?? []
            for number in Set(subtables).union([table.number]) {
                released.entities.append(number)
                released.keys.append(key)
            }
            return true
        }

        /// The keys of the rows that have the unique values that an update sets.
        private func owners(
            of snapshot: DefaultSnapshot, _ connection: Connection
        ) throws -> [(key: Int64, constraint: [Schema.Property])] {
            let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
            var values = RowValues(storeIdentifier: layout.storeIdentifier)
            values.replacements = replacements
            return try table.entity.uniqueProperties.flatMap { constraint -> [(Int64, [Schema.Property])] in
                guard constraint.contains(where: { snapshot.changed.contains($0.slot) }) else { return [] }
                var parameters = Parameters()
                for property in constraint {
                    try values.append(
                        snapshot.values[property.slot], snapshot, property.slot, of: table, to: &parameters)
                }
                let conditions = constraint.enumerated()
                    .map { "\(quoted(table.columns[$1.slot].name)) = $\($0 + 1)" }
                let found = try connection.run(
                    "SELECT \(EntityTable.primaryKey) FROM \(layout.qualified(table.name)) "
                        + "WHERE \(conditions.joined(separator: " AND "))", parameters)
                return (0..<found.count).map { (found.int64($0, 0), constraint) }
            }
        }

        /// `false` after a uniqueness violation.
        private func tryRun(
            _ part: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
        ) throws -> Bool {
            do {
                // A savepoint, because a transaction is running.
                try connection.transaction { try run(part, $0) }
                return true
            } catch let error as SwiftDataError where error == .uniquenessViolation {
                return false
            }
        }

        private func run(_ part: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection) throws {
            var writer = try RowWriter(part, layout, bindsKeys: true)
            writer.setKeys([], replacements)
            try run(&writer, connection)
        }

        private func run(
            _ writer: inout RowWriter, _ connection: Connection,
            _ write: (inout RowWriter, inout Pipeline) throws -> Void = { try $0.write(to: &$1) }
        ) throws {
            var pipeline = Pipeline()
            try write(&writer, &pipeline)
            guard pipeline.count > 0 else { return }
            do { _ = try connection.run(pipeline) } catch let error as PostgresError
                where error.isUniqueViolation
            {
                throw SaveFailure.uniquenessError(error, writer.steps)
            } catch let error as PostgresError where SaveFailure.isMissingRow(error, writer.steps) {
                throw SaveFailure.missingRowError(error, writer.steps)
            } catch let error as PostgresError {
                throw SaveFailure.ignoredInsertError(error, writer.steps) ?? error
            }
        }

        private func part(
            inserted: [DefaultSnapshot] = [], updated: [DefaultSnapshot] = [], deleted: [DefaultSnapshot] = [],
            linked: [DataStoreLink] = [], unlinked: [DataStoreLink] = []
        ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
            DataStoreSaveChangesRequest(
                editingState: request.editingState, inserted: inserted, updated: updated, deleted: deleted,
                linked: linked, unlinked: unlinked)
        }
    }

    extension EntityTable.Column {
        /// No other row is going to have this value.
        fileprivate var randomValue: String {
            switch type {
            case .integer: "(-1::float8 - pg_catalog.random() * 9e18::float8)::bigint"
            case .real: "-pg_catalog.random() * 1e308::float8"
            case .text:
                isJSON
                    ? "pg_catalog.to_json(pg_catalog.gen_random_uuid())::text" : "pg_catalog.gen_random_uuid()::text"
            case .blob: "pg_catalog.uuid_send(pg_catalog.gen_random_uuid())"
            }
        }
    }
#endif
