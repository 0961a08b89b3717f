import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Damaged files of format 1: opening them throws and changes nothing, or the upgrade keeps the damage.
@Suite struct UpgradeDamageTests {
    private let store: Format1Store

    init() throws { store = try Format1Store() }

    @Test(arguments: [
        "DROP TABLE chronicle_source", "DROP TABLE chronicle_meta", "DROP TABLE chronicle_attribute",
        "ALTER TABLE chronicle_source ADD COLUMN extra", "ALTER TABLE chronicle_change RENAME COLUMN more TO further",
        "DROP TABLE chronicle_conflict; CREATE TABLE chronicle_conflict(entity, key, what, detail, more)",
        "DROP TABLE chronicle_source; CREATE VIEW chronicle_source AS SELECT 1 AS id",
        "CREATE TABLE chronicle_metadata(a)", "CREATE VIEW chronicle_summary AS SELECT 1",
        "DELETE FROM chronicle_meta WHERE name = 'store'",
        "UPDATE chronicle_attribute SET number = -1 WHERE entity = 8 AND number = 0",
    ])
    func changedTablesThrow(_ sql: String) throws {
        try store.shell(sql)
        let before = try store.dump
        let error = try failure(of: { try FixtureFile.open(store.file) })
        #expect(error == .damagedFile, "\(error as Any)")
        #expect(try store.dump == before && store.version == "1")
    }

    /// Row 18 is an update, row 19 a delete, rows 20 to 26 are its preserved values, and row 39 is a header.
    @Test(arguments: [
        "what = NULL WHERE id = 18", "what = 'abc' WHERE id = 18", "what = 'abc' WHERE id = 39",
        "what = 6.5 WHERE id = 18", "what = 9223372036854775805 WHERE id = 18",
        "what = 2305843009213693953 WHERE id = 19", "what = 4000005 WHERE id = 18", "what = 2 WHERE id = 18",
        "what = 0 WHERE id = 39", "what = -9223372036854775808 WHERE id = 39", "what = 7 WHERE id = 20",
        "key = 'one' WHERE id = 18", "key = 'today' WHERE id = 39", "detail = 'mask' WHERE id = 18",
        "more = 'mask' WHERE id = 18", "detail = 77 WHERE id = 20", "detail = NULL WHERE id = 39",
        "more = NULL WHERE id = 39", "more = 1 WHERE id = 39", "id = 9223372036854775807 WHERE id = 39",
    ])
    func damagedRowsThrow(_ change: String) throws {
        try store.shell("UPDATE chronicle_change SET \(change)")
        let readOnly = try failure(of: { try history(allowsSave: false) })
        let before = try store.dump
        let error = try failure(of: { try history(allowsSave: true) })
        #expect(readOnly == .damagedFile, "\(readOnly as Any)")
        #expect(error == .damagedFile, "\(error as Any)")
        if try store.version == "1" { #expect(try store.dump == before) }
    }

    private func history(allowsSave: Bool) throws -> [Transaction] {
        try ModelContext(FixtureFile.open(store.file, allowsSave: allowsSave)).fetchHistory(Descriptor())
    }

    // MARK: Triggers

    @Test(arguments: [
        #"DROP TRIGGER "chronicle_8_insert""#, #"DROP TRIGGER "chronicle_Person.friends_insert""#,
        """
        DROP TRIGGER "chronicle_8_delete"; CREATE TRIGGER "chronicle_8_delete" AFTER DELETE ON Tag BEGIN SELECT 1; END
        """,
    ])
    func changedTriggersAreAGap(_ sql: String) throws {
        let tokens = try Format1Store.fixture.tokens()
        let last = try #require(tokens["unsealed changes"])
        try store.shell("\(sql); INSERT INTO Tag(name) VALUES ('unrecorded')")
        let context = ModelContext(try FixtureFile.open(store.file))
        #expect(try failure(of: { try context.fetchHistory(.after(last)) }) == .historyTokenGap)
        let token = try context.currentHistoryToken()
        try store.shell(
            """
            INSERT INTO Tag(name) VALUES ('recorded'); DELETE FROM Tag WHERE name = 'recorded';
            INSERT INTO "Person.friends"(owner, destination) SELECT a.id, a.id FROM Person a WHERE a.code = 'Ba'
            """)
        #expect(try context.fetchHistory(.after(token)).map(\.changes.count) == [3])
    }

    // MARK: Full disks

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"), arguments: [256, 1_024])
    func fullDiskLeavesTheFile(_ free: Int) throws {
        try store.addRows(40_000)
        let before = try store.dump
        let size = try #require(try FileManager.default.attributesOfItem(atPath: store.file.path)[.size] as? Int)
        let directory = try TemporaryDirectory()
        let script = """
            cp '\(store.file.path)' "$store" && "$worker" upgrade "$store" && cp "$directory"/* '\(directory.url.path)'
            """
        let output = try Mounts.run(script, in: TemporaryDirectory().url, kilobytes: size / 1024 + free)
        #expect(output == "storeFull\n")
        let copy = directory.file("test.store")
        #expect(try Shell.sqlite3(copy, "PRAGMA user_version") == "1")
        #expect(try Shell.sqlite3(copy, ".dump") == before)
        #expect(try ModelContext(FixtureFile.open(copy)).fetchHistory(Descriptor()).count > 1_000)
    }
}
