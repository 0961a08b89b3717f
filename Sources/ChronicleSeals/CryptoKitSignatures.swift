#if Seals && canImport(CryptoKit)
    import ChronicleCore
    import CryptoKit
    import Foundation

    /// Ed25519 of CryptoKit, whose signatures of the same bytes differ.
    enum LibrarySignatures {
        /// The number of bytes of a signature.
        static let length = 64

        static func publicKey(of seed: HistoryDigest) throws -> HistoryDigest {
            guard let key = HistoryDigest(try privateKey(seed).publicKey.rawRepresentation) else { throw failure }
            return key
        }

        static func signature(of bytes: [UInt8], by seed: HistoryDigest) throws -> [UInt8] {
            let key = try privateKey(seed)
            do {
                return Array(try key.signature(for: bytes))
            } catch { throw failure }
        }

        static func isValid(_ signature: [UInt8], of bytes: [UInt8], by publicKey: HistoryDigest) throws -> Bool {
            // Bytes that are no key have signed nothing.
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey.data) else { return false }
            return key.isValidSignature(signature, for: bytes)
        }

        private static func privateKey(_ seed: HistoryDigest) throws -> Curve25519.Signing.PrivateKey {
            do { return try Curve25519.Signing.PrivateKey(rawRepresentation: seed.data) } catch { throw failure }
        }

        private static var failure: SwiftDataError {
            .storeFailure.with(detail: "CryptoKit cannot compute Ed25519; update the system")
        }
    }
#endif
