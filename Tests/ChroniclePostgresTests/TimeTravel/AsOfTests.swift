#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Contexts as of a position of a database. `StoreDifferenceTests` compares random positions with those of an SQLite
    /// file.
    @Suite("PostgreSQL as of a position", .requiresPostgres) struct AsOfTests {
        private func fixture(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> HistoryFixture {
            try HistoryFixture {
                $0.preservesValues = true
                change(&$0)
            }
        }

        private func names(_ context: ModelContext) throws -> [String] {
            try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)])).map(\.name)
        }

        @Test func nothingIsSavedAndTheTokenIsThePosition() throws {
            let fixture = try fixture()
            try fixture.add("a")
            let token = try fixture.token
            let context = fixture.context()
            let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
            account.name = "b"
            try context.save()

            let past = try ModelContext(fixture.container, asOf: token)
            let before = try #require(try past.existingModel(for: account.persistentModelID) as? Account)
            #expect(before.name == "a")
            #expect(try past.currentHistoryToken() == token)
            #expect(try past.fetchHistoryCount(.after(token)) == 1)
            before.name = "c"
            #expect(throws: SwiftDataError.storeReadOnly) { try past.save() }
            past.rollback()
            #expect(before.name == "a")
            #expect(throws: SwiftDataError.storeReadOnly) { try past.delete(model: Account.self) }
            let store = try #require(past.container.stores.first as? PostgresStore)
            #expect(throws: SwiftDataError.storeReadOnly) { try store.requireWriteAccess() }
            #expect(throws: SwiftDataError.unsupportedFeature) {
                try past.container.exportHistory(startingAt: .snapshot) { _ in }
            }
            #expect(try names(context) == ["b"])
            // Its connections are those of the present store, which remain open.
            withExtendedLifetime(store) {}
        }

        @Test func transactionsAndDatesArePositions() throws {
            let fixture = try fixture()
            let transactions = try fixture.add("a", "b", "c", "d")
            for (index, transaction) in transactions.enumerated() {
                let expected = ["a", "b", "c", "d"]
                #expect(
                    try names(ModelContext(fixture.container, asOf: transaction)) == Array(expected[...index]))
                let last = transactions.lastIndex { $0.timestamp <= transaction.timestamp } ?? 0
                #expect(
                    try names(ModelContext(fixture.container, asOf: transaction.timestamp)) == Array(expected[...last]))
            }
            #expect(try names(ModelContext(fixture.container, asOf: Date.distantPast)) == [])
            #expect(try names(ModelContext(fixture.container, asOf: Date.distantFuture)) == ["a", "b", "c", "d"])
        }

        @Test func datesBeforeDeletedTransactionsThrow() throws {
            let fixture = try fixture()
            let transactions = try fixture.add("a", "b")
            let (first, second) = (transactions[0].timestamp, transactions[1].timestamp)
            let statistics = { try #require(fixture.container.historyStatistics().first) }
            #expect(try statistics().lastDeletion == nil)
            try fixture.context().deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(try statistics().lastDeletion != nil)
            for isFollowed in [false, true] {
                if isFollowed { try fixture.add("c") }
                #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(fixture.container, asOf: first) }
                #expect(try names(ModelContext(fixture.container, asOf: second)) == ["a", "b"])
            }
            #expect(try names(ModelContext(fixture.container, asOf: Date.distantFuture)) == ["a", "b", "c"])
            try fixture.container.erase()
            #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(fixture.container, asOf: second) }
            #expect(try names(ModelContext(fixture.container, asOf: Date.distantFuture)) == [])
        }

        @Test func incompleteHistoryThrows() throws {
            let fixture = try fixture()
            try fixture.add("a")
            let first = try fixture.token
            let open = try ModelContext(fixture.container, asOf: first)
            try fixture.add("b")
            let second = try fixture.token
            #expect(try names(open) == ["a"])
            try fixture.add("c")
            let third = try fixture.token
            try fixture.context().deleteHistory(.before(second))
            #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(fixture.container, asOf: first) }
            #expect(throws: SwiftDataError.historyTokenExpired) {
                try ModelContext(fixture.container, asOf: Date.distantPast)
            }
            #expect(try names(ModelContext(fixture.container, asOf: second)) == ["a", "b"])
            // The deleted changes were read before.
            #expect(try names(open) == ["a"])

            let identifier = try #require(fixture.container.stores.first).identifier
            let ahead = DefaultHistoryToken(storeIdentifier: identifier, position: 4_711)
            #expect(throws: SwiftDataError.historyTokenAhead) { try ModelContext(fixture.container, asOf: ahead) }
            let forked = DefaultHistoryToken(
                storeIdentifier: identifier, position: try #require(third.position(in: identifier)), checkValue: 5)
            #expect(throws: SwiftDataError.historyTokenForked) { try ModelContext(fixture.container, asOf: forked) }
            let other = try self.fixture()
            #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
                try ModelContext(fixture.container, asOf: other.token)
            }
            // A gap, which an open context does not overlook either.
            let recorded = Date()
            try fixture.psql(#"ALTER TABLE "Account" DISABLE TRIGGER USER; DELETE FROM "Account" WHERE name = 'a'"#)
            let again = try HistoryFixture.open(fixture.configuration)
            #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: recorded) }
            #expect(try names(ModelContext(again, asOf: Date())) == ["b", "c"])
            #expect(throws: SwiftDataError.historyTokenGap) { try ModelContext(again, asOf: third) }
            #expect(throws: SwiftDataError.historyTokenGap) { try names(open) }
        }

        /// Values that were not preserved are errors where they matter, and only there.
        @Test func unknownValuesThrow() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a", "b")
            let token = try fixture.token
            let past = try ModelContext(fixture.container, asOf: token)
            #expect(try names(past) == ["a", "b"])
            let context = fixture.context()
            let account = try #require(
                try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.name == "a" })).first)
            (account.note, account.photo, account.rate, account.balance) = ("new", Data([1]), 0.5, 7)
            try context.save()

            let error = try #require(throws: SwiftDataError.self) { try past.fetch(FetchDescriptor<Account>()) }
            #expect(error == .historyValueMissing && error.entityName == "Account")
            #expect(["note", "photo", "rate"].contains(error.propertyName))
            #expect(error.persistentIdentifier == account.persistentModelID)
            for descriptor in [
                FetchDescriptor<Account>(predicate: #Predicate { $0.note == "new" }),
                FetchDescriptor<Account>(predicate: #Predicate { $0.photo == nil }),
                FetchDescriptor<Account>(predicate: #Predicate { ($0.rate ?? 0) > 0 }),
            ] {
                #expect(throws: SwiftDataError.historyValueMissing) { try past.fetchCount(descriptor) }
            }
            #expect(throws: SwiftDataError.historyValueMissing) {
                try past.fetchIdentifiers(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.rate)]))
            }
            // Entries reach accounts.
            #expect(throws: SwiftDataError.historyValueMissing) { try past.fetch(FetchDescriptor<Entry>()) }
            #expect(try past.fetchCount(FetchDescriptor<Account>()) == 2)
            #expect(try past.fetchCount(FetchDescriptor<Account>(predicate: #Predicate { $0.balance == 0 })) == 2)
            let second = FetchDescriptor<Account>(predicate: #Predicate { $0.name == "b" })
            #expect(try past.fetchCount(second) == 1)
            // The entries of an account reach accounts.
            #expect(throws: SwiftDataError.historyValueMissing) { try past.fetch(second) }

            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let rows = try #require(try store.store(asOf: token) as? PostgresStore)
            var missing: [String] = []
            try rows.fetchRows(ofEntity: "Account", identifiers: nil) {
                missing.append($1.sorted().joined(separator: " "))
            }
            #expect(missing == ["note photo rate", ""])
            #expect(throws: SwiftDataError.historyValueMissing) { try rows.fetchRows(ofEntity: "Account") { _ in } }
        }

        /// Transactions that no reader has numbered are later than every position.
        @Test func pendingTransactionsAreLater() throws {
            let fixture = try fixture()
            try fixture.add("a")
            let past = try ModelContext(fixture.container, asOf: fixture.token)
            for number in 0..<3 {
                try fixture.psql("INSERT INTO \"Account\"(name, balance) VALUES ('f\(number)', 0)")
                try fixture.psql("UPDATE \"Account\" SET name = 'a\(number)' WHERE name LIKE 'a%'")
                #expect(try fixture.psql("SELECT count(*) > 0 FROM chronicle_pending") == "t")
                #expect(try names(past) == ["a"])
            }
            try fixture.psql("DELETE FROM \"Account\"")
            #expect(try names(past) == ["a"])
            #expect(try names(fixture.context()) == [])
        }

        /// Rows of one transaction that wrote in several steps while others were committed.
        @Test func concurrentWritersAndReaders() async throws {
            let fixture = try fixture()
            let writer = fixture.context()
            for number in 0..<20 { writer.insert(Account("\(number)")) }
            try writer.save()
            let token = try fixture.token
            let past = try store(fixture, asOf: token)
            var bodies: [@Sendable () throws -> Void] = (0..<2).map { thread in
                {
                    for round in 0..<15 {
                        let context = fixture.context()
                        // Both writers may change the same account.
                        context.mergePolicy = .mergeByPropertyObjectTrump
                        let accounts = try context.fetch(FetchDescriptor<Account>())
                        for account in accounts where account.balance % 2 == thread { account.balance += 1 }
                        context.insert(Account("\(thread) \(round)"))
                        try context.save()
                    }
                }
            }
            bodies += (0..<2).map { _ in
                {
                    for _ in 0..<15 {
                        var found: Set<String> = []
                        try past.fetchRows(ofEntity: "Account") { row in
                            if case .text(let name) = row.values[0] { found.insert(name) }
                        }
                        #expect(found.count == 20)
                        #expect(try past.fetchCount(ofEntity: "Account") == 20)
                    }
                }
            }
            try await inThreads(bodies)
        }

        private func store(_ fixture: HistoryFixture, asOf token: DefaultHistoryToken) throws -> PostgresStore {
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            return try #require(try store.store(asOf: token) as? PostgresStore)
        }

        /// Long texts, and those that are special in the text of an array; a role that can only read; no prepared session.
        @Test func valuesOfEveryKindAreRestored() throws {
            let texts = ["", "NULL", "a,b", "{x}", "\"q\" \\ '", "né\n🏟️", String(repeating: "ab\\\"", count: 10_000)]
            let fixture = try fixture()
            let context = fixture.context()
            let accounts = texts.enumerated().map { index, text in
                let account = Account("\(index)", balance: .max)
                (account.note, account.photo) = (text, Data(text.utf8))
                account.rate = [0, -0.0, .infinity, .leastNonzeroMagnitude, nil, 0.1, -1e300][index]
                return account
            }
            for account in accounts { context.insert(account) }
            try context.save()
            let token = try fixture.token
            for (index, account) in accounts.enumerated() {
                if index.isMultiple(of: 2) {
                    context.delete(account)
                } else {
                    (account.note, account.photo, account.rate, account.balance) = (nil, nil, nil, .min)
                }
            }
            try context.save()
            let past = try ModelContext(fixture.container, asOf: token)
            let found = try past.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)]))
            #expect(found.map(\.note) == texts)
            #expect(found.map(\.photo) == texts.map { Data($0.utf8) })
            #expect(found.map { "\($0.rate ?? 7)" } == ["0.0", "-0.0", "inf", "5e-324", "7.0", "0.1", "-1e+300"])
            #expect(found.allSatisfy { $0.balance == .max })
            for text in texts {
                let descriptor = FetchDescriptor<Account>(predicate: #Predicate { $0.note == text })
                #expect(try past.fetch(descriptor).map(\.note) == [text])
            }
        }

        /// A role without other privileges, and a standby server, which can create no temporary tables.
        @Test func standbyServersAndReadersReadPositions() async throws {
            let replicas = try Replicas(preservesValues: true)
            let primary = try replicas.container(replicas.primary.connectionString())
            try primary.add(1)
            let token = try primary.token
            let context = ModelContext(primary)
            let seat = try #require(try context.fetch(FetchDescriptor<GraphSeat>()).first)
            seat.number = 2
            try context.save()
            try primary.add(3)
            let newest = try primary.token
            let standby = try replicas.container(replicas.standby.connectionString())
            try await standby.waitUntilVisible(newest)
            func numbers(_ container: ModelContainer, _ token: DefaultHistoryToken) throws -> [Int] {
                try ModelContext(container, asOf: token).fetch(FetchDescriptor<GraphSeat>()).map(\.number).sorted()
            }
            #expect(try numbers(standby, newest) == [2, 3])
            let open = try ModelContext(standby, asOf: newest)
            // The standby server applies these changes before they have numbers.
            try replicas.primary.psql(
                #"UPDATE seats."GraphSeat" SET number = number + 10; DELETE FROM seats."GraphSeat" WHERE number = 13"#)
            try replicas.waitForStandby()
            #expect(try open.fetch(FetchDescriptor<GraphSeat>()).map(\.number).sorted() == [2, 3])
            #expect(try numbers(standby, newest) == [2, 3])
            #expect(try numbers(standby, token) == [1])
            try replicas.primary.psql(
                """
                CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA seats TO reader;
                GRANT SELECT ON ALL TABLES IN SCHEMA seats TO reader; REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
                ALTER ROLE reader SET default_transaction_read_only = on
                """)
            let reader = try replicas.container(replicas.primary.connectionString(user: "reader")) {
                $0.allowsSave = false
            }
            #expect(try numbers(reader, newest) == [2, 3])
            try replicas.remove()
        }
    }
#endif
