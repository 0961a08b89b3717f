#if Seals
    package import ChronicleCore
    public import Foundation

    /// The public key of a ``SealSigningKey``, which verifies its signatures.
    ///
    /// ```swift
    /// let key = SealPublicKey("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    /// print(try container.verifySeals(heads, signedBy: key).isProven)
    /// ```
    ///
    /// The text of a key, which is also its JSON representation, is 43 characters of base64url. A key has only one text.
    public struct SealPublicKey: Hashable, Sendable {
        private let digest: HistoryDigest

        init(digest: HistoryDigest) { self.digest = digest }

        /// Creates a key from its bytes.
        ///
        /// - Parameter rawRepresentation: The 32 bytes of the public key of RFC 8032.
        /// - Returns: `nil` if the number of bytes is another one.
        public init?(rawRepresentation: Data) {
            guard let digest = HistoryDigest(rawRepresentation) else { return nil }
            self.digest = digest
        }

        /// The 32 bytes of the key.
        public var rawRepresentation: Data { digest.data }

        /// Returns whether a seal has a valid signature of this key. The hash of the seal is not verified.
        ///
        /// - Parameters:
        ///   - seal: The seal.
        ///   - store: The UTF-8 of the store's identifier.
        package func hasSigned(_ seal: RecordedSeal, store: [UInt8]) throws -> Bool {
            guard let signature = seal.signature, signature.publicKey.elementsEqual(rawRepresentation) else {
                return false
            }
            return try isValid(signature.signature, of: seal.signedBytes(store: store))
        }

        /// Returns whether a signature of bytes is one of this key.
        package func isValid(_ signature: [UInt8], of bytes: [UInt8]) throws -> Bool {
            guard signature.count == LibrarySignatures.length else { return false }
            return try LibrarySignatures.isValid(signature, of: bytes, by: digest)
        }
    }

    extension SealPublicKey: LosslessStringConvertible {
        /// Creates a key from its text.
        ///
        /// - Parameter description: The text, without spaces around it.
        /// - Returns: `nil` if the text is not the ``description`` of a key.
        public init?(_ description: String) {
            guard let bytes = Base64URL.bytes(description) else { return nil }
            self.init(rawRepresentation: Data(bytes))
        }

        /// The bytes in base64url without padding.
        public var description: String { Base64URL.text(rawRepresentation) }
    }

    extension SealPublicKey: Codable {
        /// Decodes a key from its text.
        ///
        /// - Throws: `DecodingError.dataCorrupted` if the text is not the ``description`` of a key.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let key = SealPublicKey(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "A public key is 43 characters of base64url.")
            }
            self = key
        }

        /// Encodes the text of the key.
        ///
        /// - Throws: What the encoder throws.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }
    }
#endif
