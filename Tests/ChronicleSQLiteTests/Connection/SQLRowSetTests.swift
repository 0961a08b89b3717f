import ChronicleSQLite
import Testing

@Suite struct SQLRowSetTests {
    @Test func statementsTestTheSet() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let set = SQLRowSet("changed")
        try connection.define(set)
        let keys: [Int64] = [.min, .max, 0, -1] + (1...500).map { $0 * 64 }
        for key in keys + keys { set.insert(key) }
        func contains(_ key: Int64) throws -> Bool {
            try connection.scalarInt64("SELECT changed(?)") { try $0.bind(key, at: 1) } == 1
        }
        for key in keys { #expect(try contains(key)) }
        for key in [1, 63, -64, .max - 1] as [Int64] { #expect(try !contains(key)) }
        try connection.remove(set)
        #expect(throws: SQLiteError.self) { try contains(0) }
    }

    @Test func aRollbackRemovesWhatWasInsertedSinceTheMark() {
        let set = SQLRowSet("changed")
        for key in 0..<100 { set.insert(Int64(key)) }
        set.mark()
        for key in 50..<300 { set.insert(Int64(key)) }
        set.insert(.min)
        set.rollBack()
        for key in 0..<300 { #expect(set.contains(Int64(key)) == (key < 100)) }
        #expect(!set.contains(.min))
        set.insert(.min)
        set.mark()
        set.rollBack()
        #expect(set.contains(.min))
    }
}
