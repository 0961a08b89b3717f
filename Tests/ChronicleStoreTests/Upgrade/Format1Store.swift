import Chronicle
import ChronicleTestSupport
import Foundation

/// A copy of the fixture of format 1, which tests change with `sqlite3`.
struct Format1Store {
    static let fixture = FixtureFile.all[0]

    let file: URL

    init() throws { file = try Self.fixture.copy() }

    /// Copies another file.
    init(_ other: Format1Store) throws {
        file = try TemporaryDirectory().file("copy.store")
        try FileManager.default.copyItem(at: other.file, to: file)
    }

    @discardableResult
    func shell(_ sql: String) throws -> String { try Shell.sqlite3(file, sql) }

    var version: String { get throws { try shell("PRAGMA user_version") } }

    /// Whether the file has the content of the fixture.
    func hasContentOfFixture(allowsSave: Bool = true) throws -> Bool {
        let container = try FixtureFile.open(file, allowsSave: allowsSave)
        return try FixtureDescription(container).text(Self.fixture.tokens()) == Self.fixture.expectedText()
    }

    /// Everything in the file, as SQL.
    var dump: String { get throws { try shell(".dump") } }

    // MARK: A long history

    /// Adds rows to the history: transactions of 20 rows with updates, a delete with two preserved values, and a header,
    /// and one of 80 rows after every 46 of these. Seals the changes of the fixture that no header follows.
    ///
    /// - Parameter count: The number of rows, a multiple of 1,000.
    func addRows(_ count: Int) throws {
        // 8 is the entity `Tag`, whose attributes 0 and 1 are preserved. 561 is the first row after the last header.
        try shell(
            """
            BEGIN;
            INSERT INTO chronicle_change(what, key, detail, more) VALUES (-1, 817038345.5, 4711, 561);
            CREATE TEMP TABLE base AS SELECT max(id) AS id FROM chronicle_change;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count) - 1),
            row AS (SELECT base.id + i + 1 AS id, i / 20 AS number, i / 20 % 50 AS part,
                i % 20 = 19 AND i / 20 % 50 NOT BETWEEN 46 AND 48 AS ends, i % 20 AS place FROM n, base)
            INSERT INTO chronicle_change(id, what, key, detail, more) SELECT id,
                CASE WHEN ends THEN -2 - number % 12
                    WHEN place = 17 THEN 8 << 2 | 3 WHEN place = 18 THEN 8 << 2 ELSE 8 << 2 | 2 END,
                CASE WHEN ends THEN 817038346.25 + number WHEN place IN (17, 18) THEN 7 ELSE 1 + place % 4 END,
                CASE WHEN ends THEN number * 7919 WHEN place = 17 THEN 0 ELSE 1 END,
                CASE WHEN ends AND part = 49 THEN id - 79 WHEN ends THEN id - 19
                    WHEN place = 17 THEN 'name' WHEN place = 18 THEN -5 END
            FROM row;
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }
}
