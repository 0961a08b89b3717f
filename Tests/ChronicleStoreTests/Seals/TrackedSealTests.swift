import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

extension TrackedFixture {
    /// Seals in small steps, with a store that is opened for it.
    @discardableResult
    func sealChain() throws -> HistorySeal {
        let store = try database.openHistory()
        return try withExtendedLifetime(store) {
            try HistorySealer.$limits.withValue(HistorySealer.Limits(transactions: 8, rows: 60, page: 10)) {
                try store.sealHistory(ReferenceHashing(), observing: { _ in })
            }
        }
    }

    func chainFailures() throws -> [String] {
        let store = try database.openHistory()
        return try withExtendedLifetime(store) { try store.chainFailures() }
    }

    func number(_ sql: String) throws -> Int64? { try app.scalarInt64(sql) }
}

/// The seals of databases of other programs.
@Suite struct TrackedSealTests {
    private static let tables = """
        PRAGMA user_version = 7;
        CREATE TABLE a(id INTEGER PRIMARY KEY, v, class);
        CREATE TABLE b(k TEXT PRIMARY KEY COLLATE NOCASE, v);
        CREATE TABLE c(i INT, k, v REAL, PRIMARY KEY (i, k)) WITHOUT ROWID;
        CREATE TABLE d(k TEXT, n INTEGER, v, PRIMARY KEY (k, n));
        """

    @Test(arguments: ["delete", "truncate", "wal"]) func keysOfAllKinds(_ journal: String) throws {
        let fixture = try TrackedFixture("PRAGMA journal_mode = \(journal); \(Self.tables)")
        try fixture.app.execute(
            """
            INSERT INTO a(v, class) VALUES (1.5, 'b'), (x'00ff', 'none'), (NULL, NULL);
            INSERT INTO b VALUES ('x', 1), ('', 2), ('e' || char(769), 3);
            INSERT INTO c VALUES (1, 'x', 1), (1, x'78', 2.5), (2, 3, NULL);
            INSERT INTO d VALUES ('x', 1, 'a'), (NULL, 2, 'b'), ('y', NULL, 'c')
            """)
        let first = try fixture.sealChain()
        #expect(try fixture.chainFailures() == [])
        // Rows with NULL in the key are not recorded.
        let keys = "SELECT count(*) FROM chronicle_commitment_key"
        #expect(try fixture.number(keys) == 7)
        #expect(try fixture.sealChain() == first)
        try fixture.app.execute(
            """
            UPDATE a SET v = 'two' WHERE id = 1; UPDATE b SET v = v + 1; UPDATE b SET k = 'Y' WHERE k = 'X'; DELETE FROM c;
            INSERT INTO c VALUES (1, 'x', 2); UPDATE d SET k = 'z', n = 1 WHERE k IS NULL
            """)
        let second = try fixture.sealChain()
        #expect(second.position > first.position)
        #expect(try fixture.chainFailures() == [])
        // Those of `Y` and `(z, 1)` are new.
        #expect(try fixture.number(keys) == 9)
        let dump = try fixture.schemaDump()
        #expect(dump.contains("user_version 7") && dump.last == journal)
        #expect(try fixture.app.scalarText("SELECT value FROM chronicle_meta WHERE name = 'format'") == "3")
        #expect(try fixture.problems() == [])
    }

    /// Without a header, the changes could not be sealed.
    @Test func theOpenWindowEnds() throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO a(v) VALUES (1)")
        #expect(try fixture.number("SELECT started IS NOT NULL FROM chronicle_pending") == 1)
        let head = try fixture.sealChain()
        #expect(try fixture.number("SELECT started IS NULL FROM chronicle_pending") == 1)
        #expect(try fixture.number("SELECT max(id) FROM chronicle_change") == head.position)
        try fixture.app.execute("INSERT INTO a(v) VALUES (2)")
        #expect(try fixture.sealChain().position > head.position)
        #expect(try fixture.chainFailures() == [] && fixture.changes().count == 2)
    }

    /// Its numbers are other keys, and earlier seals have the keys of the earlier table.
    @Test func aTableCanGetAnotherPrimaryKey() throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO a(v) VALUES (1), (2)")
        try fixture.sealChain()
        try fixture.app.execute(
            """
            CREATE TABLE other(id TEXT PRIMARY KEY, v); INSERT INTO other SELECT id || 'x', v FROM a; DROP TABLE a;
            ALTER TABLE other RENAME TO a; INSERT INTO a VALUES ('new', 3)
            """)
        try fixture.sealChain()
        try fixture.app.execute("UPDATE a SET v = 4")
        try fixture.sealChain()
        #expect(try fixture.chainFailures() == [])
        let names = "SELECT count(*) FROM chronicle_event WHERE kind = 'names'"
        #expect(try fixture.number(names) ?? 0 > 0)
    }

    /// Another program may drop the keys after the recording has ended. Their values are not known any more.
    @Test func keysWithoutValues() throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO b VALUES ('x', 1)")
        let entity = try fixture.number("SELECT id FROM chronicle_entity WHERE name = 'b'") ?? 0
        try fixture.database.stop(["b"])
        try fixture.app.execute("DROP TABLE chronicle_key_\(entity)")
        try fixture.sealChain()
        #expect(try fixture.chainFailures() == [])
    }

    /// The catalog no longer has the table of the entity.
    @Test func theEndOfTheRecordingChangesTheNames() throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO a(v) VALUES (1); INSERT INTO b VALUES ('x', 1)")
        try fixture.sealChain()
        try fixture.database.stop(["b"])
        let names = "SELECT count(*) FROM chronicle_event WHERE kind = 'names'"
        #expect(try fixture.number(names) == 1)
        try fixture.sealChain()
        try fixture.database.stop()
        #expect(try fixture.number(names) == 2)
        try fixture.sealChain()
        #expect(try fixture.chainFailures() == [])
    }

    @Test(arguments: ["commitment = randomblob(32)", "key = randomblob(32)", "key = x'00'"])
    func aChangedCommitmentToAKeyIsNotUsed(_ change: String) throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO b VALUES ('x', 1)")
        try fixture.sealChain()
        try fixture.app.execute("UPDATE chronicle_commitment_key SET \(change); UPDATE b SET v = 2")
        #expect(try failure(of: { try fixture.sealChain() }) == .damagedFile)
        #expect(try fixture.number("SELECT count(*) FROM chronicle_seal") == 1)
    }

    @Test func numbersOfKeysAreSealed() throws {
        let fixture = try TrackedFixture(Self.tables)
        try fixture.app.execute("INSERT INTO b VALUES ('x', 1), ('y', 2)")
        try fixture.sealChain()
        let entity = try fixture.number("SELECT id FROM chronicle_entity WHERE name = 'b'") ?? 0
        try fixture.app.execute("UPDATE chronicle_key_\(entity) SET key1 = 'z' WHERE key1 = 'x'")
        #expect(try fixture.chainFailures().contains { $0.hasPrefix("reader: the key") })
    }

    @Test func historiesThatCannotBeOpened() throws {
        let fixture = try TrackedFixture(Self.tables, track: false)
        #expect(try failure(of: { try fixture.database.openHistory() }) == .unsupportedFeature)
        let store = try TestStore(.file)
        #expect(try failure(of: { try TrackedDatabase(url: store.url).openHistory() }) == .unsupportedFeature)
    }
}
