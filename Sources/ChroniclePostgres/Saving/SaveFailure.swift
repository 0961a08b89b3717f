#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    struct SaveFailure {
        private let layout: StoreLayout
        private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
        private let steps: [RowWriter.Step]

        /// A larger save is not repeated row by row to find the row of a conflict.
        private static let searchLimit = 500

        init(
            _ layout: StoreLayout, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ steps: [RowWriter.Step]
        ) {
            (self.layout, self.request, self.steps) = (layout, request, steps)
        }

        /// The transaction of the connection was rolled back before.
        func error(for error: PostgresError, _ connection: Connection) throws -> any Error {
            if error.isUniqueViolation {
                if steps.isEmpty { return error }
                let rows = request.inserted.count + request.updated.count
                // Only an update or a delete can release a value for another row of the save. An update that moves a
                // reference precedes the deletes.
                let mayBeReleased = !request.updated.isEmpty && rows + request.deleted.count > 1
                return mayBeReleased || rows <= Self.searchLimit && isAmbiguous(error)
                    ? SaveTransaction.NeedsOrder() : Self.uniquenessError(error, steps)
            }
            if Self.isMissingRow(error, steps) {
                return try missingRowError(error, connection)
            }
            if let ignored = Self.ignoredInsertError(error, steps) { return ignored }
            if error.isForeignKeyViolation { return try referenceError(error, connection) }
            if error.isConstraintViolation, let step = Self.step(of: error, steps) {
                return SwiftDataError(error, storeIdentifier: nil).with(
                    entityName: step.table?.entity.name, propertyName: error.column,
                    persistentIdentifier: step.snapshots.count == 1 ? step.snapshots.first?.persistentIdentifier : nil)
            }
            return error
        }

        private func isAmbiguous(_ error: PostgresError) -> Bool {
            Self.step(of: error, steps).map { $0.snapshots.count > 1 } ?? true
        }

        private static func step(of error: PostgresError, _ steps: [RowWriter.Step]) -> RowWriter.Step? {
            steps.first { $0.statement == error.statementIndex }
        }

        /// The error contains the model if the statement wrote one row.
        static func uniquenessError(_ error: PostgresError, _ steps: [RowWriter.Step]) -> SwiftDataError {
            let step = step(of: error, steps)
            return SwiftDataError(error, storeIdentifier: nil).with(
                entityName: step?.table?.entity.name,
                persistentIdentifier: step?.snapshots.count == 1 ? step?.snapshots.first?.persistentIdentifier : nil)
        }

        // MARK: Missing rows

        /// The division by zero of a statement that did not find all of its rows.
        static func isMissingRow(_ error: PostgresError, _ steps: [RowWriter.Step]) -> Bool {
            guard error.sqlState == "22012" else { return false }
            return switch step(of: error, steps)?.operation {
            case .update, .requireRows: true
            default: false
            }
        }

        static func missingRowError(_ error: PostgresError, _ steps: [RowWriter.Step]) -> SwiftDataError {
            let step = step(of: error, steps)
            return notFound(step?.table, step?.snapshots.count == 1 ? step?.snapshots.first : nil)
        }

        private static func notFound(_ table: EntityTable?, _ snapshot: DefaultSnapshot?) -> SwiftDataError {
            .deletedElsewhere(snapshot?.persistentIdentifier, entityName: table?.entity.name)
        }

        private func missingRowError(_ error: PostgresError, _ connection: Connection) throws -> any Error {
            guard let step = Self.step(of: error, steps), let table = step.table else { return error }
            let keys = step.snapshots.compactMap(\.persistentIdentifier.integerPrimaryKey)
            let found = try existing(Set(keys), table.name, connection)
            let missing = step.snapshots.first {
                $0.persistentIdentifier.integerPrimaryKey.map { !found.contains($0) } ?? true
            }
            if let missing { return Self.notFound(table, missing) }
            // After the rollback, the row exists again.
            if case .requireRows = step.operation { return Self.missingRowError(error, steps) }
            return Self.ignored(step, error)
        }

        /// Returns the error for an insert that divided by zero because not all of its rows were inserted.
        static func ignoredInsertError(_ error: PostgresError, _ steps: [RowWriter.Step]) -> SwiftDataError? {
            guard error.sqlState == "22012", let step = step(of: error, steps), case .insert = step.operation else {
                return nil
            }
            return ignored(step, error)
        }

        private static func ignored(_ step: RowWriter.Step, _ error: PostgresError) -> SwiftDataError {
            .modelValidationFailure.with(
                detail: "a trigger or a rule of the table ignored the change; remove it or change the model",
                entityName: step.table?.entity.name,
                persistentIdentifier: step.snapshots.count == 1 ? step.snapshots.first?.persistentIdentifier : nil,
                underlying: error)
        }

        private func existing(_ keys: Set<Int64>, _ table: String, _ connection: Connection) throws -> Set<Int64> {
            let result = try connection.run(
                "SELECT \(EntityTable.primaryKey) FROM \(layout.qualified(table)) WHERE \(EntityTable.primaryKey) = ANY($1)",
                Parameters(.array(ParameterArray(keys))))
            return Set((0..<result.count).map { result.int64($0, 0) })
        }

        // MARK: References

        /// A reference to a deleted row exists, or a row of the save references a missing one. The server does not report
        /// which of them in a form that programs can read.
        private func referenceError(_ error: PostgresError, _ connection: Connection) throws -> any Error {
            let general = SwiftDataError(error, storeIdentifier: nil)
            for reference in references(of: error) {
                if let denied = try deniedDelete(reference, connection) { return denied.with(underlying: error) }
            }
            for reference in references(of: error) {
                if let broken = try brokenReference(reference, connection) {
                    if reference.isOwner {
                        return SwiftDataError.deletedElsewhere(broken, entityName: broken.entityName, underlying: error)
                    }
                    return general.with(
                        detail: "the relationship references a deleted model; assign another model and save again",
                        entityName: broken.entityName, propertyName: reference.property,
                        persistentIdentifier: broken)
                }
            }
            return general
        }

        private struct Reference {
            let table: String
            let column: String
            let property: String
            let destination: String
            /// Whether the other row has no relationship that references the missing one, which is the owner of a link.
            var isOwner = false
        }

        private func references(of error: PostgresError) -> [Reference] {
            guard let name = error.table else { return [] }
            if let links = layout.linksByName[name] {
                return [
                    Reference(
                        table: name, column: "destination", property: links.property.name,
                        destination: links.destination),
                    Reference(
                        table: name, column: "owner", property: (links.inverse ?? links.property).name,
                        destination: links.owner, isOwner: links.inverse == nil),
                ]
            }
            var seen: Set<String> = []
            return layout.recorded.first { $0.name == name }?.attributes.compactMap { attribute in
                guard attribute.isPresent, let destination = attribute.destination,
                    seen.insert(attribute.name).inserted
                else { return nil }
                let constraint = TableNames.shortened("chronicle_reference_\(name)_\(attribute.name)")
                guard error.constraint == nil || error.constraint == constraint else { return nil }
                return Reference(
                    table: name, column: attribute.name, property: attribute.name,
                    destination: layout.tablesByName[destination]?.name ?? destination)
            } ?? []
        }

        private func deniedDelete(_ reference: Reference, _ connection: Connection) throws -> SwiftDataError? {
            let deleted = Dictionary(
                request.deleted.compactMap { snapshot in
                    snapshot.persistentIdentifier.rootEntityName == reference.destination
                        ? snapshot.persistentIdentifier.integerPrimaryKey.map { ($0, snapshot.persistentIdentifier) }
                        : nil
                }, uniquingKeysWith: { first, _ in first })
            guard !deleted.isEmpty else { return nil }
            func denied(_ destination: PersistentIdentifier, by row: String) -> SwiftDataError {
                .deleteDenied.with(
                    detail: "\(reference.table).\(reference.property) of \(row) references this "
                        + "model; change that relationship or delete its model first",
                    entityName: destination.entityName, persistentIdentifier: destination)
            }
            for snapshot in request.inserted + request.updated {
                for case .reference(let destination) in snapshot.values
                where destination.rootEntityName == reference.destination {
                    if let key = destination.integerPrimaryKey, let identifier = deleted[key] {
                        return denied(identifier, by: "\(snapshot.persistentIdentifier)")
                    }
                }
            }
            let isLink = layout.linksByName[reference.table] != nil
            let source = isLink ? (reference.column == "owner" ? "destination" : "owner") : EntityTable.primaryKey
            let rows = try connection.run(
                "SELECT \(source), \(quoted(reference.column)) FROM \(layout.qualified(reference.table)) "
                    + "WHERE \(quoted(reference.column)) = ANY($1) ORDER BY 1 LIMIT 1000",
                Parameters(.array(ParameterArray(deleted.keys))))
            // References of updated rows were examined above, with their new values.
            let removed = Set((request.deleted + request.updated).map(\.persistentIdentifier))
            for row in 0..<rows.count {
                let name = isLink ? reference.table : "\(reference.table)/\(rows.int64(row, 0))"
                let isRemoved =
                    !isLink
                    && removed.contains(
                        PersistentIdentifier.Origin(
                            storeIdentifier: layout.storeIdentifier, entityName: reference.table
                        ).identifier(rows.int64(row, 0)))
                if !isRemoved, let identifier = deleted[rows.int64(row, 1)] { return denied(identifier, by: name) }
            }
            return nil
        }

        /// Returns the row with the reference, or the missing owner of a link.
        private func brokenReference(
            _ reference: Reference, _ connection: Connection
        ) throws -> PersistentIdentifier? {
            var candidates: [(row: PersistentIdentifier, key: Int64)] = []
            for snapshot in request.inserted + request.updated
            where snapshot.persistentIdentifier.rootEntityName == reference.table {
                let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
                for slot in table.referenceSlots where table.columns[slot].name == reference.column {
                    if case .reference(let destination) = snapshot.values[slot],
                        let key = destination.integerPrimaryKey
                    {
                        candidates.append((snapshot.persistentIdentifier, key))
                    }
                }
            }
            for link in request.linked where link.name == reference.table {
                let (row, destination) =
                    reference.column == "owner" ? (link.destination, link.owner) : (link.owner, link.destination)
                guard let key = destination.integerPrimaryKey else { continue }
                candidates.append((reference.isOwner ? destination : row, key))
            }
            guard !candidates.isEmpty else { return nil }
            let found = try existing(Set(candidates.map(\.key)), reference.destination, connection)
            return candidates.first { !found.contains($0.key) }?.row
        }
    }
#endif
