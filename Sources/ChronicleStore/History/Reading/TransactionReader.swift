import ChronicleCore
import ChronicleSQLite

/// Creates transactions with one forward scan for each range of positions. The changes of a transaction precede its header.
/// Must be used in one read transaction of its connection.
struct TransactionReader {
    let connection: Connection
    let catalog: HistoryCatalog
    private(set) var transactions: [DefaultHistoryTransaction] = []
    private var buffer = ChangeBuffer()
    private var changes: ChangeAssembly
    /// The positions of headers that follow deleted transactions; those of plain reads are found by the scan.
    private var followers: Set<Int64> = []
    /// `nil` until a transaction is read.
    private var hasMetadata: Bool?
    /// The sources are not kept for other reads, because a backup that is restored into the file gives the numbers of later
    /// sources to others.
    private var sources: [Int64: TransactionSource] = [SourceTable.external: .external]
    private var latest = (number: SourceTable.external, source: TransactionSource.external)

    init(_ connection: Connection, _ catalog: HistoryCatalog) throws {
        self.connection = connection
        self.catalog = catalog
        changes = try ChangeAssembly(connection, catalog)
    }

    /// Reads complete transactions and returns whether a limit was reached, so that there may be more.
    ///
    /// - Parameters:
    ///   - positions: Changes before the range are omitted, even if their transaction ends in it. The last position must be
    ///     a header or the end of the history.
    ///   - range: The range of the query, if the scan also looks for deleted transactions.
    ///   - changeLimit: The number of changes after which no more transactions are returned.
    ///   - largestTransaction: Reading ends before a transaction with more rows.
    @discardableResult
    mutating func read(
        _ positions: ClosedRange<Int64>, in range: HistoryRange? = nil, offset: Int = 0, limit: Int = .max,
        changeLimit: Int = .max, largestTransaction: Int = .max
    ) throws -> Bool {
        let statement = try connection.cached(Self.scan)
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        var (offset, limit, changeLimit) = (offset, limit, changeLimit)
        var expected = max(positions.lowerBound, (range?.start ?? 0) + 1)
        var followsDeletion = range.map { expected > $0.start + 1 } ?? false
        func take(_ header: HistoryHeader, _ reader: inout TransactionReader) throws {
            defer { reader.buffer.removeAll() }
            guard try reader.isComplete(header, from: positions.lowerBound) else { return }
            if offset > 0 {
                offset -= 1
            } else {
                let changes = try reader.changes.changes(reader.buffer, of: header.position)
                let transaction = try reader.transaction(header, changes, followsDeletion: followsDeletion)
                reader.transactions.append(transaction)
                followsDeletion = false
                limit -= 1
                changeLimit -= transaction.changes.count
            }
        }
        while limit > 0, changeLimit > 0, try statement.step() {
            let position = statement.int64(ChangeTable.Column.id)
            let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
            if position > expected, range != nil { followsDeletion = true }
            expected = max(expected, position &+ 1)
            if kind.isChange {
                if buffer.rowCount >= largestTransaction {
                    buffer.removeAll()
                    return true
                }
                try buffer.append(statement, position: position, kind: kind)
            } else if kind.isHeader {
                try take(HistoryHeader(statement), &self)
            } else if !buffer.isEmpty {
                throw SwiftDataError.damagedRow(.change(position), "the changes before it belong to no transaction")
            } else if let range, position > range.start, position <= range.floor {
                followsDeletion = true
            }
        }
        if limit > 0, changeLimit > 0, !buffer.isEmpty {
            try take(.ungrouped(buffer.first...buffer.last, connection), &self)
        }
        return limit <= 0 || changeLimit <= 0
    }

    /// Checks that all changes of a transaction from a position on were collected.
    private func isComplete(_ header: HistoryHeader, from position: Int64) throws -> Bool {
        let first = max(header.first, position)
        let isComplete =
            buffer.isEmpty ? first == header.last + 1 : buffer.first == first && buffer.last == header.last
        guard isComplete else {
            throw SwiftDataError.damagedRow(
                .change(header.position), "changes of the transaction are missing")
        }
        // A transaction without changes describes a change of the schema; see ``SchemaFollowing``. Otherwise, a read continued
        // after the last change.
        return !buffer.isEmpty || header.first == header.position
    }

    mutating func transaction(
        _ header: HistoryHeader, _ changes: [HistoryChange], followsDeletion: Bool = false
    ) throws -> DefaultHistoryTransaction {
        let hasMetadata = try self.hasMetadata ?? !MetadataTable.isEmpty(connection)
        self.hasMetadata = hasMetadata
        return header.transaction(
            changes, try source(of: header), followsDeletion: followsDeletion || followers.contains(header.position),
            metadata: hasMetadata ? try MetadataTable.metadata(at: header.position, connection) : [:],
            storeIdentifier: catalog.storeIdentifier)
    }

    mutating func markDeletions(before headers: [HistoryHeader], _ search: HeaderSearch) throws {
        followers = try search.followers(of: headers)
    }

    mutating func append(_ header: HistoryHeader) throws {
        transactions.append(try transaction(header, []))
    }

    private mutating func source(of header: HistoryHeader) throws -> TransactionSource {
        if latest.number == header.source { return latest.source }
        guard let found = try sources[header.source] ?? SourceTable.source(header.source, connection) else {
            throw SwiftDataError.damagedRow(.change(header.position), "its source is missing in \(SourceTable.name)")
        }
        sources[header.source] = found
        latest = (header.source, found)
        return found
    }

    private static let scan =
        "SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? ORDER BY id"
}
