#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL history tokens", .requiresPostgres) struct HistoryTokenTests {
        @Test func deletedHistoryExpiresTokens() throws {
            let fixture = try HistoryFixture()
            let all = try fixture.add("a", "b", "c")
            try fixture.context().deleteHistory(.before(all[1].token))
            #expect(throws: SwiftDataError.historyTokenExpired) { try fixture.transactions(after: all[0].token) }
            #expect(try fixture.transactions(after: all[1].token).count == 1)
            #expect(try fixture.psql("SELECT count(*) FROM chronicle_change") == "1")
        }

        @Test func tokensOfOtherStoresAndPositionsThatDoNotExist() throws {
            let (fixture, other) = (try HistoryFixture(), try HistoryFixture())
            try fixture.add("a", "b")
            try other.add("x")
            let (token, foreign) = (try fixture.token, try other.token)
            let store = try #require(token.tokenValue?.keys.first)
            #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try fixture.transactions(after: foreign) }
            let ahead = DefaultHistoryToken(storeIdentifier: store, position: 99, checkValue: 1)
            #expect(throws: SwiftDataError.historyTokenAhead) { try fixture.transactions(after: ahead) }
            let forked = DefaultHistoryToken(
                storeIdentifier: store, position: 1, checkValue: (token.checkValue(in: store) ?? 0) &+ 1)
            #expect(throws: SwiftDataError.historyTokenForked) { try fixture.transactions(after: forked) }
        }

        @Test(arguments: [
            #"ALTER TABLE "Account" DISABLE TRIGGER chronicle_insert"#, #"DROP TRIGGER chronicle_insert ON "Account""#,
            "CREATE OR REPLACE FUNCTION chronicle_insert_1() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
                + "CREATE OR REPLACE FUNCTION chronicle_insert_2() RETURNS trigger LANGUAGE plpgsql AS "
                + "'BEGIN RETURN NULL; END'",
        ])
        func changedTriggersAreAGap(_ change: String) throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let token = try fixture.token
            try fixture.psql(#"\#(change); INSERT INTO "Account"(name, balance) VALUES ('unrecorded', 0)"#)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
            let resumed = try again.token
            try again.add("b")
            #expect(try again.transactions(after: resumed).count == 1)
            // Opening the store again changes nothing.
            let third = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(try third.transactions(after: resumed).count == 1)
        }

        /// Transaction identifiers begin again in another cluster, and can equal those of restored transactions that have
        /// no position yet.
        @Test func aRestoredDumpIsForked() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            // Not numbered before the dump.
            try fixture.psql(#"INSERT INTO "Account"(name, balance) VALUES ('pending', 0)"#)
            let cluster = try PostgresCluster()
            defer { try? cluster.remove() }  // Its guardian removes it otherwise.
            let copied = try fixture.configuration.restoredCopy(in: .cluster(cluster))
            let lost = try fixture.add("lost", "lost, too").map(\.token)
            let valid = try #require(fixture.transactions().first).token

            // The next transaction gets the identifier of the one that is pending.
            func psql(_ sql: String) throws -> String {
                try cluster.psql("SET search_path = \(fixture.schema); \(sql)", database: copied.database)
            }
            let target = try Int(psql("SELECT pg_current_xact_id()")).map { $0 + 4 } ?? 0
            _ = try psql(
                """
                UPDATE chronicle_change SET transaction = '\(target)' WHERE transaction IN \
                (SELECT transaction FROM chronicle_pending); UPDATE chronicle_pending SET transaction = '\(target)'
                """)
            while try Int(psql("SELECT pg_current_xact_id()")) ?? target < target - 1 {}
            let used = try psql(
                #"INSERT INTO "Account"(name, balance) VALUES ('new', 0) RETURNING pg_current_xact_id()"#)
            #expect(used == "\(target)")

            let restored = try HistoryFixture(copied, cluster)
            #expect(
                try restored.transactions().map { $0.changes.map(\.line) }
                    == [["insert Account/1"], ["insert Account/2"], ["insert Account/3"]])
            #expect(try restored.transactions(after: valid).count == 2)
            for token in lost {
                let expected: SwiftDataError = token == lost[0] ? .historyTokenForked : .historyTokenAhead
                #expect(throws: expected) { try restored.transactions(after: token) }
            }
            try restored.add("b")
            #expect(throws: SwiftDataError.historyTokenForked) { try restored.transactions(after: lost[1]) }
        }

        /// Nothing is missing after the gap with which a history begins.
        @Test func aHistoryBeginsWithAGap() throws {
            let fixture = try HistoryFixture()
            try fixture.psql(#"ALTER TABLE "Account" DISABLE TRIGGER chronicle_insert"#)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            let store = try #require(again.container.stores.first as? PostgresStore)
            let gap = try again.token
            #expect(gap.position(in: store.identifier) == 1)
            try again.add("a")
            let earliest = try #require(try store.earliestHistoryToken())
            #expect(earliest == gap)
            #expect(try again.transactions(after: earliest).count == 1)
        }

        /// The files of the tables are others than before.
        @Test func aDumpThatIsRestoredInTheSameDatabaseIsNoGap() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let token = try fixture.token
            try fixture.add("b")
            let file = fixture.cluster.directory.appending(path: "dump-\(UUID().uuidString).sql")
            defer { try? FileManager.default.removeItem(at: file) }  // A file that remains does no harm.
            try fixture.cluster.run(
                "pg_dump", ["--schema", fixture.schema, "--no-owner", "--file", file.path, "--dbname", "postgres"])
            try fixture.cluster.psql("DROP SCHEMA \(fixture.schema) CASCADE")
            try fixture.cluster.run(
                "psql",
                [
                    "--quiet", "--set", "ON_ERROR_STOP=1", "--output", "/dev/null", "--file", file.path, "--dbname",
                    "postgres",
                ])
            let restored = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(try restored.transactions(after: token).count == 1)
            // Conversions of values are found again.
            let resumed = try restored.token
            try restored.psql(#"ALTER TABLE "Account" ALTER COLUMN balance TYPE bigint USING balance + 1"#)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: resumed) }
        }

        @Test func erasingExpiresTokensAndResetsConsumers() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let token = try fixture.token
            try fixture.container.erase()
            #expect(throws: SwiftDataError.historyTokenExpired) { try fixture.transactions(after: token) }
            #expect(try fixture.transactions().isEmpty)
            let after = try fixture.token
            try fixture.add("b")
            #expect(try fixture.transactions(after: after).count == 1)
        }
    }

    extension PostgresConfiguration {
        fileprivate var database: String {
            connectionString.split(separator: " ").first { $0.hasPrefix("dbname=") }.map { String($0.dropFirst(7)) }
                ?? ""
        }
    }
#endif
