#if Seals && !canImport(CryptoKit)
    import ChronicleCCrypto
    import ChronicleCore

    /// Ed25519 of OpenSSL 3: https://docs.openssl.org/3.0/man7/EVP_SIGNATURE-ED25519/
    enum LibrarySignatures {
        /// The number of bytes of a signature.
        static let length = 64

        static func publicKey(of seed: HistoryDigest) throws -> HistoryDigest {
            try withPrivateKey(seed) { key in
                try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HistoryDigest.count) { buffer in
                    var count = buffer.count
                    guard EVP_PKEY_get_raw_public_key(key, buffer.baseAddress, &count) == 1, count == buffer.count,
                        let publicKey = HistoryDigest(UnsafeRawBufferPointer(buffer))
                    else { throw failure }
                    return publicKey
                }
            }
        }

        static func signature(of bytes: [UInt8], by seed: HistoryDigest) throws -> [UInt8] {
            try withPrivateKey(seed) { key in
                try withContext { context in
                    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { throw failure }
                    var (signature, count) = ([UInt8](repeating: 0, count: length), length)
                    guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1, count == length else {
                        throw failure
                    }
                    return signature
                }
            }
        }

        /// - Parameter signature: ``length`` bytes.
        static func isValid(_ signature: [UInt8], of bytes: [UInt8], by publicKey: HistoryDigest) throws -> Bool {
            let key = publicKey.withUnsafeBytes { bytes in
                EVP_PKEY_new_raw_public_key(
                    EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            guard let key else { throw failure }
            defer { EVP_PKEY_free(key) }
            return try withContext { context in
                guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { throw failure }
                // Other results than these are failures.
                switch EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) {
                case 1: return true
                case 0: return false
                default: throw failure
                }
            }
        }

        private static func withPrivateKey<Result>(
            _ seed: HistoryDigest, _ body: (OpaquePointer) throws -> Result
        ) throws -> Result {
            let key = seed.withUnsafeBytes { bytes in
                EVP_PKEY_new_raw_private_key(
                    EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            guard let key else { throw failure }
            defer { EVP_PKEY_free(key) }
            return try body(key)
        }

        private static func withContext<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
            guard let context = EVP_MD_CTX_new() else { throw failure }
            defer { EVP_MD_CTX_free(context) }
            return try body(context)
        }

        private static var failure: SwiftDataError {
            .storeFailure.with(
                detail: "libcrypto cannot compute Ed25519; check the installation and the configuration of OpenSSL 3")
        }
    }
#endif
