public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeIsReadOnly.adding(storeIdentifier: identifier)
        }
        return try translating {
            try database.write { connection in
                let written: (inserted: [PersistentIdentifier], header: HeaderWriter.Header?)
                do {
                    written = try write(request, connection, insertsTogether: true)
                } catch is RowWriter.KeysDiffer {
                    written = try write(request, connection, insertsTogether: false)
                }
                // Only now: a transaction that failed took its new signer back.
                if let header = written.header { sources.withLock { $0[header.signer] = header.source } }
                return DataStoreSaveChangesResult(
                    inserted: request.inserted, insertedIdentifiers: written.inserted,
                    historyToken: written.header.map { $0.token(storeIdentifier: identifier) })
            }
        }
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection, insertsTogether: Bool
    ) throws -> (inserted: [PersistentIdentifier], header: HeaderWriter.Header?) {
        try connection.immediate {
            let headers = HeaderWriter(self, connection)
            let first = try configuration.recordsHistory ? headers.sealForeignChanges() : nil
            var rows = RowWriter(connection, layout, insertsTogether: insertsTogether)
            try rows.write(request)
            return (rows.inserted, try first.flatMap { try headers.write(request.editingState, from: $0) })
        }
    }
}

/// Writes the rows of one save.
///
/// Rows come in an order in which a save can rarely stand in its own way: references that move first (so that deleting
/// the old destination does not cascade to them), then deletes (so that unique values are free again), then other
/// updates, then inserts.
struct RowWriter {
    let connection: Connection
    let layout: StoreLayout
    /// Whether a statement may insert more than one row.
    private let insertsTogether: Bool
    /// The identifiers of the new rows, in the order of the request.
    private(set) var inserted: [PersistentIdentifier] = []
    /// The same by the temporary identifiers, where something refers to a new row.
    private var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]
    private var tables: TableCursor
    private var statements: StatementCursor

    /// Thrown when SQLite gave rows that it inserted together other keys than it always does: a trigger of somebody else
    /// inserts into the same table. Rows that are inserted one by one get to know theirs.
    struct KeysDiffer: Error {}

    init(_ connection: Connection, _ layout: StoreLayout, insertsTogether: Bool) {
        self.connection = connection
        self.layout = layout
        self.insertsTogether = insertsTogether
        tables = TableCursor(layout)
        statements = StatementCursor(connection)
    }

    mutating func write(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        let inserts = try runs(request.inserted)
        let isReferredTo =
            try refersToNew(request.inserted, inserts) || refersToNew(request.updated, runs(request.updated))
        let areTogether = insertsTogether && request.inserted.count >= 8
        if isReferredTo || areTogether { try foreseeKeys(inserts) }
        if isReferredTo { replace(request.inserted) }
        var later: [DefaultSnapshot] = []
        for snapshot in request.updated {
            let table = try tables.table(of: snapshot)
            let moves = table.referenceSlots.filter(snapshot.changed.contains)
            guard !moves.isEmpty else {
                later.append(snapshot)
                continue
            }
            do { try update(snapshot, table) } catch SwiftDataError.uniquenessViolation {
                later += try move(snapshot, moves, table)
            }
        }
        for snapshot in inDeleteOrder(request.deleted) { try delete(snapshot, tables.table(of: snapshot)) }
        try update(later)
        for run in inserts {
            if isReferredTo {
                try insert(request.inserted, run, with: run.table.insertsWithKeys, bindingKeys: true)
            } else if areTogether {
                try insert(request.inserted, run, with: run.table.inserts, bindingKeys: false)
            } else {
                for row in run.rows { try insert(request.inserted[row], run.table) }
            }
        }
    }

    /// Writes the references of a row whose other values have to wait until they are free.
    ///
    /// - Returns: What is left to be written.
    private mutating func move(
        _ snapshot: DefaultSnapshot, _ slots: [Int], _ table: EntityTable
    ) throws -> [DefaultSnapshot] {
        var (references, rest) = (PropertySet(), snapshot.changed)
        for slot in slots {
            references.insert(slot)
            rest.remove(slot)
        }
        func part(_ changed: PropertySet) -> DefaultSnapshot {
            DefaultSnapshot(
                persistentIdentifier: snapshot.persistentIdentifier, values: snapshot.values, changed: changed)
        }
        guard !rest.isEmpty else { return [snapshot] }
        do { try update(part(references), table) } catch SwiftDataError.uniquenessViolation { return [snapshot] }
        return [part(rest)]
    }

    /// Updates rows in an order in which unique values are free when they are needed. Two rows that swap theirs have none.
    private mutating func update(_ snapshots: [DefaultSnapshot]) throws {
        var waiting = snapshots
        while !waiting.isEmpty {
            var refused: [DefaultSnapshot] = []
            var refusal: (any Error)?
            for snapshot in waiting {
                do { try update(snapshot, tables.table(of: snapshot)) } catch let error as SwiftDataError
                    where SwiftDataError.uniquenessViolation ~= error
                {
                    refused.append(snapshot)
                    refusal = refusal ?? error
                }
            }
            if let refusal, refused.count == waiting.count { throw refusal }
            // The other way round: values that all move by one are free from the end on.
            waiting = refused.reversed()
        }
    }

    /// A cascade of SQLite's own goes 1,000 levels deep and fails then (https://www.sqlite.org/limits.html#max_trigger_depth).
    /// A context that cascades names the owner first: from the end on, nothing is left to cascade to.
    private func inDeleteOrder(_ snapshots: [DefaultSnapshot]) -> [DefaultSnapshot] {
        snapshots.count < 1_000 ? snapshots : snapshots.reversed()
    }

    // MARK: Keys

    /// Finds out the keys of the new rows ahead: those after the highest that each table ever had, which SQLite would
    /// give them too.
    private mutating func foreseeKeys(_ inserts: [Run]) throws {
        inserted.reserveCapacity(inserts.last?.rows.upperBound ?? 0)
        var highest: [Int64: Int64] = [:]
        for (rows, table) in inserts {
            let last = try highest[table.number] ?? highestKey(table)
            let (end, isPastTheLast) = last.addingReportingOverflow(Int64(rows.count))
            guard !isPastTheLast else {
                throw SwiftDataError.storeIsFull.adding(
                    detail: "the table's last primary key is used", entityName: table.entity.name)
            }
            highest[table.number] = end
            for key in last + 1...end { inserted.append(table.origin.identifier(key)) }
        }
    }

    private mutating func replace(_ snapshots: [DefaultSnapshot]) {
        replacements = Dictionary(
            zip(snapshots.lazy.map(\.persistentIdentifier), inserted), uniquingKeysWith: { first, _ in first })
    }

    private func refersToNew(_ snapshots: [DefaultSnapshot], _ runs: [Run]) -> Bool {
        for (rows, table) in runs where !table.referenceSlots.isEmpty {
            for row in rows {
                for slot in table.referenceSlots {
                    if case .reference(let identifier) = snapshots[row].values[slot], identifier.isTemporary {
                        return true
                    }
                }
            }
        }
        return false
    }

    /// Neighbours of one entity.
    private typealias Run = (rows: Range<Int>, table: EntityTable)

    private mutating func runs(_ snapshots: [DefaultSnapshot]) throws -> [Run] {
        var runs: [Run] = []
        var start = 0
        while start < snapshots.count {
            let table = try tables.table(of: snapshots[start])
            var end = start + 1
            while end < snapshots.count, try tables.table(of: snapshots[end]) === table { end += 1 }
            runs.append((start..<end, table))
            start = end
        }
        return runs
    }

    /// The highest key that the table ever had. https://www.sqlite.org/autoinc.html
    private func highestKey(_ table: EntityTable) throws -> Int64 {
        let highest = try connection.scalarInt64("SELECT seq FROM sqlite_sequence WHERE name = ?") {
            try $0.bind(table.entity.name, at: 1)
        }
        return highest ?? 0
    }

    // MARK: Rows

    private mutating func insert(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws {
        guard let single = table.inserts.last else { return }
        let statement = try connection.cached(single.sql)
        try bind(snapshot, table, statement, from: 1)
        try run(statement, snapshot, table)
        inserted.append(table.origin.identifier(connection.lastInsertRowID))
    }

    /// Inserts rows whose keys are foreseen, several with one statement.
    private func insert(
        _ snapshots: [DefaultSnapshot], _ run: Run, with inserts: [(sql: String, rows: Int)], bindingKeys: Bool
    ) throws {
        let (rows, table) = run
        var start = rows.lowerBound
        for (sql, count) in inserts where rows.upperBound - start >= count {
            let statement = try connection.cached(sql)
            while rows.upperBound - start >= count {
                var index: Int32 = 1
                for row in start..<start + count {
                    if bindingKeys {
                        try statement.bind(.reference(inserted[row]), at: index)
                        index += 1
                    }
                    try bind(snapshots[row], table, statement, from: index)
                    index += Int32(table.columns.count)
                }
                try self.run(statement, snapshots, start..<start + count, table)
                start += count
                guard connection.lastInsertRowID == inserted[start - 1].integerPrimaryKey else { throw KeysDiffer() }
            }
        }
    }

    @inline(__always)
    private func bind(
        _ snapshot: DefaultSnapshot, _ table: EntityTable, _ statement: Statement, from first: Int32
    ) throws {
        guard snapshot.values.count == table.columns.count else { throw wrongCount(snapshot, table) }
        var index = first
        for value in snapshot.values {
            try bind(value, statement, index)
            index += 1
        }
    }

    private mutating func update(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws {
        let statement = try statements.update(table, snapshot.changed)
        var index: Int32 = 1
        for slot in snapshot.changed {
            try bind(snapshot.values[slot], statement, index)
            index += 1
        }
        try statement.bind(key(snapshot, table), at: index)
        try run(statement, snapshot, table)
        guard connection.changes == 1 else {
            throw SwiftDataError.modelNotFound.adding(
                detail: "another writer deleted it", entityName: table.entity.name,
                persistentIdentifier: snapshot.persistentIdentifier)
        }
    }

    private mutating func delete(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws {
        let statement = try statements.delete(table)
        try statement.bind(key(snapshot, table), at: 1)
        try run(statement, snapshot, table)
    }

    @inline(__always)
    private func bind(_ value: PropertyValue, _ statement: Statement, _ index: Int32) throws {
        if case .reference(let identifier) = value, identifier.isTemporary {
            try statement.bind(.reference(replacements[identifier] ?? identifier), at: index)
        } else {
            try statement.bind(value, at: index)
        }
    }

    private func run(_ statement: Statement, _ snapshot: DefaultSnapshot, _ table: EntityTable) throws {
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            throw refusal(error, of: snapshot, table)
        }
    }

    private func run(
        _ statement: Statement, _ snapshots: [DefaultSnapshot], _ rows: Range<Int>, _ table: EntityTable
    ) throws {
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            // OR FAIL left the rows before the one that was refused.
            let refused = try rows.first { row in
                try connection.scalarInt64("SELECT 1 FROM \(quoted(table.entity.name)) WHERE \"id\" = ?") {
                    try $0.bind(.reference(inserted[row]), at: 1)
                } == nil
            }
            throw refusal(error, of: snapshots[refused ?? rows.lowerBound], table)
        }
    }

    private func refusal(
        _ error: SQLiteError, of snapshot: DefaultSnapshot, _ table: EntityTable
    ) -> SwiftDataError {
        SwiftDataError(error, storeIdentifier: nil)
            .adding(entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }

    private func key(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws -> Int64 {
        guard let key = snapshot.persistentIdentifier.integerPrimaryKey,
            snapshot.persistentIdentifier.storeIdentifier == layout.storeIdentifier
        else {
            throw SwiftDataError.modelNotFound.adding(
                detail: "it lives in another store", entityName: table.entity.name,
                persistentIdentifier: snapshot.persistentIdentifier)
        }
        return key
    }

    private func wrongCount(_ snapshot: DefaultSnapshot, _ table: EntityTable) -> SwiftDataError {
        .modelValidationFailure.adding(
            detail: "a snapshot has \(snapshot.values.count) values for \(table.columns.count) columns",
            entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }
}

/// Finds the table of one snapshot after another: they mostly are of the same entity.
private struct TableCursor {
    let layout: StoreLayout
    private var latest: PersistentIdentifier?
    private var table: EntityTable?

    init(_ layout: StoreLayout) { self.layout = layout }

    @inline(__always)
    mutating func table(of snapshot: DefaultSnapshot) throws -> EntityTable {
        if let table, latest?.sharesOrigin(with: snapshot.persistentIdentifier) == true { return table }
        return try look(up: snapshot.persistentIdentifier)
    }

    private mutating func look(up identifier: PersistentIdentifier) throws -> EntityTable {
        let found = try layout.table(named: identifier.entityName)
        (latest, table) = (identifier, found)
        return found
    }
}

/// Finds the statement of one change after another: they mostly are alike.
private struct StatementCursor {
    let connection: Connection
    private var table: EntityTable?
    /// `nil` for a delete.
    private var changed: PropertySet?
    private var statement: Statement?

    init(_ connection: Connection) { self.connection = connection }

    mutating func update(_ table: EntityTable, _ changed: PropertySet) throws -> Statement {
        if let statement, self.table === table, self.changed == changed { return statement }
        return try look(up: table, changed)
    }

    mutating func delete(_ table: EntityTable) throws -> Statement {
        if let statement, self.table === table, changed == nil { return statement }
        return try look(up: table, nil)
    }

    private mutating func look(up table: EntityTable, _ changed: PropertySet?) throws -> Statement {
        // Let go of first, so that the cache may give it again.
        statement = nil
        let found = try connection.cached(changed.map(table.update) ?? table.delete)
        (self.table, self.changed, statement) = (table, changed, found)
        return found
    }
}
