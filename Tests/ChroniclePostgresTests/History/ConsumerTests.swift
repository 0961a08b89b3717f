#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL consumers", .requiresPostgres) struct ConsumerTests {
        /// Random operations on consumers, compared with a reference.
        @Test(arguments: TestSeed.rounds(2))
        func instancesDoNotBlockOthers(_ number: Int) throws {
            let configuration = try PostgresConfiguration.testing()
            let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
            var simulation = ConsumerSimulation(container, TestSeed.generator(number))
            try simulation.run(steps: 200)
        }

        /// A page is the beginning of what a fetch returns, and all of it if there is no more.
        @Test(arguments: [1, 3, 100])
        func pageBeginsTheResultOfAFetch(_ changeCount: Int) throws {
            let fixture = try HistoryFixture()
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let context = fixture.context()
            for number in 0..<8 {
                context.insert(Account("\(number)"))
                try context.save()
            }
            for limit in [0, 1, 2, 4, 100] as [UInt64] {
                for offset in [0, 1, 3, 20] as [UInt64] {
                    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
                    (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
                    let expected = try context.fetchHistory(descriptor).map(\.transactionIdentifier)
                    let page = try store.fetchHistoryPage(descriptor, changeCount: changeCount)
                    let found = page.transactions.map(\.transactionIdentifier)
                    #expect(found == Array(expected.prefix(found.count)) && (!found.isEmpty || expected.isEmpty))
                    #expect(page.hasMore || found == expected)
                    if UInt64(found.count) == limit { #expect(!page.hasMore) }
                }
            }
        }

        /// The server cannot store the character, so no consumer and no tag has such a name.
        @Test func namesWithNULAreRejected() throws {
            let name = "a\0b"
            let fixture = try HistoryFixture()
            let (container, context) = (fixture.container, fixture.context())
            let store = try #require(container.stores.first as? PostgresStore)
            _ = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
            let uses: [() throws -> Void] = [
                { _ = try container.historyConsumer(named: name, startingNewAt: .now) },
                { try container.renameHistoryConsumer(named: "reader", to: name) }, { try context.tag(name) },
                { _ = try store.tagHistory(name, replacing: true) },
                { try store.updateConsumer(named: "reader", isDurable: true) { $0?.name = name } },
                { try store.updateConsumer(named: name, isDurable: true) { $0 = nil } },
            ]
            for use in uses { #expect(throws: SwiftDataError.valueOutOfRange, performing: use) }
            for use in [
                { try container.removeHistoryConsumer(named: name) },
                { try container.renameHistoryConsumer(named: name, to: "other") },
                { _ = try store.lockConsumer(named: name) },
            ] {
                #expect(throws: SwiftDataError.historyConsumerNotFound, performing: use)
            }
            #expect(throws: SwiftDataError.historyTagNotFound) { try context.deleteTag(name) }
            #expect(try container.historyConsumers().map(\.name) == ["reader"])
            for change: (ModelContext) -> Void in [
                { $0.author = name }, { $0.name = name }, { $0.transactionMetadata = [name: ""] },
                { $0.transactionMetadata = ["a": name] },
            ] {
                let context = fixture.context()
                change(context)
                context.insert(Account("a"))
                #expect(throws: SwiftDataError.valueOutOfRange) { try context.save() }
            }
            #expect(try fixture.transactions().isEmpty)
        }
    }
#endif
