#if Seals && !canImport(CryptoKit)
    import ChronicleCCrypto
    import ChronicleCore

    /// SHA-256 of OpenSSL 3: https://docs.openssl.org/3.0/man3/EVP_DigestInit/
    final class LibraryHash: HistoryHashFunction {
        private let context = EVP_MD_CTX_new()
        private var hasFailed: Bool

        /// Fetched once, because a search for the algorithm takes longer than a hash. Immutable and counted by atomic references.
        private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

        init() {
            guard let context, let algorithm = Self.algorithm else {
                hasFailed = true
                return
            }
            hasFailed = EVP_DigestInit_ex(context, algorithm, nil) != 1
        }

        deinit { EVP_MD_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            if !hasFailed { hasFailed = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 }
        }

        func finish() throws -> HistoryDigest {
            try LibcryptoError.digest { output in
                var count: UInt32 = 0
                guard !hasFailed, EVP_DigestFinal_ex(context, output, &count) == 1 else { return nil }
                hasFailed = true
                return Int(count)
            }
        }
    }

    /// HMAC-SHA-256 of OpenSSL 3: https://docs.openssl.org/3.0/man3/EVP_MAC/
    final class LibraryAuthenticationCode: HistoryHashFunction {
        private let context: OpaquePointer?
        private var hasFailed: Bool

        /// A context with the algorithm, which is copied: to select it by its name takes longer than the code of a value. It has
        /// a key, because OpenSSL 3.0 does not copy contexts without one. After its creation it is only read.
        private nonisolated(unsafe) static let prototype: OpaquePointer? = {
            guard let algorithm = EVP_MAC_fetch(nil, OSSL_MAC_NAME_HMAC, nil) else { return nil }
            defer { EVP_MAC_free(algorithm) }
            guard let context = EVP_MAC_CTX_new(algorithm) else { return nil }
            var name = Array("SHA256".utf8CString)
            let isReady = name.withUnsafeMutableBufferPointer { name in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return HistoryDigest.zero.withUnsafeBytes { key in
                    EVP_MAC_init(context, key.bindMemory(to: UInt8.self).baseAddress, key.count, parameters)
                }
            }
            guard isReady == 1 else {
                EVP_MAC_CTX_free(context)
                return nil
            }
            return context
        }()

        init(key: HistoryDigest) {
            context = Self.prototype.flatMap { EVP_MAC_CTX_dup($0) }
            guard let context else {
                hasFailed = true
                return
            }
            hasFailed =
                key.withUnsafeBytes { key in
                    EVP_MAC_init(context, key.bindMemory(to: UInt8.self).baseAddress, key.count, nil)
                } != 1
        }

        deinit { EVP_MAC_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            guard !hasFailed else { return }
            hasFailed = EVP_MAC_update(context, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) != 1
        }

        func finish() throws -> HistoryDigest {
            try LibcryptoError.digest { output in
                var count = 0
                guard !hasFailed, EVP_MAC_final(context, output, &count, HistoryDigest.count) == 1 else { return nil }
                hasFailed = true
                return count
            }
        }
    }

    private enum LibcryptoError {
        /// Returns the 32 bytes that a closure writes.
        ///
        /// - Parameter write: Returns the number of bytes, or `nil` if libcrypto failed.
        static func digest(_ write: (UnsafeMutablePointer<UInt8>) -> Int?) throws -> HistoryDigest {
            try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HistoryDigest.count) { buffer in
                guard let output = buffer.baseAddress, write(output) == HistoryDigest.count,
                    let digest = HistoryDigest(UnsafeRawBufferPointer(buffer))
                else {
                    throw SwiftDataError.storeFailure.with(
                        detail:
                            "libcrypto cannot compute SHA-256; check the installation and the configuration of OpenSSL 3"
                    )
                }
                return digest
            }
        }
    }
#endif
