import ChronicleCore
import ChronicleSQLite
import Testing

@testable import ChronicleStore

/// Several updates of a model in one transaction are merged into the first of them.
@Suite struct UpdateMergeTests {
    /// A row of the history: `[kind, primary_key, attributes, old_value]`.
    private typealias Row = (kind: ChangeTable.Kind, key: Int64, attributes: PropertyValue, oldValue: PropertyValue)

    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        for sql in RecorderSQL.recordTables + EntityRegistry.tables { try connection.execute(sql) }
    }

    private static func insert(_ key: Int64, entity: Int64 = 1) -> Row {
        (.init(.insert, of: entity), key, .null, .null)
    }
    private static func update(_ key: Int64, _ mask: Int64, _ further: String? = nil, entity: Int64 = 1) -> Row {
        (.init(.update, of: entity), key, further.map { .text("\(mask),\($0)") } ?? .integer(mask), .null)
    }
    private static func delete(_ key: Int64, entity: Int64 = 1) -> Row {
        (.init(.delete, of: entity), key, .null, .null)
    }
    /// A preserved value of the previous change.
    private static func kept(_ key: Int64, _ attribute: Int64 = 0, entity: Int64 = 1) -> Row {
        (.init(.preservedValue, of: entity), key, .integer(attribute), .text("kept"))
    }

    /// Writes the rows, merges the updates among those from `first` on, and returns the remaining rows: a line for each
    /// row, with its position.
    private func merged(from first: Int64 = 1, _ rows: Row...) throws -> [String] {
        for row in rows {
            let statement = try connection.cached(
                "INSERT INTO chronicle_change(kind, primary_key, attributes, old_value) VALUES (?, ?, ?, ?)")
            try statement.bind(row.kind.rawValue, at: 1)
            try statement.bind(row.key, at: 2)
            try statement.bind(row.attributes, at: 3)
            try statement.bind(row.oldValue, at: 4)
            try statement.run()
        }
        try UpdateMerge(connection, from: first).run()
        let statement = try connection.prepare(
            """
            SELECT id || ' ' || (kind >> 4) || ' '
                || CASE kind & 15 WHEN 1 THEN 'insert' WHEN 2 THEN 'update' WHEN 3 THEN 'delete' ELSE 'kept' END
                || ' ' || primary_key || ifnull(' ' || attributes, '') || ifnull(' ' || old_value, '')
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
        #expect(rows == ["1 1 update 1 3,8,4", "2 1 update 2 5,2"])
    }

    @Test func preservedValuesFollowTheMergedUpdate() throws {
        let rows = try merged(
            Self.update(1, 1), Self.kept(1, 0), Self.update(2, 1), Self.kept(2, 0), Self.update(1, 2), Self.kept(1, 1),
            Self.kept(1, 1))
        #expect(
            rows == [
                "1 1 update 1 3", "2 1 kept 1 0 kept", "3 1 kept 1 1 kept", "4 1 kept 1 1 kept", "5 1 update 2 1",
                "6 1 kept 2 0 kept",
            ])
    }

    /// A save assigned a destination that it also deleted, so the foreign key removed it from the row again.
    @Test(arguments: [false, true]) func valuesOfARepeatedAttributeAreMerged(isLink: Bool) throws {
        for sql in EntityRegistry.tables { try connection.execute(sql) }
        try connection.execute(
            """
            INSERT INTO chronicle_entity(id, name) VALUES (1, 'Model');
            INSERT INTO chronicle_attribute VALUES (1, 0, 'a', NULL, NULL, 1, 1, 1, 1), \
            (1, 1, 'b', NULL, 'Model', \(isLink ? 0 : 1), 1, 1, 1), (1, 2, 'c', NULL, NULL, 1, 1, 1, 1);
            INSERT INTO chronicle_change(kind, primary_key, attributes, old_value, new_value) VALUES
            (18, 7, 6, NULL, NULL), (16, 7, 1, 10, 20), (16, 7, 2, 'x', 'y'), (18, 7, 3, NULL, NULL), \
            (16, 7, 0, 1, 2), (16, 7, 1, 20, NULL)
            """)
        try UpdateMerge(connection, from: 1).run()
        let statement = try connection.prepare(
            "SELECT quote(attributes) || ' ' || quote(old_value) || ' ' || quote(new_value) FROM chronicle_change ORDER BY id"
        )
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0)) }
        let values = isLink ? ["1 10 20", "1 20 NULL"] : ["1 10 NULL"]
        #expect(rows == ["7 NULL NULL", "0 1 2"] + values + ["2 'x' 'y'"])
    }

    /// One of the values was too large.
    @Test func aRepeatedAttributeWithoutAValueHasNone() throws {
        for sql in EntityRegistry.tables { try connection.execute(sql) }
        try connection.execute(
            """
            INSERT INTO chronicle_entity(id, name) VALUES (1, 'Model');
            INSERT INTO chronicle_attribute VALUES (1, 0, 'a', NULL, NULL, 1, 1, 1, 1), (1, 1, 'b', NULL, NULL, 1, 1, 1, 1);
            INSERT INTO chronicle_change(kind, primary_key, attributes, old_value, new_value) VALUES
            (18, 7, 3, NULL, NULL), (16, 7, 0, 1, 2), (18, 7, 3, NULL, NULL), (16, 7, 1, 3, 4)
            """)
        try UpdateMerge(connection, from: 1).run()
        #expect(try connection.scalarInt64("SELECT count(*) FROM chronicle_change") == 1)
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
                    "INSERT INTO chronicle_change(kind, primary_key, attributes) VALUES (18, \(key), \(1 << round))")
            }
        }
        #expect(try merged() == (1...100).map { "\($0) 1 update \($0) 7" })
    }

    @Test func invalidMaskThrows() throws {
        let error = #expect(throws: (any Error).self) { try merged(Self.update(1, 1), Self.update(1, 1, "x")) }
        #expect("\(String(describing: error))".contains("masks"), "\(String(describing: error))")
    }
}
