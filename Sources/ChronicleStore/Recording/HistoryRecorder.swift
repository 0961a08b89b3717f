import ChronicleCore
import ChronicleSQLite

/// Records the changes that a store makes with its writing connection.
///
/// Triggers in the file record every change. In a save, SQLite's pre-update hook records them instead if it can, because
/// this takes less time; see ``HookRecorder``. What writes rows calls the methods of ``Recording`` in both cases.
///
/// The recorder also knows the newest header of the history, as long as nothing else has written to the file.
final class HistoryRecorder: @unchecked Sendable {
    /// An error that is thrown in a transaction that the hook cannot record. ``transaction(_:)`` repeats it with triggers.
    struct NeedsTriggers: Error {}

    private let database: Database
    private let recordsHistory: Bool
    private let allowsHook: Bool

    // Only the thread that uses the writing connection accesses these properties, and no access to them calls other code.
    @exclusivity(unchecked) private(set) var hook: HookRecorder?
    /// Whether triggers have to record the current transaction.
    @exclusivity(unchecked) private var requiresTriggers = false
    /// The header of the latest transaction of the connection.
    @exclusivity(unchecked) private(set) var latestHeader: HeaderWriter.Header?
    /// The version of the database after that transaction.
    @exclusivity(unchecked) private var version: DatabaseVersion?
    /// The headers of the open range of the summary, if they are known, so that they need not be read to divide it.
    @exclusivity(unchecked) var division: SummaryTable.Division?

    init(_ database: Database, _ configuration: ModelConfiguration) {
        self.database = database
        recordsHistory = configuration.recordsHistory
        allowsHook = recordsHistory && configuration.recorder.allowsHook && Connection.reportsRowChanges
    }

    /// Releases the statements of the connection, which is about to be closed.
    func close() { hook = nil }

    // MARK: Transactions

    /// Runs a transaction, and repeats it with triggers if the hook turns out to be unable to record it.
    ///
    /// - Parameter body: Begins and commits the transaction, or rolls it back if an error is thrown.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch is NeedsTriggers {
            requiresTriggers = true
            defer { requiresTriggers = false }
            return try body()
        }
    }

    /// Begins to record a save.
    ///
    /// Must be called in the IMMEDIATE transaction of the save, like the other methods that begin a recording.
    func begin(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
    ) throws -> Recording {
        let hook = try availableHook(connection)
        // Without triggers, a delete does not withdraw the note of its row.
        let headers = try sealedHistory(connection, resolvesConflicts: !request.deleted.isEmpty)
        guard let hook else {
            try connection.setTriggersEnabled(true)
            return Recording(connection, headers, nil)
        }
        return Recording(connection, headers, try hook.begin(request, connection) ? hook : nil)
    }

    /// Begins to record a statement that updates any number of rows of a table.
    ///
    /// - Parameter slots: The slots that the statement sets.
    func begin(updating table: EntityTable, _ slots: PropertySet, _ connection: Connection) throws -> Recording {
        let hook = try availableHook(connection)
        let headers = try sealedHistory(connection)
        if let hook, try hook.begin(updating: table, slots, connection) { return Recording(connection, headers, hook) }
        try connection.setTriggersEnabled(true)
        return Recording(connection, headers, nil)
    }

    /// Begins to record statements whose changes the transaction reads in the file, or that the hook cannot record.
    func begin(_ connection: Connection) throws -> Recording {
        let headers = try sealedHistory(connection)
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

    private func sealedHistory(
        _ connection: Connection, resolvesConflicts: Bool = false
    ) throws -> (writer: HeaderWriter, firstChange: Int64)? {
        guard recordsHistory else { return nil }
        var headers = HeaderWriter(connection, self)
        let first = try headers.sealExternalChanges(resolvesConflicts: resolvesConflicts)
        return (headers, first)
    }

    /// Seals the changes that other programs made since the last header as one external transaction.
    ///
    /// - Parameters:
    ///   - connection: The writing connection, or the one for maintenance.
    ///   - resolvesConflicts: See ``HeaderWriter/sealExternalChanges(resolvesConflicts:)``.
    /// - Returns: The first free change id.
    @discardableResult
    func sealExternalChanges(_ connection: Connection, resolvesConflicts: Bool = false) throws -> Int64 {
        var headers = HeaderWriter(connection, database.isWriter(connection) ? self : nil)
        return try headers.sealExternalChanges(resolvesConflicts: resolvesConflicts)
    }

    // MARK: The newest header

    /// Remembers the header of a transaction. Called after the transaction, because a failed one also rolls back its
    /// header and source.
    func didCommit(_ header: HeaderWriter.Header?, _ connection: Connection) {
        guard let header else { return }
        latestHeader = header
        version = connection.committedVersion
    }

    /// Forgets the newest header after the history was erased.
    func didErase() { (latestHeader, version, division) = (nil, nil, nil) }

    /// Returns the header of the latest transaction if nothing has been written to the database since, or `nil` if the
    /// newest row of the history must be read. Then also forgets the headers of the open range.
    func newestHeader(_ connection: Connection) -> HeaderWriter.Header? {
        // Without recorded tables, triggers of other programs on the history may have added rows after the header.
        if let version, hook?.knowsTables == true, connection.isUnchanged(since: version) { return latestHeader }
        (version, division) = (nil, nil)
        return nil
    }

    /// Returns the statement that reads the newest row of the history.
    func newestRow(_ connection: Connection) throws -> Statement {
        try hook?.newest ?? connection.cached(ChangeTable.selectNewest)
    }

    /// Enables the triggers if another program may have created one on the history, which must run for each of its
    /// rows. ``newestRow(_:)`` has run in the transaction, or ``newestHeader(_:)`` has returned a header.
    func enableTriggersOnHistory(_ connection: Connection) throws {
        try hook?.enableTriggersOnHistory(connection)
    }
}

/// The recording of a transaction, from before its first change to its header.
struct Recording {
    /// The first position of the transaction in the history, or `nil` if the history is disabled.
    let firstChange: Int64?
    /// Whether the newest row of the history was the header of the latest transaction of the connection.
    let continuesLatestTransaction: Bool
    private let connection: Connection
    private let headers: HeaderWriter?
    /// What records the changes, or `nil` if triggers do.
    private let hook: HookRecorder?

    /// Creates the recording of a transaction that has begun.
    ///
    /// - Parameters:
    ///   - connection: The writing connection.
    ///   - history: What writes the header, and the first free position; `nil` if the history is disabled.
    ///   - hook: The recorder, which observes the connection, or `nil` if triggers record the changes.
    init(
        _ connection: Connection, _ history: (writer: HeaderWriter, firstChange: Int64)? = nil,
        _ hook: HookRecorder? = nil
    ) {
        self.connection = connection
        (headers, firstChange) = (history?.writer, history?.firstChange)
        continuesLatestTransaction = headers?.isUnchanged == true
        self.hook = hook
    }

    /// Whether the triggers of the file run, which includes those of other programs.
    var runsTriggers: Bool { hook == nil }

    // MARK: Statements

    /// Prepares for a statement that updates these slots of a row, so that only the columns of these slots are
    /// compared.
    @inline(__always)
    func willUpdate(_ table: EntityTable, _ slots: PropertySet) { hook?.willUpdate(table, slots) }

    /// Prepares for the next statement.
    @inline(__always)
    func beginStatement() throws { try hook?.beginStatement(connection) }

    /// Removes the changes of a statement for one row that violated a constraint.
    ///
    /// Triggers record changes within the statement, so SQLite has removed them.
    @inline(__always)
    func discardStatement() { hook?.discardStatement() }

    /// Prepares for a statement that updates these slots of a row in addition to those of the request.
    ///
    /// - Throws: ``HistoryRecorder/NeedsTriggers`` if the table cannot be recorded.
    func beginFurtherUpdate(_ table: EntityTable, _ slots: PropertySet) throws {
        guard let hook else { return }
        guard hook.recordsUpdates(of: table) else { throw HistoryRecorder.NeedsTriggers() }
        hook.willUpdate(table, slots)
        try hook.beginStatement(connection)
    }

    /// Ensures that the changes of each statement are in the file, where the two updates of a row can be merged.
    ///
    /// - Throws: ``HistoryRecorder/NeedsTriggers`` if they are not.
    func requireChangesInFile() throws {
        if hook != nil { throw HistoryRecorder.NeedsTriggers() }
    }

    // MARK: The end

    /// Writes the changes that are not in the file yet, and the header of the transaction.
    ///
    /// - Parameters:
    ///   - state: The context that saves.
    ///   - isChange: Whether the transaction is known to have a change, so that the file need not be read to find out.
    /// - Returns: The header, or `nil` if there are no changes or no history.
    func writeHeader(_ state: EditingState, isChange: Bool) throws -> HeaderWriter.Header? {
        guard let headers, let firstChange else { return nil }
        guard let hook else { return try headers.write(state, from: firstChange, isChange: isChange) }
        guard try hook.hasChanges() else { return nil }
        return try headers.write(state, from: firstChange) { try hook.write(header: $0, connection) }
    }

    /// Ends the recording, whether the transaction succeeded or failed.
    func end() { hook?.end(connection) }
}
