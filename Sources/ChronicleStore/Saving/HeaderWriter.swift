import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

/// Must be used in the writer's IMMEDIATE transaction.
struct HeaderWriter {
    /// The header of a transaction. A class, because every save passes it on several times.
    final class Header: Sendable {
        let position: Int64
        let checkValue: Int64
        let source: TransactionSource
        let sourceNumber: Int64

        fileprivate init(position: Int64, checkValue: Int64, source: TransactionSource, sourceNumber: Int64) {
            self.position = position
            self.checkValue = checkValue
            self.source = source
            self.sourceNumber = sourceNumber
        }

        func token(storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue)
        }
    }

    let connection: Connection
    /// `nil` if no store saves with the connection.
    private let recorder: HistoryRecorder?
    /// Whether the header of the latest transaction is the newest row, so that nothing else has changed the history since.
    /// A position does not determine a header: a backup may have been restored, and another program may have written.
    private(set) var isUnchanged = false

    init(_ connection: Connection, _ recorder: HistoryRecorder? = nil) {
        (self.connection, self.recorder) = (connection, recorder)
    }

    /// Groups the changes of other programs since the last header as an external transaction; returns the first free
    /// position. `resolvesConflicts` records replaced rows for which no trigger ran even without such changes.
    @discardableResult
    mutating func groupExternalChanges(resolvesConflicts: Bool = false) throws -> Int64 {
        if resolvesConflicts { try resolveConflicts() }
        if let recorder, let header = recorder.newestHeader(connection) {
            isUnchanged = true
            try recorder.enableTriggersOnHistory(connection)
            return header.position + 1
        }
        let last = try recorder?.newestRow(connection) ?? connection.cached(ChangeTable.selectNewest)
        defer { last.reset() }
        let hasChanges = try last.step()
        try recorder?.enableTriggersOnHistory(connection)
        guard hasChanges else { return 1 }
        let position = try last.position(0)
        let kind = try last.kind(1, at: position)
        let latest = recorder?.latestHeader
        isUnchanged =
            kind.isHeader && position == latest?.position && !last.isNull(2) && last.int64(2) == latest?.checkValue
        guard kind.isChange else { return position + 1 }
        if !resolvesConflicts { try resolveConflicts() }
        return try Self.groupExternalChanges(from: newestHeader() + 1, connection) + 1
    }

    static func groupExternalChanges(from first: Int64, _ connection: Connection) throws -> Int64 {
        let date = try PendingTransaction.started(connection) ?? Date()
        let header = ChangeTable.Header(
            source: SourceTable.external, timestamp: date.timeIntervalSinceReferenceDate,
            checkValue: CheckValues.next(), first: first, process: nil)
        try insert(header, connection)
        let position = connection.lastInsertRowID
        try SummaryTable.add(header, at: position, connection)
        try PendingTransaction.end(from: first, through: position, connection)
        return position
    }

    private func newestHeader() throws -> Int64 {
        let statement = try connection.cached(ChangeTable.selectNewestHeader)
        defer { statement.reset() }
        return try statement.step() ? statement.position(0) : 0
    }

    /// Records deletes by a REPLACE of another program, which are rare.
    private func resolveConflicts() throws {
        guard try connection.scalarInt64("SELECT 1 FROM chronicle_conflict LIMIT 1") != nil else { return }
        // From the file, because another process may have added entities since the store was opened.
        let isTracked = try FileFormat.isTracked(connection)
        for entity in try EntityRegistry(connection).entities() where !entity.isSubentity {
            var table = RecordedTable(entityID: entity.number, name: entity.name, columns: [], uniqueness: [])
            if isTracked {
                // Its program may have dropped the table, or given it another primary key.
                guard let name = entity.tableName, let present = try TrackedTable(name, connection),
                    try !TableTracking(connection).hasOtherKeys(entity, present)
                else { continue }
                table = present.recordedTable(entity)
            }
            for statement in RecorderSQL.resolveConflicts(of: table) { try connection.execute(statement) }
        }
    }

    /// Returns `nil` if the file contains no changes from `first` on. `isChange` states that there is one, so that the file
    /// need not be read to find out.
    func write(_ state: EditingState, from first: Int64, isChange: Bool) throws -> Header? {
        if !isChange {
            let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition)
            guard let newest, newest >= first else { return nil }
        }
        return try write(state, from: first) { try Self.insert($0, connection) }
    }

    /// - Parameter insert: Inserts the row of the header, after the changes that are not in the file yet.
    func write(
        _ state: EditingState, from first: Int64, _ insert: (ChangeTable.Header) throws -> Void
    ) throws -> Header {
        let source = TransactionSource(state)
        let header = ChangeTable.Header(
            source: try number(of: source), timestamp: Date().timeIntervalSinceReferenceDate,
            checkValue: CheckValues.next(), first: first, process: Self.process)
        try insert(header)
        let position = connection.lastInsertRowID
        try SummaryTable.add(header, at: position, connection, recorder: recorder)
        if !state.metadata.isEmpty { try MetadataTable.insert(state.metadata, at: position, connection) }
        return Header(
            position: position, checkValue: header.checkValue, source: source, sourceNumber: header.source)
    }

    private static let process = Int64(ProcessInfo.processInfo.processIdentifier)

    /// Does not read the file if the newest row is the header of the latest transaction and has the same source, which then
    /// exists. Another program may have deleted other sources.
    private func number(of source: TransactionSource) throws -> Int64 {
        if isUnchanged, let latest = recorder?.latestHeader, latest.source == source { return latest.sourceNumber }
        return try SourceTable.number(of: source, connection)
    }

    private static func insert(_ header: ChangeTable.Header, _ connection: Connection) throws {
        let statement = try connection.cached(ChangeTable.insertRow)
        try header.bind(to: statement)
        try statement.run()
    }

    static func insertVoid(_ connection: Connection) throws -> Int64 {
        let statement = try connection.cached("INSERT INTO \(ChangeTable.name)(kind, attributes) VALUES (?, ?)")
        try statement.bind(ChangeTable.Kind.void.rawValue, at: 1)
        try statement.bind(CheckValues.next(), at: 2)
        try statement.run()
        return connection.lastInsertRowID
    }
}

/// Random numbers that distinguish transactions at the same position of a replaced history. Only the seed comes from the
/// system's generator, which saves a system call for each save (SplitMix64, https://prng.di.unimi.it/splitmix64.c).
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
