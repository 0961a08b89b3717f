import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

/// The source of a transaction. The file stores each source once.
struct TransactionSource: Hashable, Sendable {
    let author: String?
    let contextName: String?
    let program: String
    let process: String

    init(_ state: EditingState) {
        author = state.author
        contextName = state.contextName
        program = Self.program
        process = Self.process
    }

    /// The other properties are the same for all sources of a process.
    func hash(into hasher: inout Hasher) {
        hasher.combine(author)
        hasher.combine(contextName)
    }

    private static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    private static let process = String(ProcessInfo.processInfo.processIdentifier)
}

/// Ends the changes of a transaction with a header row.
///
/// Must be used in the writer's IMMEDIATE transaction.
struct HeaderWriter {
    struct Header {
        let position: Int64
        let checkValue: Int64
        let sourceNumber: Int64
        let source: TransactionSource

        func token(storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue)
        }
    }

    let connection: Connection
    private let known: (TransactionSource) -> Int64?

    init(_ store: DefaultStore, _ connection: Connection) {
        self.connection = connection
        known = { source in store.sources.withLock { $0[source] } }
    }

    /// Seals the changes that other programs made since the last header as one external transaction.
    ///
    /// - Parameter resolvesConflicts: Whether to record the replaced rows for which no trigger ran even if there are no
    ///   changes by other programs.
    /// - Returns: The first free change id.
    @discardableResult
    func sealExternalChanges(resolvesConflicts: Bool = false) throws -> Int64 {
        if resolvesConflicts { try resolveConflicts() }
        let recorder = HookRecorder.attached(to: connection)
        let last = try recorder?.newest ?? connection.cached(RecorderStatements.newest)
        defer { last.reset() }
        let hasChanges = try last.step()
        try recorder?.enableTriggersOnHistory(connection)
        guard hasChanges else { return 1 }
        let position = try last.position(0)
        guard try last.integer(1, of: .change(position)) > 0 else { return position + 1 }
        if !resolvesConflicts { try resolveConflicts() }
        let previous = try newestHeader()
        let statement = try connection.cached(RecorderStatements.insertHeader)
        try bind(
            statement, source: RecorderStatements.externalSource, checkValue: CheckValues.next(), first: previous + 1)
        try statement.run()
        return connection.lastInsertRowID + 1
    }

    /// Returns the position of the newest header, or 0 if there is none.
    private func newestHeader() throws -> Int64 {
        let statement = try connection.cached(RecorderStatements.newestHeader)
        defer { statement.reset() }
        return try statement.step() ? statement.position(0) : 0
    }

    /// Records deletes by a REPLACE of another program for which no trigger ran. There are rarely any.
    private func resolveConflicts() throws {
        guard try connection.scalarInt64(RecorderStatements.anyConflict) != nil else { return }
        // From the file, because another process may have added entities since the store was opened.
        for entity in try EntityRegistry(connection).entities() {
            let table = RecordedTable(entityID: entity.number, name: entity.name, columns: [], uniqueness: [])
            for statement in RecorderSQL.resolveConflicts(of: table) { try connection.execute(statement) }
        }
    }

    /// Writes the header of the changes from `first` on, and returns it, or `nil` if there are no changes.
    ///
    /// - Parameter isChange: Whether there is certainly a change.
    func write(_ state: EditingState, from first: Int64, isChange: Bool) throws -> Header? {
        if !isChange {
            let newest = try connection.scalarInt64(RecorderStatements.newestPosition)
            guard let newest, newest >= first else { return nil }
        }
        let source = TransactionSource(state)
        let number = try known(source) ?? number(of: source)
        let checkValue = CheckValues.next()
        let statement = try connection.cached(RecorderStatements.insertHeader)
        try bind(statement, source: number, checkValue: checkValue, first: first)
        try statement.run()
        return Header(
            position: connection.lastInsertRowID, checkValue: checkValue, sourceNumber: number, source: source)
    }

    private func bind(_ statement: Statement, source: Int64, checkValue: Int64, first: Int64) throws {
        try statement.bind(-source, at: 1)
        try statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
        try statement.bind(checkValue, at: 3)
        try statement.bind(first, at: 4)
    }

    private func number(of source: TransactionSource) throws -> Int64 {
        func bind(_ statement: Statement) throws {
            for (index, text) in [source.author, source.contextName, source.program, source.process].enumerated() {
                if let text {
                    try statement.bind(text, at: Int32(index + 1))
                } else {
                    try statement.bindNull(Int32(index + 1))
                }
            }
        }
        if let number = try connection.scalarInt64(RecorderStatements.findSource, bind) { return number }
        let insert = try connection.cached(RecorderStatements.insertSource)
        try bind(insert)
        try insert.run()
        return connection.lastInsertRowID
    }
}

/// Random numbers that distinguish a transaction from another one at the same position of a replaced history.
///
/// Only the seed comes from the system's generator; the other values are derived from it (SplitMix64,
/// https://prng.di.unimi.it/splitmix64.c), which saves a system call for each save.
enum CheckValues {
    private static let state = Mutex(UInt64.random(in: .min ... .max))

    static func next() -> Int64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int64(bitPattern: mixed ^ (mixed >> 31))
        }
    }
}

/// The statements on the history tables that a save runs.
enum RecorderStatements {
    /// The source of external transactions.
    static let externalSource: Int64 = 1

    static let newest = "SELECT id, what FROM chronicle_change ORDER BY id DESC LIMIT 1"
    static let newestPosition = "SELECT max(id) FROM chronicle_change"
    static let newestHeader = "SELECT id FROM chronicle_change WHERE what <= 0 ORDER BY id DESC LIMIT 1"
    static let anyConflict = "SELECT 1 FROM chronicle_conflict LIMIT 1"
    static let insertHeader = "INSERT INTO chronicle_change(what, key, detail, more) VALUES (?, ?, ?, ?)"
    static let findSource =
        "SELECT id FROM chronicle_source WHERE author IS ? AND context IS ? AND program IS ? AND process IS ?"
    static let insertSource = "INSERT INTO chronicle_source(author, context, program, process) VALUES (?, ?, ?, ?)"
}
