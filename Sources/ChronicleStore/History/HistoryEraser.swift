public import ChronicleCore
import ChronicleSQLite

extension DefaultStore {
    /// Deletes the transactions that match, each as a whole. The models are not touched, and nothing records it.
    ///
    /// Tokens from before the newest deleted transaction expire; the token of that transaction, and later ones, stay good.
    /// With a limit, the first that match are deleted, in the order of the descriptor. What other programs wrote up to now
    /// is sealed first. When nothing matches, no token expires.
    ///
    /// The file does not become smaller; the room is used for what comes next. What was deleted is overwritten with zeros; the
    /// log keeps copies until a checkpoint, see the guide *History*.
    ///
    /// - Throws: The family of ``SwiftDataError/historyTokenExpired`` for a token in the predicate that is not of this
    ///   store's past, ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/storeReadOnly``,
    ///   ``SwiftDataError/storeBusy``, ``SwiftDataError/historyDisabled``, ``SwiftDataError/damagedFile``. After an error
    ///   nothing was deleted.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeReadOnly.with(storeIdentifier: identifier)
        }
        try requireHistory()
        let query = try HistoryQuery(descriptor, self)
        try naming {
            try database.write { connection in
                try connection.immediate {
                    // First of all, whether there is a history that can be gone on with.
                    _ = try HistoryFacts(connection).facts(at: 0)
                    try HeaderWriter(self, connection).sealForeignChanges()
                    try HistoryFacts(connection).checkUpperBounds(query, storeIdentifier: identifier)
                    let range = try HistoryRange(query, storeIdentifier: identifier, connection)
                    var eraser = try HistoryEraser(connection)
                    try eraser.erase(HeaderSearch(query: query, range: range, connection: connection))
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
    private let connection: Connection
    /// The newest row of the stream, a header.
    private let newest: Int64
    /// The highest position that was deleted so far.
    private var highest: (position: Int64, check: Int64)?

    init(_ connection: Connection) throws {
        self.connection = connection
        newest = try HistoryFacts(connection).newest()?.position ?? 0
    }

    mutating func erase(_ search: HeaderSearch) throws {
        var search = search
        if let beginning = try search.beginning() {
            if let last = beginning.last {
                try delete(HistoryPosition.range(from: 1, through: last.position), last.check)
            }
            guard let next = beginning.next else { return try raiseFloor() }
            search.range.skip(next)
        }
        for (range, check) in try ranges(search.headers()) { try delete(range, check) }
        try raiseFloor()
    }

    /// The rows of the transactions, and void headers before them, as few ranges, each with the check value of its last.
    private func ranges(_ headers: [HistoryHeader]) throws -> [(ClosedRange<Int64>, check: Int64)] {
        var ranges: [(ClosedRange<Int64>, check: Int64)] = []
        for header in headers.sorted(by: { $0.position < $1.position }) {
            // Only changes that no header follows have no check value, and there are none: they were sealed.
            guard let check = header.check else { continue }
            var first = header.first
            if ranges.last?.0.upperBound != first - 1 {
                first = try lastKept(before: first) + 1
            }
            // What lies between is void or gone: the range before goes on in this one.
            if let last = ranges.last, last.0.upperBound >= first - 1 {
                first = last.0.lowerBound
                ranges.removeLast()
            }
            ranges.append((try HistoryPosition.range(from: first, through: header.position), check))
        }
        return ranges
    }

    /// The last row before a position that is not void; 0 when there is none.
    private func lastKept(before position: Int64) throws -> Int64 {
        let statement = try connection.cached(Self.selectKeptBefore)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? statement.position(0) : 0
    }

    private mutating func delete(_ positions: ClosedRange<Int64>, _ check: Int64) throws {
        let last = positions.upperBound
        let statement = try connection.cached("DELETE FROM chronicle_change WHERE id BETWEEN ? AND ?")
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(last == newest ? last - 1 : last, at: 2)
        try statement.run()
        if last == newest { try makeVoid(last) }
        if last > highest?.position ?? 0 { highest = (last, check) }
    }

    private func makeVoid(_ position: Int64) throws {
        let statement = try connection.cached(
            "UPDATE chronicle_change SET what = 0, key = NULL, more = NULL WHERE id = ?")
        try statement.bind(position, at: 1)
        try statement.run()
    }

    private func raiseFloor() throws {
        guard let highest, try MetaTable.position(.floor, connection) ?? 0 < highest.position else { return }
        try MetaTable.set(.floor, highest.position, connection)
        try MetaTable.set(.floorCheck, highest.check, connection)
    }

    private static let selectKeptBefore =
        "SELECT id FROM chronicle_change WHERE id < ? AND what <> 0 ORDER BY id DESC LIMIT 1"
}
