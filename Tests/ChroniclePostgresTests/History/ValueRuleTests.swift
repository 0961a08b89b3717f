#if Postgres
    import Chronicle
    import ChronicleSQLStore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

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

        @Test func attributesOfOtherSubclassesAreUnknown() async throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let schema = Schema([Siblings.First.Base.self, Siblings.First.One.self, Siblings.First.Two.self])
            let container = try ModelContainer(for: schema, configurations: [configuration])
            let context = ModelContext(container)
            let one = Siblings.First.One()
            one.value = "secret"
            context.insert(one)
            try context.save()
            func purge(_ entity: String, _ attribute: String) async throws -> Int? {
                let rule = PreservedValueRule(entityName: entity, attributeName: attribute, maximumAge: .seconds(-60))
                return try await container.purgeHistory(HistoryRetention(valueRules: [rule])).first?.values
            }
            for (entity, attribute) in [("Two", "value"), ("One", "name")] {
                let error = await #expect(throws: SwiftDataError.self) { try await purge(entity, attribute) }
                #expect(error == .unknownSchema && error?.detail?.contains("so use that entity") == true)
            }
            #expect(try await purge("One", "value") == 1)
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

        /// A step begins where the one before ended, also within a transaction.
        @Test func stepsReadEachChangeOnce() throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            let context = fixture.context()
            for number in 0..<2_200 { context.insert(Account("\(number)")) }
            try context.save()
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let rule = PreservedValueRule(\Account.name, maximumAge: .zero)
            let plan = try store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 60)
            let end = try #require(plan.erasures.first?.newest.position(in: store.identifier))
            var (rows, values): ([Int], [Int]) = ([], [])
            while true {
                rows.append(
                    try store.readingHistory { positions in
                        let purger = ValuePurger(positions)
                        let selection = try Catalog(positions.connection).selection(rule)
                        let plan = try positions.connection.run(
                            "EXPLAIN (ANALYZE, TIMING FALSE, FORMAT JSON) \(purger.select(selection))",
                            purger.parameters(purger.start(selection), through: end))
                        return try Self.changesRead(JSONSerialization.jsonObject(with: Data(plan.text(0, 0).utf8)))
                    })
                let step = try store.purgeHistory(plan)
                if step.isLast { break }
                values.append(step.values)
            }
            #expect(values == [500, 500, 500, 500, 200] && rows == values + [0], "\(values) \(rows)")
        }

        /// The number of rows of `chronicle_change` that a plan read.
        private static func changesRead(_ json: Any) -> Int {
            if let list = json as? [Any] { return list.reduce(0) { $0 + changesRead($1) } }
            guard let node = json as? [String: Any] else { return 0 }
            var count = node.values.reduce(0) { $0 + changesRead($1) }
            if node["Relation Name"] as? String == "chronicle_change" {
                func number(_ name: String) -> Double { (node[name] as? NSNumber)?.doubleValue ?? 0 }
                count += Int((number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops"))
            }
            return count
        }

        // MARK: Automatic purges

        @Test func storePurgesByItself() async throws {
            let rule = PreservedValueRule(\Account.balance, maximumAge: .seconds(5 * 86_400))
            let fixture = try HistoryFixture {
                $0.preservesValues = true
                $0.historyRetention = HistoryRetention(valueRules: [rule], purgeInterval: .zero)
            }
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            func hasBalances() throws -> [Bool] { try names(fixture).map { $0.contains("balance") } }
            for name in ["a", "b", "c"] { try fixture.add(name) }
            #expect(try hasBalances() == [true, true, true])
            try fixture.psql("UPDATE chronicle_transaction SET recorded = recorded - 864000")
            // Each save starts a purge unless one is running.
            var saved = 3
            while try hasBalances().prefix(3).contains(true) {
                if saved < 10 || store.automaticPurgeOutcome != nil {
                    try fixture.add("\(saved)")
                    saved += 1
                }
                await Task.yield()
            }
            let balances = try hasBalances()
            #expect(balances.count == saved && balances.dropFirst(3).allSatisfy { $0 })
            #expect(try fixture.problems().isEmpty)
        }

        // MARK: Tracked tables

        /// Their programs save the rows, so that nothing starts a purge but a request.
        @Test func valuesOfTrackedTablesAreErased() throws {
            let fixture = try TrackedFixture("CREATE TABLE account(id int PRIMARY KEY, email text, note text)")
            let store = try fixture.store(allowsSave: true)
            try fixture.sql("INSERT INTO account VALUES (1, 'a@example.com', 'a')")
            try fixture.sql("UPDATE account SET email = 'b@example.com', note = 'b'")
            let before = try store.preservedNames()
            #expect(before.count == 2 && before.allSatisfy { $0.contains("email") && $0.contains("note") })
            let history = PostgresTracking.historySchema(of: fixture.schemaName)
            try fixture.sql("UPDATE \(history).chronicle_transaction SET recorded = recorded - 864000")
            try fixture.sql("UPDATE account SET email = 'c@example.com'")
            let age = Duration.seconds(5 * 86_400)
            #expect(
                try store.eraseValues(
                    PreservedValueRule(entityName: "account", attributeName: "email", maximumAge: age)) == 2)
            #expect(try store.preservedNames() == before.map { $0.filter { $0 != "email" } } + [["email"]])
            #expect(throws: SwiftDataError.unknownSchema) {
                try store.eraseValues(
                    PreservedValueRule(entityName: "account", attributeName: "mail", maximumAge: .zero))
            }
            _ = try store.eraseValues(PreservedValueRule(entityName: "account", maximumAge: age))
            #expect(try store.preservedNames() == [[], [], ["email"]])
            #expect(try fixture.sql("SELECT email || note FROM account").hasSuffix("c@example.comb"))
            #expect(try fixture.problems().isEmpty)
        }

        // MARK: Random purges

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
