#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL retention", .requiresPostgres) struct PostgresRetentionTests {
        private func store(_ fixture: HistoryFixture) throws -> PostgresStore {
            try #require(fixture.container.stores.first as? PostgresStore)
        }

        private func purge(_ fixture: HistoryFixture, _ retention: HistoryRetention) async throws -> HistoryPurgeResult
        {
            try #require(try await fixture.container.purgeHistory(retention).first)
        }

        @Test func bytesLimitTheHistory() async throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            let context = fixture.context()
            let account = Account("a")
            context.insert(account)
            for number in 0..<40 {
                account.balance = number
                account.note = String(repeating: "\(number % 10)", count: 200)
                try context.save()
            }
            let before = try store(fixture).historyStatistics()
            #expect(before.transactions == 40)
            let kept = try fixture.transactions().suffix(20).map(\.transactionIdentifier)
            let result = try await purge(fixture, HistoryRetention(maximumBytes: before.bytes / 2))
            // The sizes of the rows differ only by those of the insert.
            #expect((18...22).contains(result.transactions), "\(result)")
            #expect(result.changes == result.transactions)
            let rest = try fixture.transactions().map(\.transactionIdentifier)
            #expect(Array(rest.suffix(18)) == Array(kept.suffix(18)))
            #expect(try store(fixture).historyStatistics().bytes <= before.bytes / 2 + before.bytes / 20)
            // Nothing else is deleted with the same limit.
            #expect(try await purge(fixture, HistoryRetention(maximumBytes: before.bytes)).transactions == 0)
            #expect(try await purge(fixture, HistoryRetention(maximumBytes: 1)).transactions == rest.count - 1)
            #expect(try fixture.transactions().map(\.transactionIdentifier) == [rest.last])
        }

        @Test func ageLimitsTheHistory() async throws {
            let fixture = try HistoryFixture()
            let transactions = try fixture.add("a", "b", "c", "d")
            // The first two are 100 days old. So is the last one, because the server had a wrong clock.
            try fixture.psql(
                """
                UPDATE chronicle_transaction SET recorded = recorded - 8640000 \
                WHERE position IN (\(transactions[0].transactionIdentifier), \(transactions[1].transactionIdentifier), \
                \(transactions[3].transactionIdentifier))
                """)
            let month = HistoryRetention(maximumAge: .seconds(30 * 86_400))
            #expect(try await purge(fixture, month).transactions == 2)
            #expect(try fixture.transactions().map(\.token) == [transactions[2].token, transactions[3].token])
            #expect(throws: SwiftDataError.historyTokenExpired) {
                try fixture.transactions(after: transactions[0].token)
            }
            #expect(try fixture.transactions(after: transactions[1].token).count == 2)
            #expect(try await purge(fixture, month).transactions == 0)
            // In contrast to a size, an age has no newest transaction to keep.
            #expect(try await purge(fixture, HistoryRetention(maximumAge: .zero)).transactions == 2)
            #expect(try fixture.transactions().isEmpty)
            #expect(try fixture.add("e").map(\.transactionIdentifier) == [transactions[3].transactionIdentifier + 1])
        }

        /// A transaction that is later than the server's time does not keep the following ones.
        @Test func wrongClocksDoNotStopThePurge() async throws {
            let month = HistoryRetention(maximumAge: .seconds(30 * 86_400))
            for (ages, deleted) in [
                ([90, -3_650, 80, 1], 3), ([90, 80, -3_650, 1], 2), ([-1, -1, -1, -1], 0), ([90, 1, -3_650, 80], 1),
            ] {
                let fixture = try HistoryFixture()
                let transactions = try fixture.add("a", "b", "c", "d")
                for (transaction, age) in zip(transactions, ages) {
                    try fixture.psql(
                        """
                        UPDATE chronicle_transaction SET recorded = recorded - \(age * 86_400) \
                        WHERE position = \(transaction.transactionIdentifier)
                        """)
                }
                #expect(try await purge(fixture, month).transactions == deleted, "\(ages)")
            }
        }

        /// Programs choose the times of their transactions, which are kept and shown, but have no effect on the purge.
        @Test(arguments: ["4e9", "-1e12", "0", "1e12", "\"x\""])
        func timesOfProgramsHaveNoEffect(_ timestamp: String) async throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            try fixture.psql(
                """
                BEGIN; SET LOCAL chronicle.save = '{"timestamp": \(timestamp)}';
                INSERT INTO "Entry"(amount) VALUES (1); COMMIT
                """)
            try fixture.add("b")
            if let time = Double(timestamp) {
                #expect(try fixture.transactions()[1].timestamp.timeIntervalSinceReferenceDate == time)
            }
            let month = HistoryRetention(maximumAge: .seconds(30 * 86_400))
            #expect(try await purge(fixture, month).transactions == 0)
            try fixture.psql("UPDATE chronicle_transaction SET recorded = recorded - 8640000 WHERE position <= 2")
            #expect(try await purge(fixture, month).transactions == 2)
            #expect(try await purge(fixture, HistoryRetention(maximumAge: .zero)).transactions == 1)
        }

        @Test func purgeIsDoneInSteps() throws {
            let fixture = try HistoryFixture()
            for count in [15_000, 15, 1] {
                try fixture.psql("INSERT INTO \"Entry\"(amount) SELECT n FROM generate_series(1, \(count)) AS n")
            }
            try fixture.add("a")
            let store = try store(fixture)
            let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
            // The step that reaches 1,000 changes is complete with its last transaction.
            let steps = [try store.purgeHistory(plan), try store.purgeHistory(plan)]
            #expect(steps.map(\.transactions) == [1, 2])
            #expect(steps.map(\.changes) == [15_000, 16])
            #expect(steps.map(\.isLast) == [false, true])
            #expect(try fixture.transactions().count == 1)
        }

        @Test func storePurgesByItself() async throws {
            let logger = TestLogger()
            let fixture = try HistoryFixture {
                $0.historyRetention = HistoryRetention(maximumChanges: 2, purgeInterval: .zero)
                $0.logger = logger
                $0.logLevel = .debug
            }
            let store = try store(fixture)
            #expect(store.automaticPurgeOutcome == nil)
            var names = 0
            // Each save starts a purge unless one is running.
            while try store.automaticPurgeOutcome == nil
                || store.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>()) > 2
            {
                if names < 10 || store.automaticPurgeOutcome != nil {
                    names += 1
                    let context = fixture.context()
                    context.insert(Account("\(names)"))
                    try context.save()
                }
                await Task.yield()
            }
            let result = try #require(try store.automaticPurgeOutcome?.get())
            #expect(result.storeIdentifier == store.identifier)
            #expect(try fixture.context().fetchCount(FetchDescriptor<Account>()) == names)
            #expect(logger.entries.contains { $0.event == "purged" })
        }

        @Test func purgeOfARoleWithoutThePrivilegeIsLogged() async throws {
            let owner = try HistoryFixture()
            try owner.add("a", "b")
            let role = "purger_\(owner.schema)"
            try owner.psql(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(owner.schema) TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA \(owner.schema) TO \(role);
                GRANT INSERT, UPDATE, DELETE ON "Account", "Entry" TO \(role)
                """)
            let logger = TestLogger()
            var configuration = owner.configuration
            configuration.connectionString = owner.cluster.connectionString(user: role)
            configuration.historyRetention = HistoryRetention(maximumChanges: 1)
            configuration.logger = logger
            let fixture = try HistoryFixture(configuration, owner.cluster)
            let store = try store(fixture)
            let context = fixture.context()
            context.insert(Account("c"))
            try context.save()
            while store.automaticPurgeOutcome == nil { await Task.yield() }
            #expect(throws: SwiftDataError.storeReadOnly) { try store.automaticPurgeOutcome?.get() }
            #expect(logger.entries.map(\.event) == ["purgeFailed"])
            #expect(try fixture.transactions().count == 3)
        }
    }
#endif
