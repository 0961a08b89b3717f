import ChronicleCore
import ChronicleSQLite

/// The table `chronicle_metadata`, which contains the metadata of transactions by the position of their headers.
enum MetadataTable {
    static let name = "chronicle_metadata"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(position INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, \
        PRIMARY KEY (position, name)) WITHOUT ROWID
        """

    static func insert(_ metadata: [String: String], at position: Int64, _ connection: Connection) throws {
        guard !metadata.isEmpty else { return }
        let statement = try connection.cached("INSERT INTO \(name)(position, name, value) VALUES (?, ?, ?)")
        for (key, value) in metadata {
            try statement.bind(position, at: 1)
            try statement.bind(key, at: 2)
            try statement.bind(value, at: 3)
            try statement.run()
        }
    }

    static func isEmpty(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(name) LIMIT 1") == nil
    }

    static func metadata(at position: Int64, _ connection: Connection) throws -> [String: String] {
        let statement = try connection.cached("SELECT name, value FROM \(name) WHERE position = ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        var metadata: [String: String] = [:]
        while try statement.step() {
            // Not ``Statement/text(_:of:)``, because metadata may contain NUL characters.
            guard case (.text, .text) = (statement.storageClass(0), statement.storageClass(1)) else {
                throw SwiftDataError.damagedRow(.metadata(position), "a name or a value is not text")
            }
            metadata[statement.text(0)] = statement.text(1)
        }
        return metadata
    }

    static func delete(_ positions: ClosedRange<Int64>, _ connection: Connection) throws {
        let statement = try connection.cached("DELETE FROM \(name) WHERE position BETWEEN ? AND ?")
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        try statement.run()
    }
}
