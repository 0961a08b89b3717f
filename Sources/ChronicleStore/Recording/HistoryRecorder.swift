import ChronicleCore
import ChronicleSQLite

/// Records the changes of a store's writing connection. Triggers in the file record every change. In a save, SQLite's
/// pre-update hook does so instead if it can, which takes less time; see ``HookRecorder``. What writes rows calls the
/// methods of ``Recording`` in both cases.
final class HistoryRecorder: @unchecked Sendable {
    /// The hook cannot record the transaction; ``transaction(_:)`` repeats it with triggers.
    struct NeedsTriggers: Error {}

    private let database: Database
    private let recordsHistory: Bool
    private let allowsHook: Bool

    // Only the thread that uses the writing connection accesses these properties, and no access to them calls other code.
    @exclusivity(unchecked) private(set) var hook: HookRecorder?
    @exclusivity(unchecked) private var requiresTriggers = false
    /// The newest header of the history, as long as nothing else has written to the file.
    @exclusivity(unchecked) private(set) var latestHeader: HeaderWriter.Header?
    /// The version after that transaction.
    @exclusivity(unchecked) private var version: DatabaseVersion?
    /// The headers of the open range, if known, so that they need not be read to divide it.
    @exclusivity(unchecked) var division: SummaryTable.Division?

    init(_ database: Database, _ configuration: ModelConfiguration) {
        self.database = database
        recordsHistory = configuration.recordsHistory
        allowsHook = recordsHistory && configuration.recorder.allowsHook && Connection.reportsRowChanges
    }

    /// Releases the statements of the connection, which is about to be closed.
    func close() { hook = nil }

    // MARK: Transactions

    /// Repeats a transaction with triggers if the hook turns out to be unable to record it. `body` begins and ends it.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch is NeedsTriggers {
            requiresTriggers = true
            defer { requiresTriggers = false }
            return try body()
        }
    }

    /// Must be called in the IMMEDIATE transaction of the save, like the other methods that begin a recording.
    func begin(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
    ) throws -> Recording {
        let hook = try availableHook(connection)
        // Without triggers, a delete does not withdraw the note of its row.
        let headers = try groupedHistory(connection, resolvesConflicts: !request.deleted.isEmpty)
        guard let hook else {
            try connection.setTriggersEnabled(true)
            return Recording(connection, headers, nil)
        }
        return Recording(connection, headers, try hook.begin(request, connection) ? hook : nil)
    }

    /// Begins to record a statement that updates slots of any number of rows.
    func begin(updating table: EntityTable, _ slots: PropertySet, _ connection: Connection) throws -> Recording {
        let hook = try availableHook(connection)
        let headers = try groupedHistory(connection)
        if let hook, try hook.begin(updating: table, slots, connection) { return Recording(connection, headers, hook) }
        try connection.setTriggersEnabled(true)
        return Recording(connection, headers, nil)
    }

    /// Begins to record statements whose changes the transaction reads in the file, or that the hook cannot record.
    func begin(_ connection: Connection) throws -> Recording {
        let headers = try groupedHistory(connection)
        try connection.setTriggersEnabled(true)
        return Recording(connection, headers, nil)
    }

    private func availableHook(_ connection: Connection) throws -> HookRecorder? {
        guard allowsHook, !requiresTriggers else { return nil }
        if let hook { return hook }
        let created = try HookRecorder(connection)
        hook = created
        return created
    }

    private func groupedHistory(
        _ connection: Connection, resolvesConflicts: Bool = false
    ) throws -> (writer: HeaderWriter, firstChange: Int64)? {
        guard recordsHistory else { return nil }
        var headers = HeaderWriter(connection, self)
        let first = try headers.groupExternalChanges(resolvesConflicts: resolvesConflicts)
        return (headers, first)
    }

    /// Groups the changes of other programs since the last header as an external transaction; returns the first free
    /// position. See ``HeaderWriter/groupExternalChanges(resolvesConflicts:)``.
    @discardableResult
    func groupExternalChanges(_ connection: Connection, resolvesConflicts: Bool = false) throws -> Int64 {
        var headers = HeaderWriter(connection, database.isWriter(connection) ? self : nil)
        return try headers.groupExternalChanges(resolvesConflicts: resolvesConflicts)
    }

    // MARK: The newest header

    /// Called after the transaction, because a failed one also rolls back its header and source.
    func didCommit(_ header: HeaderWriter.Header?, _ connection: Connection) {
        guard let header else { return }
        latestHeader = header
        version = connection.committedVersion
    }

    func didErase() { (latestHeader, version, division) = (nil, nil, nil) }

    /// `nil` if anything has been written to the database since, so that the newest row of the history must be read. Then
    /// also forgets the headers of the open range.
    func newestHeader(_ connection: Connection) -> HeaderWriter.Header? {
        // Without recorded tables, triggers of other programs on the history may have added rows after the header.
        if let version, hook?.knowsTables == true, connection.isUnchanged(since: version) { return latestHeader }
        (version, division) = (nil, nil)
        return nil
    }

    func newestRow(_ connection: Connection) throws -> Statement {
        try hook?.newest ?? connection.cached(ChangeTable.selectNewest)
    }

    /// Another program may have created a trigger on the history, which must run for each of its rows. ``newestRow(_:)``
    /// has run in the transaction, or ``newestHeader(_:)`` has returned a header.
    func enableTriggersOnHistory(_ connection: Connection) throws {
        try hook?.enableTriggersOnHistory(connection)
    }
}

/// The recording of a transaction, from before its first change to its header.
struct Recording {
    /// `nil` if the history is disabled.
    let firstChange: Int64?
    let continuesLatestTransaction: Bool
    private let connection: Connection
    private let headers: HeaderWriter?
    /// `nil` if triggers record the changes.
    private let hook: HookRecorder?

    /// `history` is what writes the header, and the first free position; `nil` if the history is disabled.
    init(
        _ connection: Connection, _ history: (writer: HeaderWriter, firstChange: Int64)? = nil,
        _ hook: HookRecorder? = nil
    ) {
        self.connection = connection
        (headers, firstChange) = (history?.writer, history?.firstChange)
        continuesLatestTransaction = headers?.isUnchanged == true
        self.hook = hook
    }

    /// Includes the triggers of other programs.
    var runsTriggers: Bool { hook == nil }

    // MARK: Statements

    /// Prepares for a statement that updates a row. Only the columns of these slots are compared.
    @inline(__always)
    func willUpdate(_ table: EntityTable, _ slots: PropertySet) { hook?.willUpdate(table, slots) }

    @inline(__always)
    func beginStatement() throws { try hook?.beginStatement(connection) }

    /// Removes the changes of one row that violated a constraint. Triggers record within the statement, so SQLite has done
    /// so.
    @inline(__always)
    func discardStatement() { hook?.discardStatement() }

    /// Prepares for a statement that updates slots of a row in addition to those of the request.
    func beginFurtherUpdate(_ table: EntityTable, _ slots: PropertySet) throws {
        guard let hook else { return }
        guard hook.recordsUpdates(of: table) else { throw HistoryRecorder.NeedsTriggers() }
        hook.willUpdate(table, slots)
        try hook.beginStatement(connection)
    }

    /// The two updates of a row can be merged only in the file.
    func requireChangesInFile() throws {
        if hook != nil { throw HistoryRecorder.NeedsTriggers() }
    }

    // MARK: The end

    /// Writes the remaining changes, and the header of the transaction, which is `nil` without changes or history.
    /// `isChange` states that there is a change, so that the file need not be read to find out.
    func writeHeader(_ state: EditingState, isChange: Bool) throws -> HeaderWriter.Header? {
        guard let headers, let firstChange else { return nil }
        guard let hook else { return try headers.write(state, from: firstChange, isChange: isChange) }
        guard try hook.hasChanges() else { return nil }
        return try headers.write(state, from: firstChange) { try hook.write(header: $0, connection) }
    }

    func end() { hook?.end(connection) }
}
