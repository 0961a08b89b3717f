#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL selective deletions", .requiresPostgres) struct SelectiveDeletionTests {
        @Test(arguments: TestSeed.rounds(2)) func readsAfterRandomDeletions(_ number: Int) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            var simulation = try DeletionSimulation(TestSeed.generator(number)) {
                try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
            }
            do { try simulation.run(steps: 60) } catch let mismatch as DeletionSimulation.Mismatch {
                Issue.record("\(mismatch), \(TestSeed.description)")
            }
        }

        private func delete(_ author: String, _ fixture: HistoryFixture) throws {
            try fixture.context().deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == author }))
        }

        /// Like a delete by a program that does not write the row, and one that was damaged.
        @Test(arguments: [
            "UPDATE chronicle_history SET floor = floor + 1",
            "UPDATE chronicle_meta SET value = '[]' WHERE name = 'deletions'",
            "UPDATE chronicle_meta SET value = '' WHERE name = 'deletions'",
        ])
        func tokensExpireWithoutAValidRow(_ change: String) throws {
            let fixture = try HistoryFixture()
            for (number, author) in ["a", "b", "a"].enumerated() { try fixture.add("\(number)", author: author) }
            let all = try fixture.transactions()
            try delete("b", fixture)
            #expect(try fixture.transactions(after: all[0].token).map(\.followsDeletion) == [true])
            try fixture.psql(change)
            #expect(throws: SwiftDataError.historyTokenExpired) { try fixture.transactions(after: all[0].token) }
            try fixture.context().deleteHistory()
            #expect(try fixture.psql("SELECT count(*) FROM chronicle_meta WHERE name = 'deletions'") == "0")
        }

        @Test func readersWithAnAuthorExpireAfterDeletesOfManyAuthors() throws {
            let fixture = try HistoryFixture()
            let all = try fixture.add("first")
            for number in 0...64 {
                try fixture.add("\(number)", author: "\(number)")
            }
            let (token, reader): (DefaultHistoryToken, String?) = (all[0].token, "reader")
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
                predicate: #Predicate { $0.token > token && $0.author == reader })
            descriptor.requiresCompleteHistory = true
            try delete("0", fixture)
            #expect(try fixture.context().fetchHistory(descriptor).isEmpty)
            try fixture.context().deleteHistory(.after(token))
            #expect(throws: SwiftDataError.historyTokenExpired) { try fixture.context().fetchHistory(descriptor) }
            #expect(try fixture.transactions(after: token).isEmpty)
        }
    }
#endif
