import ChronicleSQLite
import Testing

extension Connection {
    static func inMemory() throws -> Connection { try Connection(path: ":memory:", mode: .readWriteCreate) }

    /// Returns the integers in the first column of every row.
    func int64s(_ sql: String) throws -> [Int64] {
        let statement = try prepare(sql)
        var values: [Int64] = []
        while try statement.step() { values.append(statement.int64(0)) }
        return values
    }
}

/// Returns the SQLite error that `body` throws. The test fails if it throws none or another error.
func sqliteError(
    _ sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> SQLiteError {
    try #require(throws: SQLiteError.self, sourceLocation: sourceLocation) { try body() }
}

/// An error that is not from SQLite.
struct TestError: Error, Equatable {}
