#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    @Suite("PostgreSQL: sealing", .requiresPostgres) struct PostgresSealerTests {
        /// Values of every type, lists, and metadata.
        private func write(_ fixture: HistoryFixture) throws {
            let context = fixture.context("ann")
            let account = Account("Zoë", balance: .min)
            (account.rate, account.photo, account.note) = (-0.0, Data([0, 255]), "note")
            context.insert(account)
            context.insert(Entry(1, of: account))
            context.transactionMetadata = ["e\u{301}": "1", "f": "2", "Z": ""]
            try context.save()
            (account.rate, account.photo, account.note) = (.infinity, Data(), nil)
            try context.save()
            context.delete(account)
            try context.save()
            try fixture.psql("INSERT INTO \"Entry\"(_rowid_, amount) VALUES (1000, 5)")
        }

        @Test func theChainContinues() throws {
            let fixture = try HistoryFixture.preserving()
            try write(fixture)
            let first = try fixture.seal()
            #expect(first.position == 4)
            #expect(try fixture.seal() == first)
            #expect(try fixture.psql("SELECT value FROM chronicle_meta WHERE name = 'format'") == "3")
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_seal") == 2)
            #expect(try fixture.events() == ["begun"])
            // A value and a description have one each.
            let values = "(SELECT sum(cardinality(preserved)) FROM chronicle_change)"
            #expect(try fixture.integer("SELECT count(*) - coalesce(\(values), 0) FROM chronicle_commitment") == 4)
            try fixture.add("b", "c", "d")
            // Another process.
            let other = try HistoryFixture(fixture.configuration, fixture.cluster)
            let second = try other.seal()
            #expect(second.position == 7)
            #expect(try fixture.expectProven(first, second).isEmpty)
            #expect(try fixture.store.historySeals(after: first).last == second)
            #expect(try fixture.store.historySeals(after: nil).contains(first))
            #expect(try fixture.problems().isEmpty)
            #expect(try fixture.psql("SELECT name FROM chronicle_consumer") == HistorySeal.consumerName)
        }

        @Test func limitsDoNotChangeWhatIsProven() throws {
            let fixture = try HistoryFixture.preserving()
            let context = fixture.context()
            // More changes than a page of the reader.
            for number in 0..<2_100 { context.insert(Entry(number)) }
            try context.save()
            try fixture.add("a", "b")
            let head = try fixture.store.sealHistory(ReferenceHashing(), signedBy: nil)
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_seal") == 1)
            try fixture.expectProven(head)
        }

        @Test(arguments: [false, true]) func historiesWithoutTransactionsHaveASeal(_ isDeleted: Bool) throws {
            let fixture = try HistoryFixture()
            if isDeleted {
                try fixture.add("a", "b")
                try fixture.context().deleteHistory()
            }
            let first = try fixture.seal()
            #expect(first.position == 0)
            try fixture.add("c")
            let second = try fixture.seal()
            #expect(second.position == (isDeleted ? 3 : 1))
            #expect(try fixture.expectProven(first, second).deletedTransactions == 0)
        }

        @Test func removedTransactionsLeaveAHole() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            try fixture.seal()
            try fixture.add("b", "c")
            _ = try fixture.transactions()
            try fixture.psql(
                """
                DELETE FROM chronicle_change USING chronicle_transaction AS h WHERE h.position = 2 \
                AND chronicle_change.transaction = h.transaction; DELETE FROM chronicle_transaction WHERE position = 2
                """)
            let head = try fixture.seal()
            #expect(try fixture.verify(head).difference?.kind == .removed)
        }

        @Test func changesDuringARunAreNotSealedWithoutTheirEvent() throws {
            let fixture = try HistoryFixture.preserving()
            for author in ["a", "b", "a", "c"] {
                try fixture.add("\(author)\(Int.random(in: 0..<1 << 40))", author: author)
            }
            for step in [HistorySealer.Step.prepare, .seal] {
                try fixture.add("x\(step)", "y\(step)", author: "\(step)")
                var isFirst = true
                let head = try fixture.seal { current in
                    guard current == step, isFirst else { return }
                    isFirst = false
                    try fixture.delete(author: "\(step)")
                }
                #expect(!isFirst)
                try fixture.expectProven(head)
                let count = try fixture.integer(
                    """
                    SELECT count(*) FROM chronicle_commitment AS k WHERE NOT EXISTS \
                    (SELECT FROM chronicle_transaction AS h WHERE h.position = k.transaction)
                    """)
                #expect(count == 0)
            }
        }

        @Test func anotherRunEndsTheFirst() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c")
            var other: HistorySeal?
            let error = #expect(throws: SwiftDataError.self) {
                try fixture.seal { step in
                    guard step == .seal, other == nil else { return }
                    // With the record, the second one would wait for the first.
                    try fixture.psql("DELETE FROM chronicle_consumer")
                    other = try fixture.seal()
                }
            }
            #expect(error == .historyConsumerInUse)
            try fixture.expectProven(try #require(other))
        }

        @Test func concurrentRunsMakeOneChain() async throws {
            let fixture = try HistoryFixture.preserving()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for number in 0..<5 {
                            try fixture.add("\(task).\(number)")
                            try fixture.seal()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let head = try fixture.seal()
            #expect(head.position == 15)
            try fixture.expectProven(head)
        }

        @Test func changedSealsAreNotContinued() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c")
            try fixture.seal()
            try fixture.add("d")
            try fixture.psql("UPDATE chronicle_seal SET sealed = sealed + 1 WHERE number = 2")
            #expect(throws: SwiftDataError.damagedFile) { try fixture.seal() }
        }

        @Test(arguments: [
            "UPDATE chronicle_meta SET value = '2' WHERE name = 'format'", "DROP TABLE chronicle_event",
            "DROP TABLE chronicle_seal",
        ])
        func tablesAgreeWithTheFormat(_ change: String) throws {
            let fixture = try HistoryFixture()
            try fixture.seal()
            _ = try HistoryFixture.open(fixture.configuration)
            try fixture.psql(change)
            #expect(throws: SwiftDataError.damagedFile) { try HistoryFixture.open(fixture.configuration) }
            #expect(throws: SwiftDataError.damagedFile) { try fixture.seal() }
        }

        @Test func openingAgainChangesNothing() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let completions = "SELECT string_agg(xmin::text, ',') FROM chronicle_meta WHERE name = 'files'"
            let before = try fixture.psql(completions)
            try fixture.seal()
            _ = try HistoryFixture.open(fixture.configuration)
            #expect(try fixture.psql(completions) == before)
        }
    }
#endif
