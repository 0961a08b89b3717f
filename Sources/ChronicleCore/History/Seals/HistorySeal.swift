public import Foundation

/// The head of a sealed history: a position, and a hash over everything up to it.
///
/// A head proves nothing by itself. Keep it outside of the store: it shows later whether the history up to the
/// position is unchanged. Its hash reveals nothing about the content.
///
/// The text of a head has at most 63 characters, the position and the hash in base64url without padding:
///
/// ```swift
/// let head = HistorySeal("2:txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw")
/// print(head?.position ?? 0)  // 2
/// ```
///
/// A head has only one text, so two heads are equal if and only if their texts are. The JSON representation is the text.
///
/// The method `sealHistory(storeName:signedBy:)` of the product `ChronicleSeals` creates heads, and
/// `verifySeals(_:archives:signedBy:storeName:)` verifies a history with them. <doc:ProveTheHistory> describes their use, and
/// <doc:SealFormat> specifies how the hash is computed.
public struct HistorySeal: Hashable, Sendable {
    /// The position of the newest transaction that the seal contains, 0 before the first transaction. Several seals can have the
    /// same position, because some contain no transactions.
    public let position: Int64
    /// The 32 bytes of the hash.
    public let hash: Data

    /// Creates a head.
    ///
    /// - Parameters:
    ///   - position: The position, which is not negative.
    ///   - hash: The 32 bytes of the hash.
    /// - Returns: `nil` if the position is negative, or the hash has another number of bytes.
    public init?(position: Int64, hash: Data) {
        guard position >= 0, hash.count == HistoryDigest.count else { return nil }
        // Not a slice, whose indices begin elsewhere.
        (self.position, self.hash) = (position, Data(hash))
    }
}

extension HistorySeal: LosslessStringConvertible {
    /// Creates a head from its text.
    ///
    /// - Parameter description: The text, without spaces around it.
    /// - Returns: `nil` if the text is not the ``description`` of a head. This includes other spellings, such as padding, the
    ///   characters `+` and `/`, zeros before the position, and bits that base64url does not use.
    public init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(Substring(parts[0])),
            let hash = Base64URL.bytes(String(Substring(parts[1]))),
            let seal = HistorySeal(position: position, hash: Data(hash)),
            // Excludes every other spelling. Bytes, because equal strings can have different ones.
            seal.description.utf8.elementsEqual(description.utf8)
        else { return nil }
        self = seal
    }

    /// The position, a colon, and the hash in base64url without padding.
    public var description: String { "\(position):\(Base64URL.text(hash))" }
}

extension HistorySeal: Codable {
    /// Decodes a head from its text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the text is not the ``description`` of a head.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let seal = HistorySeal(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A head of a sealed history is a position, a colon, and 43 characters of base64url.")
        }
        self = seal
    }

    /// Encodes the text of the head.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
