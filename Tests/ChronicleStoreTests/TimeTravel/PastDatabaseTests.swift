import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Databases with the rows as of a position, and the statements between positions, compared with the rows that were kept.
@Suite struct PastDatabaseTests {
    private typealias Rows = [String: [String]]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns the rows of tables, each as literals, in any order.
    private func rows(_ connection: Connection, _ tables: [String: [String]]) throws -> Rows {
        let literals = try SQLLiteralReader(connection)
        var rows: Rows = [:]
        for (table, key) in tables {
            // A row whose key contains NULL is not recorded.
            let condition = key.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
            let statement = try connection.prepare(
                "SELECT * FROM main.\(quoted(table)) WHERE \(condition.isEmpty ? "1" : condition)")
            var lines: [String] = []
            while try statement.step() {
                lines.append(
                    (0..<statement.columnCount).map { literals.literal(statement, $0) }.joined(separator: ", "))
            }
            rows[table] = lines.sorted()
        }
        return rows
    }

    private func rows(_ url: URL, _ tables: [String: [String]]) throws -> Rows {
        let connection = try Connection(path: url.path, mode: .readOnly)
        defer { connection.close() }
        return try rows(connection, tables)
    }

    /// Compares databases as of some positions with the rows, also after the statements to other positions.
    private func expect(
        _ states: [(token: DefaultHistoryToken, rows: Rows)], of store: DefaultStore, _ tables: [String: [String]],
        _ random: inout SplitMix, _ comment: Comment
    ) throws {
        for (index, state) in states.enumerated() where index % 3 == 0 || index == states.count - 1 {
            let url = directory.file("past\(index).db")
            let past = try #require(try store.store(asOf: state.token) as? DefaultStore)
            do { try past.writeDatabase(to: url) } catch let error as SwiftDataError
                where error.detail?.contains("NULL in the primary key") == true
            {
                try past.writeDatabase(to: url, replacesUnknownValues: true)
            }
            try #require(try rows(url, tables) == state.rows, comment)
            let other = random.pick(states)
            let statements = try store.sqlStatements(from: state.token, to: other.token)
            try #require(statements.isEmpty == (state.rows == other.rows), comment)
            _ = try Shell.sqlite3(url, statements.joined(separator: "\n"))
            try #require(try rows(url, tables) == other.rows, comment)
            let reversed = try store.sqlStatements(from: other.token, to: state.token)
            _ = try Shell.sqlite3(url, reversed.joined(separator: "\n"))
            try #require(try rows(url, tables) == state.rows, comment)
        }
    }

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func pastDatabasesHaveTheRowsThatWereKept(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let test = try TestStore(kind, RandomJourneys.types, preservesValues: true, recorder: recorder)
        let container = test.container
        let store = try #require(container.stores.first as? DefaultStore)
        var random = TestSeed.generator(recorder == .automatic ? 0 : 1)
        var writer = RandomJourneys(container, store, random)
        let names = ["Journey", "Traveler", "Topic"] + store.layout.linkTablesByName.keys
        let tables = Dictionary(uniqueKeysWithValues: names.map { ($0, [String]()) })
        var states: [(token: DefaultHistoryToken, rows: Rows)] = []
        for _ in 0..<25 {
            try writer.step()
            states.append(
                (try #require(try store.currentHistoryToken()), try store.database.read { try rows($0, tables) }))
        }
        try expect(states, of: store, tables, &random, "\(TestSeed.description)")
        // Applied to the store, they are a transaction of another program.
        guard kind == .file else { return }
        let start = try #require(states.last)
        let statements = try store.sqlStatements(from: start.token, to: states[5].token)
        _ = try Shell.sqlite3(test.url, statements.joined(separator: "\n"))
        #expect(try store.database.read { try rows($0, tables) } == states[5].rows, "\(TestSeed.description)")
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: test.url) { problems.append($0) }
        #expect(problems.map(String.init(describing:)) == [])
    }

    @Test(arguments: TestSeed.rounds(4)) func pastDatabasesOfOtherPrograms(_ number: Int) throws {
        var schema = RandomSchema(TestSeed.generator(number))
        let fixture = try TrackedFixture(schema.statements.joined(separator: "; "))
        let tables = Dictionary(uniqueKeysWithValues: schema.tables.map { ($0.name, $0.key) })
        let store = try fixture.store()
        var states: [(token: DefaultHistoryToken, rows: Rows)] = []
        var log = schema.statements
        for _ in 0..<20 {
            log.append(schema.change())
            // The statement may violate a constraint.
            do { try fixture.app.execute(log[log.count - 1]) } catch is SQLiteError {}
            if try fixture.app.scalarText("PRAGMA integrity_check") != "ok" { return }
            states.append((try #require(try store.currentHistoryToken()), try rows(fixture.app, tables)))
        }
        var random = TestSeed.generator(number)
        try expect(states, of: store, tables, &random, "\(log.joined(separator: ";\n")) \(TestSeed.description)")
    }

    @Test func aDatabaseOfAnotherProgramKeepsItsDefinitions() throws {
        let fixture = try TrackedFixture(
            """
            PRAGMA page_size = 8192; PRAGMA encoding = 'UTF-16le'; PRAGMA user_version = 7; PRAGMA application_id = 99;
            CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT UNIQUE, size AS (length(email)));
            CREATE INDEX byLength ON account(length(email));
            CREATE VIEW short AS SELECT * FROM account WHERE size < 9;
            CREATE TRIGGER lower AFTER INSERT ON account BEGIN UPDATE account SET email = lower(email) WHERE id = NEW.id; END;
            INSERT INTO account(email) VALUES ('a@x.org'), ('b' || char(10, 27) || 'x')
            """)
        let store = try fixture.store()
        let token = try #require(try store.currentHistoryToken())
        try fixture.app.execute(
            "UPDATE account SET email = 'c@x.org' || char(9) WHERE id = 2; DELETE FROM account WHERE id = 1")
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        let url = directory.file("past.db")
        try past.writeDatabase(to: url)
        let expected = try fixture.schemaDump().filter { !$0.contains("chronicle_") }.dropLast()
        let copy = try Connection(path: url.path, mode: .readOnly)
        let statement = try copy.prepare("SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema")
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        let header = try ["application_id", "user_version", "auto_vacuum", "encoding", "page_size"].map {
            "\($0) \(try copy.scalarText("PRAGMA \($0)") ?? "")"
        }
        #expect(found.sorted() + header == Array(expected))
        copy.close()
        // Control characters are written as bytes in the encoding of the database.
        let statements = try store.sqlStatements(from: token, to: #require(try store.currentHistoryToken()))
        #expect(statements.joined().allSatisfy { !$0.isNewline && $0 != "\t" })
        _ = try Shell.sqlite3(url, statements.joined(separator: "\n"))
        #expect(try rows(url, ["account": []]) == rows(fixture.app, ["account": []]))
    }

    /// A quotation mark and a combining character after it are one `Character`.
    @Test func quotationMarksBeforeCombiningCharacters() throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, "c'\u{301}" TEXT);
            CREATE TABLE other(id INTEGER PRIMARY KEY); INSERT INTO other VALUES (1)
            """)
        let store = try fixture.store()
        let token = try #require(try store.currentHistoryToken())
        let url = directory.file("past.db")
        try #require(try store.store(asOf: token) as? DefaultStore).writeDatabase(to: url)
        for mark in ["\u{301}", "\u{200D}", "\u{FE0F}"] {
            let insert = try fixture.app.prepare("INSERT INTO t(\"c'\u{301}\") VALUES (?)")
            try insert.bind("x'\(mark)); DELETE FROM other; --", at: 1)
            try insert.run()
        }
        let statements = try store.sqlStatements(from: token, to: #require(try store.currentHistoryToken()))
        _ = try Shell.sqlite3(url, statements.joined(separator: "\n"))
        let tables = ["t": [String](), "other": []]
        #expect(try rows(url, tables) == rows(fixture.app, tables))
    }

    /// Other versions of SQLite read the last digits of such numbers differently.
    @Test func numbersAreExact() throws {
        var random = TestSeed.generator()
        let special: [Double] = [
            0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
            0.1,
            1e15, 123456789012345680, 795_500_451.123456,
        ]
        let decimals = try (0..<20_000).map { _ in
            let digits = UInt64.random(in: 1..<UInt64(1) << UInt64.random(in: 1...63, using: &random), using: &random)
            return try #require(Double("\(digits)e\(Int.random(in: -40...25, using: &random))"))
        }
        let patterns = (0..<2_000).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
        let numbers = special + [5.34843447466888e-10] + decimals + patterns
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let reader = try SQLLiteralReader(connection)
        let value = try connection.prepare("SELECT ?")
        for number in numbers {
            try value.bind(number, at: 1)
            #expect(try value.step())
            let literal = reader.literal(value, 0)
            value.reset()
            let result = try connection.prepare("SELECT \(literal)")
            #expect(try result.step())
            #expect(result.double(0).bitPattern == number.bitPattern, "\(literal) \(TestSeed.description)")
        }
    }

    // MARK: Tables that are not recorded

    @Test func rowsOfUnrecordedTablesAreUnknown() throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE "a b"(id INTEGER PRIMARY KEY, v); CREATE TABLE nk(v); CREATE TABLE "skip it"(id INTEGER PRIMARY KEY, v);
            INSERT INTO "a b" VALUES (1, 'old'); INSERT INTO nk VALUES ('old'); INSERT INTO "skip it" VALUES (1, 'old')
            """, track: false)
        try fixture.database.track(["a b"])
        let token = try #require(try fixture.store().earliestHistoryToken())
        try fixture.app.execute(
            "UPDATE \"a b\" SET v = 'new'; UPDATE nk SET v = 'new'; UPDATE \"skip it\" SET v = 'new'")
        let store = try fixture.store()
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        func rows(_ store: DefaultStore, _ sql: String, replacing: Bool = false) throws -> [[PropertyValue]] {
            var rows: [[PropertyValue]] = []
            try store.query(sql, replacesUnknownValues: replacing) { rows.append($0) }
            return rows
        }
        #expect(try rows(past, "SELECT v FROM \"a b\"") == [[.text("old")]])
        for table in ["nk", "\"skip it\""] {
            #expect(throws: SwiftDataError.historyValueMissing) { try rows(past, "SELECT v FROM \(table)") }
            #expect(try rows(past, "SELECT v FROM \(table)", replacing: true).isEmpty)
            #expect(try rows(past, "SELECT v FROM main.\(table)") == [[.text("new")]])
            #expect(try rows(store, "SELECT v FROM \(table)") == [[.text("new")]])
        }
        do { _ = try rows(past, "SELECT v FROM \"skip it\"") } catch let error as SwiftDataError {
            #expect(error.entityName == "skip it" && error.detail?.contains("not recorded") == true, "\(error)")
        }
    }

    // MARK: Dropped tables

    @Test(arguments: [
        "DROP TABLE a",
        "CREATE TABLE n(id, v PRIMARY KEY); INSERT INTO n SELECT * FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a",
    ])
    func rowsOfADroppedTableAreUnknown(_ change: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1, 2)"
        )
        try fixture.app.execute("UPDATE a SET v = 3")
        let early = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute(change)
        try fixture.database.track()
        let store = try fixture.store()
        let late = try #require(try store.currentHistoryToken())
        let past = try #require(try store.store(asOf: early) as? DefaultStore)
        #expect(throws: SwiftDataError.historyValueMissing) { try past.writeDatabase(to: directory.file("past.db")) }
        #expect(throws: SwiftDataError.historyValueMissing) { try store.sqlStatements(from: early, to: late) }
        #expect(throws: SwiftDataError.historyValueMissing) { try store.sqlStatements(from: late, to: early) }
        try past.writeDatabase(to: directory.file("null.db"), replacesUnknownValues: true)
        // A table without rows at the position.
        try fixture.database.track(recordsNewTables: true)
        let between = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute("CREATE TABLE c(id INTEGER PRIMARY KEY)")
        try fixture.database.track()
        try fixture.app.execute("INSERT INTO c VALUES (1)")
        try fixture.app.execute("DROP TABLE c")
        try fixture.database.track()
        try #require(try fixture.store().store(asOf: between) as? DefaultStore)
            .writeDatabase(to: directory.file("between.db"))
        try fixture.app.execute("INSERT INTO b VALUES (1)")
        let now = try #require(try store.currentHistoryToken())
        let statements = try store.sqlStatements(from: late, to: now)
        #expect(statements.filter { $0.hasPrefix("INSERT INTO \"") } == ["INSERT INTO \"b\"(\"id\") VALUES (1);"])
        try #require(try store.store(asOf: late) as? DefaultStore).writeDatabase(to: directory.file("late.db"))
    }

    // MARK: Unknown values

    @Test func anUnknownValueIsNamedOrReplaced() throws {
        let test = try TestStore(.file)
        let context = test.context()
        let trip = Trip(name: "a", destination: String(repeating: "x", count: 100_000))
        context.insert(trip)
        try context.save()
        let store = try #require(test.container.stores.first as? DefaultStore)
        let token = try #require(try store.currentHistoryToken())
        trip.destination = "Oslo"
        try context.save()
        let now = try #require(try store.currentHistoryToken())
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        let url = directory.file("past.db")
        let error = #expect(throws: SwiftDataError.self) { try past.writeDatabase(to: url) }
        #expect(error == .historyValueMissing)
        #expect(error?.propertyName == "destination" && error?.persistentIdentifier == trip.persistentModelID)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        for (start, end) in [(token, now), (now, token)] {
            let error = #expect(throws: SwiftDataError.self) { try store.sqlStatements(from: start, to: end) }
            #expect(error == .historyValueMissing && error?.propertyName == "destination")
        }
        try past.writeDatabase(to: url, replacesUnknownValues: true)
        #expect(try Shell.sqlite3(url, "SELECT name, destination IS NULL FROM Trip") == "a|1")
        #expect(throws: SwiftDataError.storeFailure) { try past.writeDatabase(to: url) }
    }

    @Test func aTableThatIsNotRecordedIsUnknown() throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE account(id INTEGER PRIMARY KEY, email); CREATE TABLE settings(name, value);
            INSERT INTO settings VALUES ('a', 1); INSERT INTO account VALUES (1, 'x')
            """)
        let store = try fixture.store()
        let token = try #require(try store.currentHistoryToken())
        try fixture.app.execute("INSERT INTO account VALUES (2, 'y')")
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        let error = #expect(throws: SwiftDataError.self) { try past.writeDatabase(to: directory.file("past.db")) }
        #expect(error == .historyValueMissing && error?.entityName == "settings")
        try past.writeDatabase(to: directory.file("past.db"), replacesUnknownValues: true)
        let counts = "SELECT (SELECT count(*) FROM account), (SELECT count(*) FROM settings)"
        #expect(try Shell.sqlite3(directory.file("past.db"), counts) == "1|0")
        try store.writeDatabase(to: directory.file("now.db"))
        #expect(try Shell.sqlite3(directory.file("now.db"), counts) == "2|1")
        // The values of a new column are recorded from the next call of `track` on; the present ones are in the table.
        try fixture.app.execute(
            "DROP TABLE settings; ALTER TABLE account ADD COLUMN name; UPDATE account SET name = 'z'")
        try fixture.store().writeDatabase(to: directory.file("column.db"))
        #expect(try Shell.sqlite3(directory.file("column.db"), "SELECT DISTINCT name FROM account") == "z")
    }

    /// A rebuild adds a column that is NOT NULL: rows of earlier positions have its default value, or none.
    @Test(arguments: [nil, "7", "'x'"]) func aColumnThatIsRequiredLater(_ defaultValue: String?) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 1, NULL), (2, 2, 2), (3, 3, 3)")
        let token = try #require(try fixture.store().currentHistoryToken())
        let definition = defaultValue.map { "DEFAULT \($0)" } ?? ""
        try fixture.app.execute(
            """
            DELETE FROM a WHERE id = 3;
            CREATE TABLE new(id INTEGER PRIMARY KEY, v NOT NULL, w, added NOT NULL \(definition));
            INSERT INTO new SELECT id, v, w, 5 FROM a; DROP TABLE a; ALTER TABLE new RENAME TO a
            """)
        try fixture.database.track()
        let store = try fixture.store()
        let now = try #require(try store.currentHistoryToken())
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        let url = directory.file("past.db")
        guard let defaultValue else {
            let error = #expect(throws: SwiftDataError.self) { try past.writeDatabase(to: url) }
            #expect(error == .historyValueMissing && error?.entityName == "a" && error?.propertyName == "added")
            let statements = #expect(throws: SwiftDataError.self) { try store.sqlStatements(from: now, to: token) }
            #expect(statements == .historyValueMissing && statements?.propertyName == "added")
            try past.writeDatabase(to: url, replacesUnknownValues: true)
            #expect(try Shell.sqlite3(url, "SELECT id, v, w, added FROM a") == "1|1||\n2|2|2|\n3|3|3|")
            return
        }
        try past.writeDatabase(to: url)
        let value = defaultValue.replacing("'", with: "")
        let rows = "1|1||\(value)\n2|2|2|\(value)\n3|3|3|\(value)"
        #expect(try Shell.sqlite3(url, "SELECT id, v, w, added FROM a") == rows)
        #expect(throws: Never.self) { try store.sqlStatements(from: now, to: token) }
    }

    @Test(arguments: [
        (
            "CREATE TABLE t(a TEXT NOT NULL DEFAULT 'NOT NULL', b CHECK (b NOT NULL))",
            "CREATE TABLE t(a TEXT  DEFAULT 'NOT NULL', b CHECK (b NOT NULL))"
        ),
        (
            "CREATE TABLE \"NOT NULL(\"(\"a(\" not /* ) */  null, [b)] INTEGER NULL)",
            "CREATE TABLE \"NOT NULL(\"(\"a(\" , [b)] INTEGER NULL)"
        ),
        (
            "CREATE TABLE t(a TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '', b NOT NULL -- a\n ON CONFLICT /* b */ ignore, c)",
            "CREATE TABLE t(a TEXT  DEFAULT '', b , c)"
        ),
    ])
    func columnsBecomeOptional(_ sql: String, _ expected: String) throws {
        #expect(DatabaseCopy.withoutRequiredColumns(sql) == expected)
    }

    @Test(arguments: ["NOT NULL ON CONFLICT REPLACE DEFAULT 'x'", "CHECK (v IS NOT NULL)"])
    func constraintsPermitUnknownValues(_ constraint: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v TEXT \(constraint)); INSERT INTO a VALUES (1, 'a')")
        let token = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("DELETE FROM a")
        try fixture.app.setTriggersEnabled(true)
        try fixture.database.track(reconciles: true)
        let url = directory.file("past.db")
        let past = try #require(try fixture.store().store(asOf: token) as? DefaultStore)
        try past.writeDatabase(to: url, replacesUnknownValues: true)
        #expect(try Shell.sqlite3(url, "SELECT id, v IS NULL FROM a") == "1|1")
    }

    /// Without the program's collation, a copy cannot build the indexes.
    @Test(arguments: [
        "a(id INTEGER PRIMARY KEY, v COLLATE ownOrder UNIQUE)",
        "a(id INTEGER PRIMARY KEY, v); CREATE INDEX i ON a(v COLLATE ownOrder)",
    ])
    func collationsOfTheProgramAreNamed(_ definition: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE \(definition); INSERT INTO a(id, v) VALUES (1, 1)", collations: [TrackedFixture.collation])
        let url = directory.file("past.db")
        let error = #expect(throws: SwiftDataError.self) { try fixture.store().writeDatabase(to: url) }
        #expect(error == .unsupportedFeature && error?.detail?.contains("ownOrder") == true, "\(error as Any)")
        #expect(error?.detail?.contains("only its program has") == true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
