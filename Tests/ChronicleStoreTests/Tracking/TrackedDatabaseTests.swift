import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Recording begins and ends without a trace in the schema, and what cannot be recorded is named.
@Suite struct TrackedDatabaseTests {
    @Test(arguments: NastySchema.all, ["delete", "wal"])
    func untrackRestoresTheSchema(_ sql: String, _ mode: String) throws {
        let fixture = try TrackedFixture("PRAGMA journal_mode = \(mode); \(sql)", track: false)
        let before = try fixture.schemaDump()
        try fixture.database.track()
        #expect(try fixture.schemaDump().count > before.count)
        #expect(try fixture.schemaDump().suffix(6) == before.suffix(6))
        #expect(try fixture.problems() == [])
        let store = try fixture.store(allowsSave: true)
        try store.setHistoryIndexedByModel(true)
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
        #expect(try fixture.app.scalarText("PRAGMA integrity_check") == "ok")
        // The file can be tracked again.
        try fixture.database.track()
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
    }

    @Test func statisticsOfANALYZEAreRestored() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id TEXT PRIMARY KEY); INSERT INTO a VALUES ('x'); ANALYZE")
        try fixture.app.execute("INSERT INTO a VALUES ('y'); ANALYZE")
        try fixture.database.untrack()
        #expect(try fixture.app.scalarText("SELECT group_concat(DISTINCT tbl) FROM sqlite_stat1") == "a")
    }

    @Test func reasonsAreNamed() throws {
        let fixture = try TrackedFixture(NastySchema.kinds)
        var states: [String: TrackedDatabase.Table.State] = [:]
        for table in try fixture.database.tables() { states[table.name] = table.state }
        for name in ["strict", "descending", "nocase", "hidden", "empty"] { #expect(states[name] == .recorded) }
        func reason(_ name: String) -> String {
            if case .unsupported(let reason)? = states[name] { reason } else { "" }
        }
        #expect(reason("no_key").contains("no primary key"))
        #expect(reason("place").contains("virtual table"))
        #expect(reason("place_node").contains("belongs to a virtual table"))
        #expect(reason("reserved").contains("_rowid_"))
    }

    @Test func namedTablesMustBeRecordable() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(x)", track: false)
        let before = try fixture.schemaDump()
        for names in [["a", "b"], ["a", "missing"]] {
            #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.track(names) }
            #expect(try fixture.schemaDump() == before)
        }
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.untrack() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.stop() }
        #expect(try fixture.database.track(["A"]).filter(\.isNew).map(\.name) == ["a"])
    }

    @Test func aCollationOfTheProgramIsNamed() throws {
        let file = try TemporaryDirectory().file("collation.db")
        // The shell defines the collation.
        _ = try Shell.sqlite3(
            file, "CREATE TABLE a(id TEXT PRIMARY KEY COLLATE decimal, v); CREATE TABLE b(id INTEGER PRIMARY KEY)")
        let tables = try TrackedDatabase(url: file).track()
        guard case .unsupported(let reason) = try #require(tables.first { $0.name == "a" }).state else {
            Issue.record("the table is recorded")
            return
        }
        #expect(reason.contains("decimal"))
    }

    @Test func otherFilesAreRefused() throws {
        let store = try TestStore(.file)
        #expect(throws: SwiftDataError.unsupportedFeature) { try TrackedDatabase(url: store.url).track() }
        let directory = try TemporaryDirectory()
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try TrackedDatabase(url: directory.file("missing.db")).track()
        }
        let text = directory.file("text.db")
        try Data(repeating: 65, count: 5_000).write(to: text)
        #expect(throws: SwiftDataError.notADatabase) { try TrackedDatabase(url: text).track() }
        let reserved = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE chronicle_x(y)", track: false)
        #expect(throws: SwiftDataError.unsupportedFeature) { try reserved.database.track() }
    }

    /// The superuser can write every file.
    @Test(.enabled(if: geteuid() != 0)) func aReadOnlyFileIsRefused() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)", track: false)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: fixture.url.path)
        #expect(throws: SwiftDataError.fileReadOnly) { try fixture.database.track() }
    }

    @Test func aLockedFileIsBusy() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)", track: false)
        var database = fixture.database
        database.busyTimeout = .milliseconds(10)
        try ShellSession.holdingWriteLock(fixture.url) {
            #expect(throws: SwiftDataError.storeBusy) { try database.track() }
        }
        try database.track()
    }

    // MARK: Stores

    @Test func modelClassesAreRefused() throws {
        let fixture = try TrackedFixture("CREATE TABLE Trip(id INTEGER PRIMARY KEY, name TEXT)")
        let before = try fixture.schemaDump()
        for allowsSave in [true, false] {
            #expect(throws: SwiftDataError.notAChronicleStore) {
                try ModelContainer(
                    for: Trip.self, configurations: ModelConfiguration(url: fixture.url, allowsSave: allowsSave))
            }
        }
        #expect(try fixture.schemaDump() == before)
    }

    @Test func writingAStoreChangesOnlyTheHistory() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v); PRAGMA user_version = 3")
        try fixture.app.execute("INSERT INTO a VALUES (1, 'x')")
        let before = try fixture.schemaDump()
        let store = try fixture.store(allowsSave: true)
        #expect(store.isTracked)
        #expect(try fixture.schemaDump() == before)
        #expect(throws: SwiftDataError.storeReadOnly) { try store.erase() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try store.compact() }
        #expect(throws: SwiftDataError.unsupportedFeature) {
            try store.erasePreservedValues(ofEntityNamed: "a", attributes: nil)
        }
        let request = DataStoreSaveChangesRequest<DefaultSnapshot>(
            editingState: EditingState(id: UUID()), inserted: [], updated: [], deleted: [])
        #expect(throws: SwiftDataError.storeReadOnly) { try store.save(request) }
        #expect(FileManager.default.fileExists(atPath: fixture.url.path + "-events") == false)
    }

    @Test func valuesAreOptional() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)", track: false)
        try fixture.database.track(preservesValues: false)
        try fixture.app.execute("INSERT INTO a VALUES (1, 'x'); UPDATE a SET v = 'y'")
        #expect(try fixture.changes() == ["insert a/1", "update a/1"])
        try fixture.store(allowsSave: true).setPreservesValues(true)
        try fixture.app.execute("UPDATE a SET v = 'z'")
        #expect(try fixture.changes().last == "update a/1 v='y'>'z'")
        #expect(try fixture.problems() == [])
        try fixture.database.track(preservesValues: false)
        try fixture.app.execute("UPDATE a SET v = 'w'")
        #expect(try fixture.changes().last == "update a/1")
    }
}
