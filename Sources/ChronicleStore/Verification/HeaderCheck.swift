import ChronicleCore
import ChronicleSQLite

struct HeaderCheck {
    private let verifier: StoreVerifier
    private let properties: MetaCheck.Properties
    private var ranges: [Range] = []
    private var index = 0
    private var sources: [Int64: Source] = [:]
    private var open = Int64.max

    private struct Range {
        let first, last, sources, transactions: Int64
        let dates: ClosedRange<Double>?
        var count: Int64 = 0

        var isOpen: Bool { last == SummaryTable.open }
    }

    private struct Source {
        let newest: Int64?
        var found: Int64 = 0
    }

    init(_ verifier: StoreVerifier, _ properties: MetaCheck.Properties) throws {
        (self.verifier, self.properties) = (verifier, properties)
        try readRanges()
        try readSources()
    }

    // MARK: Summaries

    private mutating func readRanges() throws {
        var ranges: [Range] = []
        try verifier.forEachRow(
            "SELECT first, last, sources, transactions, earliest, latest FROM \(SummaryTable.name) ORDER BY first"
        ) { statement in
            let dates: ClosedRange<Double>? =
                statement.isNull(4) || statement.isNull(5) || !(statement.double(4) <= statement.double(5))
                ? nil : statement.double(4)...statement.double(5)
            ranges.append(
                Range(
                    first: statement.int64(0), last: statement.int64(1), sources: statement.int64(2),
                    transactions: statement.int64(3), dates: dates))
        }
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            if range.last < range.first || range.last >= next.first {
                try report(range, "the range overlaps the next one")
            } else if range.dates == nil {
                try report(range, "the range has no timestamps")
            }
        }
        guard let last = ranges.last, last.isOpen else {
            return try verifier.report(.summary, SummaryTable.name, detail: "the last range is not open")
        }
        if last.sources != -1 || last.dates != nil { try report(last, "the open range has sources or timestamps") }
        (self.ranges, open) = (ranges, last.first)
    }

    private mutating func add(_ position: Int64, _ source: Int64, _ timestamp: Double) throws {
        while index < ranges.count, ranges[index].last < position { index += 1 }
        guard index < ranges.count, ranges[index].first <= position else {
            if !ranges.isEmpty { try verifier.report(.summary, at: position, "the transaction is in no range") }
            return
        }
        ranges[index].count += 1
        let range = ranges[index]
        if range.sources & SummaryTable.bit(ofSource: source) == 0 {
            try report(range, "the range does not contain the source of the transaction at \(position)")
        }
        if !range.isOpen, range.dates?.contains(timestamp) == false {
            try report(range, "the timestamps do not include that of the transaction at \(position)")
        }
    }

    private func report(_ range: Range, _ detail: String) throws {
        try verifier.report(.summary, SummaryTable.name, range.first, detail: detail)
    }

    // MARK: Sources

    private mutating func readSources() throws {
        var sources: [Int64: Source] = [:]
        try verifier.forEachRow(
            "SELECT id, newest, typeof(author), typeof(context), typeof(program) FROM \(SourceTable.name)"
        ) { statement in
            let number = statement.int64(0)
            sources[number] = Source(newest: statement.isNull(1) ? nil : statement.int64(1))
            if (2...4).contains(where: { !["text", "null"].contains(statement.text($0)) }) {
                try verifier.report(.source, SourceTable.name, number, detail: "the author or a name is not text")
            }
            if !statement.isNull(1), !statement.isInteger(1) || statement.int64(1) > properties.newest {
                try verifier.report(
                    .source, SourceTable.name, number, detail: "the newest position is after that of the history")
            }
        }
        if sources[SourceTable.external] == nil {
            try verifier.report(
                .source, SourceTable.name, SourceTable.external, detail: "the source of other programs is missing")
        }
        self.sources = sources
    }

    // MARK: Headers

    /// `firstChange` is the first change since the previous header.
    mutating func check(
        _ statement: Statement, _ position: Int64, _ kind: ChangeTable.Kind, firstChange: Int64?
    ) throws {
        func report(_ detail: String) throws { try verifier.report(.header, at: position, detail) }
        var timestamp: Double?
        switch statement.storageClass(ChangeTable.Column.timestamp) {
        case .integer, .real:
            let seconds = statement.double(ChangeTable.Column.timestamp)
            if seconds.isFinite { timestamp = seconds } else { try report("the timestamp is not finite") }
        case .text, .blob, .null: try report("the timestamp is not a number")
        }
        if !statement.isInteger(ChangeTable.Column.checkValue) { try report("the check value is not an integer") }
        if case .blob = statement.storageClass(ChangeTable.Column.process) { try report("the process is not a number") }
        if case .real = statement.storageClass(ChangeTable.Column.process) { try report("the process is not a number") }
        let first = statement.int64(ChangeTable.Column.first)
        if !statement.isInteger(ChangeTable.Column.first) || first != firstChange ?? position {
            try report("the transaction does not begin at its first change")
        }
        if sources[kind.source] == nil {
            try verifier.report(.source, at: position, "the source \(kind.source) of the transaction is missing")
        } else if position < open {
            sources[kind.source]?.found = position
        }
        if let timestamp { try add(position, kind.source, timestamp) }
        try checkFloor(statement, position)
    }

    func checkVoid(_ statement: Statement, _ position: Int64) throws {
        let others = [ChangeTable.Column.timestamp, ChangeTable.Column.first, ChangeTable.Column.process]
        if !statement.isInteger(ChangeTable.Column.checkValue) || others.contains(where: { !statement.isNull($0) }) {
            try verifier.report(.header, at: position, "the header of a deleted transaction has other values")
        }
        try checkFloor(statement, position)
    }

    private func checkFloor(_ statement: Statement, _ position: Int64) throws {
        guard position == properties.floor, let expected = properties.floorCheckValue,
            statement.isInteger(ChangeTable.Column.checkValue),
            statement.int64(ChangeTable.Column.checkValue) != expected
        else { return }
        try verifier.report(
            .property, "chronicle_meta", detail: "floorCheck: the value differs from that of the row at \(position)")
    }

    func finish() throws {
        for (range, next) in zip(ranges, ranges.dropFirst()) {
            let stated = next.transactions.subtractingReportingOverflow(range.transactions)
            let isComplete = range.first > properties.floor
            if stated.overflow || (isComplete ? stated.partialValue != range.count : stated.partialValue < range.count)
            {
                try report(range, "the range contains \(range.count) transactions, which its number contradicts")
            }
        }
        if let first = ranges.first, properties.floor == 0, first.transactions != 0 {
            try report(first, "the number of transactions before the first range is not 0")
        }
        for (number, source) in sources.sorted(by: { $0.key < $1.key }) where source.found > source.newest ?? 0 {
            try verifier.report(
                .source, SourceTable.name, number, detail: "the newest position is before that of a transaction")
        }
    }
}
