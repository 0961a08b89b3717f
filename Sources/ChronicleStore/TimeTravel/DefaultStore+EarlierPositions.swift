public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Returns a store with the rows as they were at a position.
    ///
    /// It reads the file with a separate connection, keeps the rows that have changed since the position in temporary
    /// tables, and combines them with the present rows in each query.
    ///
    /// - Complexity: O(1). The first read takes time and memory proportional to the changes after the position, later ones
    ///   to the changes since the previous read, in addition to the same read of the present rows.
    public func store(asOf token: DefaultHistoryToken) throws -> any DataStore {
        let present = past?.present ?? self
        let position = try present.readingHistory { connection in
            try HistoryPositions(connection).checkedPosition(token, storeIdentifier: identifier)
        }
        let past = PastRows(present, position, checkValue: token.checkValue(in: identifier))
        return DefaultStore(past, try attributingErrors { try present.databaseOfPastRows() })
    }

    func databaseOfPastRows() throws -> Database {
        if configuration.isStoredInMemoryOnly { return Database(sharingWriterOf: database) }
        let configuration = configuration
        return try Database(
            singleReaderAt: database.path, busyTimeout: configuration.busyTimeout,
            interruption: Interruption { ReadCancellation.isCancelled }
        ) { try StoreOpener.prepare($0, configuration.durability, path: configuration.url.path) }
    }

    /// Returns the token of the last transaction before the first one with a later timestamp.
    ///
    /// - Complexity: Proportional to the number of transactions, most of which are not visited.
    public func historyToken(asOf date: Date) throws -> DefaultHistoryToken {
        var later = HistoryDescriptor<DefaultHistoryTransaction>.after(date)
        later.fetchLimit = 1
        return try reading(later) { query, range, connection in
            let search = HeaderSearch(query: query, range: range, connection: connection)
            let first = try search.headers().first
            let positions = HistoryPositions(connection)
            let position = try first.map { $0.first - 1 } ?? positions.newest()?.position ?? 0
            return try positions.facts(at: position).token(
                asOf: date, position: position, hasLaterTransactions: first != nil,
                isTracked: isTracked, MetaTable(connection), storeIdentifier: identifier)
        }
    }
}
