public import ChronicleCore
import ChronicleSQLite

extension DefaultStore {
    /// Deletes the transactions that match, each as a whole. The models are not touched, and nothing records it.
    ///
    /// Tokens from before the newest deleted transaction expire; the token of that transaction, and later ones, stay good.
    /// With a limit, the first that match are deleted, in the order of the descriptor. What other programs wrote up to now
    /// is sealed first. When nothing matches, no token expires.
    ///
    /// The file does not become smaller; the room is used for what comes next.
    ///
    /// - Throws: The family of ``SwiftDataError/historyTokenExpired`` for a token in the predicate that is not of this
    ///   store's past, ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/storeIsReadOnly``,
    ///   ``SwiftDataError/storeIsBusy``, ``SwiftDataError/historyIsOff``. After an error nothing was deleted.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeIsReadOnly.adding(storeIdentifier: identifier)
        }
        try requireHistory()
        let query = try HistoryQuery(descriptor, self)
        try naming {
            try database.write { connection in
                try connection.immediate {
                    try HeaderWriter(self, connection).sealForeignChanges()
                    try HistoryFacts(connection).checkUpperBounds(query, storeIdentifier: identifier)
                    let range = try HistoryRange(query, storeIdentifier: identifier, connection)
                    let search = HeaderSearch(query: query, range: range, connection: connection)
                    try HistoryEraser(connection).erase(search.headers())
                }
            }
        }
    }
}

/// Deletes transactions, inside of a write transaction.
///
/// Neighbours go together: a beginning of the history is one range of the table. The newest row stays, since SQLite would
/// give its number again; it becomes a void header, which keeps its check value and stands for nothing.
struct HistoryEraser {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func erase(_ headers: [HistoryHeader]) throws {
        guard let newest = try HistoryFacts(connection).newest()?.position,
            let last = headers.max(by: { $0.position < $1.position })
        else { return }
        for range in try ranges(headers) {
            // A range never goes beyond the newest row, and reaches it at most once.
            try delete(range.lowerBound...(range.upperBound == newest ? newest - 1 : range.upperBound))
            if range.upperBound == newest { try makeVoid(newest) }
        }
        try raiseFloor(to: last)
    }

    /// The rows of the transactions, and void headers before them, as few ranges.
    private func ranges(_ headers: [HistoryHeader]) throws -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for header in headers.sorted(by: { $0.position < $1.position }) {
            if let last = ranges.last, header.first == last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...header.position
            } else {
                let kept = try connection.scalarInt64(Self.selectKeptBefore) { try $0.bind(header.first, at: 1) } ?? 0
                // What lies between is void or gone: the range before goes on in this one.
                if let last = ranges.last, last.upperBound >= kept {
                    ranges[ranges.count - 1] = last.lowerBound...header.position
                } else {
                    ranges.append(kept + 1...header.position)
                }
            }
        }
        return ranges
    }

    private func delete(_ positions: ClosedRange<Int64>) throws {
        let statement = try connection.cached("DELETE FROM chronicle_change WHERE id BETWEEN ? AND ?")
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        try statement.run()
    }

    private func makeVoid(_ position: Int64) throws {
        let statement = try connection.cached(
            "UPDATE chronicle_change SET what = 0, key = NULL, more = NULL WHERE id = ?")
        try statement.bind(position, at: 1)
        try statement.run()
    }

    private func raiseFloor(to header: HistoryHeader) throws {
        guard let check = header.check, try MetaTable.integer(.floor, connection) ?? 0 < header.position else { return }
        try MetaTable.set(.floor, header.position, connection)
        try MetaTable.set(.floorCheck, check, connection)
    }

    private static let selectKeptBefore =
        "SELECT id FROM chronicle_change WHERE id < ? AND what <> 0 ORDER BY id DESC LIMIT 1"
}
