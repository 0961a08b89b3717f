import Foundation

/// How many cases there were of each operation and fault, and how they ended.
struct Totals {
    struct Numbers {
        var runs = 0
        /// Operations that threw an error.
        var threw = 0
        var lost = 0
        var invalid = 0

        static func += (left: inout Numbers, right: Numbers) {
            left.runs += right.runs
            left.threw += right.threw
            left.lost += right.lost
            left.invalid += right.invalid
        }
    }

    struct Key: Hashable {
        let operation: String
        let fault: String
    }

    private(set) var numbers: [Key: Numbers] = [:]

    init() {}

    /// Reads the lines of ``text``.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            let values = parts.dropFirst(2).compactMap { Int($0) }
            guard values.count == 4 else { continue }
            add(
                Numbers(runs: values[0], threw: values[1], lost: values[2], invalid: values[3]),
                Key(operation: parts[0], fault: parts[1]))
        }
    }

    var text: String {
        numbers.map { key, value in
            "\(key.operation) \(key.fault) \(value.runs) \(value.threw) \(value.lost) \(value.invalid)\n"
        }.sorted().joined()
    }

    mutating func add(_ value: Numbers, _ key: Key) { numbers[key, default: Numbers()] += value }

    mutating func add(_ other: Totals) { for (key, value) in other.numbers { add(value, key) } }

    var hasFailures: Bool { numbers.values.contains { $0.lost > 0 || $0.invalid > 0 } }

    private func sum(_ isIncluded: (Key) -> Bool) -> Numbers {
        numbers.reduce(into: Numbers()) { if isIncluded($1.key) { $0 += $1.value } }
    }

    /// The tables of operations and of faults, in Markdown.
    var tables: String {
        var lines = [
            "| operation | power failures | failing calls | of these, threw | kills | lost | invalid |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        func add(_ name: String, _ isIncluded: (Key) -> Bool) {
            let (power, kill) = (
                sum { isIncluded($0) && $0.fault == Job.power }, sum { isIncluded($0) && $0.fault == Job.kill }
            )
            let all = sum(isIncluded)
            if all.runs + all.invalid == 0 { return }
            let failing = sum { isIncluded($0) && $0.fault != Job.power && $0.fault != Job.kill }
            lines.append(
                "| \(name) | \(power.runs) | \(failing.runs) | \(failing.threw) | \(kill.runs) | \(all.lost) | \(all.invalid) |"
            )
        }
        for operation in Operation.all.map(\.name) { add(operation) { $0.operation == operation } }
        add("all") { _ in true }
        lines += ["", "| fault | runs | threw | lost | invalid |", "| --- | ---: | ---: | ---: | ---: |"]
        for fault in [Job.power, Job.kill] + FailingCall.all.map(\.name) {
            let all = sum { $0.fault == fault }
            if all.runs == 0 { continue }
            lines.append("| \(fault) | \(all.runs) | \(all.threw) | \(all.lost) | \(all.invalid) |")
        }
        return lines.joined(separator: "\n")
    }
}
