#if Seals
    package import ChronicleCore
    public import Foundation

    /// A private key that signs seals with Ed25519.
    ///
    /// Keep it outside of the store, where those who can change the file cannot read it, and give the ``publicKey`` to those who
    /// verify the history:
    ///
    /// ```swift
    /// let key = SealSigningKey()
    /// try key.rawRepresentation.write(to: secret, options: .withoutOverwriting)
    /// print(try key.publicKey)  // 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
    /// let head = try container.sealHistory(signedBy: key)
    /// ```
    ///
    /// A description of a key, for example in a log, does not contain its bytes.
    public struct SealSigningKey: Hashable, Sendable {
        private let seed: HistoryDigest

        /// Creates a random key.
        public init() { seed = .randomKey() }

        /// Creates a key from its bytes.
        ///
        /// - Parameter rawRepresentation: The 32 bytes of the private key of RFC 8032, as CryptoKit has them.
        /// - Returns: `nil` if the number of bytes is another one.
        public init?(rawRepresentation: Data) {
            guard let seed = HistoryDigest(rawRepresentation) else { return nil }
            self.seed = seed
        }

        /// The 32 bytes of the key, a secret.
        public var rawRepresentation: Data { seed.data }

        /// The key that verifies the signatures.
        ///
        /// - Throws: ``SwiftDataError/storeFailure`` if the cryptographic library of the system fails. Check its installation.
        public var publicKey: SealPublicKey {
            get throws { SealPublicKey(digest: try LibrarySignatures.publicKey(of: seed)) }
        }
    }

    extension SealSigningKey: SealSigning {
        package func signature(of bytes: [UInt8]) throws -> RecordedSignature {
            RecordedSignature(
                publicKey: try publicKeyBytes(), signature: try LibrarySignatures.signature(of: bytes, by: seed))
        }

        package func publicKeyBytes() throws -> [UInt8] { Array(try publicKey.rawRepresentation) }
    }

    extension SealSigningKey: CustomStringConvertible, CustomReflectable {
        /// The name of the type.
        public var description: String { "SealSigningKey" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
