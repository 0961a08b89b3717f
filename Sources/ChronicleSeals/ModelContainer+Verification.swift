#if Seals
    public import ChronicleCore
    public import Foundation

    extension ModelContainer {
        /// Verifies the sealed history, and returns what is proven for each head.
        ///
        /// A head that was kept outside of the store proves that the history up to it is the one that was sealed, also after a
        /// purge, a deletion or an erasure. What these removed is in the result, with the event that recorded it.
        ///
        /// ```swift
        /// let verification = try container.verifySeals([head])
        /// if !verification.isProven {
        ///     print(verification.difference?.detail ?? "the head is not in the chain")
        /// }
        /// ```
        ///
        /// Without heads, the chain is only compared with the history. This shows changes by programs that do not know how to
        /// build seals, but not a chain that was built again, or an older copy of the store.
        ///
        /// - Parameters:
        ///   - heads: The heads that the history must contain.
        ///   - archives: Sealed exports with what was purged from the store, in the order of their seals. Each one must contain the
        ///     seal with which the next one, or the store, begins. The detail of a difference begins with the name of its archive.
        ///   - key: If it is not `nil`, seals must be signed: the newest seal with a valid signature by the key counts as a head,
        ///     and without one nothing is proven.
        ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record history.
        /// - Returns: What is proven, and the first difference. A history without seals has no ``SealVerification/newest`` seal,
        ///   and all heads are absent.
        /// - Throws: One of the following errors. A damaged history is a difference, not an error.
        ///   - ``SwiftDataError/unsupportedFeature`` if the store cannot be sealed: a custom store.
        ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if there is no store of the name, or several stores; pass the name
        ///     of one.
        ///   - ``SwiftDataError/invalidHistoryExport`` if an archive is damaged or cannot be read. Use a complete copy.
        ///   - ``SwiftDataError/damagedFile`` if the store is damaged otherwise. Restore a backup.
        ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
        ///   - ``SwiftDataError/storeFailure`` if the cryptographic library of the system fails. Check its installation.
        /// - Complexity: Proportional to the sealed history. The memory does not depend on the number of changes.
        public func verifySeals(
            _ heads: [HistorySeal] = [], archives: [URL] = [], signedBy key: SealPublicKey? = nil,
            storeName: String? = nil
        ) throws -> SealVerification {
            try sealingStore(named: storeName).verifySeals(heads, archives: archives, signedBy: key)
        }

        /// Verifies the chain alone, for the benchmarks, which are another package.
        @_spi(Benchmarks) public func verifySealChain() throws -> SealVerification {
            try sealingStore(named: nil).verifySeals([], archives: [], signedBy: nil, includesValues: false)
        }
    }

    extension HistorySealing {
        /// Verifies the sealed history. See `ModelContainer.verifySeals(_:archives:signedBy:storeName:)`.
        ///
        /// - Parameter includesValues: `false` verifies the chain alone: the values that the commitments belong to are not read.
        package func verifySeals(
            _ heads: [HistorySeal], archives: [URL], signedBy key: SealPublicKey?, includesValues: Bool = true
        ) throws -> SealVerification {
            var verifier = SealVerifier(heads: heads, signedBy: key)
            for archive in archives {
                try verifier.verify(SealedExportReader(archive), archive: archive.lastPathComponent)
            }
            let result = try readSealedHistory(includesValues: includesValues) { reader in
                try verifier.verify(reader)
                return verifier.result()
            }
            // An archive tells nothing about a store without seals.
            return result ?? SealVerifier(heads: heads, signedBy: key).result()
        }
    }

    extension SealVerifier {
        /// - Parameter key: If it is not `nil`, seals must be signed by it.
        package init(heads: [HistorySeal], signedBy key: SealPublicKey?) {
            self.init(
                heads: heads, SealHashing(), verifySignature: key.map { key in { try key.hasSigned($0, store: $1) } })
        }
    }
#endif
