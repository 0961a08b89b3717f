import ChronicleCore
import ChronicleSQLite

/// Writes the rows of one save.
///
/// Rows come in an order in which a save can rarely stand in its own way: references that move first (so that deleting
/// the old destination does not cascade to them), then deletes (so that unique values are free again), then other
/// updates, then inserts. Links that end come before all that, new ones before the inserts.
struct RowWriter {
    let connection: Connection
    let layout: StoreLayout
    /// Whether a statement may insert more than one row.
    let insertsTogether: Bool
    /// Where the history of this save begins; `nil` when there is none.
    let firstChange: Int64?
    /// The identifiers of the new rows, in the order of the request.
    var inserted: [PersistentIdentifier] = []
    /// The same by the temporary identifiers, where something refers to a new row.
    var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]
    var tables: TableCursor
    var statements: StatementCursor

    /// Thrown when SQLite gave rows that it inserted together other keys than it always does: a trigger of somebody else
    /// inserts into the same table. Rows that are inserted one by one get to know theirs.
    struct KeysDiffer: Error {}

    init(_ connection: Connection, _ layout: StoreLayout, insertsTogether: Bool, firstChange: Int64?) {
        self.firstChange = firstChange
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
            || request.linked.contains { $0.owner.isTemporary || $0.destination.isTemporary }
        let areTogether = insertsTogether && request.inserted.count >= 8
        if isReferredTo || areTogether { try foreseeKeys(inserts) }
        if isReferredTo { replace(request.inserted) }
        // Before a deleted row takes along what it is no longer linked to.
        if !request.unlinked.isEmpty { try unlink(request.unlinked) }
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
        // Before the new rows, so that the history has no update of a model that it has the insert of.
        if !request.linked.isEmpty { try link(request.linked) }
        if let firstChange, try changesLinks(request) { try UpdateMerge(connection, from: firstChange).run() }
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
            let last = try highest[table.number] ?? highestKey(of: table)
            let (end, isPastTheLast) = last.addingReportingOverflow(Int64(rows.count))
            guard !isPastTheLast else {
                throw SwiftDataError.storeFull.with(
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

    private func refersToNew(_ snapshots: [DefaultSnapshot], _ runs: [Run]) throws -> Bool {
        for (rows, table) in runs where !table.referenceSlots.isEmpty {
            for row in rows {
                try requireColumns(of: snapshots[row], table)
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
    typealias Run = (rows: Range<Int>, table: EntityTable)

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

    private func highestKey(of table: EntityTable) throws -> Int64 {
        try connection.scalarInt64(table.highestKey) { try $0.bind(table.entity.name, at: 1) } ?? 0
    }
}
