#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    extension TrackedFixture {
        fileprivate var historySchema: String { PostgresTracking.historySchema(of: schemaName) }

        /// Runs statements in the schema of the history.
        @discardableResult
        fileprivate func forge(_ statements: String) throws -> String {
            try cluster.psql("SET search_path = \(historySchema), public; \(statements)")
        }

        /// Seals in small steps.
        @discardableResult
        fileprivate func seal(observing observe: (HistorySealer.Step) throws -> Void = { _ in }) throws -> HistorySeal {
            try HistorySealer.$limits.withValue(HistorySealer.Limits(transactions: 2, rows: 60, page: 3)) {
                try store(allowsSave: true).sealHistory(ReferenceHashing(), observing: observe)
            }
        }

        fileprivate func verify(_ heads: HistorySeal..., includesValues: Bool = true) throws -> SealVerification {
            var verifier = SealVerifier(heads: heads, ReferenceHashing())
            let isSealed: Void? = try store().readSealedHistory(includesValues: includesValues) {
                try verifier.verify($0)
            }
            try #require(isSealed != nil)
            return verifier.result()
        }

        /// Expects that nothing differs, and that the head is proven.
        fileprivate func expectProven(_ head: HistorySeal, location: SourceLocation = #_sourceLocation) throws {
            let result = try verify(head)
            #expect(result.difference == nil, sourceLocation: location)
            guard case .proven = try #require(result.heads.first).outcome else {
                Issue.record("\(result.heads)", sourceLocation: location)
                return
            }
        }

        fileprivate func count(_ rows: String) throws -> Int {
            try #require(Int(try forge("SELECT count(*) FROM \(rows)")))
        }

        fileprivate func entity(_ name: String) throws -> Int {
            try #require(Int(try forge("SELECT id FROM chronicle_entity WHERE name = '\(name)'")))
        }
    }

    /// The seals of the histories of tables of another program.
    @Suite("PostgreSQL: sealed histories of tracked tables", .requiresPostgres) struct PostgresTrackedSealTests {
        private static let tables = """
            CREATE TYPE color AS ENUM ('red', 'blue');
            CREATE TABLE a(id int PRIMARY KEY, v text, class text);
            CREATE TABLE b(k text PRIMARY KEY, v int);
            CREATE TABLE c(i int, k text, moment timestamptz, v float8, PRIMARY KEY (i, k, moment));
            CREATE TABLE d(k color, x float8, n numeric, data bytea, flag bool, v int, PRIMARY KEY (k, x, n, data, flag))
            """

        private static let rows = """
            INSERT INTO a VALUES (1, 'x', 'b'), (2, NULL, 'none');
            INSERT INTO b VALUES ('x', 1), ('', 2), (U&'e\\0301', 3);
            INSERT INTO c VALUES (1, 'x', '2026-02-03 04:05:06.7+02', 1), (1, 'y', 'infinity', 'NaN'), (2, 'x', '-infinity', NULL);
            INSERT INTO d VALUES ('red', 0.1, 1.500, '\\x00ff', TRUE, 1), ('blue', '-0', 'NaN', '', FALSE, 2)
            """

        @Test func keysOfAllKinds() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(Self.rows)
            let first = try fixture.seal()
            try fixture.expectProven(first)
            // Those of `a` are in the history themselves.
            #expect(try fixture.count("chronicle_commitment_key") == 8)
            #expect(try fixture.seal() == first)
            try fixture.sql(
                """
                SET DateStyle = 'German'; SET TimeZone = 'America/New_York'; SET extra_float_digits = -15;
                SET bytea_output = 'escape'; UPDATE a SET v = 'two' WHERE id = 1; UPDATE a SET id = 3 WHERE id = 2;
                UPDATE b SET v = v + 1; UPDATE b SET k = 'Y' WHERE k = 'x'; DELETE FROM c;
                INSERT INTO c VALUES (1, 'x', '2026-02-03 02:05:06.7+00', 2); UPDATE d SET v = v + 1
                """)
            let second = try fixture.seal()
            #expect(second.position > first.position)
            try fixture.expectProven(first)
            try fixture.expectProven(second)
            // That of `Y` is new.
            #expect(try fixture.count("chronicle_commitment_key") == 9)
            #expect(try fixture.forge("SELECT value FROM chronicle_meta WHERE name = 'format'") == "3")
            #expect(try fixture.problems() == [])
            let names = try fixture.store().readSealedHistory(includesValues: true) { try $0.catalog() }
            let entities = Dictionary(
                uniqueKeysWithValues: (names?.entities ?? []).map { (String(decoding: $0.name, as: UTF8.self), $0) })
            #expect(entities["c"]?.table == Array("c".utf8))
            #expect(entities["c"]?.keyColumns == ["i", "k", "moment"].map { Array($0.utf8) })
            #expect(entities["a"]?.table == Array("a".utf8) && entities["a"]?.keyColumns == nil)
        }

        /// The bytes of K that the article on the seal format specifies.
        @Test func valuesOfKeys() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(Self.rows)
            try fixture.seal()
            var found: [Int64: [[RecordedValue]]] = [:]
            try fixture.store().readSealedHistory(includesValues: true) { reader in
                var reader = reader
                while try reader.nextSeal() != nil {}
                while let key = try reader.nextKey() { found[key.entity, default: []].append(key.columns ?? []) }
            }
            func text(_ text: String) -> RecordedValue { .text(Array(text.utf8)) }
            #expect(
                Set(found[Int64(try fixture.entity("b"))] ?? []) == [[text("x")], [text("")], [text("e\u{301}")]])
            #expect(
                Set(found[Int64(try fixture.entity("c"))] ?? []) == [
                    [.integer(1), text("x"), text("2026-02-03T02:05:06.7Z")],
                    [.integer(1), text("y"), text("infinity")],
                    [.integer(2), text("x"), text("-infinity")],
                ])
            #expect(
                Set(found[Int64(try fixture.entity("d"))] ?? []) == [
                    [text("red"), text("0.1"), text("1.500"), .binary([0, 255]), .integer(1)],
                    [text("blue"), text("-0"), text("NaN"), .binary([]), .integer(0)],
                ])
        }

        struct Attack: Sendable, CustomTestStringConvertible {
            let kind: SealVerification.Difference.Kind
            let sql: String
            var testDescription: String { "\(kind.rawValue): \(sql)" }
        }

        /// `KEYS` is the table of the keys of `b`.
        static let attacks = [
            Attack(kind: .names, sql: "UPDATE KEYS SET key_1 = 'z' WHERE key_1 = 'x'"),
            Attack(kind: .names, sql: "DELETE FROM KEYS WHERE key_1 = 'x'"),
            Attack(kind: .names, sql: "DROP TABLE KEYS CASCADE"),
            Attack(kind: .damaged, sql: "ALTER TABLE KEYS ADD COLUMN other int"),
            Attack(kind: .damaged, sql: "ALTER TABLE KEYS RENAME key_1 TO key_2"),
            Attack(kind: .names, sql: "UPDATE chronicle_commitment_key SET key = commitment"),
            Attack(
                kind: .damaged,
                sql: """
                    ALTER TABLE chronicle_commitment_key DROP CONSTRAINT chronicle_commitment_key_pkey;
                    INSERT INTO chronicle_commitment_key SELECT * FROM chronicle_commitment_key
                    """),
            Attack(kind: .content, sql: "UPDATE chronicle_commitment_key SET commitment = key"),
            Attack(kind: .content, sql: "DELETE FROM chronicle_commitment_key"),
            Attack(kind: .content, sql: "UPDATE chronicle_change SET primary_key = 3 - primary_key"),
            Attack(kind: .value, sql: "UPDATE chronicle_change SET new_values[1] = 'i7' WHERE kind = 'u'"),
            // The same text with another type.
            Attack(kind: .value, sql: "UPDATE chronicle_change SET new_values[1] = 't5' WHERE kind = 'u'"),
            Attack(kind: .names, sql: "UPDATE chronicle_tracked SET relation = 'z'"),
            Attack(
                kind: .names,
                sql: #"UPDATE chronicle_tracked SET key = replace(key, '"name":"k"', '"name":"v"')"#),
        ]

        @Test(arguments: attacks) func forgedRowsAreFound(_ attack: Attack) throws {
            let fixture = try TrackedFixture("CREATE TABLE b(k text PRIMARY KEY, v int)")
            try fixture.sql("INSERT INTO b VALUES ('x', 1), ('y', 2)")
            try fixture.seal()
            try fixture.sql("UPDATE b SET v = 5 WHERE k = 'x'")
            let head = try fixture.seal()
            try fixture.expectProven(head)
            let entity = try fixture.entity("b")
            try fixture.forge(
                attack.sql.replacingOccurrences(of: "KEYS", with: "chronicle_key_\(entity)"))
            let result = try fixture.verify(head)
            #expect(result.difference?.kind == attack.kind, "\(String(describing: result.difference))")
            #expect(!result.isProven)
        }

        @Test(arguments: ["commitment = key", "key = commitment", "key = '\\x00'"])
        func aChangedCommitmentToAKeyIsNotUsed(_ change: String) throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql("INSERT INTO b VALUES ('x', 1)")
            try fixture.seal()
            try fixture.forge("UPDATE chronicle_commitment_key SET \(change)")
            try fixture.sql("UPDATE b SET v = 2")
            #expect(throws: SwiftDataError.damagedFile) { try fixture.seal() }
            #expect(try fixture.count("chronicle_seal") == 1)
        }

        /// The key of the earlier table remains that of its changes.
        @Test func tracksThatChangeTheNames() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(Self.rows)
            try fixture.seal()
            let names = "chronicle_event WHERE kind = 'names'"
            try fixture.tracking.track()
            #expect(try fixture.count(names) == 0)
            try fixture.sql("ALTER TABLE b RENAME TO renamed; ALTER TABLE a RENAME COLUMN v TO w")
            try fixture.tracking.track()
            #expect(try fixture.count(names) == 1)
            try fixture.sql("UPDATE renamed SET v = v + 1; UPDATE a SET w = 'z'")
            let second = try fixture.seal()
            try fixture.expectProven(second)
            try fixture.sql(
                "ALTER TABLE c DROP CONSTRAINT c_pkey; ALTER TABLE c ADD PRIMARY KEY (i, k)")
            try fixture.tracking.track()
            #expect(try fixture.count(names) == 2)
            try fixture.sql("UPDATE c SET v = 7; CREATE TABLE later(k text PRIMARY KEY, v int)")
            try fixture.tracking.track()
            try fixture.sql("INSERT INTO later VALUES ('x', 1)")
            try fixture.expectProven(fixture.seal())
            try fixture.expectProven(second)
        }

        /// What was read with other names is read again.
        @Test func theNamesChangeWhileTheHistoryIsSealed() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(Self.rows)
            var isChanged = false
            let head = try fixture.seal { step in
                guard case .seal = step, !isChanged else { return }
                isChanged = true
                try fixture.sql("ALTER TABLE b RENAME TO renamed")
                try fixture.tracking.track()
                try fixture.sql("UPDATE renamed SET v = v + 1")
            }
            #expect(isChanged)
            try fixture.expectProven(head)
            try fixture.expectProven(fixture.seal())
        }

        @Test func theRecordingCanEndAndBeginAgain() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(Self.rows)
            let first = try fixture.seal()
            try fixture.tracking.stop(["b"])
            try fixture.sql("UPDATE b SET v = 9; UPDATE a SET v = 'y'")
            let second = try fixture.seal()
            try fixture.expectProven(second)
            // There is no transaction at the position of the gap.
            try fixture.tracking.track()
            try fixture.sql("UPDATE b SET v = 10")
            let third = try fixture.seal()
            #expect(try fixture.verify(first, second, third).difference == nil)
            try fixture.tracking.untrack()
            #expect(
                try fixture.sql("SELECT count(*) FROM pg_namespace WHERE nspname = '\(fixture.historySchema)'") == "0")
            // A new history with a new chain.
            try fixture.tracking.track()
            try fixture.sql("UPDATE b SET v = 11")
            let again = try fixture.seal()
            try fixture.expectProven(again)
            #expect(try fixture.verify(third).heads.first?.outcome != .proven(SealVerification.Exceptions()))
        }

        @Test func manyKeysInOneTransaction() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(
                "INSERT INTO b SELECT 'k' || i, i FROM generate_series(1, 2500) AS i; UPDATE b SET v = v + 1")
            let head = try fixture.store(allowsSave: true).sealHistory(ReferenceHashing(), observing: { _ in })
            #expect(try fixture.count("chronicle_commitment_key") == 2500)
            try fixture.expectProven(head)
            #expect(try fixture.verify(head, includesValues: false).difference == nil)
        }
    }
#endif
