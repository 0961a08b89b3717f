import ChronicleSQLite

/// Marks the place where recording began again: what happened before it, while it was off, nobody knows.
enum HistoryGap {
    static func record(_ connection: Connection) throws {
        // A void header: it takes the next position, so that no token from before stands at or after it.
        let statement = try connection.cached(RecorderStatements.insertHeader)
        try statement.bind(0, at: 1)
        try statement.bindNull(2)
        try statement.bind(Int64.random(in: .min ... .max), at: 3)
        try statement.bindNull(4)
        try statement.run()
        try MetaTable.set(.gap, connection.lastInsertRowID, connection)
    }
}
