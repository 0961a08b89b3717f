package import Chronicle

/// SHA-256 and HMAC-SHA-256 as FIPS 180-4 and RFC 2104 describe them, for tests without a cryptographic library.
package struct ReferenceHashing: HistoryHashing {
    package init() {}

    package func hash() -> any HistoryHashFunction { ReferenceHash(key: nil) }

    package func authenticationCode(key: HistoryDigest) -> any HistoryHashFunction { ReferenceHash(key: key) }
}

private final class ReferenceHash: HistoryHashFunction {
    private let key: [UInt8]?
    private var input: [UInt8]

    init(key: HistoryDigest?) {
        self.key = key.map { $0.withUnsafeBytes { Array($0) } + [UInt8](repeating: 0, count: 32) }
        input = self.key?.map { $0 ^ 0x36 } ?? []
    }

    func update(_ bytes: UnsafeRawBufferPointer) { input += bytes }

    func finish() throws -> HistoryDigest {
        var result = Self.digest(input)
        if let key { result = Self.digest(key.map { $0 ^ 0x5c } + result) }
        guard let digest = HistoryDigest(result) else {
            throw Shell.Failure(description: "a hash has \(result.count) bytes")
        }
        return digest
    }

    private static func digest(_ input: [UInt8]) -> [UInt8] {
        var padded = input + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += withUnsafeBytes(of: UInt64(input.count * 8).bigEndian) { Array($0) }
        var state = initialState
        for block in stride(from: 0, to: padded.count, by: 64) { add(padded[block..<block + 64], to: &state) }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// Without arrays, which are slow without optimization.
    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            block.withUnsafeBytes { bytes in
                for index in 0..<16 {
                    words[index] = UInt32(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
                }
            }
            constants.withUnsafeBufferPointer { constants in
                for index in 0..<64 {
                    if index > 15 {
                        let (early, late) = (words[index &- 15], words[index &- 2])
                        let first = rotated(early, 7) ^ rotated(early, 18) ^ early &>> 3
                        let second = rotated(late, 17) ^ rotated(late, 19) ^ late &>> 10
                        words[index] = words[index &- 16] &+ first &+ words[index &- 7] &+ second
                    }
                    let first = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
                    let sum = h &+ first &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
                    let second = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
                    (h, g, f, e) = (g, f, e, d &+ sum)
                    (d, c, b, a) = (c, b, a, sum &+ second &+ (a & b ^ a & c ^ b & c))
                }
            }
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static let initialState: [UInt32] = roots(2)
    private static let constants: [UInt32] = roots(3)

    /// The first 32 bits after the point of the square roots of the first 8 primes, or of the cubic roots of the first 64.
    private static func roots(_ degree: Int) -> [UInt32] {
        let primes = (2...311).filter { number in (2..<number).allSatisfy { !number.isMultiple(of: $0) } }
        return primes.prefix(degree == 2 ? 8 : 64).map { prime in
            // The largest integer whose power is not above the prime times 2^(32 * degree).
            var root: UInt64 = 0
            for bit in (0..<36).reversed() {
                let next = root | 1 << bit
                let square = next.multipliedFullWidth(by: next)
                let isBelow =
                    degree == 2
                    ? square.high < UInt64(prime) : isCube(of: next, square, below: UInt64(prime))
                if isBelow { root = next }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }

    private static func isCube(of root: UInt64, _ square: (high: UInt64, low: UInt64), below prime: UInt64) -> Bool {
        // square * root < prime * 2^96, where square has at most 72 bits.
        let low = square.low.multipliedFullWidth(by: root)
        let (high, overflow) = square.high.multipliedReportingOverflow(by: root)
        let (sum, carry) = high.addingReportingOverflow(low.high)
        return !overflow && !carry && sum < prime << 32
    }
}
