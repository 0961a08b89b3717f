#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Dispatch
    import Foundation
    import Testing

    @Suite("PostgreSQL history access", .requiresPostgres) struct HistoryAccessTests {
        /// A role that may read and write models, and read the history.
        private func role(_ fixture: HistoryFixture) throws -> String {
            let role = "writer_\(fixture.schema)"
            try fixture.psql(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fixture.schema) TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA \(fixture.schema) TO \(role);
                GRANT INSERT, UPDATE, DELETE ON "Account", "Entry", chronicle_consumer, chronicle_tag TO \(role);
                GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(fixture.schema) TO \(role)
                """)
            return role
        }

        @Test(arguments: [
            "DELETE FROM chronicle_change", "UPDATE chronicle_transaction SET author = 'x'",
            "DELETE FROM chronicle_pending", "INSERT INTO chronicle_pending SELECT * FROM chronicle_pending",
            "UPDATE chronicle_history SET position = 0", "SELECT setval('chronicle_change_id', 99)",
            #"ALTER TABLE "Account" DISABLE TRIGGER ALL"#,
            "CREATE TEMPORARY TABLE t(_rowid_ bigint, name text); CREATE TRIGGER t AFTER INSERT ON t REFERENCING NEW TABLE "
                + "AS chronicle_new FOR EACH STATEMENT EXECUTE FUNCTION chronicle_insert_1()",
            "SET session_replication_role = replica",
        ])
        func aWriterCannotChangeTheHistory(_ statement: String) throws {
            let fixture = try HistoryFixture()
            let role = try role(fixture)
            #expect(throws: Shell.Failure.self) { try fixture.psql(statement, user: role) }
        }

        @Test func aWriterIsRecordedAndReadsTheHistory() throws {
            let fixture = try HistoryFixture()
            let role = try role(fixture)
            // Objects of the session with the names of those of the recorder change nothing.
            try fixture.psql(
                #"CREATE TEMPORARY TABLE chronicle_change(id int); INSERT INTO "Account"(name, balance) VALUES ('a', 1)"#,
                user: role)
            var configuration = fixture.configuration
            configuration.connectionString = fixture.cluster.connectionString(user: role)
            let writer = try HistoryFixture(configuration, fixture.cluster)
            try writer.add("b", author: "writer")
            #expect(try writer.transactions().map(\.author) == [nil, "writer"])
            #expect(throws: SwiftDataError.storeReadOnly) {
                try writer.context().deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            }
            let consumer = try writer.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            #expect(try consumer.nextBatch()?.changes.count == 2)
        }

        @Test func aConsumerWhoseSessionEndsIsReplaced() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let killed = try fixture.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            let batch = try #require(try killed.nextBatch())
            let other = try HistoryFixture(fixture.configuration, fixture.cluster)
            let next = try other.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            #expect(throws: SwiftDataError.historyConsumerInUse) { try next.nextBatch() }
            // Between reading and acknowledging, the server ends the session that holds the lock.
            try fixture.psql(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND granted \
                AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('chronicle consumer ' || \
                (SELECT value FROM chronicle_meta WHERE name = 'store'), \
                (SELECT id FROM chronicle_consumer WHERE name = 'reader'))
                """)
            let again = try #require(try next.nextBatch())
            #expect(again.attempt == 2)
            #expect(try again.changes.map(\.line) == batch.changes.map(\.line))
            #expect(throws: SwiftDataError.historyConsumerEvicted) { try killed.acknowledge(batch) }
            try next.acknowledge(again)
            #expect(try next.nextBatch() == nil)
        }

        @Test(arguments: [false, true]) func commitsOfOtherProgramsAreReported(usesTransactionPooling: Bool) throws {
            let fixture = try HistoryFixture { $0.usesTransactionPooling = usesTransactionPooling }
            let store = try PostgresStore(fixture.configuration, schema: Schema([Account.self, Entry.self]))
            let called = DispatchSemaphore(value: 0)
            let observation = try store.observeCommits { called.signal() }
            try fixture.psql(#"INSERT INTO "Account"(name, balance) VALUES ('a', 1)"#)
            #expect(called.wait(timeout: .now() + 10) == .success)
            observation.cancel()
        }

        @Test func tagsNamePositions() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let context = fixture.context()
            try context.tag("first")
            try fixture.add("b")
            #expect(throws: SwiftDataError.duplicateHistoryTag) { try context.tag("first") }
            #expect(try fixture.transactions(after: context.token(tagged: "first")).count == 1)
        }
    }
#endif
