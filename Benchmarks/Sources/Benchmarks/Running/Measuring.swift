import Foundation

/// Returns the duration of some work.
func timed(_ work: () throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try work()
    return clock.now - start
}

extension Array where Element: Comparable {
    /// The median element, the lower of two.
    var median: Element { sorted()[(count - 1) / 2] }
}

/// Alternates between two kinds of work, so that other load affects both alike, and compares each run with its
/// neighbor.
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

/// Returns the size of a file in bytes.
func fileSize(_ url: URL) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.intValue ?? 0
}

/// Creates a directory for the duration of `body`.
func withTemporaryDirectory<Result>(
    in parent: URL = FileManager.default.temporaryDirectory, _ body: (URL) throws -> Result
) throws -> Result {
    let directory = parent.appending(path: "chronicle-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let result = Swift.Result { try body(directory) }
    try FileManager.default.removeItem(at: directory)
    return try result.get()
}
