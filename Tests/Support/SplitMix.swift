/// A small generator with a seed: the same numbers in every process. https://prng.di.unimi.it/splitmix64.c
package struct SplitMix: RandomNumberGenerator {
    package var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, the limit; 0 if the limit is 0.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

    /// Returns one of the elements, of which there must be at least one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
