import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// What must always be true of the tables that describe the headers of the history.
struct HistoryInvariants {
    private struct Range {
        let first, last, sources, transactions: Int64
        let dates: ClosedRange<Double>?
        var isOpen: Bool { last == SummaryTable.open }
    }

    private struct Header {
        let position, source, first: Int64
        let timestamp: Double
    }

    private let ranges: [Range]
    private let headers: [Header]
    private let rows: Set<Int64>
    /// The position of the newest transaction of each source outside of the open range.
    private let sources: [Int64: Int64]
    private let metadata: Set<Int64>
    private let floor: Int64

    init(_ connection: Connection) throws {
        func all<Row>(_ sql: String, _ row: (Statement) throws -> Row) throws -> [Row] {
            let statement = try connection.prepare(sql)
            var rows: [Row] = []
            while try statement.step() { rows.append(try row(statement)) }
            return rows
        }
        ranges = try all(
            "SELECT first, last, sources, transactions, earliest, latest FROM chronicle_summary ORDER BY first"
        ) {
            Range(
                first: $0.int64(0), last: $0.int64(1), sources: $0.int64(2), transactions: $0.int64(3),
                dates: $0.isNull(4) || $0.isNull(5) ? nil : $0.double(4)...$0.double(5))
        }
        headers = try all(
            "SELECT id, -kind, old_value, primary_key FROM chronicle_change WHERE kind < 0 ORDER BY id"
        ) { Header(position: $0.int64(0), source: $0.int64(1), first: $0.int64(2), timestamp: $0.double(3)) }
        rows = Set(try all("SELECT id FROM chronicle_change WHERE kind <= 0") { $0.int64(0) })
        sources = Dictionary(
            uniqueKeysWithValues: try all("SELECT id, newest FROM chronicle_source") { ($0.int64(0), $0.int64(1)) })
        metadata = Set(try all("SELECT position FROM chronicle_metadata") { $0.int64(0) })
        floor = try MetaTable.position(.floor, connection) ?? 0
    }

    /// Descriptions of everything that is wrong.
    var failures: [String] {
        var failures: [String] = []
        func require(_ condition: Bool, _ description: @autoclosure () -> String) {
            if !condition { failures.append(description()) }
        }
        require(ranges.filter(\.isOpen).count == 1 && ranges.last?.isOpen == true, "the last range is not open")
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            require(range.first <= range.last && range.last < next.first, "\(range) overlaps \(next)")
            let count = headers.count { $0.position >= range.first && $0.position < next.first }
            let stated = next.transactions - range.transactions
            require(
                range.first > floor ? stated == count : stated >= count, "\(range) and \(next) contain \(count) headers"
            )
        }
        for header in headers {
            let containing = ranges.filter { $0.first <= header.position && header.position <= $0.last }
            require(containing.count == 1, "\(header) is in \(containing.count) ranges")
            require(sources[header.source] != nil, "\(header) has no source")
            for range in containing {
                require(
                    range.isOpen || sources[header.source] ?? 0 >= header.position, "the source is older than \(header)"
                )
                require(range.sources & SummaryTable.bit(ofSource: header.source) != 0, "\(header) is not in \(range)")
                require(range.isOpen || range.dates?.contains(header.timestamp) == true, "\(header): date in \(range)")
            }
        }
        require(sources[SourceTable.external] != nil, "the source of external transactions is missing")
        require(metadata.isSubset(of: headers.map(\.position)), "metadata without a transaction")
        return failures
    }
}

extension TestStore {
    /// Descriptions of everything that is wrong with the tables of the history.
    func historyFailures() throws -> [String] {
        try database.write { connection in try connection.deferredRead { try HistoryInvariants(connection).failures } }
    }
}
