import Foundation

/// What tests choose at random follows from one seed, another one in each run.
///
/// The run prints it when a test first asks for it, and failures repeat it. `CHRONICLE_TEST_SEED=NUMBER swift test` has the
/// choices of that run again.
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

    /// How to have the choices of a failed test again, for its message.
    package static var description: String { "\(variable)=\(ofRun)" }

    /// The generator of one case of a test: which ones run beside it, and in which order, makes no difference.
    package static func generator(_ number: Int = 0) -> SplitMix {
        var first = SplitMix(state: ofRun)
        return SplitMix(state: first.next() ^ UInt64(truncatingIfNeeded: number))
    }
}
