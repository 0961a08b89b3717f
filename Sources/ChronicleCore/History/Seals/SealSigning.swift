/// A key that signs seals with Ed25519. A cryptographic library implements it; this module has none.
package protocol SealSigning: Hashable, Sendable {
    /// Returns the signature of bytes, with the public key.
    ///
    /// - Parameter bytes: See ``SealContent/signedBytes(store:number:last:hash:)``.
    func signature(of bytes: [UInt8]) throws -> RecordedSignature

    /// Returns the 32 bytes of the public key.
    func publicKeyBytes() throws -> [UInt8]
}

extension SealContent {
    /// Returns the bytes that a signature of a seal is over.
    ///
    /// - Parameters:
    ///   - store: The UTF-8 of the store's identifier.
    ///   - number: The number of the seal.
    ///   - last: Its last position.
    ///   - hash: The hash of the seal (S).
    package static func signedBytes(store: [UInt8], number: Int64, last: Int64, hash: HistoryDigest) -> [UInt8] {
        var writer = SealWriter(.head)
        writer.append(store)
        writer.append(number)
        writer.append(last)
        writer.append(hash)
        return writer.bytes
    }
}

extension RecordedSeal {
    /// Returns the bytes that a signature of the seal is over.
    ///
    /// - Parameter store: The UTF-8 of the store's identifier.
    package func signedBytes(store: [UInt8]) -> [UInt8] {
        SealContent.signedBytes(store: store, number: number, last: last, hash: hash)
    }
}
