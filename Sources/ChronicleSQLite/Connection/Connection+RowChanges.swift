import ChronicleCSQLite

/// Observes the rows that the statements of a connection change.
package protocol RowChangeObserver: AnyObject {
    /// Handles a change that is about to be made. The connection must not be used in this method.
    func willChange(_ change: borrowing RowChange)
}

/// A row that a statement, or a foreign key action of it, is about to change.
package struct RowChange: ~Copyable {
    package enum Operation { case insert, update, delete }

    private let database: OpaquePointer?
    private let hook: PreupdateHook
    package let operation: Operation
    /// The name of the table, at an address that is the same for every change of the table until the schema changes.
    package let table: UnsafePointer<CChar>
    /// The rowid before an update or a delete.
    package let oldRowID: Int64
    /// The rowid after an insert or an update.
    package let newRowID: Int64

    fileprivate init(
        _ database: OpaquePointer?, _ hook: PreupdateHook, _ operation: Operation, _ table: UnsafePointer<CChar>,
        _ oldRowID: Int64, _ newRowID: Int64
    ) {
        (self.database, self.hook, self.operation) = (database, hook, operation)
        (self.table, self.oldRowID, self.newRowID) = (table, oldRowID, newRowID)
    }

    /// 0 for a row that the statement changes itself, and one more for each level of foreign key actions.
    package var depth: Int32 { hook.depth(database) }

    /// Returns the value of a column before an update or a delete.
    ///
    /// The value is valid until the observer returns.
    ///
    /// - Parameter column: The index of the column in the table.
    package func old(_ column: Int32) -> ColumnValue? { value(hook.old, column) }

    /// Returns the value of a column after an insert or an update. It is valid until the observer returns.
    package func new(_ column: Int32) -> ColumnValue? { value(hook.new, column) }

    @inline(__always)
    private func value(_ read: PreupdateHook.Value, _ column: Int32) -> ColumnValue? {
        var value: OpaquePointer?
        guard read(database, column, &value) == SQLITE_OK else { return nil }
        return value.map { ColumnValue($0) } ?? .null
    }
}

extension Connection {
    /// Whether the SQLite library can report row changes.
    package static var reportsRowChanges: Bool { PreupdateHook.available != nil }

    /// Sets the object that observes row changes, or removes it. The connection retains the object until it observes
    /// with another one or is closed.
    package func observeRowChanges(with observer: (any RowChangeObserver)?) {
        guard let handle, let hook = PreupdateHook.available else { return }
        guard let observer else {
            _ = hook.set(handle, nil, nil)
            return
        }
        // Kept after the observer was removed, to be used again.
        if rowChangeObservation?.observer !== observer { rowChangeObservation = RowChangeObservation(observer, hook) }
        _ = hook.set(handle, willChange, rowChangeObservation.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    /// Enables or disables the triggers of tables. Foreign key actions are performed in any case.
    ///
    /// A change of the setting makes SQLite prepare the statements of the connection again.
    /// https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigenabletrigger
    package func setTriggersEnabled(_ isEnabled: Bool) throws {
        guard isEnabled != areTriggersEnabled else { return }
        try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, isEnabled ? 1 : 0)
        areTriggersEnabled = isEnabled
    }
}

/// The context of the callback.
final class RowChangeObservation {
    /// Not retained for each call, because `retained` keeps it alive.
    unowned(unsafe) let observer: any RowChangeObserver
    let hook: PreupdateHook
    private let retained: any RowChangeObserver

    init(_ observer: any RowChangeObserver, _ hook: PreupdateHook) {
        (self.observer, self.hook, retained) = (observer, hook, observer)
    }
}

private let willChange: PreupdateHook.Callback = { context, database, code, _, table, oldRowID, newRowID in
    guard let context, let table else { return }
    let operation: RowChange.Operation =
        switch code {
        case SQLITE_INSERT: .insert
        case SQLITE_UPDATE: .update
        default: .delete
        }
    let observation = Unmanaged<RowChangeObservation>.fromOpaque(context).takeUnretainedValue()
    observation.observer.willChange(
        RowChange(database, observation.hook, operation, table, oldRowID, newRowID))
}
