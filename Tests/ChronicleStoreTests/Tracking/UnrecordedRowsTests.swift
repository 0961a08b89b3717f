import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The comparison of small tables with the history when a tracked database is opened.
@Suite struct UnrecordedRowsTests {
    private func open(_ fixture: TrackedFixture, allowsSave: Bool) throws -> [TestLogger.Entry] {
        let logger = TestLogger()
        var configuration = ModelConfiguration(
            schema: try DefaultStore.schema(ofFileAt: fixture.url), url: fixture.url, allowsSave: allowsSave)
        configuration.logger = logger
        let store = try DefaultStore(configuration, migrationPlan: nil)
        // Opening compares only what a busy machine can compare in ten milliseconds.
        let opening = logger.entries.filter { $0.event == "unrecordedRows" }
        store.logUnrecordedRows(within: .seconds(600))
        let entries = logger.entries.filter { $0.event == "unrecordedRows" }.dropFirst(opening.count)
        let names = Set(entries.map { $0.metadata["table"] })
        #expect(names.isSuperset(of: opening.map { $0.metadata["table"] }))
        return Array(entries)
    }

    @Test(arguments: [false, true]) func openingReportsThem(_ allowsSave: Bool) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(k TEXT PRIMARY KEY)")
        try fixture.app.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES ('x')")
        #expect(try open(fixture, allowsSave: allowsSave).isEmpty)
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("INSERT INTO a VALUES (2); DELETE FROM b")
        try fixture.app.setTriggersEnabled(true)
        let entries = try open(fixture, allowsSave: allowsSave)
        #expect(entries.map(\.metadata["table"]) == ["a", "b"])
        #expect(entries.first?.message.contains("1 row was inserted without a record") == true)
        try fixture.database.track(reconciles: true)
        #expect(try open(fixture, allowsSave: allowsSave).isEmpty)
    }

    /// A table that was rebuilt has rows without a record until the change of the schema is followed.
    @Test func changesOfTheSchemaAreNotReported() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("INSERT INTO a VALUES (2); CREATE TABLE other(v)")
        #expect(try fixture.database.unrecordedRows(within: .seconds(600)).isEmpty)
        try fixture.database.followSchemaChanges()
        #expect(try fixture.database.unrecordedRows(within: .seconds(600)).map(\.table) == ["a"])
    }

    /// A table that cannot be compared in time is not reported, and the others are.
    @Test func largeTablesAreNotCompared() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY)")
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) \
            INSERT INTO b SELECT i FROM n
            """)
        try fixture.app.setTriggersEnabled(true)
        try fixture.database.reading { connection in
            let tracking = TableTracking(connection)
            let all = try tracking.differences(within: .seconds(600))
            #expect(all.map(\.table) == ["a", "b"])
            #expect(try tracking.differences(within: .zero).isEmpty)
            #expect(try !tracking.differences(within: .milliseconds(2)).contains { $0.table == "b" })
            // The limit ends with the comparison.
            #expect(try tracking.differences().count == 2)
        }
    }

    /// All keys of the baseline are compared after the only statement that reads the table.
    @Test func theLimitIncludesKeysThatTheTableDoesNotHave() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)", track: false)
        try fixture.app.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) INSERT INTO a SELECT i FROM n"
        )
        try fixture.database.track()
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("DELETE FROM a")
        try fixture.app.setTriggersEnabled(true)
        try fixture.database.reading { connection in
            let tracking = TableTracking(connection)
            let found = try tracking.differences(within: .milliseconds(2))
            #expect(found.isEmpty)
            #expect(try tracking.differences(within: .seconds(600)).map(\.table) == ["a"])
            #expect(try tracking.differences().first?.1.deleted.count == 1_000_000)
        }
    }

    /// The present value is recorded, so only the previous values of the history show the change.
    @Test(
        arguments: ["id INTEGER PRIMARY KEY, v)", "id TEXT PRIMARY KEY, v)", "id PRIMARY KEY, v) WITHOUT ROWID"],
        ["v = 2 WHERE id = 1", "v = '1' WHERE id = 1", "v = NULL WHERE id = 1", "v = x'' WHERE id = 2"])
    func aChangeBeforeARecordedOneIsFound(_ columns: String, _ change: String) throws {
        for statement in ["UPDATE a SET v = 3", "DELETE FROM a"] {
            let fixture = try TrackedFixture("CREATE TABLE a(\(columns)")
            try fixture.app.execute(
                "INSERT INTO a VALUES (1, 1), (2, NULL); UPDATE a SET v = 5; UPDATE a SET v = 1 WHERE id = 1")
            try fixture.app.execute("UPDATE a SET v = NULL WHERE id = 2")
            #expect(try fixture.problems() == [])
            try fixture.app.setTriggersEnabled(false)
            try fixture.app.execute("UPDATE a SET \(change)")
            try fixture.app.setTriggersEnabled(true)
            try fixture.app.execute(statement)
            var problems: [StoreProblem] = []
            try DefaultStore.verify(fileAt: fixture.url) { problems.append($0) }
            #expect(problems.map(\.kind) == [.unrecordedChange] && problems.map(\.table) == ["a"], "\(problems)")
            #expect(problems.first?.detail.contains(" replaced another value of v than ") == true)
            #expect(try fixture.database.track(reconciles: true).allSatisfy { $0.reconciledChangeCount == 0 })
        }
    }

    /// The last recorded change explains each present row, so only the stored keys show that the first one does not.
    @Test(arguments: ["id INTEGER PRIMARY KEY, v)", "id TEXT PRIMARY KEY, v)", "id PRIMARY KEY, v) WITHOUT ROWID"])
    func rowsWrittenBeforeARecordedChangeAreFound(_ columns: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(\(columns); INSERT INTO a VALUES (1, 1), (2, 2)", track: false)
        try fixture.database.track()
        try fixture.app.execute(
            "DELETE FROM a WHERE id = 2; INSERT INTO a VALUES (2, 2), (3, 3); DELETE FROM a WHERE id = 3")
        try fixture.app.execute(
            "UPDATE a SET v = 5 WHERE id = 2; REPLACE INTO a VALUES (2, 6); INSERT INTO a VALUES (4, 4)")
        #expect(try fixture.problems() == [])
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("DELETE FROM a WHERE id = 1; INSERT INTO a VALUES (8, 8), (9, 9)")
        try fixture.app.setTriggersEnabled(true)
        try fixture.app.execute(
            "INSERT INTO a VALUES (1, 5); UPDATE a SET v = 7 WHERE id = 8; DELETE FROM a WHERE id = 9")
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: fixture.url) { problems.append($0) }
        #expect(problems.map(\.kind) == Array(repeating: .unrecordedChange, count: 3), "\(problems)")
        #expect(problems.map { $0.detail.contains("was inserted without") } == [true, true, false], "\(problems)")
        #expect(try fixture.database.unrecordedRows(within: .seconds(600)).isEmpty)
        #expect(try fixture.database.track(reconciles: true).allSatisfy { $0.reconciledChangeCount == 0 })
        #expect(try fixture.problems() == [])
    }
}
