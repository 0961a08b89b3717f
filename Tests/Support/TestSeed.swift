import Foundation

/// The seed of random choices in tests, different in each run.
///
/// The run prints it when a test first uses it, and failures repeat it. `CHRONICLE_TEST_SEED=NUMBER swift test` repeats
/// the choices of that run.
package enum TestSeed {
    package static let variable = "CHRONICLE_TEST_SEED"

    package static let ofRun: UInt64 = {
        let wanted = ProcessInfo.processInfo.environment[variable]
        guard let seed = wanted.map({ UInt64($0) }) ?? UInt64.random(in: 0..<1_000_000_000) else {
            fatalError("\(variable) is “\(wanted ?? "")”, which is no number")
        }
        FileHandle.standardError.write(Data("\(variable)=\(seed)\n".utf8))
        return seed
    }()

    /// How to repeat the choices of a failed test, for its message.
    package static var description: String { "\(variable)=\(ofRun)" }

    /// Returns the generator for one test case, which is independent of the order and concurrency of tests.
    package static func generator(_ number: Int = 0) -> SplitMix {
        var first = SplitMix(state: ofRun)
        return SplitMix(state: first.next() ^ UInt64(truncatingIfNeeded: number))
    }

    /// The numbers of the cases of a random test. A run has few; `CHRONICLE_ROUNDS=10` runs ten times as many.
    package static func rounds(_ count: Int) -> Range<Int> {
        0..<count * max(Int(ProcessInfo.processInfo.environment["CHRONICLE_ROUNDS"] ?? "") ?? 1, 1)
    }
}
