#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Programs that change the definitions of tracked tables: no statement of theirs fails.
    @Suite("PostgreSQL tracked tables that change", .requiresPostgres) struct TrackedMigrationTests {
        private static let tables = """
            CREATE TABLE note(id int PRIMARY KEY, title text, size int); CREATE TABLE tag(name text PRIMARY KEY, value int);
            INSERT INTO note VALUES (1, 'a', 1); INSERT INTO tag VALUES ('x', 1)
            """

        @Test(arguments: [
            ("ALTER TABLE note ADD COLUMN extra int", "note", "the column extra is not recorded"),
            ("ALTER TABLE note DROP COLUMN size", "note", "the column size does not exist"),
            ("ALTER TABLE note RENAME COLUMN title TO name", "note", "the column title was renamed to name"),
            (
                "ALTER TABLE note ALTER COLUMN size TYPE text", "note",
                "the column size has the type text instead of integer"
            ),
            (
                "ALTER TABLE note ALTER COLUMN size TYPE int USING size + 1", "note",
                "its rows may have been written again with other values, as by ALTER COLUMN … TYPE … USING"
            ),
            ("ALTER TABLE note DROP COLUMN size, ADD COLUMN size int", "note", "the column size is another one"),
            ("ALTER TABLE note DISABLE TRIGGER chronicle_update", "note", "its triggers were changed or disabled"),
            (
                "DROP TRIGGER chronicle_row ON note", "note",
                "its triggers were dropped, as by a change that creates the table again"
            ),
            ("DROP TABLE tag", "tag", "the table does not exist"),
            (
                "DROP TABLE tag; CREATE TABLE tag(name text PRIMARY KEY, value int)", "tag",
                "its triggers were dropped, as by a change that creates the table again"
            ),
            (
                "ALTER TABLE tag DROP CONSTRAINT tag_pkey, ADD PRIMARY KEY (value)", "tag",
                "its primary key is another one"
            ),
            (
                "CREATE TABLE sub(PRIMARY KEY (id)) INHERITS (note)", "note",
                "it has other partitions or inheriting tables"
            ),
        ])
        func changesAreReported(_ statement: String, _ table: String, _ reason: String) throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(statement)
            #expect(try fixture.states[table] == .interrupted(reason: reason))
            #expect(try fixture.problems().contains { $0.contains("\(table) \(reason)") })
            try fixture.sql(
                """
                INSERT INTO note(id) VALUES (2), (3); UPDATE note SET id = 4 WHERE id = 3; DELETE FROM note WHERE id = 4;
                INSERT INTO note(id) VALUES (2) ON CONFLICT (id) DO UPDATE SET id = 5; TRUNCATE note; INSERT INTO note(id) VALUES (6)
                """)
            #expect(try fixture.sql("SELECT count(*) FROM note") == "1")
            let known = try fixture.tracking.track()
            #expect(known.allSatisfy { if case .interrupted = $0.state { false } else { true } })
            #expect(known.first { $0.name == table }?.isNew ?? true)
            #expect(try fixture.problems() == [])
            // Everything is recorded again.
            let store = try fixture.store()
            let token = try #require(try store.currentHistoryToken())
            var state = try TrackedFixture.rows(store)
            try fixture.sql(
                "INSERT INTO note(id) VALUES (7); UPDATE note SET id = 8 WHERE id = 6; DELETE FROM note WHERE id = 7")
            let changes = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token)).flatMap(
                \.changes)
            #expect(changes.count == 4)
            for change in changes { TrackedFixture.assign(change, in: &state) }
            #expect(try TrackedFixture.rows(store) == state)
        }

        /// No trigger records rows that appear or disappear with a partition.
        @Test(arguments: [
            (
                """
                CREATE TABLE p3(LIKE event INCLUDING ALL); INSERT INTO p3 VALUES (21, 1);
                ALTER TABLE event ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)
                """, "a table with rows was attached as a partition"
            ),
            ("ALTER TABLE event DETACH PARTITION p1", "one of its partitions was dropped or detached"),
            ("DROP TABLE p1", "one of its partitions was dropped or detached"),
            (
                """
                ALTER TABLE event DETACH PARTITION p1; UPDATE p1 SET id = 2;
                ALTER TABLE event ATTACH PARTITION p1 FOR VALUES FROM (0) TO (10)
                """, "one of its partitions was detached and attached again"
            ),
        ])
        func partitionsAreReported(_ statement: String, _ reason: String) throws {
            let fixture = try TrackedFixture(
                """
                CREATE TABLE event(day int, id int, PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
                CREATE TABLE p1 PARTITION OF event FOR VALUES FROM (0) TO (10);
                CREATE TABLE p2 PARTITION OF event FOR VALUES FROM (10) TO (20); INSERT INTO event VALUES (1, 1)
                """)
            // What the program creates as a partition is recorded.
            try fixture.sql(
                "CREATE TABLE p4 PARTITION OF event FOR VALUES FROM (30) TO (40); INSERT INTO event VALUES (31, 1)")
            #expect(try fixture.states["event"] == .recorded)
            #expect(try fixture.tracking.track(["event"]).filter(\.isNew).isEmpty)
            let token = try #require(try fixture.store().currentHistoryToken())
            try fixture.sql(statement)
            #expect(try fixture.states["event"] == .interrupted(reason: reason))
            #expect(try fixture.problems().contains { $0.contains("event \(reason)") })
            #expect(try fixture.tracking.track(["event"]).filter(\.isNew).map(\.name) == ["event"])
            #expect(try fixture.problems() == [])
            #expect(throws: SwiftDataError.historyTokenGap) {
                try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
            }
            #expect(try fixture.tracking.track(["event"]).filter(\.isNew).isEmpty)
        }

        /// Only the name changes in the history, without a gap.
        @Test func aRenamedTable() throws {
            let fixture = try TrackedFixture(Self.tables)
            let store = try fixture.store()
            let token = try #require(try store.currentHistoryToken())
            try fixture.sql("ALTER TABLE note RENAME TO memo; UPDATE memo SET title = 'b'; TRUNCATE memo")
            #expect(try fixture.states["note"] == .interrupted(reason: "the table was renamed to memo"))
            #expect(try fixture.tracking.track().filter(\.isNew).isEmpty)
            try fixture.sql("INSERT INTO memo(id) VALUES (2)")
            let changes = try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
                .flatMap(\.changes)
            #expect(changes.map(\.changedPersistentIdentifier.entityName) == ["memo", "memo", "memo"])
            #expect(try fixture.problems() == [])
        }

        /// A renamed column keeps its number in the history, and a new primary key is another entity.
        @Test func identitiesInTheHistory() throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql("UPDATE note SET title = 'b'; ALTER TABLE note RENAME COLUMN title TO name")
            try fixture.tracking.track()
            try fixture.sql("UPDATE note SET name = 'c'")
            let changes = try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(
                \.changes)
            #expect(changes.flatMap(\.preservedValues).map(\.name) == ["name", "name"])
            try fixture.sql(
                "UPDATE tag SET value = 2; ALTER TABLE tag DROP CONSTRAINT tag_pkey, ADD PRIMARY KEY (value)")
            try fixture.tracking.track()
            try fixture.sql("UPDATE tag SET name = 'y'")
            let names = try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(
                \.changes
            )
            .map(\.changedPersistentIdentifier.entityName)
            #expect(names == ["note", "note", "tag (1)", "tag"])
        }

        /// The tables of the history are damaged, dropped or have another name.
        @Test(arguments: [
            "DROP TABLE §.chronicle_change CASCADE", "DROP TABLE §.chronicle_pending CASCADE",
            "DROP TABLE §.chronicle_interruption", "ALTER SCHEMA § RENAME TO §_renamed", "DROP SCHEMA § CASCADE",
            "ALTER TABLE §.chronicle_change ADD CHECK (kind = 'x') NOT VALID",
            "DROP TABLE §.chronicle_change, §.chronicle_interruption CASCADE",
        ])
        func aDamagedHistory(_ statement: String) throws {
            let fixture = try TrackedFixture(Self.tables)
            try fixture.sql(statement.replacing("§", with: "chronicle_\(fixture.schemaName)"))
            try fixture.sql(
                "INSERT INTO note VALUES (2, 'b', 2); UPDATE note SET size = 3; INSERT INTO tag VALUES ('y', 2); TRUNCATE note"
            )
            #expect(try fixture.sql("SELECT count(*) FROM note") == "0")
            if statement.contains("CHECK") {
                #expect(try fixture.problems().contains { $0.contains("a change could not be recorded") })
            }
        }

        /// A role that writes the tables needs no privilege on the history, cannot read it, and cannot run code as its owner.
        @Test func rolesThatWrite() throws {
            let role = "app_\(UUID().uuidString.prefix(8).lowercased())"
            let fixture = try TrackedFixture(
                """
                CREATE ROLE \(role) LOGIN; CREATE TYPE pair AS (a int, b text); CREATE TABLE note(id int PRIMARY KEY, pair pair);
                GRANT ALL ON note TO \(role)
                """, track: false)
            try fixture.sql("GRANT ALL ON SCHEMA \(fixture.schemaName) TO \(role); ALTER TYPE pair OWNER TO \(role)")
            try fixture.sql(
                """
                CREATE FUNCTION hostile(pair) RETURNS text LANGUAGE plpgsql AS \
                'BEGIN EXECUTE ''CREATE ROLE hostile_\(role)''; RETURN 1; END'; CREATE CAST (pair AS text) WITH FUNCTION hostile(pair)
                """, user: role)
            try fixture.tracking.track()
            try fixture.sql("INSERT INTO note VALUES (1, (1, 'a')); UPDATE note SET pair = (2, 'b')", user: role)
            #expect(throws: (any Error).self) {
                try fixture.sql("SELECT * FROM chronicle_\(fixture.schemaName).chronicle_change", user: role)
            }
            #expect(try fixture.sql("SELECT count(*) FROM pg_roles WHERE rolname = 'hostile_\(role)'") == "0")
            let changes = try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(
                \.changes)
            #expect(changes.flatMap(\.preservedValues).map { TrackedFixture.text($0.value) } == ["(1,a)", "(2,b)"])
        }
    }
#endif
