import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Synchronization

/// The rows of a store as of a position, read by one connection. Each read first adds the changes that were committed since
/// the previous one, in the same read transaction. Known rows do not change any more, so reads show the same state while
/// other connections write.
final class PastRows: Sendable {
    let present: DefaultStore
    let position: Int64
    /// The prefix of the temporary tables. Stores in memory share a connection.
    private let prefix: String
    private let state: Mutex<State>
    /// The sets by the names of their functions. A rollback empties the sets but does not remove them.
    private let rowSets = Mutex<[String: SQLRowSet]>([:])

    private struct State {
        var tables: PastTables
        var reached: Int64
        var checkValue: Int64?
        /// Other programs may add entities.
        var layout: PastLayout
        /// The version that ``layout`` describes; see ``HistoryCatalog``.
        var schemaVersion: Int64?
        /// The version of a tracked database whose tables were compared with the recorded ones.
        var comparedVersion: Int64?
    }

    private static let count = Atomic(0)

    init(_ present: DefaultStore, _ position: Int64, checkValue: Int64?) {
        self.present = present
        self.position = position
        prefix = "chronicle_past_\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)_"
        state = Mutex(
            State(
                tables: PastTables(
                    unknowns: PastUnknowns(storeIdentifier: present.identifier, position: position)), reached: position,
                checkValue: checkValue, layout: PastLayout(present.layout.recordedEntities.values, present.schema)))
    }

    func read<Result>(_ database: Database, _ body: (Connection, PastTables) throws -> Result) throws -> Result {
        try state.withLock(\.tables).unknowns.attributingErrors {
            try database.read { connection in
                // A read within another one has the same snapshot.
                if connection.isInTransaction {
                    try requireReached(connection)
                    return try body(connection, state.withLock(\.tables))
                }
                let before = state.withLock { $0 }
                rowSets.withLock { for set in $0.values { set.mark() } }
                do {
                    return try connection.deferredRead {
                        try addInterruptions(connection)
                        try addChanges(connection)
                        return try body(connection, state.withLock(\.tables))
                    }
                } catch {
                    // The temporary tables were rolled back.
                    state.withLock { $0 = before }
                    rowSets.withLock { for set in $0.values { set.rollBack() } }
                    throw error
                }
            }
        }
    }

    /// Drops the tables of a store in memory, whose connection remains open.
    func end(_ database: Database) {
        guard present.configuration.isStoredInMemoryOnly else { return }
        let tables = state.withLock(\.tables)
        let sets = rowSets.withLock { Array($0.values) }
        // A deinitializer calls this method and cannot throw. SQLite drops the remaining tables with the connection.
        try? database.write { connection in
            for name in tables.tables.values.map(\.temporary) + tables.links.values.map(\.temporary) {
                try connection.execute("DROP TABLE IF EXISTS \(name)")
            }
            for set in sets { try connection.remove(set) }
        }
    }

    /// Properties cannot throw, so the rows that relationships of an entity's models reach must be known. `loadsModels` is
    /// false if the request only counts models or returns their identifiers.
    func requireKnownDestinations(of entityName: String, loadsModels: Bool, _ tables: PastTables) throws {
        try tables.unknowns.requireKnownDestinations(
            of: entityName, loadsModels: loadsModels && MissingValues.current == nil, state.withLock(\.layout))
    }

    // MARK: Changes

    /// The end of such a transaction could remove the temporary tables.
    private func requireReached(_ connection: Connection) throws {
        let reached = state.withLock(\.reached)
        guard try HistoryPositions(connection).facts(at: reached).newest > reached else { return }
        throw SwiftDataError.storeBusy.with(
            detail: "a transaction of the store in memory is open; fetch models as of a position before or after it",
            storeIdentifier: present.identifier)
    }

    /// Changes of an interrupted table are not read, because its columns may differ. The table therefore remains unknown in this
    /// store after the recording continues.
    private func addInterruptions(_ connection: Connection) throws {
        guard present.isTracked else { return }
        let version = try connection.scalarInt64("PRAGMA main.schema_version")
        guard state.withLock(\.comparedVersion) != version else { return }
        let found = try TableTracking(connection).interruptions()
        state.withLock { state in
            state.tables.unknowns.interruptions.merge(found) { $1 }
            state.comparedVersion = version
        }
    }

    private func addChanges(_ connection: Connection) throws {
        var state = state.withLock { $0 }
        let facts = try HistoryPositions(connection).facts(at: state.reached)
        let check = HistoryPositions.tokenCheck
        if let failure = check.failure(position: state.reached, checkValue: state.checkValue, facts) {
            throw check.error(failure, position: state.reached, facts)
        }
        guard facts.newest > state.reached else { return }
        let schemaVersion = try connection.scalarInt64("PRAGMA schema_version")
        if state.schemaVersion != schemaVersion {
            state.layout = PastLayout(try EntityRegistry(connection).entities(), present.schema)
            state.schemaVersion = schemaVersion
        }
        let layout = state.layout
        let preservesValues = try MetaTable.text(.preservesValues, connection) == "on"
        let since = try MetaTable.position(.preservesValuesSince, connection) ?? 0
        let writer = PastWriter(connection, state.tables, prefix: prefix, present.layout, present.schema) { name in
            try self.rowSet(name, connection)
        }
        var changes = PastChanges(layout) { table, key in
            try writer.isPresent(table, key)
        }
        let checkValue = try read(
            after: max(state.reached, facts.floor), connection, completeDeletes: preservesValues ? since : nil,
            into: &changes)
        state.tables = try writer.write(changes, layout)
        state.tables.unknowns.changedForms = try changedForms(layout, connection)
        (state.reached, state.checkValue) = (facts.newest, checkValue)
        self.state.withLock { [state] in $0 = state }
    }

    private func rowSet(_ name: String, _ connection: Connection) throws -> SQLRowSet {
        try rowSets.withLock { sets in
            if let known = sets[name] { return known }
            let made = SQLRowSet(name)
            try connection.define(made)
            sets[name] = made
            return made
        }
    }

    private func changedForms(_ layout: PastLayout, _ connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for (number, table) in layout.tables {
            guard let changed = try MetaTable.position(.relationships(number), connection) else { continue }
            if changed > position { names.insert(table.name) }
        }
        return names
    }

    /// Reads the changes after a position, and returns the check value of the newest row.
    ///
    /// - Parameter completeDeletes: The position after which a delete preserves the values of all attributes that the row
    ///   had; `nil` if deletes do not preserve all values.
    private func read(
        after position: Int64, _ connection: Connection, completeDeletes: Int64?, into changes: inout PastChanges
    ) throws -> Int64? {
        let statement = try connection.cached(
            "SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id > ? ORDER BY id")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        var buffer = ChangeBuffer()
        var last = position
        var checkValue: Int64?
        while try statement.step() {
            let id = try statement.position(ChangeTable.Column.id)
            guard id == last + 1 else { throw SwiftDataError.damagedRow(.change(id), "the row before it is missing") }
            last = id
            let kind = try statement.kind(ChangeTable.Column.kind, at: id)
            if kind.isChange {
                try buffer.append(statement, position: id, kind: kind)
                checkValue = nil
            } else {
                try changes.add(buffer, completeDeletes: completeDeletes)
                buffer.removeAll()
                checkValue = try statement.integer(ChangeTable.Column.checkValue, of: .change(id))
            }
        }
        try changes.add(buffer, completeDeletes: completeDeletes)
        return checkValue
    }
}

extension PastChanges {
    /// Adds the changes of a transaction.
    fileprivate mutating func add(_ buffer: ChangeBuffer, completeDeletes: Int64?) throws {
        for index in buffer.rows.indices {
            try add(BufferedChange(buffer: buffer, index: index, completeDeletes: completeDeletes))
        }
    }
}

/// A change in a buffer.
private struct BufferedChange: PastChange {
    let buffer: ChangeBuffer
    let index: Int
    let completeDeletes: Int64?

    private var row: ChangeBuffer.Row { buffer.rows[index] }
    var entity: Int64 { row.entity }
    var key: Int64 { row.key }
    var values: ArraySlice<PastValue> { buffer.values(of: row) }

    var operation: PastOperation? {
        switch row.operation {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        case .preservedValue: nil
        }
    }

    func forEachUpdated(_ body: (Int) throws -> Void) throws {
        let masks = row.masks < 0 ? AttributeMasks(row.mask) : buffer.masks[Int(row.masks)]
        guard masks.isValid else { throw damaged("the attribute masks are invalid") }
        try masks.forEach(body)
    }

    /// A row without unpreserved values has none for attributes that were added later.
    func lacks(_ attribute: Int) -> Bool {
        buffer.hasAllValues(index) && completeDeletes.map { row.position > $0 } ?? false
    }

    func mayLackLinks(of attribute: Int) -> Bool { true }

    func damaged(_ detail: String) -> SwiftDataError { .damagedRow(.change(row.position), detail) }
}
