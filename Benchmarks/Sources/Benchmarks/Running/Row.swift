/// A row of the table.
struct Row {
    let name: String
    let limit: Limit
    /// The number of runs without `--runs`.
    let runs: Int
    let measure: (_ runs: Int) throws -> Outcome

    /// The limit of a row.
    enum Limit {
        /// A maximum ratio to the baseline: the C API, a shorter history, fewer models, or a context without changes.
        case ratio(Double)
        case time(Duration)
        /// A minimum number of changes per second.
        case rate(Double)
        case bytes(Double)
    }

    /// The result of a measurement: a duration or a number of bytes.
    struct Outcome {
        enum Median {
            case time(Duration)
            case rate(Double)
            case bytes(Double)
        }
        let median: Median
        var ratio: Double?
    }
}

extension Row {
    /// Runs the measurement and formats its result.
    ///
    /// - Returns: The line, and whether the result is within the limit.
    func line(runs: Int?) throws -> (text: String, isOver: Bool) {
        let outcome = try measure(runs ?? self.runs)
        let isOver =
            switch (limit, outcome.median) {
            case (.ratio(let limit), _): outcome.ratio.map { $0 > limit } ?? true
            case (.time(let limit), .time(let median)): median > limit
            case (.rate(let limit), .rate(let median)): median < limit
            case (.bytes(let limit), .bytes(let median)): median > limit
            default: true
            }
        let columns = [
            name, outcome.median.text, outcome.ratio.map { $0.fixed(2) } ?? "-", limit.text, isOver ? "over" : "ok",
        ]
        return (columns.joined(separator: "\t"), isOver)
    }
}

extension Row.Limit {
    var text: String {
        switch self {
        case .ratio(let ratio): ratio.fixed(2)
        case .time(let time): Row.Outcome.Median.time(time).text
        case .rate(let rate): Row.Outcome.Median.rate(rate).text
        case .bytes(let bytes): Row.Outcome.Median.bytes(bytes).text
        }
    }
}

extension Row.Outcome.Median {
    var text: String {
        switch self {
        case .time(let time) where time.seconds < 1e-6: "\((time.seconds * 1e9).fixed(1)) ns"
        case .time(let time):
            time.seconds < 0.001 ? "\((time.seconds * 1e6).fixed(1)) µs" : "\((time.seconds * 1e3).fixed(2)) ms"
        case .rate(let rate): "\((rate / 1e6).fixed(2)) M/s"
        case .bytes(let bytes): bytes < 10_000 ? "\(bytes.fixed(1)) B" : "\((bytes / 1_048_576).fixed(1)) MiB"
        }
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

extension Double {
    /// Formats a number with the given number of decimals.
    func fixed(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((self * scale).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int(scale))
        return "\(whole).\(String(repeating: "0", count: digits - String(rest).count))\(rest)"
    }
}
