#if Seals
    public import ChronicleCore
    public import Foundation

    extension ModelContainer {
        /// Writes the sealed history of a store to a file, which proves the history without the store.
        ///
        /// The export contains the transactions, changes and values from the first seal that remains to the newest one, with what
        /// is needed to compute their hashes. Keep one from before a purge: together with the store, it is the whole chain. An
        /// archive cannot be replayed. <doc:SealFormat> specifies its lines.
        ///
        /// ```swift
        /// let head = try container.exportSealedHistory(to: archive)
        /// let verification = try SealVerification(verifyingExports: [archive], heads: [head])
        /// print(verification.isProven)  // true
        /// ```
        ///
        /// Other contexts and programs can save meanwhile. What is not sealed is not exported: call
        /// ``sealHistory(storeName:signedBy:)`` first.
        ///
        /// - Parameters:
        ///   - url: The URL of the file, in an existing directory. A file at the URL is replaced when the export is complete.
        ///   - includesValues: Whether the export contains the preserved values and the descriptions of transactions, which are
        ///     their times, authors and metadata. Without them, it contains hashes in their place, and proves the order and the
        ///     kinds of the changes to a person who must not see the values. The primary keys of models, the names of entities and
        ///     attributes, and the authors of purges and erasures are contained.
        ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record history.
        /// - Returns: The head of the newest seal of the export.
        /// - Throws: One of the following errors. The file at the URL is not changed then.
        ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if the history is not sealed. Call
        ///     ``sealHistory(storeName:signedBy:)`` first. Also thrown if there is no store of the name, or several stores; pass
        ///     the name of one.
        ///   - ``SwiftDataError/unsupportedFeature`` if the store cannot be sealed.
        ///   - ``SwiftDataError/storeFailure`` if the file cannot be written, for example because its disk is full; see
        ///     ``SwiftDataError/underlying``.
        ///   - ``SwiftDataError/damagedFile`` if a row is damaged. Verify the seals, and restore a backup.
        ///   - Another error of the store, such as ``SwiftDataError/storeBusy``.
        /// - Complexity: Proportional to the sealed history. The memory does not depend on its length.
        @discardableResult
        public func exportSealedHistory(
            to url: URL, includesValues: Bool = true, storeName: String? = nil
        ) throws -> HistorySeal {
            let store = try sealingStore(named: storeName)
            return try ExportFile.replace(url) { write in
                guard let head = try store.exportSealedHistory(includesValues: includesValues, write) else {
                    throw SwiftDataError.invalidTransactionFetchRequest.with(
                        detail: "the history is not sealed; call sealHistory(storeName:signedBy:) first",
                        storeIdentifier: store.identifier, storeName: store.configuration.name)
                }
                return head
            }
        }
    }

    extension HistorySealing {
        /// Writes the sealed history as JSON Lines.
        ///
        /// - Parameters:
        ///   - includesValues: Whether the export contains values, keys and descriptions.
        ///   - write: Receives data. It does not use the store.
        /// - Returns: The head of the newest seal; `nil` if the history is not sealed. Nothing is written then.
        package func exportSealedHistory(
            includesValues: Bool, _ write: (Data) throws -> Void
        ) throws -> HistorySeal? {
            try withoutActuallyEscaping(write) { write in
                try readSealedHistory(includesValues: includesValues) { reader in
                    var writer = SealedExportWriter(includesValues: includesValues, write)
                    return try writer.run(reader)
                } ?? nil
            }
        }
    }

    extension SealVerification {
        /// Verifies sealed exports without their store.
        ///
        /// The exports can be of different times, for example one from before each purge. Pass the oldest one first. Each begins in
        /// the one before, or continues it.
        ///
        /// - Parameters:
        ///   - exports: The URLs of files of ``ModelContainer/exportSealedHistory(to:includesValues:storeName:)``, which are of the
        ///     same store.
        ///   - heads: The heads that were kept outside of the exports. Without heads, the chain is only compared with the
        ///     history, and a person who can write the export can build both again.
        ///   - key: If it is not `nil`, seals must be signed: the newest seal with a valid signature by the key counts as a head,
        ///     and without one nothing is proven.
        /// - Throws: One of the following errors. A difference is not an error.
        ///   - ``SwiftDataError/invalidHistoryExport`` if a file cannot be read, is not a sealed export, is truncated, or has a
        ///     line that the format does not allow. The detail has the number of the line. Use a complete copy.
        ///   - ``SwiftDataError/storeFailure`` if the cryptographic library of the system fails. Check its installation.
        /// - Complexity: Proportional to the size of the exports. The memory does not depend on it.
        public init(
            verifyingExports exports: [URL], heads: [HistorySeal] = [], signedBy key: SealPublicKey? = nil
        ) throws {
            var verifier = SealVerifier(
                heads: heads, SealHashing(), verifySignature: key.map { key in { try key.hasSigned($0, store: $1) } })
            for archive in exports.dropLast() {
                try verifier.verify(SealedExportReader(archive), archive: archive.lastPathComponent)
            }
            if let export = exports.last { try verifier.verify(SealedExportReader(export)) }
            self = verifier.result()
        }
    }
#endif
