#if Seals
    import Chronicle
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Sealing a history through a container.
    @Suite struct SealHistoryTests {
        @Test(arguments: StoreKind.allCases) func headsFollowTheHistory(_ kind: StoreKind) throws {
            let store = try TestStore(kind, preservesValues: true)
            let empty = try store.container.sealHistory()
            #expect(empty.position == 0)
            try store.add("a", "b")
            let head = try store.container.sealHistory()
            #expect(try store.history().last?.id == head.position)
            #expect(try store.container.sealHistory() == head)
            #expect(HistorySeal(head.description) == head)
            let last = try store.container.endSealing()
            #expect(last.position == head.position && last.hash != head.hash)
        }

        @Test func aScheduleSealsAfterCommits() async throws {
            var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
            configuration.historySealing = .every(.zero)
            let logger = TestLogger()
            (configuration.logger, configuration.logLevel) = (logger, .debug)
            let container = try ModelContainer(for: Trip.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Trip(name: "a", destination: "somewhere"))
            try context.save()
            while logger.entries.isEmpty { await Task.yield() }
            #expect(logger.entries.map(\.event) == ["sealed"])
        }

        @Test func aStoreIsChosenByItsName() throws {
            let container = try ModelContainer(
                for: Schema([Trip.self, LinkItem.self]),
                configurations: [
                    ModelConfiguration("trips", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
                    ModelConfiguration("items", schema: Schema([LinkItem.self]), isStoredInMemoryOnly: true),
                ])
            for name in [nil, "other"] {
                #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
                    try container.sealHistory(storeName: name)
                }
            }
            let heads = try ["trips", "items"].map { try container.sealHistory(storeName: $0) }
            #expect(heads[0] != heads[1])
        }
    }
#endif
