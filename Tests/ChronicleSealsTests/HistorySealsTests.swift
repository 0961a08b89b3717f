#if Seals
    import Chronicle
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The heads of a chain.
    @Suite struct HistorySealsTests {
        private func sealed(_ store: TestStore, _ names: String...) throws -> [HistorySeal] {
            try names.map { name in
                try store.add(name)
                return try store.container.sealHistory()
            }
        }

        private func head(_ position: Int64) throws -> HistorySeal {
            try #require(HistorySeal(position: position, hash: Data(repeating: 1, count: 32)))
        }

        @Test(arguments: StoreKind.allCases) func headsAfterAHead(_ kind: StoreKind) throws {
            let store = try TestStore(kind)
            #expect(try store.container.historySeals().isEmpty)
            var heads = [try store.container.sealHistory()]
            heads += try sealed(store, "a", "b", "c")
            // At the same position as the previous one.
            heads.append(try store.container.endSealing())
            heads += try sealed(store, "d")
            #expect(try store.container.historySeals() == heads)
            for (index, head) in heads.enumerated() {
                #expect(try store.container.historySeals(after: head) == Array(heads[(index + 1)...]))
            }
            // Nothing was sealed by that.
            #expect(try store.container.sealHistory() == heads.last)
        }

        @Test(arguments: StoreKind.allCases) func unknownHeads(_ kind: StoreKind) throws {
            let store = try TestStore(kind)
            func expect(_ error: SwiftDataError, _ detail: String, after head: HistorySeal) {
                let thrown = #expect(throws: error) { try store.container.historySeals(after: head) }
                #expect(thrown?.detail?.contains("\(head) is not in the chain") == true)
                #expect(thrown?.detail?.contains(detail) == true)
                #expect(thrown.map { SwiftDataError.historyTokenExpired ~= $0 } == true)
            }
            expect(.historyTokenAhead, "is not sealed", after: try head(0))
            let heads = try sealed(store, "a", "b", "c")
            for position in 0...heads[2].position {
                expect(.historyTokenForked, "no seal with its hash", after: try head(position))
            }
            expect(.historyTokenAhead, "ends at position \(heads[2].position)", after: try head(heads[2].position + 1))
            expect(.historyTokenAhead, "ends at position", after: try head(.max))
            // The hash of one seal at the position of another one.
            let exchanged = try #require(HistorySeal(position: heads[0].position, hash: heads[1].hash))
            expect(.historyTokenForked, "no seal with its hash", after: exchanged)
        }

        @Test(arguments: StoreKind.allCases) func headsAfterAPurge(_ kind: StoreKind) async throws {
            let store = try TestStore(kind)
            let heads = try sealed(store, "a", "b", "c")
            _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
            // The seal at the boundary remains.
            #expect(try store.container.historySeals() == Array(heads[1...]))
            #expect(try store.container.historySeals(after: heads[1]) == [heads[2]])
            for purged in [heads[0], try head(0), try head(heads[1].position)] {
                let error = #expect(throws: SwiftDataError.historyTokenExpired) {
                    try store.container.historySeals(after: purged)
                }
                #expect(error?.detail?.contains("begins with position \(heads[1].position)") == true)
            }
            #expect(throws: SwiftDataError.historyTokenForked) {
                try store.container.historySeals(after: try head(heads[2].position))
            }
        }

        /// Without the right to write, nothing makes the seals durable.
        @Test func aContainerForReading() throws {
            let store = try TestStore(.file)
            let heads = try sealed(store, "a", "b")
            let reader = try ModelContainer(
                for: Trip.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
            #expect(try reader.historySeals() == heads)
            #expect(try reader.historySeals(after: heads[0]) == [heads[1]])
        }

        @Test(arguments: StoreKind.allCases) func damagedSeals(_ kind: StoreKind) throws {
            for change in ["hash = x'01'", "hash = 'text'", "last = -1"] {
                let store = try TestStore(kind)
                let heads = try sealed(store, "a", "b")
                try store.foreign("UPDATE chronicle_seal SET \(change) WHERE number = 2")
                #expect(throws: SwiftDataError.damagedFile) { try store.container.historySeals() }
                #expect(throws: SwiftDataError.damagedFile) { try store.container.historySeals(after: heads[0]) }
            }
        }

        @Test func aStoreIsChosenByItsName() throws {
            let container = try ModelContainer(
                for: Schema([Trip.self, LinkItem.self]),
                configurations: [
                    ModelConfiguration("trips", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
                    ModelConfiguration("items", schema: Schema([LinkItem.self]), isStoredInMemoryOnly: true),
                ])
            #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { try container.historySeals() }
            let head = try container.sealHistory(storeName: "items")
            #expect(try container.historySeals(storeName: "items") == [head])
            #expect(try container.historySeals(storeName: "trips").isEmpty)
        }
    }
#endif
