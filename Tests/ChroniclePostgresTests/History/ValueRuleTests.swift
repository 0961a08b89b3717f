#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL: rules for preserved values", .requiresPostgres) struct PostgresValueRuleTests {
        private func names(_ fixture: HistoryFixture) throws -> [[String]] {
            try fixture.transactions().flatMap(\.changes).map { Set($0.preservedValues.map(\.name)).sorted() }
        }

        private func purge(_ fixture: HistoryFixture, _ retention: HistoryRetention) async throws -> HistoryPurgeResult
        {
            try #require(try await fixture.container.purgeHistory(retention).first)
        }

        @Test func valuesAreErasedAndChangesRemain() async throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            let context = fixture.context()
            let account = Account("a", balance: 1)
            context.insert(account)
            try context.save()
            (account.balance, account.note) = (2, "note")
            try context.save()
            // The transactions have their positions when they are read.
            #expect(try fixture.transactions().count == 2)
            try fixture.psql("UPDATE chronicle_transaction SET recorded = recorded - 8640000")
            account.balance = 3
            try context.save()
            let (before, tokens) = (try names(fixture), try fixture.transactions().map(\.token))
            #expect(before[1] == ["balance", "note"] && before[2] == ["balance"])
            let lines = try fixture.transactions().flatMap(\.changes).map(\.line)

            let month = HistoryRetention(
                valueRules: [PreservedValueRule(\Account.balance, maximumAge: .seconds(30 * 86_400))])
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let plan = try store.planHistoryPurge(month, at: .now)
            #expect(plan.erasures.map(\.newest) == [tokens[1]])
            #expect(try store.preservedValueCounts(plan) == [2])
            let result = try await purge(fixture, month)
            #expect(result.values == 2 && result.changes == 0)
            #expect(try names(fixture) == [before[0].filter { $0 != "balance" }, ["note"], ["balance"]])
            #expect(try fixture.transactions().flatMap(\.changes).map(\.line) == lines)
            #expect(try fixture.transactions(after: tokens[0]).count == 2)
            #expect(try fixture.problems().isEmpty)
            #expect(throws: SwiftDataError.historyValueMissing) {
                try ModelContext(fixture.container, asOf: tokens[0]).fetch(FetchDescriptor<Account>())
            }
            #expect(try await purge(fixture, month).values == 0)

            let all = HistoryRetention(valueRules: [PreservedValueRule(Account.self, maximumAge: .zero)])
            _ = try await purge(fixture, all)
            #expect(try names(fixture).allSatisfy(\.isEmpty))
            #expect(try fixture.problems().isEmpty)
            #expect(try fixture.context().fetch(FetchDescriptor<Account>()).map(\.balance) == [3])
        }

        @Test func unknownNamesThrow() async throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            try fixture.add("a")
            for rule in [
                PreservedValueRule(entityName: "Acount", maximumAge: .zero),
                PreservedValueRule(entityName: "Account", attributeName: "balanc", maximumAge: .zero),
            ] {
                await #expect(throws: SwiftDataError.unknownSchema) {
                    try await purge(fixture, HistoryRetention(maximumAge: .zero, valueRules: [rule]))
                }
            }
            #expect(try fixture.transactions().count == 1)
        }

        /// A transaction with more changes than a step erases, and a step that fails.
        @Test func stepsContinue() throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            let context = fixture.context()
            for number in 0..<1_200 { context.insert(Account("\(number)")) }
            try context.save()
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let retention = HistoryRetention(valueRules: [PreservedValueRule(\Account.name, maximumAge: .zero)])
            let plan = try store.planHistoryPurge(retention, at: .now + 60)
            #expect(try store.purgeHistory(plan) == HistoryPurgeStep(values: 500, isLast: false))
            #expect(try names(fixture).count { $0.contains("name") } == 700)
            // The mark is written after the values.
            try fixture.psql("ALTER TABLE chronicle_meta ADD CONSTRAINT fails CHECK (name <> 'erasedValues') NOT VALID")
            #expect(throws: SwiftDataError.self) { try store.purgeHistory(plan) }
            #expect(try names(fixture).count { $0.contains("name") } == 700)
            try fixture.psql("ALTER TABLE chronicle_meta DROP CONSTRAINT fails")
            while try !store.purgeHistory(plan).isLast {}
            #expect(try names(fixture).allSatisfy { !$0.contains("name") })
            #expect(try store.preservedValueCounts(plan) == [0])
        }

        @Test func exactlyTheValuesOfTheRulesAreGone() throws {
            var erased = 0
            // A consumer can hold all values of a run.
            for number in 0..<8 where number < 2 || erased == 0 {
                let cluster = try PostgresCluster.shared.get()
                let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
                let schema = configuration.schemaName ?? ""
                var simulation = try ValueRuleSimulation(
                    TestSeed.generator(number),
                    writeByOthers: { number in
                        try cluster.psql(
                            """
                            BEGIN; SET LOCAL search_path = \(schema); \
                            UPDATE "Trip" SET note = 'other \(number)', destination = 'x' WHERE _rowid_ % 3 = \(number % 3); \
                            UPDATE "BucketListItem" SET title = 'other \(number)' WHERE _rowid_ % 4 = \(number % 4); \
                            DELETE FROM "BucketListItem" WHERE _rowid_ % 7 = \(number % 7); COMMIT
                            """)
                    },
                    recordedTimes: {
                        let rows = try cluster.psql(
                            "SELECT position || '|' || recorded::text FROM \(schema).chronicle_transaction")
                        let pairs = rows.split(separator: "\n").compactMap { row -> (Int64, Double)? in
                            let parts = row.split(separator: "|")
                            guard parts.count == 2, let position = Int64(parts[0]), let time = Double(parts[1]) else {
                                return nil
                            }
                            return (position, time)
                        }
                        return Dictionary(uniqueKeysWithValues: pairs)
                    }
                ) {
                    try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
                }
                do { try simulation.run(steps: 30) } catch let mismatch as ValueRuleSimulation.Mismatch {
                    Issue.record("\(mismatch), \(TestSeed.description)")
                }
                erased += simulation.erased
            }
            #expect(erased > 0, "\(TestSeed.description)")
        }
    }
#endif
