import Chronicle
import Foundation

/// An open journal: the file and its content. The caller ensures exclusive access in the process; file locks coordinate
/// processes.
struct Journal: Sendable {
    let identifier: String
    var state: JournalState
    let configuration: JournalStoreConfiguration
    let schema: Schema
    /// The path of the file, without symbolic links.
    let path: String
    var file: JournalFile
    private(set) var header: JournalHeader
    /// Whether ``state`` is that of a file that has been replaced.
    private var isAnother = false

    var salt: UInt32 { header.salt }

    /// Opens a journal, or creates one if there is no file or an empty file.
    init(_ configuration: JournalStoreConfiguration, _ schema: Schema) throws {
        (self.configuration, self.schema) = (configuration, schema)
        file = try JournalFile(configuration.url.path, creates: true)
        path = try JournalFile.resolvingLinks(configuration.url.path)
        header = JournalHeader(identifier: UUID())
        try Self.lock(&file, at: path, .exclusive, configuration, &isAnother)
        if try file.size == 0 {
            let state = JournalState(schema, storeIdentifier: "")
            try Self.replace(&file, at: path, header, state, copying: nil)
        }
        header = try JournalHeader(file.read(at: 0, count: JournalHeader.size))
        // The file that a killed compaction left. No other process uses it, because it would have the lock.
        unlink(path + ".new")
        identifier = header.identifier.uuidString
        isAnother = false
        state = JournalState(schema, storeIdentifier: identifier)
        defer { file.unlock() }
        try catchUp(isWriter: true)
        try state.tables.check()
    }

    // MARK: Locking

    /// Runs `body`, which reads everything that any process has saved before.
    mutating func read<Result>(_ body: (inout Journal) throws -> Result) throws -> Result {
        // Usually nothing was written in the meantime, which can be checked without a lock.
        if !isAnother, try file.isInPlace(path), try file.size == state.end, state.hasBase { return try body(&self) }
        return try locked(.shared) { journal in
            try journal.catchUp(isWriter: false)
            return try body(&journal)
        }
    }

    /// Runs `body` with exclusive access, after reading everything that any process has saved before.
    mutating func write<Result>(_ body: (inout Journal) throws -> Result) throws -> Result {
        try locked(.exclusive) { journal in
            try journal.catchUp(isWriter: true)
            return try body(&journal)
        }
    }

    private mutating func locked<Result>(
        _ lock: JournalFile.Lock, _ body: (inout Journal) throws -> Result
    ) throws -> Result {
        try Self.lock(&file, at: path, lock, configuration, &isAnother)
        defer { file.unlock() }
        if isAnother { try startOver() }
        return try body(&self)
    }

    /// Locks the file that is currently at the path.
    ///
    /// - Parameter isAnother: Becomes true if it is not the same file as before.
    private static func lock(
        _ file: inout JournalFile, at path: String, _ lock: JournalFile.Lock,
        _ configuration: JournalStoreConfiguration, _ isAnother: inout Bool
    ) throws {
        while true {
            try file.lock(lock, for: configuration.busyTimeout)
            do {
                if try file.isInPlace(path) { return }
            } catch {
                file.unlock()
                throw error
            }
            // Closing the replaced file releases its lock.
            file = try JournalFile(path, creates: false)
            isAnother = true
        }
    }

    // MARK: Reading new records

    mutating func catchUp(isWriter: Bool) throws {
        // A file that became shorter has lost transactions.
        if try file.size < state.end { try startOver() }
        do {
            var scanner = try RecordScanner(file, from: state.end, salt: salt)
            while let record = try scanner.next(after: state.history.newest.number) { try state.apply(record) }
            guard state.hasBase else {
                throw SwiftDataError.damagedFile.with(detail: "the journal ends before all of its first rows")
            }
            if isWriter, scanner.isTorn { try file.truncate(to: state.end) }
        } catch {
            // A part of a record may have been applied to the rows, so the next access reads the file from the start.
            state = JournalState(schema, storeIdentifier: identifier)
            throw error
        }
    }

    mutating func startOver() throws {
        header = try JournalHeader(file.read(at: 0, count: JournalHeader.size))
        guard header.identifier.uuidString == identifier else {
            throw SwiftDataError.storeFailure.with(
                detail: "another journal was put in its place; open the store again")
        }
        state = JournalState(schema, storeIdentifier: identifier)
        isAnother = false
    }

    /// Reads a transaction again.
    mutating func transaction(_ number: Int) throws -> JournalTransaction {
        let offset = state.history.offset(of: number)
        let end = number < state.history.newest.number ? state.history.offset(of: number + 1) : state.end
        let bytes = try file.read(at: offset, count: end - offset)
        let maker = TransactionMaker(schema: schema, storeIdentifier: identifier)
        do {
            guard let record = JournalRecord(bytes, at: 0, salt: salt) else { throw RecordReader.MalformedRecord() }
            return try state.withTables { try maker.transaction(record, &$0) }
        } catch is RecordReader.MalformedRecord {
            throw SwiftDataError.damagedFile.with(
                detail: "the record at byte \(offset) has changed since it was read")
        }
    }
}
