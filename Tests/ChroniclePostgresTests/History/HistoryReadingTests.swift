#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Transactions that ran at the same time have alternating numbers, and identifiers in another order than their positions.
    @Suite("Reading a PostgreSQL history", .requiresPostgres) struct HistoryReadingTests {
        private let fixture: HistoryFixture
        private let largeCount = 5_000

        init() throws {
            fixture = try HistoryFixture()
            let (early, large) = (try PsqlSession(fixture), try PsqlSession(fixture))
            let context = fixture.context()
            func saves(_ count: Int) throws {
                for number in 0..<count {
                    context.author = number.isMultiple(of: 3) ? "third" : nil
                    context.insert(Entry(number))
                    try context.save()
                }
            }
            let half = #"INSERT INTO "Entry"(amount) SELECT generate_series(1, \#(largeCount / 2));"#
            try early.run(#"BEGIN; INSERT INTO "Entry"(amount) VALUES (-1);"#)
            try large.run("BEGIN; \(half)")
            try saves(40)
            try large.run(half)
            try early.run("COMMIT;")
            try saves(20)
            try large.run("COMMIT;")
            try saves(20)
            try early.end()
            try large.end()
        }

        private func lines(_ transactions: [DefaultHistoryTransaction]) -> [String] {
            transactions.flatMap { transaction in
                transaction.changes.map { change in
                    let key = change.changedPersistentIdentifier.integerPrimaryKey ?? 0
                    return "\(transaction.transactionIdentifier) \(change.integerChangeIdentifier ?? 0) \(key)"
                }
            }
        }

        /// The changes as the tables contain them.
        private func expected(_ condition: String = "TRUE", _ order: String = "h.position") throws -> [String] {
            let text = try fixture.psql(
                """
                SELECT concat_ws(' ', h.position, h.first_number + c.id - h.first_change, c.primary_key) \
                FROM chronicle_transaction AS h JOIN chronicle_change AS c ON c.transaction = h.transaction \
                AND c.id BETWEEN h.first_change AND h.last_change WHERE \(condition) ORDER BY \(order), c.id
                """)
            return text.split(separator: "\n").map(String.init)
        }

        @Test func allTransactions() throws {
            let found = try fixture.transactions()
            #expect(found.count == 82)
            #expect(found.map(\.transactionIdentifier) == Array(1...82))
            // The large one is between others whose identifiers are before and after its own.
            #expect(found.firstIndex { $0.changes.count == largeCount } == 61)
            #expect(try lines(found) == expected())
        }

        @Test func someTransactions() throws {
            let third = try fixture.context().fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "third" }))
            #expect(third.count == 28)
            #expect(try lines(third) == expected("h.author = 'third'"))
        }

        @Test func inReverseOrder() throws {
            let found = try fixture.context().fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.token, order: .reverse)]))
            #expect(try lines(found) == expected("TRUE", "h.position DESC"))
        }

        @Test(arguments: [1, 41, 61, 62, 63, 82]) func upToATransaction(_ position: Int) throws {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
            descriptor.fetchLimit = UInt64(position)
            let found = try fixture.context().fetchHistory(descriptor)
            #expect(try lines(found) == expected("h.position <= \(position)"))
        }

        /// In a restored dump, identifiers of the server begin again.
        @Test func anIdentifierThatWasUsedBefore() throws {
            _ = try fixture.transactions()
            try fixture.psql(
                """
                UPDATE chronicle_change SET transaction = (SELECT transaction FROM chronicle_transaction WHERE position = 60)
                WHERE transaction = (SELECT transaction FROM chronicle_transaction WHERE position = 50);
                UPDATE chronicle_transaction SET transaction = (SELECT transaction FROM chronicle_transaction
                WHERE position = 60) WHERE position = 50
                """)
            for limit in [55, 82] as [UInt64] {
                var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
                descriptor.fetchLimit = limit
                let found = try fixture.context().fetchHistory(descriptor)
                #expect(found.allSatisfy { [1, largeCount].contains($0.changes.count) })
                #expect(try lines(found) == expected("h.position <= \(limit)"))
            }
        }

        @Test(arguments: [
            "change_count = 0", "change_count = 9223372036854775807", "last_change = first_change - 1",
            "first_change = -1, last_change = 9223372036854775807",
            "first_number = 9223372036854775807, last_change = 99999",
        ])
        func impossibleNumbersAreDamage(_ assignment: String) throws {
            _ = try fixture.transactions()
            try fixture.psql("UPDATE chronicle_transaction SET \(assignment) WHERE position = 5")
            #expect(throws: SwiftDataError.damagedFile) { try fixture.transactions() }
        }

        @Test func entitiesThatAreUnknownAreDamage() throws {
            try fixture.psql("UPDATE chronicle_change SET entity = 99 WHERE id = 10")
            #expect(throws: SwiftDataError.damagedFile) { try fixture.transactions() }
            // The connection has no rest of the results.
            #expect(try fixture.context().fetchCount(FetchDescriptor<Entry>()) == largeCount + 81)
        }
    }
#endif
