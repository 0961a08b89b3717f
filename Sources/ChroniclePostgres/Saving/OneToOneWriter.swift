#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// See `OneToOneReconciliation`.
    struct OneToOneWriter {
        private let layout: StoreLayout
        private var written: [Written] = []

        /// The written rows in the order of their changes.
        private struct Written {
            let relationship: OneToOneRelationship
            /// The rows with a new destination.
            var assigned: [Int64] = []
            /// The rows without a destination that were inserted, or whose destination was removed.
            var cleared: [Int64] = []
            /// The rows of which other columns were updated.
            var others: [Int64] = []
        }

        /// Returns `nil` if the save wrote no row with a one-to-one relationship, or replays another transaction, which
        /// contains the changes of both sides. `inserted` is empty if no inserted row has a destination.
        init?(
            _ layout: StoreLayout, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>,
            _ inserted: [PersistentIdentifier]
        ) throws {
            self.layout = layout
            guard request.replay == nil else { return nil }
            for (rows, table) in try RowWriter.runs(request.updated, layout) {
                for relationship in table.oneToOnes {
                    var rest = Written(relationship: relationship)
                    for snapshot in request.updated[rows] {
                        guard let key = snapshot.persistentIdentifier.integerPrimaryKey else { continue }
                        let slot = relationship.side.slot
                        if !snapshot.changed.contains(slot) {
                            rest.others.append(key)
                        } else if snapshot.values[slot] == .null {
                            rest.cleared.append(key)
                        } else {
                            rest.assigned.append(key)
                        }
                    }
                    written.append(rest)
                }
            }
            if !inserted.isEmpty {
                for (rows, table) in try RowWriter.runs(request.inserted, layout) {
                    for relationship in table.oneToOnes {
                        var rest = Written(relationship: relationship)
                        for row in rows {
                            guard let key = inserted[row].integerPrimaryKey else { continue }
                            if request.inserted[row].values[relationship.side.slot] != .null {
                                rest.assigned.append(key)
                            } else if !request.inserted[row].persistentIdentifier.isTemporary {
                                // Nothing references a new row, unless it is restored.
                                rest.cleared.append(key)
                            }
                        }
                        written.append(rest)
                    }
                }
            }
            if written.isEmpty { return nil }
        }

        /// Adds statements that divide by zero if a written row has to be reconciled.
        func addChecks(to pipeline: inout Pipeline) {
            for rows in written {
                let query = rows.relationship.disagreements("= ANY($1)").sql
                pipeline.add(
                    "SELECT 1 / (NOT EXISTS (\(query)))::int",
                    Parameters(.array(ParameterArray(rows.assigned + rows.cleared + rows.others))))
            }
        }

        /// Returns the changed rows.
        func reconcile(_ connection: Connection) throws -> [PersistentIdentifier: DefaultSnapshot] {
            var changed: [String: Set<Int64>] = [:]
            let reconciliation = OneToOneReconciliation { query in
                let result = try connection.run(query)
                return (0..<result.count).map { result.int64($0, 0) }
            } set: { side, key, destination in
                let identifier = try layout.table(named: side.entityName).origin.identifier(key)
                if destination == nil, side.isRequired { throw side.requiredDestination(of: identifier) }
                changed[side.tableName, default: []].insert(key)
                let query: SQLQuery = """
                    UPDATE \(side.table) \
                    SET \(name: side.name) = \(value: destination.map { .integer($0) } ?? .null) \
                    WHERE \(raw: EntityTable.primaryKey) = \(value: .integer(key))
                    """
                do { _ = try connection.run(query) } catch let error as PostgresError where error.isConstraintViolation
                {
                    throw SwiftDataError(error, storeIdentifier: nil)
                        .with(entityName: side.entityName, propertyName: side.name, persistentIdentifier: identifier)
                }
            }
            func reconcile(_ rows: [Int64], of relationship: OneToOneRelationship, isWritten: Bool) throws {
                guard !rows.isEmpty else { return }
                let found = try connection.run(
                    relationship.disagreements("= ANY($1)").sql, Parameters(.array(ParameterArray(rows))))
                let disagreeing = Set((0..<found.count).map { found.int64($0, 0) })
                for row in rows where disagreeing.contains(row) {
                    try reconciliation.reconcile(relationship, row: row, isWritten: isWritten)
                }
            }
            // Assigned destinations first: those that are removed may only be the consequence of an assignment.
            for rows in written { try reconcile(rows.assigned, of: rows.relationship, isWritten: true) }
            for rows in written {
                try reconcile(rows.cleared, of: rows.relationship, isWritten: true)
                try reconcile(rows.others, of: rows.relationship, isWritten: false)
            }
            return try snapshots(changed, connection)
        }

        private func snapshots(
            _ keys: [String: Set<Int64>], _ connection: Connection
        ) throws -> [PersistentIdentifier: DefaultSnapshot] {
            var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
            for (name, keys) in keys {
                let table = try layout.table(named: name)
                let query: SQLQuery = """
                    SELECT \(table.selection) FROM \(name: name) AS \(raw: FetchSQL.table) \
                    WHERE \(raw: FetchSQL.table).\(raw: EntityTable.primaryKey) = ANY($1)
                    """
                let reader = try RowReader(
                    table: table,
                    result: try connection.run(query.sql, Parameters(.array(ParameterArray(keys)))))
                for row in 0..<reader.count {
                    let (identifier, values) = try reader.row(row)
                    snapshots[identifier] = DefaultSnapshot(
                        persistentIdentifier: identifier, values: values, changed: PropertySet())
                }
            }
            return snapshots
        }
    }
#endif
