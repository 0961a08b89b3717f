/// A small generator with a seed: the same numbers in every process. https://prng.di.unimi.it/splitmix64.c
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    /// The generator of one file of a run.
    init(seed: UInt64, number: Int) {
        state = seed
        state = next() ^ UInt64(truncatingIfNeeded: number)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<max(end, 1), using: &self) }

    /// Whether something happens that happens so many times in a hundred.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
