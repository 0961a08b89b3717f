import Chronicle
import Foundation

#if Seals
    import ChronicleSeals
#else
    // Values of these types do not exist in a tool without the trait.
    enum SealSigningKey {}
    enum SealPublicKey {}
#endif

extension StoreFile {
    /// The store for what concerns its seals.
    private func sealingStore() throws -> any HistorySealing {
        if let store = store as? any HistorySealing { return store }
        let kind = appleStore == nil ? "this store" : "a store of SwiftData or Core Data"
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(kind) does not support seals", storeIdentifier: store.identifier)
    }

    var supportsSeals: Bool { store is any HistorySealing }

    func isSealed() throws -> Bool {
        try sealingStore().readSealedHistory(includesValues: false) { _ in true } ?? false
    }

    #if Seals
        /// Whether the tool computes the hashes of seals.
        static let hasSeals = true

        /// Throws ``UsageError`` if the tool cannot compute seals.
        static func requireSeals() throws {}

        func sealHistory(signedBy key: SealSigningKey?) throws -> HistorySeal {
            try sealingStore().sealHistory(signedBy: key)
        }

        func endSealing(signedBy key: SealSigningKey?) throws -> HistorySeal {
            try sealingStore().endSealing(SealHashing(), signedBy: key)
        }

        func verifySeals(_ seals: SealArguments) throws -> SealVerification {
            try sealingStore().verifySeals(seals.heads, archives: seals.archives, signedBy: seals.publicKey)
        }

        /// Verifies a sealed export, after those of the option `archive`.
        static func verifySeals(ofExport url: URL, _ seals: SealArguments) throws -> SealVerification {
            try SealVerification(
                verifyingExports: seals.archives + [url], heads: seals.heads, signedBy: seals.publicKey)
        }

        /// Returns `nil` if the history is not sealed.
        func exportSealedHistory(includesValues: Bool, _ write: (Data) throws -> Void) throws -> HistorySeal? {
            try sealingStore().exportSealedHistory(includesValues: includesValues, write)
        }
    #else
        static let hasSeals = false

        static func requireSeals() throws {
            throw UsageError("this build of chronicle does not support seals; build it with --traits default,Seals")
        }

        private static func unsupported<Result>() throws -> Result {
            try requireSeals()
            throw SwiftDataError.unsupportedFeature
        }

        func sealHistory(signedBy key: SealSigningKey?) throws -> HistorySeal { try Self.unsupported() }

        func endSealing(signedBy key: SealSigningKey?) throws -> HistorySeal { try Self.unsupported() }

        func verifySeals(_ seals: SealArguments) throws -> SealVerification { try Self.unsupported() }

        static func verifySeals(ofExport url: URL, _ seals: SealArguments) throws -> SealVerification {
            try unsupported()
        }

        func exportSealedHistory(includesValues: Bool, _ write: (Data) throws -> Void) throws -> HistorySeal? {
            try Self.unsupported()
        }
    #endif
}
