#if Seals
    package import ChronicleCore

    /// The hash functions of sealed history, by the system's cryptographic library: CryptoKit on Apple systems, otherwise libcrypto.
    package struct SealHashing: HistoryHashing {
        package init() {}

        package func hash() -> any HistoryHashFunction { LibraryHash() }

        package func authenticationCode(key: HistoryDigest) -> any HistoryHashFunction {
            LibraryAuthenticationCode(key: key)
        }
    }
#endif
