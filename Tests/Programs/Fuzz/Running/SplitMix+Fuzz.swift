import ChronicleTestSupport

extension SplitMix {
    /// Returns the generator for one file of a run.
    init(seed: UInt64, number: Int) {
        self.init(state: seed)
        state = next() ^ UInt64(truncatingIfNeeded: number)
    }

    /// Returns `true` in the given percentage of calls.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
