import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Seals the history of a file or of a store in memory.
struct FileSealer: StoreSealer {
    let store: DefaultStore
    let sealer: HistorySealer
    let connection: Connection

    var storeIdentifier: String { store.identifier }

    /// Groups changes of other programs, and creates the tables and the record of the consumer. Returns the newest position.
    func begin() throws -> Int64 {
        try sealer.observe(.begin)
        return try connection.immediate {
            // The program may have given tables other keys, which the history numbers then.
            if store.isTracked { try SchemaFollowing(connection).run() }
            try store.recorder.groupExternalChanges(connection, resolvesConflicts: true)
            if try !SealTables.exist(connection) { try SealTables.create(connection) }
            if try !ConsumerTable.exists(connection) { try ConsumerTable.create(connection) }
            try updateRecord(connection) { _ in }
            if store.isTracked { try SchemaFollowing(connection).finish() }
            // Throws if another program disabled the history.
            return try HistoryPositions(connection).newest()?.position ?? 0
        }
    }

    func withReadTransaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try connection.deferredRead { try body(connection) }
    }

    func withWriteTransaction<Result>(
        _ step: HistorySealer.Step, _ body: (Connection) throws -> Result
    ) throws -> Result {
        let result =
            try step == .end
            ? store.commitDurably(connection) { try body(connection) } : connection.immediate { try body(connection) }
        store.copyLog(of: connection, isLast: step == .end)
        return result
    }

    func seals(_ connection: Connection) -> SealTable { SealTable(connection) }

    func events(_ connection: Connection) -> EventTable { EventTable(connection) }

    func catalog(_ connection: Connection) throws -> [UInt8] { try SealedCatalog(connection).bytes }

    func makeBatch(after position: Int64, _ connection: Connection) throws -> SealBatch {
        try SealBatch(after: position, sealer.hashing, connection)
    }

    private func consumers(_ connection: Connection) -> ConsumerTable {
        ConsumerTable(connection, storeIdentifier: storeIdentifier)
    }

    func record(_ connection: Connection) throws -> SealerRecord? {
        try consumers(connection).record(named: HistorySeal.consumerName)?.record
    }

    func changeRecord(_ connection: Connection, _ change: (inout SealerRecord?) throws -> Void) throws {
        try consumers(connection).update(named: HistorySeal.consumerName, change)
    }
}
