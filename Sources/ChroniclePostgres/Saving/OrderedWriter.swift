#if Postgres
    import ChronicleCore
    import ChronicleSQL

    /// Writes the rows of a save one by one, each in a savepoint.
    ///
    /// It is used after a pipeline failed because of a unique value: an update may need the value of a row that is updated
    /// later. There is no order for rows that exchange their values. It also determines the row of the conflict.
    struct OrderedWriter {
        private let layout: StoreLayout
        private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
        private var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]

        init(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ layout: StoreLayout) throws {
            (self.request, self.layout) = (request, layout)
        }

        /// Writes all changes in an open transaction.
        ///
        /// - Returns: The identifiers of the inserted rows in the order of the request.
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
                    later += try move(snapshot, moves, connection)
                }
            }
            try run(part(deleted: request.deleted), connection)
            try update(later, connection)
            for row in request.inserted.indices {
                var writer = try RowWriter(part(inserted: [request.inserted[row]]), layout, bindsKeys: true)
                writer.setKeys([inserts.inserted[row]], replacements)
                try run(&writer, connection)
            }
            try run(part(linked: request.linked), connection)
            return inserts.inserted
        }

        /// Updates only the references of a row whose unique values are not available yet.
        ///
        /// - Returns: The remaining updates.
        private func move(
            _ snapshot: DefaultSnapshot, _ slots: [Int], _ connection: Connection
        ) throws -> [DefaultSnapshot] {
            var (references, rest) = (PropertySet(), snapshot.changed)
            for slot in slots {
                references.insert(slot)
                rest.remove(slot)
            }
            func changing(_ changed: PropertySet) -> DefaultSnapshot {
                DefaultSnapshot(
                    persistentIdentifier: snapshot.persistentIdentifier, values: snapshot.values, changed: changed)
            }
            guard !rest.isEmpty, try tryRun(part(updated: [changing(references)]), connection) else {
                return [snapshot]
            }
            return [changing(rest)]
        }

        private func update(_ snapshots: [DefaultSnapshot], _ connection: Connection) throws {
            var waiting = snapshots
            while !waiting.isEmpty {
                var conflicting: [DefaultSnapshot] = []
                for snapshot in waiting where try !tryRun(part(updated: [snapshot]), connection) {
                    conflicting.append(snapshot)
                }
                // The error of the first one, if none of them can be written.
                if conflicting.count == waiting.count { return try run(part(updated: [conflicting[0]]), connection) }
                waiting = try conflicting.orderedForUpdate { try owners(of: $0, connection) }
            }
        }

        /// Returns the keys of the rows that have the unique values that an update sets.
        private func owners(of snapshot: DefaultSnapshot, _ connection: Connection) throws -> [Int64] {
            let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
            var values = RowValues(storeIdentifier: layout.storeIdentifier)
            values.replacements = replacements
            return try table.entity.uniqueProperties.flatMap { constraint -> [Int64] in
                guard constraint.contains(where: { snapshot.changed.contains($0.slot) }) else { return [] }
                var parameters = Parameters()
                for property in constraint {
                    try values.append(
                        snapshot.values[property.slot], snapshot, property.slot, of: table, to: &parameters)
                }
                let conditions = constraint.enumerated()
                    .map { "\(quoted(table.columns[$1.slot].name)) = $\($0 + 1)" }
                let found = try connection.run(
                    "SELECT \(EntityTable.primaryKey) FROM \(quoted(table.name)) "
                        + "WHERE \(conditions.joined(separator: " AND "))", parameters)
                return (0..<found.count).map { found.int64($0, 0) }
            }
        }

        /// Returns whether a part of the request could be written, or `false` after a uniqueness violation.
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

        private func run(_ writer: inout RowWriter, _ connection: Connection) throws {
            var pipeline = Pipeline()
            try writer.write(to: &pipeline)
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

        /// Returns a request with a part of the changes.
        private func part(
            inserted: [DefaultSnapshot] = [], updated: [DefaultSnapshot] = [], deleted: [DefaultSnapshot] = [],
            linked: [DataStoreLink] = [], unlinked: [DataStoreLink] = []
        ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
            DataStoreSaveChangesRequest(
                editingState: request.editingState, inserted: inserted, updated: updated, deleted: deleted,
                linked: linked, unlinked: unlinked)
        }
    }
#endif
