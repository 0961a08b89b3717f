import ChronicleSQLStore
import ChronicleSQLite
import Testing

@testable import ChronicleStore

/// The triggers of a table with nearly as many columns as SQLite allows, all of which are preserved.
@Suite struct WideRecorderTests {
    @Test(arguments: [Preservation.Extent.limited, .all])
    func valuesOfManyColumns(_ extent: Preservation.Extent) throws {
        let count = 1_990
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        for sql in RecorderSQL.recordTables { try connection.execute(sql) }
        let names = (0..<count).map { "c\($0)" }
        try connection.execute(
            "CREATE TABLE wide(id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")), UNIQUE(c0))")
        let table = RecordedTable(
            entityID: 1, name: "wide",
            columns: names.enumerated().map { number, name in
                .init(
                    number: number, name: name, preservation: .init(inserts: extent, updates: extent, deletes: extent))
            }, uniqueness: [[.init(name: "c0")]])
        for sql in RecorderSQL.triggers(of: table) { try connection.execute(sql) }
        func rows() throws -> Int64? {
            try connection.scalarInt64("SELECT count(*) FROM chronicle_change WHERE attributes IS NOT NULL")
        }
        try connection.execute("INSERT INTO wide(id, c0, c1989) VALUES (1, 'a', 'first')")
        #expect(try rows() == 1_990)
        try connection.execute("UPDATE wide SET c0 = 'b', c1989 = 'last'")
        #expect(try rows() == 1_993)
        try connection.execute("REPLACE INTO wide(id, c0) VALUES (2, 'b')")
        #expect(try rows() == 1_993 + 2 * 1_990)
        try connection.execute("DELETE FROM wide")
        #expect(try rows() == 1_993 + 3 * 1_990)
        let tombstones = try connection.scalarText(
            "SELECT group_concat(old_value, ' ') FROM chronicle_change WHERE attributes IN (0, 1989) AND new_value IS NULL"
        )
        #expect(tombstones == "b last b")
    }
}
