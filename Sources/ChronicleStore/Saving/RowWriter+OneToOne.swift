import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Makes both sides of one-to-one relationships agree. See `OneToOneReconciliation`.
extension RowWriter {
    mutating func reconcile(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ inserts: [Run], _ updates: [Run]
    ) throws {
        let (inserts, updates) = (inserts.filter(\.table.hasOneToOnes), updates.filter(\.table.hasOneToOnes))
        guard !inserts.isEmpty || !updates.isEmpty else { return }
        let reconciler = OneToOneWriter(
            self, updated: updates.map { ($0.table.name, request.updated[$0.rows]) },
            linked: request.linked + request.unlinked, hasDeletes: !request.deleted.isEmpty)
        // Assigned destinations first: those that are removed may only be the consequence of an assignment.
        for isAssignment in [true, false] {
            for (rows, table) in updates {
                for row in rows {
                    let snapshot = request.updated[row]
                    let key = try withUnsafePointer(to: snapshot) { try self.key($0, table) }
                    for (relationship, disagreement) in table.oneToOnes {
                        let isWritten = snapshot.changed.contains(relationship.side.slot)
                        let isAssigned = isWritten && snapshot.values[relationship.side.slot] != .null
                        guard isAssigned == isAssignment else { continue }
                        try reconciler.reconcile(relationship, disagreement, key, isWritten: isWritten)
                    }
                }
            }
            for (rows, table) in inserts {
                for row in rows {
                    guard let key = inserted[row].integerPrimaryKey else { continue }
                    for (relationship, disagreement) in table.oneToOnes {
                        let isAssigned = request.inserted[row].values[relationship.side.slot] != .null
                        guard isAssigned == isAssignment else { continue }
                        // Nothing references a new row, unless it is restored.
                        guard isAssigned || !request.inserted[row].persistentIdentifier.isTemporary else { continue }
                        try reconciler.reconcile(relationship, disagreement, key, isWritten: true)
                    }
                }
            }
        }
        reconciledRows = try reconciler.changedRows()
        guard let firstChange = recording.firstChange, reconciler.hasRepeatedUpdates else { return }
        try UpdateMerge(connection, from: firstChange).run()
    }
}

extension EntityTable {
    fileprivate var hasOneToOnes: Bool { !oneToOnes.isEmpty }
}

/// A class, because closures change it.
private final class OneToOneWriter {
    private let rows: RowWriter
    private let updated: [(table: String, snapshots: ArraySlice<DefaultSnapshot>)]
    /// Links that the save added or removed are updates of the rows at both ends.
    private let linked: [DataStoreLink]
    /// Deletes may have set references of other rows to null.
    private let hasDeletes: Bool
    /// The keys of the rows that the save updated before, by their tables; determined when needed.
    private var updatedKeys: [String: Set<Int64>]?
    private var changed: [String: Set<Int64>] = [:]
    private(set) var hasRepeatedUpdates = false

    init(
        _ rows: RowWriter, updated: [(table: String, snapshots: ArraySlice<DefaultSnapshot>)],
        linked: [DataStoreLink], hasDeletes: Bool
    ) {
        (self.rows, self.updated, self.linked, self.hasDeletes) = (rows, updated, linked, hasDeletes)
    }

    private var connection: Connection { rows.connection }

    /// - Parameter disagreement: The query that returns the row if it has to be reconciled.
    func reconcile(
        _ relationship: OneToOneRelationship, _ disagreement: String, _ key: Int64, isWritten: Bool
    ) throws {
        let statement = try connection.cached(disagreement)
        try statement.bind(key, at: 1)
        let agrees = try !statement.step()
        statement.reset()
        if agrees { return }
        try OneToOneReconciliation(keys: keys, set: set).reconcile(relationship, row: key, isWritten: isWritten)
    }

    private func keys(_ query: SQLQuery) throws -> [Int64] {
        let statement = try connection.cached(query)
        defer { statement.reset() }
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }

    private func set(_ side: OneToOneRelationship.Side, _ key: Int64, _ destination: Int64?) throws {
        let table = try rows.layout.table(named: side.entityName)
        let identifier = table.origin.identifier(key)
        if destination == nil, side.isRequired { throw side.requiredDestination(of: identifier) }
        if try isRepeated(key, side.tableName) {
            // The updates are merged afterwards, which needs their changes in the file.
            try rows.recording.requireChangesInFile()
            hasRepeatedUpdates = true
        }
        var slots = PropertySet()
        slots.insert(side.slot)
        try rows.recording.beginFurtherUpdate(table, slots)
        let query: SQLQuery = """
            UPDATE \(name: side.tableName) SET \(name: side.name) = \(value: destination.map { .integer($0) } ?? .null) \
            WHERE \(raw: ModelTables.primaryKey) = \(value: .integer(key))
            """
        do { try connection.cached(query).run() } catch let error as SQLiteError where error.isConstraint {
            throw SwiftDataError(error, storeIdentifier: nil)
                .with(entityName: side.entityName, propertyName: side.name, persistentIdentifier: identifier)
        }
    }

    private func isRepeated(_ key: Int64, _ table: String) throws -> Bool {
        if updatedKeys == nil {
            var keys: [String: Set<Int64>] = [:]
            for part in updated {
                keys[part.table, default: []].formUnion(
                    part.snapshots.compactMap(\.persistentIdentifier.integerPrimaryKey))
            }
            for link in linked {
                for identifier in [link.owner, link.destination] {
                    guard let key = identifier.integerPrimaryKey else { continue }
                    keys[try rows.layout.table(named: identifier.entityName).name, default: []].insert(key)
                }
            }
            updatedKeys = keys
        }
        let isFirst = changed[table, default: []].insert(key).inserted
        return hasDeletes || !isFirst || updatedKeys?[table]?.contains(key) == true
    }

    func changedRows() throws -> [PersistentIdentifier: DefaultSnapshot] {
        var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
        for (name, keys) in changed {
            let table = try rows.layout.table(named: name)
            let statement = try connection.cached(
                "SELECT \(table.selection) FROM \(quoted(name)) AS \(FetchSQL.table) "
                    + "WHERE \(FetchSQL.table).\(ModelTables.primaryKey) = ?")
            for key in keys {
                defer { statement.reset() }
                try statement.bind(key, at: 1)
                guard try statement.step() else { continue }
                let (identifier, values) = try statement.row(of: table)
                snapshots[identifier] = DefaultSnapshot(
                    persistentIdentifier: identifier, values: values, changed: PropertySet())
            }
        }
        return snapshots
    }
}
