#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Tables of another program whose changes are recorded.
    @Suite("PostgreSQL tracked tables", .requiresPostgres) struct TrackedTableTests {
        private func changes(_ store: PostgresStore) throws -> [HistoryChange] {
            try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        }

        private func values(_ change: HistoryChange) -> TrackedFixture.Row {
            Dictionary(
                change.preservedValues.map { ($0.name, TrackedFixture.text($0.value)) }, uniquingKeysWith: { $1 })
        }

        /// The settings of the session that writes do not matter, and rows are read with the same values.
        @Test func valuesOfEachType() throws {
            let fixture = try TrackedFixture(
                """
                CREATE TYPE color AS ENUM ('red', 'blue'); CREATE TYPE pair AS (a int, b text);
                CREATE DOMAIN positive AS int CHECK (VALUE > 0);
                CREATE TABLE item(id int PRIMARY KEY, small smallint, large bigint, flag bool, single float4, double float8,
                exact numeric, name varchar(20), fixed char(4), data bytea, day date, moment timestamp, zoned timestamptz,
                span interval, clock time, ident uuid, json jsonb, list text[], color color, pair pair, count positive,
                twice int GENERATED ALWAYS AS (small * 2) STORED)
                """)
            try fixture.sql(
                """
                SET DateStyle = 'German'; SET TimeZone = 'America/New_York'; SET IntervalStyle = 'iso_8601';
                SET extra_float_digits = -15; SET bytea_output = 'escape';
                INSERT INTO item VALUES (1, -2, 9000000000, TRUE, 0.1, 1e-300, 1.500, 'Åsa', 'ab', '\\x00ff', '2026-02-03',
                '2026-02-03 04:05:06.7', '2026-02-03 04:05:06.7+02', '1 day 02:03:00', '04:05', \
                'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{"b": 1, "a": [null]}', ARRAY['x', NULL, 'y,z'], 'blue', (1, 'q'), 7);
                INSERT INTO item(id, double, moment, zoned) VALUES (2, 'NaN', 'infinity', '-infinity')
                """)
            let store = try fixture.store()
            let found = try changes(store).map(values)
            try #require(found.count == 2)
            let data = Data([0, 255])
            let expected = [
                "small": "-2", "large": "9000000000", "flag": "true", "single": "\(Double(Float(0.1)))",
                "double": "1e-300",
                "exact": "1.500", "name": "Åsa", "fixed": "ab", "data": "\(data)", "day": "2026-02-03",
                "moment": "2026-02-03T04:05:06.7", "zoned": "2026-02-03T02:05:06.7Z", "span": "1 day 02:03:00",
                "clock": "04:05:00", "ident": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "json": #"{"a": [null], "b": 1}"#,
                "list": #"{x,NULL,"y,z"}"#, "color": "blue", "pair": "(1,q)", "count": "7",
            ]
            #expect(found[0] == expected)
            #expect(found[1]["double"] == "nan" && found[1]["moment"] == "infinity" && found[1]["zoned"] == "-infinity")
            #expect(found[1]["name"] == "nil")
            let rows = try TrackedFixture.rows(store)
            #expect(Set(rows.values) == Set(found) && rows.count == 2)
            #expect(rows.keys.compactMap(\.integerPrimaryKey).sorted() == [1, 2])

            // Values before and after an update, and nothing for one that changes none.
            let token = try #require(try store.currentHistoryToken())
            try fixture.sql(
                "UPDATE item SET name = 'B', twice = DEFAULT WHERE id = 1; UPDATE item SET name = name; DELETE FROM item"
            )
            let later = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token)).flatMap(
                \.changes)
            #expect(later.count == 3)
            let isUpdate = if case .update = try #require(later.first) { true } else { false }
            #expect(isUpdate)
            #expect(values(later[0]) == ["name": "B"])
            #expect(try TrackedFixture.rows(#require(try store.store(asOf: token) as? PostgresStore)) == rows)
            #expect(try fixture.problems() == [])
        }

        @Test func keysOfEachKind() throws {
            let fixture = try TrackedFixture(
                """
                CREATE TYPE color AS ENUM ('red', 'blue');
                CREATE TABLE folder(account int, name text, size int, PRIMARY KEY (account, name));
                CREATE TABLE session(id uuid PRIMARY KEY, value int); CREATE TABLE label(color color PRIMARY KEY, value int);
                CREATE TABLE measure(x float8 PRIMARY KEY, value int); CREATE TABLE large(id bigint PRIMARY KEY, value int);
                INSERT INTO folder VALUES (1, 'inbox', 1)
                """)
            try fixture.sql(
                """
                INSERT INTO folder VALUES (1, 'it''s', 2), (2, 'inbox', 3);
                UPDATE folder SET size = size + 1; UPDATE folder SET name = 'outbox' WHERE account = 2; DELETE FROM folder WHERE account = 1;
                INSERT INTO folder VALUES (1, 'inbox', 9);
                INSERT INTO session VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1); INSERT INTO label VALUES ('red', 1);
                INSERT INTO measure VALUES (0.1, 1); INSERT INTO large VALUES (9000000000, 1)
                """)
            let store = try fixture.store()
            var keys: [String] = []
            for change in try changes(store) {
                let kind =
                    switch change {
                    case .insert: "i"
                    case .update: "u"
                    case .delete: "d"
                    }
                let model = change.changedPersistentIdentifier
                let key = try store.trackedKey(of: model)
                let text = key.map { value in
                    switch value {
                    case .integer(let integer): "\(integer)"
                    case .real(let real): "\(real)"
                    case .text(let text): text
                    default: "?"
                    }
                }
                keys.append("\(kind) \(model.entityName) \(text.joined(separator: ","))")
                let found =
                    store.trackedKeyColumns(ofEntity: model.entityName) == nil
                    ? model : try store.identifier(ofTracked: model.entityName, primaryKey: key)
                #expect(found == model)
            }
            // The order within a statement is that of the server.
            let expected = [
                "i folder 1,it's", "i folder 2,inbox", "u folder 1,inbox", "u folder 1,it's", "u folder 2,inbox",
                "d folder 2,inbox", "i folder 2,outbox", "d folder 1,inbox", "d folder 1,it's", "i folder 1,inbox",
                "i session a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "i label red", "i measure 0.1", "i large 9000000000",
            ]
            #expect(keys.sorted() == expected.sorted())
            #expect(store.trackedKeyColumns(ofEntity: "folder") == ["account", "name"])
            #expect(try store.identifier(ofTracked: "folder", primaryKey: [.integer(7), .text("x")]) == nil)
            let first = try changes(store).first { $0.changedPersistentIdentifier.entityName == "large" }
            #expect(first?.changedPersistentIdentifier.integerPrimaryKey == 9_000_000_000)
            #expect(try fixture.problems() == [])
        }

        @Test func partitionsAndInheritance() throws {
            let fixture = try TrackedFixture(
                """
                CREATE TABLE event(day int, id int, text text, PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
                CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM (0) TO (10);
                CREATE TABLE event_2 PARTITION OF event FOR VALUES FROM (10) TO (20);
                CREATE TABLE city(id int PRIMARY KEY, name text);
                CREATE TABLE capital(country text, PRIMARY KEY (id)) INHERITS (city)
                """)
            #expect(
                try fixture.states == ["event": .recorded, "city": .recorded, "capital": .recorded])
            try fixture.sql(
                """
                INSERT INTO event VALUES (1, 1, 'a'), (11, 2, 'b'); INSERT INTO event_2 VALUES (12, 3, 'c');
                UPDATE event SET text = 'd'; UPDATE event SET day = 13 WHERE id = 1; TRUNCATE event_2;
                INSERT INTO city VALUES (1, 'Lyon'); INSERT INTO capital VALUES (1, 'Paris', 'France'), (2, 'Rome', 'Italy');
                UPDATE city SET name = name || '!'; DELETE FROM city WHERE id = 1; TRUNCATE ONLY city
                """)
            let store = try fixture.store()
            var state: [PersistentIdentifier: TrackedFixture.Row] = [:]
            for change in try changes(store) { TrackedFixture.assign(change, in: &state) }
            #expect(try TrackedFixture.rows(store) == state)
            #expect(Set(state.values) == [["name": "Rome!", "country": "Italy"]])
            #expect(try changes(store).count == 19)
            #expect(try fixture.problems() == [])
        }

        @Test func tablesThatCannotBeRecorded() throws {
            let role = "other_\(UUID().uuidString.prefix(8).lowercased())"
            let fixture = try TrackedFixture(
                """
                CREATE TABLE good(id int PRIMARY KEY); CREATE TABLE log(line text); CREATE VIEW shown AS SELECT 1 AS one;
                CREATE UNLOGGED TABLE cache(id int PRIMARY KEY); CREATE TABLE past(id int PRIMARY KEY, _rowid_ int);
                CREATE TABLE chronicle_x(id int PRIMARY KEY)
                """, track: false)
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.tracking.track(["log"]) }
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.tracking.track(["missing"]) }
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.tracking.stop() }
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.tracking.untrack() }
            #expect(throws: SwiftDataError.loadIssueModelContainer) { try fixture.store() }
            let tables = try fixture.tracking.track()
            #expect(tables.filter(\.isNew).map(\.name) == ["good"])
            for table in tables where table.name != "good" {
                let isUnsupported = if case .unsupported = table.state { true } else { false }
                #expect(isUnsupported, "\(table)")
                #expect(table.isOrdinary == (table.name != "shown"))
            }
            // Another role owns the tables.
            try fixture.sql("CREATE ROLE \(role) LOGIN; GRANT ALL ON SCHEMA \(fixture.schemaName) TO \(role)")
            let other = PostgresTracking(
                PostgresConfiguration(fixture.cluster.connectionString(user: role), schemaName: fixture.schemaName))
            #expect(throws: SwiftDataError.unsupportedFeature) { try other.track() }
            try fixture.tracking.untrack()
            #expect(throws: SwiftDataError.unsupportedFeature) { try other.track(["good"]) }
        }

        /// The schema of the program is unchanged, and the history is in a separate schema.
        @Test func endingRestoresTheSchema() throws {
            let fixture = try TrackedFixture(
                """
                CREATE TABLE note(id serial PRIMARY KEY, text text); CREATE TABLE tag(name text PRIMARY KEY);
                CREATE TABLE part(id int PRIMARY KEY) PARTITION BY HASH (id);
                CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0)
                """, track: false)
            func dump() throws -> String {
                // Newer versions write a random key.
                try fixture.cluster.run("pg_dump", ["--schema-only", "--schema", fixture.schemaName, "postgres"])
                    .split(separator: "\n").filter { !$0.contains("restrict") }.joined(separator: "\n")
            }
            let before = try dump()
            try fixture.tracking.track()
            try fixture.sql("INSERT INTO note(text) VALUES ('a'); INSERT INTO tag VALUES ('t')")
            let store = try fixture.store()
            #expect(try changes(store).count == 2)
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.tracking.stop(["missing"]) }
            try fixture.tracking.stop(["note"])
            #expect(try fixture.states == ["note": .notRecorded, "tag": .recorded, "part": .recorded])
            try fixture.sql("INSERT INTO note(text) VALUES ('b'); INSERT INTO tag VALUES ('u')")
            #expect(try changes(store).count == 3)
            try fixture.tracking.stop()
            #expect(try dump() == before)
            #expect(try changes(store).count == 3)
            // Resuming is a gap.
            let token = try #require(try store.currentHistoryToken())
            #expect(try fixture.tracking.track().filter(\.isNew).count == 3)
            #expect(throws: SwiftDataError.historyTokenGap) {
                try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
            }
            #expect(try fixture.tracking.track().filter(\.isNew).isEmpty)
            try fixture.tracking.untrack()
            #expect(try dump() == before)
            #expect(
                try fixture.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'chronicle_\(fixture.schemaName)'")
                    == "0")
            try fixture.sql("INSERT INTO note(text) VALUES ('c')")
        }

        @Test func datesBeforeTheRecordingThrow() throws {
            let fixture = try TrackedFixture(
                "CREATE TABLE note(id int PRIMARY KEY, text text); INSERT INTO note VALUES (1, 'a')", track: false)
            let before = Date()
            try fixture.tracking.track()
            let (store, since) = (try fixture.store(), Date())
            #expect(throws: SwiftDataError.historyTokenGap) { try store.historyToken(asOf: before) }
            try fixture.sql("UPDATE note SET text = 'b'")
            #expect(throws: SwiftDataError.historyTokenGap) { try store.historyToken(asOf: before) }
            #expect(try store.historyToken(asOf: since).position(in: store.identifier) == 0)
        }

        @Test func valuesCanBeLeftOut() throws {
            let fixture = try TrackedFixture("CREATE TABLE note(id int PRIMARY KEY, text text)", track: false)
            try fixture.tracking.track(preservesValues: false)
            try fixture.sql("INSERT INTO note VALUES (1, 'a')")
            #expect(try fixture.tracking.track(preservesValues: true).filter(\.isNew).isEmpty)
            try fixture.sql("UPDATE note SET text = 'b'")
            #expect(try changes(fixture.store()).map(values) == [[:], ["text": "b"]])
        }

        @Test func rowsCannotBeSaved() throws {
            let fixture = try TrackedFixture("CREATE TABLE \"GraphOwner\"(id int PRIMARY KEY, name text)")
            try fixture.sql("INSERT INTO \"GraphOwner\" VALUES (1, 'a')")
            let store = try fixture.store(allowsSave: true)
            #expect(store.isTracked)
            #expect(throws: SwiftDataError.storeReadOnly) { try store.erase() }
            _ = try store.tagHistory("now", replacing: false)
            #expect(try fixture.store().historyTags().map(\.name) == ["now"])
            for name in [fixture.schemaName, "chronicle_\(fixture.schemaName)"] {
                #expect(throws: SwiftDataError.notAChronicleStore) {
                    try ModelContainer(
                        for: GraphOwner.self,
                        configurations: PostgresConfiguration(fixture.cluster.connectionString(), schemaName: name))
                }
            }
        }
    }
#endif
