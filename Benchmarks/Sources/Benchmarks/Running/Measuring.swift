import Foundation

/// How long something takes.
func timed(_ work: () throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try work()
    return clock.now - start
}

extension Array where Element: Comparable {
    /// The element in the middle, the lower one of two.
    var median: Element { sorted()[(count - 1) / 2] }
}

/// Does two kinds of work in turns, so that what else the machine does meets both alike, and compares each run with its
/// neighbour.
///
/// - Returns: The median time of `second`, and the median of its ratios to `first`.
func compare(
    runs: Int, _ first: (_ directory: URL) throws -> Duration, _ second: (_ directory: URL) throws -> Duration
) throws -> Row.Outcome {
    var times: [Duration] = []
    var ratios: [Double] = []
    // The first round warms up: code, allocator, file system.
    for run in 0...max(runs, 1) {
        let plain = try withTemporaryDirectory(first)
        let other = try withTemporaryDirectory(second)
        guard run > 0 else { continue }
        times.append(other)
        ratios.append(other / plain)
    }
    return Row.Outcome(median: .time(times.median), ratio: ratios.median)
}

/// A directory for the time of `body`.
func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let result = Swift.Result { try body(directory) }
    try FileManager.default.removeItem(at: directory)
    return try result.get()
}
