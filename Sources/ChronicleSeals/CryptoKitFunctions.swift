#if Seals && canImport(CryptoKit)
    import ChronicleCore
    import CryptoKit
    import Foundation

    final class LibraryHash: HistoryHashFunction {
        private var hash = SHA256()

        func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

        func finish() throws -> HistoryDigest { try digest(of: hash.finalize()) }
    }

    final class LibraryAuthenticationCode: HistoryHashFunction {
        private var code: HMAC<SHA256>

        init(key: HistoryDigest) { code = HMAC(key: SymmetricKey(data: key.data)) }

        func update(_ bytes: UnsafeRawBufferPointer) { code.update(data: bytes) }

        func finish() throws -> HistoryDigest { try digest(of: code.finalize()) }
    }

    private func digest(of result: some ContiguousBytes) throws -> HistoryDigest {
        guard let digest = HistoryDigest(result) else {
            throw SwiftDataError.storeFailure.with(detail: "CryptoKit returned a hash that does not have 32 bytes")
        }
        return digest
    }
#endif
