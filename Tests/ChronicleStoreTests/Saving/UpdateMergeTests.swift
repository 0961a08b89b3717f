import ChronicleSQLite
import Testing

@testable import ChronicleStore

/// Several updates of a model in one transaction are merged into the first of them.
@Suite struct UpdateMergeTests {
    /// A row of the history: `[what, key, detail, more]`.
    private typealias Row = (what: Int64, key: Int64, detail: Int64?, more: String?)

    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        for sql in RecorderSQL.recordTables { try connection.execute(sql) }
    }

    private static func insert(_ key: Int64, entity: Int64 = 1) -> Row { (entity << 2 | 1, key, nil, nil) }
    private static func update(_ key: Int64, _ mask: Int64, _ more: String? = nil, entity: Int64 = 1) -> Row {
        (entity << 2 | 2, key, mask, more)
    }
    private static func delete(_ key: Int64, entity: Int64 = 1) -> Row { (entity << 2 | 3, key, nil, nil) }
    /// A preserved value of a delete.
    private static func kept(_ key: Int64, entity: Int64 = 1) -> Row { (entity << 2, key, 0, "kept") }

    /// Writes the rows, merges the updates among those from `first` on, and returns the remaining rows: a line for each
    /// row, with its position.
    private func merged(from first: Int64 = 1, _ rows: Row...) throws -> [String] {
        for row in rows {
            let statement = try connection.cached(
                "INSERT INTO chronicle_change(what, key, detail, more) VALUES (?, ?, ?, ?)")
            try statement.bind(row.what, at: 1)
            try statement.bind(row.key, at: 2)
            if let detail = row.detail { try statement.bind(detail, at: 3) } else { try statement.bindNull(3) }
            if let more = row.more { try statement.bind(more, at: 4) } else { try statement.bindNull(4) }
            try statement.run()
        }
        try UpdateMerge(connection, from: first).run()
        let statement = try connection.prepare(
            """
            SELECT id || ' ' || (what >> 2) || ' '
                || CASE what & 3 WHEN 1 THEN 'insert' WHEN 2 THEN 'update' WHEN 3 THEN 'delete' ELSE 'kept' END
                || ' ' || key || ifnull(' ' || detail, '') || ifnull(' ' || more, '')
            FROM chronicle_change ORDER BY id
            """)
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0)) }
        return lines
    }

    @Test func updatesOfAModelAreMergedIntoTheFirst() throws {
        let rows = try merged(Self.update(7, 0b0001), Self.update(7, 0b0100), Self.update(7, 0b0101))
        #expect(rows == ["1 1 update 7 5"])
    }

    @Test func rowsAfterAMergedUpdateMoveUp() throws {
        let rows = try merged(
            Self.update(1, 1), Self.update(2, 1), Self.update(1, 2), Self.insert(3), Self.update(2, 4),
            Self.delete(4), Self.kept(4), Self.update(1, 8))
        #expect(
            rows == ["1 1 update 1 11", "2 1 update 2 5", "3 1 insert 3", "4 1 delete 4", "5 1 kept 4 0 kept"])
    }

    @Test func modelsOfDifferentEntitiesAreNotMerged() throws {
        let rows = try merged(Self.update(1, 1), Self.update(1, 2, entity: 2), Self.update(1, 4, entity: 2))
        #expect(rows == ["1 1 update 1 1", "2 2 update 1 6"])
    }

    /// Readers may already have read the earlier transactions.
    @Test func earlierTransactionsAreNotChanged() throws {
        let rows = try merged(
            from: 4, Self.update(1, 1), Self.update(1, 2), Self.insert(2), Self.update(1, 4), Self.update(1, 8))
        #expect(rows == ["1 1 update 1 1", "2 1 update 1 2", "3 1 insert 2", "4 1 update 1 12"])
    }

    @Test func furtherMasksAreMergedIndividually() throws {
        let rows = try merged(
            Self.update(1, 1), Self.update(1, 0, "0,4"), Self.update(1, 2, "8"), Self.update(2, 1, "2"),
            Self.update(2, 4))
        #expect(rows == ["1 1 update 1 3 8,4", "2 1 update 2 5 2"])
    }

    @Test func withoutRepeatedUpdatesNothingIsWritten() throws {
        let rows = try merged(Self.insert(1), Self.update(2, 1), Self.update(3, 1), Self.delete(4), Self.delete(4))
        #expect(rows == ["1 1 insert 1", "2 1 update 2 1", "3 1 update 3 1", "4 1 delete 4", "5 1 delete 4"])
        // The five inserts.
        #expect(try connection.scalarInt64("SELECT total_changes()") == 5)
    }

    @Test func mergedUpdatesKeepTheirOrder() throws {
        for round in 0..<3 {
            for key in 1...100 as ClosedRange<Int64> {
                try connection.execute(
                    "INSERT INTO chronicle_change(what, key, detail) VALUES (6, \(key), \(1 << round))")
            }
        }
        #expect(try merged() == (1...100).map { "\($0) 1 update \($0) 7" })
    }

    @Test func invalidMaskThrows() throws {
        let error = #expect(throws: (any Error).self) { try merged(Self.update(1, 1), Self.update(1, 1, "x")) }
        #expect("\(String(describing: error))".contains("masks"), "\(String(describing: error))")
    }
}
