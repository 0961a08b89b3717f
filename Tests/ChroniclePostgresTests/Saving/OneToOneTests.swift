#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Both sides of a one-to-one relationship agree after each save, whatever the saving context knows.
    @Suite("One-to-one relationships in PostgreSQL", .requiresPostgres)
    struct PostgresOneToOneTests {
        @Test("Random assignments in several contexts") func random() throws {
            for number in 0..<4 {
                var random = TestSeed.generator(number)
                let configuration = try PostgresConfiguration.testing()
                let containers = try (0..<2).map { _ in
                    try ModelContainer(for: Schema(pairModels), configurations: [configuration])
                }
                var pairs = try RandomPairs(containers)
                for step in 0..<60 {
                    guard try pairs.step(&random) == "saved" else { continue }
                    let description = "\(TestSeed.description), run \(number), step \(step)"
                    try #require(try pairs.disagreements() == [], "\(description)")
                }
                try checkHistory(containers[0])
            }
        }

        /// No transaction inserts or updates a model twice.
        private func checkHistory(_ container: ModelContainer) throws {
            let history = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            for transaction in history {
                let changed = transaction.changes.compactMap { change -> PersistentIdentifier? in
                    if case .delete = change { nil } else { change.changedPersistentIdentifier }
                }
                #expect(Set(changed).count == changed.count, "\(TestSeed.description): \(transaction.changes)")
            }
        }

        @Test("The later save wins, and its context is refreshed") func laterSaveWins() throws {
            let container = try ModelContainer(
                for: Schema(pairModels), configurations: [try PostgresConfiguration.testing()])
            let (first, second) = (ModelContext(container), ModelContext(container))
            let (ann, bob, locker) = (Resident("ann"), Resident("bob"), Locker(1))
            for model in [ann, bob, locker] as [any PersistentModel] { first.insert(model) }
            try first.save()
            let residents = try second.fetch(FetchDescriptor<Resident>(sortBy: [SortDescriptor(\.name)]))
            let other = try #require(try second.fetch(FetchDescriptor<Locker>()).first)
            ann.locker = locker
            try first.save()
            residents[1].locker = other
            try second.save()
            #expect(residents[0].locker == nil && other.holder === residents[1])
            let reader = ModelContext(container)
            let found = try reader.fetch(FetchDescriptor<Resident>(sortBy: [SortDescriptor(\.name)]))
            #expect(found.map { $0.locker?.number } == [nil, 1])
            let last = try #require(
                try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            #expect(Set(last.changes.map(\.changedPersistentIdentifier)).count == 3)
        }
    }
#endif
