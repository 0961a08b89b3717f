#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Seals with signatures.
    @Suite struct SignatureSealingTests {
        /// The numbers of the seals that a key has signed, without others.
        private func signed(_ store: TestStore, by key: SealSigningKey) throws -> [Int64] {
            try signed(store.container, by: key)
        }

        private func signed(_ container: ModelContainer, by key: SealSigningKey) throws -> [Int64] {
            let store = try #require(container.stores.first as? any HistorySealing)
            let publicKey = try key.publicKey
            let numbers = try store.readSealedHistory(includesValues: false) { reader in
                var (reader, numbers) = (reader, [Int64]())
                while let seal = try reader.nextSeal() {
                    if try publicKey.hasSigned(seal, store: reader.store) { numbers.append(seal.number) }
                }
                return numbers
            }
            return try #require(numbers)
        }

        @Test(arguments: StoreKind.allCases) func everyNewSealIsSigned(_ kind: StoreKind) throws {
            let (store, key) = (try TestStore(kind), SealSigningKey())
            for name in ["a", "b", "c"] {
                try store.add(name)
                _ = try store.container.sealHistory(signedBy: key)
            }
            #expect(try signed(store, by: key) == [1, 2, 3])
            #expect(try signed(store, by: SealSigningKey()).isEmpty)
            try store.add("d")
            _ = try store.container.sealHistory()
            #expect(try signed(store, by: key) == [1, 2, 3])
            _ = try store.container.endSealing(signedBy: key)
            #expect(try signed(store, by: key) == [1, 2, 3, 5])
        }

        /// A signature is no part of a seal, so a seal can be signed later.
        @Test(arguments: StoreKind.allCases) func theNewestSealIsSignedLater(_ kind: StoreKind) throws {
            let (store, key, other) = (try TestStore(kind), SealSigningKey(), SealSigningKey())
            for name in ["a", "b"] {
                try store.add(name)
                _ = try store.container.sealHistory()
            }
            let head = try store.container.sealHistory()
            #expect(try store.container.sealHistory(signedBy: key) == head)
            #expect(try signed(store, by: key) == [2])
            // Without a key, the signature remains.
            #expect(try store.container.sealHistory() == head)
            #expect(try signed(store, by: key) == [2])
            // A seal has one signature.
            #expect(try store.container.sealHistory(signedBy: other) == head)
            #expect(try signed(store, by: other) == [2] && signed(store, by: key).isEmpty)
            try store.add("c")
            _ = try store.container.sealHistory(signedBy: key)
            #expect(try signed(store, by: other) == [2] && signed(store, by: key) == [3])
        }

        @Test(arguments: StoreKind.allCases) func aSignatureIsNotReplacedByOneOfTheSameKey(_ kind: StoreKind) throws {
            let (store, key) = (try TestStore(kind), SealSigningKey())
            _ = try store.container.sealHistory(signedBy: key)
            try store.foreign("UPDATE chronicle_seal SET signature = zeroblob(64)")
            _ = try store.container.sealHistory(signedBy: key)
            // A new one would hide that another program changed the signature.
            #expect(try signed(store, by: key).isEmpty)
        }

        @Test(arguments: StoreKind.allCases) func aChangedSealIsNotSigned(_ kind: StoreKind) throws {
            let (store, key) = (try TestStore(kind), SealSigningKey())
            try store.add("a")
            _ = try store.container.sealHistory()
            try store.foreign("UPDATE chronicle_seal SET last_check = last_check + 1")
            #expect(throws: SwiftDataError.damagedFile) { try store.container.sealHistory(signedBy: key) }
            #expect(try store.number("SELECT count(*) FROM chronicle_seal WHERE signature IS NOT NULL") == 0)
        }

        /// The seal at the boundary keeps its signature.
        @Test(arguments: StoreKind.allCases) func signaturesSurviveAPurge(_ kind: StoreKind) async throws {
            let (store, key) = (try TestStore(kind), SealSigningKey())
            for name in ["a", "b", "c"] {
                try store.add(name)
                _ = try store.container.sealHistory(signedBy: key)
            }
            _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
            #expect(try signed(store, by: key) == [2, 3])
        }

        @Test func aScheduleSigns() async throws {
            let key = SealSigningKey()
            var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
            configuration.historySealing = .every(.zero, signedBy: key)
            let logger = TestLogger()
            (configuration.logger, configuration.logLevel) = (logger, .debug)
            let container = try ModelContainer(for: Trip.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Trip(name: "a", destination: "somewhere"))
            try context.save()
            while logger.entries.isEmpty { await Task.yield() }
            #expect(logger.entries.map(\.event) == ["sealed"])
            #expect(try signed(container, by: key) == [1])
        }

        @Test func schedulesAreEqualIfTheirKeysAre() {
            let key = SealSigningKey()
            let schedule = HistorySealingSchedule.every(.seconds(1), signedBy: key)
            #expect(schedule == .every(.seconds(1), signedBy: key))
            #expect(schedule.hashValue == HistorySealingSchedule.every(.seconds(1), signedBy: key).hashValue)
            for other in [
                .every(.seconds(1)), .every(.seconds(1), signedBy: SealSigningKey()), .every(.zero, signedBy: key),
            ]
                as [HistorySealingSchedule]
            {
                #expect(schedule != other)
            }
        }
    }
#endif
