#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    @Suite("PostgreSQL: events of sealed histories", .requiresPostgres) struct PostgresSealEventTests {
        @Test func purgesEndWithASeal() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c", "d", "e")
            // The seals end at the positions 2, 4 and 5.
            let first = try fixture.seal()
            #expect(try await fixture.purge(HistoryRetention(maximumChanges: 2)).transactions == 2)
            #expect(try fixture.transactions().map(\.transactionIdentifier) == [3, 4, 5])
            try fixture.expectProven(first)
            try fixture.add("f", "g", "h")
            // What is not sealed is kept.
            let result = try await fixture.purge(HistoryRetention(maximumChanges: 1))
            #expect(result.transactions == 3 && result.keptFor == [HistorySeal.consumerName])
            #expect(try fixture.transactions().map(\.transactionIdentifier) == [6, 7, 8])
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_seal") == 1)
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_commitment") == 0)
            // The events of the boundary remain. The limits of the purges differ.
            #expect(try fixture.events() == ["begun", "purge", "purge"])
            try fixture.expectProven(first)
            let second = try fixture.seal()
            let exceptions = try fixture.expectProven(first, second)
            #expect(exceptions.unprovenRanges.isEmpty && exceptions.unconfirmedEvents.isEmpty)
        }

        @Test func purgesReachSealsWhoseLastTransactionWasDeleted() async throws {
            let fixture = try HistoryFixture.preserving()
            // The seals end at the positions 2, 4, 6 and 7.
            try fixture.add("a", "b", "c")
            try fixture.add("d", author: "d")
            try fixture.add("e", "f", "g")
            let head = try fixture.seal()
            try fixture.delete(author: "d")
            #expect(try await fixture.purge(HistoryRetention(maximumChanges: 2)).transactions == 3)
            #expect(try fixture.transactions().map(\.transactionIdentifier) == [5, 6, 7])
            try fixture.expectProven(head)
        }

        /// Verification reports the hash.
        @Test func damagedHashesDoNotPreventPurges() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c", "d")
            let head = try fixture.seal()
            try fixture.psql(
                "UPDATE chronicle_seal SET hash = '\\x00' WHERE number = (SELECT max(number) FROM chronicle_seal)")
            #expect(try await fixture.purge(HistoryRetention(maximumChanges: 2)).transactions == 2)
            #expect(try fixture.verify(head).difference?.kind == .damaged)
        }

        @Test func silentSealersHoldNothing() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b")
            let first = try fixture.seal()
            try fixture.add("c", "d", "e")
            let retention = HistoryRetention(maximumChanges: 1, maximumSilence: .zero)
            #expect(try await fixture.purge(retention).transactions == 4)
            #expect(try fixture.events() == ["begun", "purge", "unproven"])
            let second = try fixture.seal()
            #expect(try fixture.expectProven(first, second).unprovenRanges == [3...4])
        }

        @Test func endedChainsHoldNothing() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            let last = try fixture.store.endSealing(ReferenceHashing(), signedBy: nil)
            try fixture.add("b", "c")
            #expect(try await fixture.purge(HistoryRetention(maximumChanges: 1)).transactions == 2)
            let next = try fixture.seal()
            #expect(try fixture.expectProven(last, next).unprovenRanges == [2...2])
        }

        @Test func deletionsKeepTheHashes() throws {
            let fixture = try HistoryFixture.preserving()
            for (number, author) in ["a", "b", "a"].enumerated() { try fixture.add("\(number)", author: author) }
            let first = try fixture.seal()
            for (number, author) in ["b", "a"].enumerated() { try fixture.add("\(number + 3)", author: author) }
            try fixture.delete(author: "b")
            #expect(try fixture.events() == ["begun", "deletion", "unproven"])
            #expect(try fixture.expectProven(first).deletedTransactions == 1)
            let second = try fixture.seal()
            let exceptions = try fixture.expectProven(first, second)
            #expect(exceptions.deletedTransactions == 1 && exceptions.unprovenRanges == [4...4])
            #expect(exceptions.unconfirmedEvents.isEmpty)
            // The event says less than before.
            try fixture.psql(
                """
                UPDATE chronicle_event_part SET content = '\\x00' WHERE event = \
                (SELECT id FROM chronicle_event WHERE kind = 'deletion')
                """)
            #expect(try fixture.verify(second).difference != nil)
        }

        @Test func erasedValuesKeepTheirCommitments() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b")
            let first = try fixture.seal()
            let commitments = """
                SELECT md5(string_agg(commitment::text, ',' ORDER BY transaction, change, place)) FROM chronicle_commitment
                """
            let before = try fixture.psql(commitments)
            let rule = PreservedValueRule(\Account.balance, maximumAge: .seconds(-60))
            let result = try await fixture.purge(HistoryRetention(valueRules: [rule]))
            #expect(result.values == 2)
            #expect(try fixture.events() == ["begun", "erasure"])
            #expect(try fixture.psql(commitments) == before)
            #expect(
                try fixture.integer("SELECT count(*) FROM chronicle_commitment WHERE key IS NULL AND event = 2") == 2)
            #expect(try fixture.expectProven(first).erasedValues == 2)
            let second = try fixture.seal()
            #expect(try fixture.expectProven(first, second).erasedValues == 2)
            // Another value cannot be erased under the cover of the event.
            try fixture.psql(
                """
                UPDATE chronicle_commitment SET key = NULL, event = 2 WHERE transaction = 1 AND attribute IS NOT NULL;
                UPDATE chronicle_change SET preserved = NULL, old_values = NULL, new_values = NULL
                """)
            #expect(try fixture.verify(second).difference?.kind == .erased)
        }

        @Test func deletionsOfErasedValuesKeepTheHashOfTheErasure() async throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", author: "a")
            try fixture.add("b", "c", author: "b")
            try fixture.seal()
            let rule = PreservedValueRule(Account.self, maximumAge: .seconds(-60))
            _ = try await fixture.purge(HistoryRetention(valueRules: [rule]))
            try fixture.delete(author: "a")
            let head = try fixture.seal()
            #expect(try fixture.expectProven(head).deletedTransactions == 1)
            try fixture.delete(author: "b")
            try fixture.expectProven(head, try fixture.seal())
        }

        @Test func gapsAreUnproven() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            let first = try fixture.seal()
            var configuration = fixture.configuration
            configuration.recordsHistory = false
            let context = ModelContext(try HistoryFixture.open(configuration))
            context.insert(Account("b"))
            try context.save()
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            try again.add("c")
            let second = try again.seal()
            #expect(try again.events() == ["begun", "unproven"])
            #expect(try again.expectProven(first, second).unprovenRanges == [2...2])
        }

        @Test func erasedStoresContinueTheChain() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c")
            let first = try fixture.seal()
            try fixture.add("d")
            try fixture.store.erase()
            #expect(try fixture.events().suffix(2) == ["purge", "unproven"])
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_commitment") == 0)
            try fixture.expectProven(first)
            try fixture.add("e")
            let second = try fixture.seal()
            #expect(try fixture.expectProven(first, second).unprovenRanges == [4...5])
        }

        @Test func changesOfNamesAreEvents() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            let first = try fixture.seal()
            let schema = Schema([Account.self, Entry.self, Trip.self])
            _ = try ModelContainer(for: schema, configurations: [fixture.configuration])
            #expect(try fixture.events() == ["begun", "names"])
            try fixture.expectProven(first)
            try fixture.add("b")
            let second = try fixture.seal()
            #expect(try fixture.integer("SELECT count(*) FROM chronicle_seal WHERE catalog IS NOT NULL") == 2)
            try fixture.expectProven(first, second)
        }
    }
#endif
