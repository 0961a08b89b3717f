#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Seals in the background, after commits.
    @Suite("PostgreSQL: sealing in the background", .requiresPostgres) struct PostgresAutomaticSealingTests {
        private func fixture(every interval: Duration, _ logger: (any StoreLogger)? = nil) throws -> HistoryFixture {
            try HistoryFixture { configuration in
                configuration.historySealing = HistorySealingSchedule(interval: interval, hashing: ReferenceHashing())
                configuration.logger = logger
                configuration.logLevel = .debug
            }
        }

        /// Waits for the first result that fulfills a condition.
        private func outcome(
            _ store: PostgresStore, _ isExpected: (Result<HistorySeal, any Error>) throws -> Bool
        ) async throws -> Result<HistorySeal, any Error> {
            while true {
                if let outcome = store.automaticSealing.outcome, try isExpected(outcome) { return outcome }
                await Task.yield()
            }
        }

        @Test func everyCommitIsSealed() async throws {
            let logger = TestLogger()
            let fixture = try fixture(every: .zero, logger)
            let store = try fixture.store
            let context = fixture.context()
            for number in 0..<5 {
                context.insert(Entry(number))
                try context.save()
                if number == 3 { try context.delete(model: Entry.self) }
                let newest = try #require(try fixture.transactions().last?.transactionIdentifier)
                _ = try await outcome(store) { try $0.get().position == newest }
            }
            #expect(try fixture.transactions().count == 6)
            #expect(Set(logger.entries.map(\.event)) == ["sealed"])
            try fixture.expectProven(try fixture.seal())
        }

        /// The newest seal is too new for another one.
        @Test func aDeletionSealsFirst() async throws {
            let fixture = try fixture(every: .seconds(3_600))
            let store = try fixture.store
            try fixture.add("a")
            let first = try await outcome(store) { _ in true }.get()
            try fixture.add("b", "c")
            #expect(try store.automaticSealing.outcome?.get() == first)
            try fixture.context().deleteHistory()
            #expect(try fixture.events() == ["begun", "deletion"])
        }

        /// The interval begins with the newest seal of any process.
        @Test func sealsOfOtherProcessesCount() async throws {
            let fixture = try fixture(every: .seconds(3_600))
            #expect(try fixture.store.newestSealTime() == nil)
            let head = try fixture.seal()
            #expect(try #require(try fixture.store.newestSealTime()) <= .now)
            try fixture.add("a")
            #expect(try fixture.store.historySeals(after: head).isEmpty)
        }

        @Test func errorsAreReported() async throws {
            let logger = TestLogger()
            let fixture = try fixture(every: .zero, logger)
            let store = try fixture.store
            try fixture.add("a")
            _ = try await outcome(store) { _ in true }
            try fixture.psql("UPDATE chronicle_seal SET sealed = sealed - 1")
            try fixture.add("b")
            let failed = try await outcome(store) { if case .failure = $0 { true } else { false } }
            #expect(throws: SwiftDataError.damagedFile) { try failed.get() }
            #expect(logger.entries.map(\.event).contains("sealingFailed"))
        }

        @Test func schedulesAreOptions() throws {
            let configuration = PostgresConfiguration()
            var scheduled = configuration
            scheduled.historySealing = HistorySealingSchedule(interval: .seconds(1), hashing: ReferenceHashing())
            #expect(configuration.historySealing == nil)
            #expect(scheduled == scheduled && scheduled != configuration)
            #expect(scheduled.hashValue == configuration.hashValue)
        }
    }
#endif
