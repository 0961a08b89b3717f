import ChronicleCSQLite

package protocol RowChangeObserver: AnyObject {
    /// Called before a change is made. The change is valid until the method returns, which must not use the connection.
    func willChange(_ change: borrowing RowChange)
}

/// The change of a row that a statement, or one of its foreign key actions, is about to make.
package struct RowChange: ~Copyable {
    package enum Operation { case insert, update, delete }

    private let database: OpaquePointer?
    private let hook: PreupdateHook
    package let operation: Operation
    /// The name, at an address that is the same for every change of the table until the schema changes.
    package let table: UnsafePointer<CChar>
    package let oldRowID: Int64
    package let newRowID: Int64

    fileprivate init(
        _ database: OpaquePointer?, _ hook: PreupdateHook, _ operation: Operation, _ table: UnsafePointer<CChar>,
        _ oldRowID: Int64, _ newRowID: Int64
    ) {
        (self.database, self.hook, self.operation) = (database, hook, operation)
        (self.table, self.oldRowID, self.newRowID) = (table, oldRowID, newRowID)
    }

    /// The level of foreign key actions that caused the change, or 0 if the statement itself does.
    package var depth: Int32 { hook.depth(database) }

    /// A value before an update or a delete, valid until the observer returns; `nil` if SQLite cannot read it.
    package func old(_ column: Int32) -> ColumnValue? { value(hook.old, column) }

    /// A value after an insert or an update, valid until the observer returns; `nil` if SQLite cannot read it.
    package func new(_ column: Int32) -> ColumnValue? { value(hook.new, column) }

    @inline(__always)
    private func value(_ read: PreupdateHook.Value, _ column: Int32) -> ColumnValue? {
        var value: OpaquePointer?
        guard read(database, column, &value) == SQLITE_OK else { return nil }
        return value.map { ColumnValue($0) } ?? .null
    }
}

extension Connection {
    package static var reportsRowChanges: Bool { PreupdateHook.available != nil }

    /// Does nothing if ``reportsRowChanges`` is `false`. The connection retains the observer until it is closed or has
    /// another observer.
    package func observeRowChanges(with observer: (any RowChangeObserver)?) {
        guard let handle, let hook = PreupdateHook.available else { return }
        guard let observer else {
            _ = hook.set(handle, nil, nil)
            return
        }
        // The observation is not released when its observer is removed, because the next save uses it again.
        if rowChangeObservation?.observer !== observer { rowChangeObservation = RowChangeObservation(observer, hook) }
        _ = hook.set(handle, willChange, rowChangeObservation.map { Unmanaged.passUnretained($0).toOpaque() })
    }

    /// SQLite performs foreign key actions in both cases. A change makes it prepare all statements of the connection again.
    /// https://www.sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigenabletrigger
    package func setTriggersEnabled(_ isEnabled: Bool) throws {
        guard isEnabled != areTriggersEnabled else { return }
        try set(SQLITE_DBCONFIG_ENABLE_TRIGGER, isEnabled ? 1 : 0)
        areTriggersEnabled = isEnabled
    }
}

/// The pre-update hook passes it to its callback.
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
