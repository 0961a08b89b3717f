import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Records the changes of a save with SQLite's pre-update hook while the triggers of the connection are disabled. SQLite
/// runs a trigger as a program for each row, but only reports it to the hook. The triggers remain in the file for all other
/// writers. See `Documentation/Design/0015-hook-recorder.md`.
final class HookRecorder: RowChangeObserver {
    /// The memory for changes that are not written yet, in bytes.
    private static let maximumSize = 32 << 20
    /// The memory that is kept for the next save, in bytes.
    private static let keptCapacity = 1 << 20
    /// A single save of this size disables the triggers.
    private static let rowsWorthSwitching = 32
    /// After so many smaller saves in succession, the next one disables the triggers.
    private static let savesWorthSwitching = 8

    // Only the writing thread accesses these properties, and accesses never overlap, so the checks are disabled.
    @exclusivity(unchecked) private var rows = ChangeRows()
    /// The changes of one statement and its foreign key actions exceed the memory, or the hook did not report a value. The
    /// save is repeated with triggers.
    @exclusivity(unchecked) private var needsTriggers = false
    @exclusivity(unchecked) private var hasWritten = false
    @exclusivity(unchecked) private var preservedValues: [ChangeRows.Row] = []
    @exclusivity(unchecked) private var rowsBeforeStatement = 0

    /// Reads the newest row of the history, first in each save unless ``HistoryRecorder/newestHeader(_:)`` returns it.
    /// SQLite prepares it again after a change of the schema.
    let newest: Statement
    @exclusivity(unchecked) private var schema: HookSchema?
    /// The number for ``newest`` when ``schema`` was read.
    @exclusivity(unchecked) private var repreparations: Int32 = 0
    /// The saves in succession that the hook could have recorded. Begins with the maximum, so that a connection's first
    /// such save disables the triggers.
    @exclusivity(unchecked) private var savesWithTriggers = savesWorthSwitching

    /// The table of the latest change. Within a save, SQLite passes the same pointer for all its rows; see
    /// ``RowChange/table``.
    @exclusivity(unchecked) private var latest:
        (name: [CChar], pointer: UnsafePointer<CChar>?, table: HookSchema.Table?)?
    /// Indexes into ``HookSchema/Table/columns``.
    @exclusivity(unchecked) private var updated: [Int] = []
    /// The only column in ``updated``, if the statement skips rows that already have its value and the history preserves no
    /// values of the column.
    @exclusivity(unchecked) private var changedColumn: Int?
    /// The arguments for which ``updated`` was determined.
    @exclusivity(unchecked) private var updatedKey: (table: EntityTable, slots: PropertySet)?

    init(_ connection: Connection) throws {
        newest = try connection.prepare(ChangeTable.selectNewest)
    }

    // MARK: Saves

    var knowsTables: Bool { schema?.tables.isEmpty == false }

    /// Returns whether the hook records the save. Enabling or disabling triggers makes SQLite prepare all statements of the
    /// connection again, so small saves do not disable them until several have occurred in succession.
    ///
    /// - Precondition: ``newest`` has run in the transaction, so that SQLite has detected schema changes, or
    ///   ``HistoryRecorder/newestHeader(_:)`` has returned a header.
    func begin(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
    ) throws -> Bool {
        guard try canRecord(request, connection) else {
            savesWithTriggers = 0
            try connection.setTriggersEnabled(true)
            return false
        }
        if connection.areTriggersEnabled {
            savesWithTriggers += 1
            let rowCount = request.inserted.count + request.updated.count + request.deleted.count
            guard rowCount >= Self.rowsWorthSwitching || savesWithTriggers > Self.savesWorthSwitching else {
                return false
            }
            savesWithTriggers = 0
            try connection.setTriggersEnabled(false)
        }
        observe(connection)
        return true
    }

    /// Prepares for a statement that updates any number of rows, with the same precondition.
    func begin(updating table: EntityTable, _ slots: PropertySet, _ connection: Connection) throws -> Bool {
        guard try currentSchema(connection).table(ofEntity: table.entity.name)?.recordsUpdates == true else {
            return false
        }
        savesWithTriggers = 0
        try connection.setTriggersEnabled(false)
        observe(connection)
        willUpdate(table, slots)
        // The statement does not skip rows that already have the value.
        (changedColumn, updatedKey) = (nil, nil)
        return true
    }

    private func observe(_ connection: Connection) {
        rows.removeAll()
        (needsTriggers, hasWritten, updatedKey, changedColumn) = (false, false, nil, nil)
        latest?.pointer = nil
        connection.observeRowChanges(with: self)
    }

    func end(_ connection: Connection) {
        connection.observeRowChanges(with: nil)
        // The memory of usual saves is used again.
        if rows.capacity > Self.keptCapacity { rows = ChangeRows() }
    }

    private func canRecord(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
    ) throws -> Bool {
        guard request.linked.isEmpty, request.unlinked.isEmpty else { return false }
        let schema = try currentSchema(connection)
        func all(_ snapshots: [DefaultSnapshot], _ qualifies: (HookSchema.Table) -> Bool) -> Bool {
            SnapshotRuns(snapshots).allSatisfy { run in
                schema.table(ofEntity: snapshots[run.lowerBound].persistentIdentifier.entityName).map(qualifies) == true
            }
        }
        return all(request.inserted) { _ in true } && all(request.updated, \.recordsUpdates)
            && all(request.deleted, \.recordsDeletes)
    }

    /// If the hook can record nothing, another program may have created a trigger on the history, which must run for each
    /// of its rows. The precondition is that of `begin`.
    func enableTriggersOnHistory(_ connection: Connection) throws {
        if try currentSchema(connection).tables.isEmpty { try connection.setTriggersEnabled(true) }
    }

    private func currentSchema(_ connection: Connection) throws -> HookSchema {
        if let schema, repreparations == newest.repreparations { return schema }
        let current = try HookSchema(connection)
        (schema, latest) = (current, nil)
        repreparations = newest.repreparations
        return current
    }

    func recordsUpdates(of table: EntityTable) -> Bool {
        schema?.table(ofEntity: table.entity.name)?.recordsUpdates == true
    }

    /// Prepares for a statement that updates a row. Only the columns of these slots are compared.
    func willUpdate(_ table: EntityTable, _ slots: PropertySet) {
        if let updatedKey, updatedKey.table === table, updatedKey.slots == slots { return }
        updatedKey = (table, slots)
        let known = schema?.table(ofEntity: table.entity.name)
        updated = slots.compactMap { known?.positions[TableNames.folded(table.columns[$0].name)] }.sorted()
        changedColumn = nil
        if table.comparedSlot(slots) != nil, let column = updated.first.flatMap({ known?.columns[$0] }),
            !column.hasDefault, case .none = column.preservation.updates
        {
            changedColumn = column.number
        }
    }

    /// Writes the collected changes if they fill a batch.
    @inline(__always)
    func beginStatement(_ connection: Connection) throws {
        if rows.isWaiting { rows.end(depth: 0) }
        if rows.rows.count >= ChangeRows.batchSize { try write(connection) }
        rowsBeforeStatement = rows.rows.count
    }

    /// SQLite checks the constraints of a row before it reports the change, but those of foreign key actions after it.
    func discardStatement() {
        rows.removeAll(from: rowsBeforeStatement)
    }

    /// After a header, nothing is recorded until the next save.
    func write(header: ChangeTable.Header? = nil, _ connection: Connection) throws {
        rows.end(depth: 0)
        if needsTriggers { throw HistoryRecorder.NeedsTriggers() }
        guard header != nil || !rows.rows.isEmpty else { return }
        hasWritten = true
        // The rows of the history are not recorded themselves.
        connection.observeRowChanges(with: nil)
        try rows.write(header: header, connection)
        if header == nil { connection.observeRowChanges(with: self) }
    }

    func hasChanges() throws -> Bool {
        rows.end(depth: 0)
        if needsTriggers { throw HistoryRecorder.NeedsTriggers() }
        return hasWritten || !rows.rows.isEmpty
    }

    // MARK: Changes

    func willChange(_ change: borrowing RowChange) {
        let name = change.table
        if latest?.pointer != name { lookUp(name) }
        guard let table = latest?.table, !needsTriggers else {
            // The foreign key actions of a table that is not recorded may change one that is.
            if rows.isWaiting { rows.begin(depth: change.depth) }
            return
        }
        switch change.operation {
        case .insert: insert(change, table)
        case .update: update(change, table)
        case .delete: delete(change, table)
        }
        if rows.size > Self.maximumSize { needsTriggers = true }
    }

    private func lookUp(_ name: UnsafePointer<CChar>) {
        // The table of the previous save, usually.
        if let latest, strcmp(latest.name, name) == 0 {
            self.latest?.pointer = name
            return
        }
        let table = schema?.tables[TableNames.folded(String(cString: name))]
        latest = (Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)), name, table)
    }

    /// `nil` if the hook does not report the number.
    private func newEntity(_ change: borrowing RowChange, _ table: HookSchema.Table) -> Int64? {
        guard let column = table.entityColumn, let name = change.new(column) else { return nil }
        return table.entity(name)
    }

    /// `nil` if the hook does not report the number.
    private func oldEntity(_ change: borrowing RowChange, _ table: HookSchema.Table) -> Int64? {
        guard let column = table.entityColumn, let name = change.old(column) else { return nil }
        return table.entity(name)
    }

    private func insert(_ change: borrowing RowChange, _ table: HookSchema.Table) {
        guard let entity = table.entityColumn == nil ? table.recorded.entityID : newEntity(change, table) else {
            needsTriggers = true
            return
        }
        if table.preservedByInserts.isEmpty {
            return rows.append(ChangeRows.Row(kind: .init(.insert, of: entity), key: change.newRowID))
        }
        var operation = ChangeTable.Operation.insert
        for column in table.preservedByInserts {
            guard let value = change.new(column.index) else {
                needsTriggers = true
                return
            }
            var row = ChangeRows.Row(kind: .init(operation, of: entity), key: change.newRowID)
            if column.preservation.inserts.includes(value) {
                (row.attributes, row.newValue) = (.integer(Int64(column.number)), rows.copy(value))
            }
            rows.append(row)
            operation = .preservedValue
        }
    }

    private func update(_ change: borrowing RowChange, _ table: HookSchema.Table) {
        let depth = change.depth
        if rows.isWaiting { rows.begin(depth: depth) }
        guard let entity = table.entityColumn == nil ? table.recorded.entityID : newEntity(change, table) else {
            needsTriggers = true
            return
        }
        var masks = AttributeMasks()
        func compare(_ position: Int) {
            let column = table.columns[position]
            guard let old = change.old(column.index), let new = change.new(column.index) else {
                needsTriggers = true
                return
            }
            if old.is(new) { return }
            if column.hasDefault, case .null = old { needsTriggers = true }
            masks.insert(column.number)
            let extent = column.preservation.updates
            if case .none = extent { return }
            if !extent.includes(old) || !extent.includes(new) { return }
            preservedValues.append(
                ChangeRows.Row(
                    kind: .init(.preservedValue, of: entity), key: change.newRowID,
                    attributes: .integer(Int64(column.number)), oldValue: rows.copy(old), newValue: rows.copy(new)))
        }
        if depth > 0 {
            for position in table.columns.indices { compare(position) }
        } else if let changedColumn {
            masks.insert(changedColumn)
        } else {
            for position in updated { compare(position) }
        }
        guard !masks.isEmpty else { return }
        masks.pad(to: table.maskCount)
        let attributes = masks.text.map { rows.text($0) } ?? .integer(masks.first)
        rows.append(
            ChangeRows.Row(kind: .init(.update, of: entity), key: change.newRowID, attributes: attributes))
        if !preservedValues.isEmpty {
            for row in preservedValues { rows.append(row) }
            preservedValues.removeAll(keepingCapacity: true)
        }
    }

    private func delete(_ change: borrowing RowChange, _ table: HookSchema.Table) {
        if table.hasActions || rows.isWaiting { rows.begin(depth: change.depth) }
        guard let entity = table.entityColumn == nil ? table.recorded.entityID : oldEntity(change, table) else {
            needsTriggers = true
            return
        }
        var operation = ChangeTable.Operation.delete
        for column in table.preservedByDeletes {
            guard let value = change.old(column.index) else {
                needsTriggers = true
                return
            }
            if column.hasDefault, case .null = value { needsTriggers = true }
            var row = ChangeRows.Row(kind: .init(operation, of: entity), key: change.oldRowID)
            if column.preservation.deletes.includes(value) {
                (row.attributes, row.oldValue) = (.integer(Int64(column.number)), rows.copy(value))
            }
            rows.append(row)
            operation = .preservedValue
        }
        if operation == .delete {
            rows.append(ChangeRows.Row(kind: .init(.delete, of: entity), key: change.oldRowID))
        }
    }
}

extension Preservation.Extent {
    @inline(__always)
    fileprivate func includes(_ value: ColumnValue) -> Bool {
        if case .all = self { return true }
        return switch value {
        case .text(let text): text.count <= Preservation.sizeLimit
        case .blob(let blob): blob.count <= Preservation.sizeLimit
        // The digits of a number are always below the limit.
        case .null, .integer, .real: true
        }
    }
}
