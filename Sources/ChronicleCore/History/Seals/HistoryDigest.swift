package import Foundation

/// The 32 bytes of a hash, or of the key of a commitment.
///
/// Integers instead of an array, because each preserved value of a history has one, and an array needs an allocation.
package struct HistoryDigest: Hashable, Sendable {
    /// Four big-endian integers.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes.
    package static let count = 32
    /// The value in place of a hash that does not exist.
    package static let zero = HistoryDigest(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// Creates a value from exactly 32 bytes; `nil` for another number, which a file may contain.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    package init?(_ bytes: some ContiguousBytes) {
        guard let digest = bytes.withUnsafeBytes({ HistoryDigest($0) }) else { return nil }
        self = digest
    }

    /// Returns a random key of the operating system's generator. A generator with a seed, or one that predicts its values from
    /// earlier ones, would make erased values guessable.
    package static func randomKey() -> HistoryDigest {
        var generator = SystemRandomNumberGenerator()
        return HistoryDigest(words: (generator.next(), generator.next(), generator.next(), generator.next()))
    }

    /// Calls a closure with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(
            of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
    }

    package var data: Data { withUnsafeBytes { Data($0) } }

    package static func == (lhs: HistoryDigest, rhs: HistoryDigest) -> Bool { lhs.words == rhs.words }

    package func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
