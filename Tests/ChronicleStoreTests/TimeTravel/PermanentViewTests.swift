import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The permanent views of the history, read by a program without Chronicle, and compared with the views of a query.
@Suite struct PermanentViewTests {
    // MARK: Rows

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func viewsHaveTheRowsOfQueries(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let test = try TestStore(kind, RandomJourneys.types, preservesValues: true, recorder: recorder)
        let store = try PermanentViewRows.store(test.container)
        var writer = RandomJourneys(test.container, store, TestSeed.generator(recorder == .automatic ? 0 : 1))
        for _ in 0..<5 { try writer.step() }
        try store.installHistoryViews()
        for step in 0..<30 {
            try writer.step()
            guard step % 5 == 0 else { continue }
            let comment: Comment = "\(TestSeed.description)"
            switch kind {
            case .inMemory:
                _ = try store.database.write { try PermanentViewRows.expectViews(of: store, in: $0, count: 8, comment) }
            case .file:
                let program = try PermanentViewRows.program(test.url)
                defer { program.close() }
                #expect(try PermanentViewRows.expectViews(of: store, in: program, count: 8, comment) > 20, comment)
            }
        }
        if kind == .file {
            let program = try PermanentViewRows.program(test.url)
            defer { program.close() }
            let counts = "SELECT (SELECT count(*) FROM Journey_history), (SELECT count(*) FROM Topic_revisions)"
            let (history, revisions) = (
                try PermanentViewRows.rows(program, "Journey_history"),
                try PermanentViewRows.rows(program, "Topic_revisions")
            )
            #expect(try test.shell(counts) == "\(history.count)|\(revisions.count)")
            #expect(try VerificationTests.problems(in: test.url) == [])
        }
    }

    @Test(arguments: TestSeed.rounds(3)) func viewsOfOtherPrograms(_ number: Int) throws {
        var schema = RandomSchema(TestSeed.generator(number))
        let fixture = try TrackedFixture(schema.statements.joined(separator: "; "))
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        var log = schema.statements
        for _ in 0..<4 {
            for _ in 0..<5 {
                log.append(schema.change())
                // The statement may violate a constraint.
                do { try fixture.app.execute(log[log.count - 1]) } catch is SQLiteError {}
            }
            if try fixture.app.scalarText("PRAGMA integrity_check") != "ok" { return }
            let comment: Comment = "\(log.joined(separator: ";\n")) \(TestSeed.description)"
            try PermanentViewRows.expectViews(of: store, in: fixture.app, count: 2 * schema.tables.count, comment)
        }
        #expect(try fixture.problems().filter { !$0.hasPrefix("row") } == [])
    }

    @Test func namesAreQuoted() throws {
        let fixture = try TrackedFixture(
            #"""
            CREATE TABLE "it's ""one"""(id INTEGER PRIMARY KEY, "a""b'c", "n0", "rows", "from");
            CREATE TABLE "rows"(a TEXT, "b c", x, PRIMARY KEY (a, "b c"))
            """#)
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        try fixture.app.execute(
            #"""
            INSERT INTO "it's ""one"""("a""b'c", n0, rows) VALUES ('x', 1, 2), ('y', 3, 4);
            UPDATE "it's ""one""" SET "a""b'c" = 'z''', n0 = NULL; DELETE FROM "it's ""one""" WHERE id = 1;
            INSERT INTO "rows" VALUES ('p', 'q', 1); UPDATE "rows" SET x = 2
            """#)
        #expect(try PermanentViewRows.expectViews(of: store, in: fixture.app, count: 4) > 10)
        let key = #"SELECT DISTINCT key FROM "rows_history""#
        #expect(try Shell.sqlite3(fixture.url, key) == "('p', 'q')")
    }

    /// Masks of several parts are texts.
    @Test func aTableWithManyColumns() throws {
        let columns = (0..<150).map { "c\($0)" }
        let fixture = try TrackedFixture("CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        for statement in [
            "INSERT INTO t(id, c3) VALUES (1, 'x'), (2, 'y')", "UPDATE t SET c3 = 2, c149 = 'z'",
            "UPDATE t SET c0 = c70",
        ] { try fixture.app.execute(statement) }
        // SQLite 3.38 to 3.40 rejects functions of JSON then.
        try fixture.app.execute("PRAGMA trusted_schema = OFF")
        try PermanentViewRows.expectViews(of: store, in: fixture.app, count: 2)
    }

    /// The conditions of the views find each attribute in masks of several parts.
    @Test(arguments: [5, 61, 62, 123, 124, 929]) func attributesOfMasks(_ last: Int) throws {
        var random = TestSeed.generator(last)
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        defer { connection.close() }
        for round in 0..<20 {
            let numbers = Set((0..<round * 3).map { _ in Int.random(in: 0...last, using: &random) })
            var masks = AttributeMasks()
            for number in numbers { masks.insert(number) }
            if round % 2 == 0 { masks.pad(to: last / AttributeMasks.attributesPerMask + 1) }
            let statement = try connection.prepare(
                """
                WITH RECURSIVE n(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < \(last)) \
                SELECT number FROM n, (SELECT \(AttributeMasks.spaced(masks.literal, upTo: last)) AS masks) \
                WHERE \(AttributeMasks.contains("number", upTo: last, in: "masks"))
                """)
            var found: Set<Int> = []
            while try statement.step() { found.insert(Int(statement.int64(0))) }
            #expect(found == numbers, "\(TestSeed.description)")
        }
    }

    /// The columns that each revision has keep their names.
    @Test func propertiesWithTheNamesOfOtherColumns() throws {
        let fixture = try TrackedFixture(#"CREATE TABLE t("from" INTEGER PRIMARY KEY, "TO", unknown, x)"#)
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        try fixture.app.execute("INSERT INTO t VALUES (1, 'a', 'u', 2); UPDATE t SET \"TO\" = 'b', x = 3")
        let select = #"SELECT "from:1", "TO:1", "unknown:1", unknown FROM t_revisions WHERE "to" IS NULL"#
        #expect(try Shell.sqlite3(fixture.url, select) == "1|b|u|")
        var rows: [String] = []
        try store.query(select) { rows.append($0.map { SQLLiteral.text($0) ?? "NULL" }.joined(separator: ", ")) }
        #expect(rows == ["1, 'b', 'u', NULL"])
        try PermanentViewRows.expectViews(of: store, in: fixture.app, count: 2)
    }

    @Test func changesWithoutAHeaderHaveNoAuthor() throws {
        let test = try TestStore(.file, preservesValues: true)
        let context = test.context(author: "app")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let store = try PermanentViewRows.store(test.container)
        try store.installHistoryViews()
        try test.shell("UPDATE Trip SET name = 'c'")
        let select = "SELECT attribute, previous, value, author IS NULL, date IS NULL, unknown FROM Trip_history "
        #expect(try test.shell(select + "WHERE operation = 'update'") == "name|a|c|1|1|0")
        let token = try store.currentHistoryToken()
        let purged = try #require(token)
        try context.deleteHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= purged }))
        #expect(try test.shell("SELECT count(*) FROM Trip_history WHERE operation = 'insert'") == "0")
    }

    @Test func aFileIsAttached() throws {
        let test = try TestStore(.file)
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        try PermanentViewRows.store(test.container).installHistoryViews()
        let other = test.directory.file("other.db")
        let query =
            "ATTACH '\(test.url.path)' AS o; SELECT count(*) > 0 FROM o.Trip_history; SELECT name FROM o.Trip_revisions"
        #expect(try Shell.sqlite3(other, "CREATE TEMP TABLE Trip(id); \(query)") == "1\na")
    }

    // MARK: Installing

    /// The states of the views of `Trip`, which has relationships to other models.
    private func states(_ store: DefaultStore) throws -> [DefaultStore.HistoryView.State] {
        try store.historyViews().filter { $0.entityName == "Trip" }.map(\.state)
    }

    @Test func viewsAreInstalledAndRemoved() throws {
        let test = try TestStore(.file)
        let store = try PermanentViewRows.store(test.container)
        #expect(try states(store) == [.notInstalled, .notInstalled])
        let names = try store.historyViews().filter { $0.entityName == "Trip" }.map(\.name)
        #expect(names == ["Trip_history", "Trip_revisions"])
        let dump = "SELECT name, value FROM chronicle_meta; SELECT type, name, sql FROM sqlite_schema"
        let before = try test.shell(dump)
        try store.installHistoryViews()
        #expect(try store.historyViews().allSatisfy { $0.state == .installed })
        #expect(try store.removeHistoryViews())
        #expect(try !store.removeHistoryViews())
        #expect(try test.shell(dump) == before)
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func openingAFileWithViewsReadsOnly(_ recorder: ModelConfiguration.Recorder) throws {
        let test = try TestStore(.file, recorder: recorder)
        let store = try PermanentViewRows.store(test.container)
        try store.installHistoryViews()
        // Another schema adds models, which have views as well.
        _ = try test.reopened(RandomJourneys.types)
        let views = try store.historyViews()
        #expect(views.contains { $0.entityName == "Topic" } && views.allSatisfy { $0.state == .installed })
        _ = try test.reopened()
        // The views are no reason to compare the definitions for a schema again.
        let digests = "SELECT count(*), count(DISTINCT value) FROM chronicle_meta WHERE name LIKE 'complete:%'"
        #expect(try test.shell(digests) == "2|1")
        let state = "PRAGMA schema_version; SELECT name, value FROM chronicle_meta"
        let before = try test.shell(state)
        _ = try test.reopened()
        #expect(try test.shell(state) == before)
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
        let configuration = ModelConfiguration(schema: Schema([Trip.self]), url: test.url, allowsSave: false)
        let reader = try DefaultStore(configuration, migrationPlan: nil)
        #expect(try reader.historyViews() == views)
        #expect(throws: SwiftDataError.storeReadOnly) { try reader.installHistoryViews() }
    }

    @Test(
        arguments: [
            ("CREATE TABLE trip_history(a)", "table \"trip_history\""),
            ("CREATE VIEW Trip_revisions AS SELECT 1", "view \"Trip_revisions\""),
            ("CREATE TABLE t(a); CREATE INDEX Trip_history ON t(a)", "index \"Trip_history\""),
        ], [false, true])
    func existingNamesAreErrors(_ definition: (sql: String, object: String), isInstalled: Bool) throws {
        let test = try TestStore(.file)
        let store = try PermanentViewRows.store(test.container)
        if isInstalled {
            try store.installHistoryViews()
            try test.shell("DROP VIEW Trip_history; DROP VIEW Trip_revisions")
        }
        try test.shell("\(definition.sql); PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: test.url)
        let error = #expect(throws: SwiftDataError.self) { try store.installHistoryViews() }
        #expect(error == .unsupportedFeature && error?.detail?.contains(definition.object) == true)
        #expect(try Data(contentsOf: test.url) == before)
        // The store can be used, and read again.
        let container = try test.reopened()
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        #expect(try states(PermanentViewRows.store(container)).contains(.notInstalled))
    }

    @Test func changedViewsAreFound() throws {
        let test = try TestStore(.file)
        let store = try PermanentViewRows.store(test.container)
        try store.installHistoryViews()
        #expect(try VerificationTests.problems(in: test.url) == [])
        try test.shell("DROP VIEW Trip_history")
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: test.url) { problems.append($0) }
        #expect(problems.map(\.kind) == [.view] && problems.map(\.table) == ["Trip_history"])
        #expect(try states(store) == [.changed, .installed])
        try store.installHistoryViews()
        #expect(try VerificationTests.problems(in: test.url) == [])
        try test.shell("DROP VIEW Trip_revisions; CREATE VIEW Trip_revisions AS SELECT 1 AS a")
        #expect(try states(store) == [.installed, .changed])
        #expect(try store.removeHistoryViews())
        // The view of another program remains.
        #expect(try test.shell("SELECT * FROM Trip_revisions") == "1")
    }

    @Test func otherViewsAreStillRefused() throws {
        let test = try TestStore(.file)
        try PermanentViewRows.store(test.container).installHistoryViews()
        try test.shell("DROP TABLE Trip; CREATE VIEW Trip AS SELECT 1 AS id")
        let error = #expect(throws: SwiftDataError.self) { _ = try test.reopened() }
        #expect(error == .damagedFile && error?.detail?.contains("view") == true)
    }

    /// One transaction of many changes, of which each would look for its header.
    @Test(arguments: ["SELECT count(*) FROM Trip_history", "SELECT count(name), count(unknown) FROM Trip_revisions"])
    func queriesAreLinear(_ sql: String) throws {
        func steps(_ count: Int) throws -> Int {
            let test = try TestStore(.file)
            try PermanentViewRows.store(test.container).installHistoryViews()
            try test.shell(
                """
                WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
                INSERT INTO Trip(name, destination, startDate, endDate) SELECT 'a' || i, '', 0, 0 FROM n; \
                UPDATE Trip SET name = name || 'b', destination = 'c'
                """)
            let context = test.context()
            context.insert(Trip(name: "x", destination: "y"))
            try context.save()
            let program = try PermanentViewRows.program(test.url)
            defer { program.close() }
            let statement = try program.prepare(sql)
            #expect(try statement.step() && statement.int64(0) >= count)
            return statement.steps
        }
        let (small, large) = (try steps(1_000), try steps(4_000))
        #expect(Double(large) < Double(small) * 4.5, "\(small), \(large)")
    }
}
