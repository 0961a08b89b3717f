#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Testing

    @testable import ChroniclePostgres

    @Suite("PostgreSQL: forged rows of sealed histories", .requiresPostgres) struct PostgresSealAttackTests {
        struct Attack: Sendable, CustomTestStringConvertible {
            let kind: SealVerification.Difference.Kind
            let sql: String
            var testDescription: String { "\(kind.rawValue): \(sql)" }

            init(_ kind: SealVerification.Difference.Kind, _ sql: String) { (self.kind, self.sql) = (kind, sql) }
        }

        /// Of the transaction at the position 3, the first one of the second seal.
        private static let change =
            "transaction = (SELECT transaction FROM chronicle_transaction WHERE position = 3)"

        static let attacks = [
            Attack(.value, "UPDATE chronicle_change SET new_values[1] = 'tx' WHERE \(change)"),
            Attack(
                .value,
                """
                UPDATE chronicle_change AS c SET new_values = o.new_values FROM chronicle_change AS o \
                WHERE c.\(change) AND o.transaction = (SELECT transaction FROM chronicle_transaction WHERE position = 4)
                """),
            Attack(.description, "UPDATE chronicle_transaction SET author = 'x' WHERE position = 3"),
            Attack(.description, "UPDATE chronicle_transaction SET recorded = recorded + 1 WHERE position = 3"),
            Attack(.description, "UPDATE chronicle_transaction SET metadata = '{\"a\": \"b\"}' WHERE position = 3"),
            Attack(.content, "UPDATE chronicle_transaction SET process = '' WHERE position = 3"),
            Attack(.content, "UPDATE chronicle_transaction SET check_value = check_value # 1 WHERE position = 3"),
            Attack(.content, "UPDATE chronicle_change SET primary_key = 70 WHERE \(change)"),
            Attack(.content, "UPDATE chronicle_change SET entity = entity % 2 + 1 WHERE \(change)"),
            Attack(.content, "UPDATE chronicle_change SET kind = 'd' WHERE \(change)"),
            Attack(
                .content,
                "UPDATE chronicle_transaction SET last_change = last_change + 1, change_count = 2 WHERE position = 3"),
            Attack(.content, "UPDATE chronicle_transaction SET last_change = last_change + 1 WHERE position = 3"),
            Attack(
                .inserted,
                "INSERT INTO chronicle_change SELECT '3000000000', id, entity, kind, 9 FROM chronicle_change WHERE \(change)"
            ),
            // Its changes remain.
            Attack(.inserted, "DELETE FROM chronicle_transaction WHERE position = 3"),
            Attack(
                .removed,
                "DELETE FROM chronicle_change WHERE \(change); DELETE FROM chronicle_transaction WHERE position = 3"),
            Attack(.seal, "UPDATE chronicle_seal SET sealed = sealed + 1 WHERE number = 2"),
            Attack(.seal, "UPDATE chronicle_event SET author = 'x'"),
            Attack(.missing, "DELETE FROM chronicle_seal WHERE number = 2"),
            Attack(.names, "UPDATE chronicle_attribute SET name = 'rest' WHERE name = 'balance'"),
            Attack(.erased, "UPDATE chronicle_commitment SET key = NULL WHERE transaction = 3 AND place = 1"),
            Attack(
                .erased,
                "UPDATE chronicle_change SET preserved = NULL, old_values = NULL, new_values = NULL WHERE \(change)"),
            Attack(.damaged, "UPDATE chronicle_change SET kind = 'x' WHERE \(change)"),
            Attack(.damaged, "UPDATE chronicle_change SET preserved = '{{1}}' WHERE \(change)"),
            Attack(.damaged, "UPDATE chronicle_event SET time = 'NaN'"),
            // Its event remains.
            Attack(.damaged, "DELETE FROM chronicle_seal WHERE number = 3"),
        ]

        @Test(arguments: attacks) func forgedRowsAreFound(_ attack: Attack) throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a", "b", "c", "d", "e")
            let head = try fixture.seal()
            let first = try #require(try fixture.store.historySeals(after: nil).first)
            try fixture.expectProven(first, head)
            try fixture.psql(attack.sql)
            let result = try fixture.verify(first, head)
            #expect(result.difference?.kind == attack.kind, "\(String(describing: result.difference))")
            #expect(!result.isProven)
            // The present names are not part of a seal.
            if attack.kind != .names { #expect(result.heads.last?.outcome != .proven(SealVerification.Exceptions())) }
        }

        /// Positions of gaps have no changes, so those of later transactions can be higher than the numbers of their changes.
        @Test func transactionsThatAreRemovedAfterAGapLeaveAHole() throws {
            let fixture = try HistoryFixture.preserving()
            try fixture.add("a")
            try fixture.seal()
            var configuration = fixture.configuration
            configuration.recordsHistory = false
            _ = try HistoryFixture.open(configuration)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            try again.add("b", "c", "d")
            try again.psql(
                """
                DELETE FROM chronicle_change USING chronicle_transaction AS h WHERE h.position = 4 \
                AND chronicle_change.transaction = h.transaction; DELETE FROM chronicle_transaction WHERE position = 4
                """)
            let head = try again.seal()
            #expect(try again.verify(head).difference?.kind == .removed)
        }
    }
#endif
