import ChronicleCore
import ChronicleSQLite
import Foundation

/// The named positions of the history. The table is created with the first tag.
struct TagTable {
    typealias Tag = HistoryTag<DefaultHistoryToken>

    static let name = "chronicle_tag"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL, \
        check_value INTEGER, created REAL NOT NULL)
        """

    let connection: Connection
    let storeIdentifier: String

    /// Throws ``SwiftDataError/damagedFile`` if another program changed the definition.
    static func exists(_ connection: Connection) throws -> Bool {
        guard
            try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE lower(name) = '\(name)'") != nil
        else { return false }
        return try FileSchema(connection).hasHistory([createTable])
    }

    static func create(_ connection: Connection) throws {
        try MetaTable.keepingCompletions(connection) { try connection.execute(createTable) }
    }

    func tags() throws -> [Tag] {
        let statement = try connection.cached(
            "SELECT id, name, position, check_value, created FROM \(Self.name) ORDER BY name")
        defer { statement.reset() }
        var tags: [Tag] = []
        while try statement.step() {
            let row = FileRow.tag(statement.int64(0))
            let seconds = statement.double(4)
            guard seconds.isFinite else { throw SwiftDataError.damagedRow(row, "the time is invalid") }
            let token = DefaultHistoryToken(
                storeIdentifier: storeIdentifier,
                position: try statement.integer(2, in: 0...HistoryPosition.valid.upperBound, of: row),
                checkValue: statement.isNull(3) ? nil : try statement.integer(3, of: row))
            tags.append(
                Tag(
                    name: statement.text(1), token: token,
                    date: Date(timeIntervalSinceReferenceDate: seconds)))
        }
        return tags
    }

    /// Throws ``SwiftDataError/duplicateHistoryTag`` if there is a tag of the name and `replacing` is `false`.
    func insert(_ tag: Tag, replacing: Bool) throws {
        let statement = try connection.cached(
            "INSERT INTO \(Self.name)(name, position, check_value, created) VALUES (?, ?, ?, ?)"
                + (replacing
                    ? " ON CONFLICT DO UPDATE SET position = excluded.position, check_value = excluded.check_value, "
                        + "created = excluded.created"
                    : ""))
        try statement.bind(tag.name, at: 1)
        try statement.bind(tag.token.position(in: storeIdentifier) ?? 0, at: 2)
        if let checkValue = tag.token.checkValue(in: storeIdentifier) {
            try statement.bind(checkValue, at: 3)
        } else {
            try statement.bindNull(3)
        }
        try statement.bind(tag.date.timeIntervalSinceReferenceDate, at: 4)
        do { try statement.run() } catch let error as SQLiteError where error.isUniqueConstraint {
            throw SwiftDataError.duplicateHistoryTag.with(
                detail: "the store already has a tag \"\(tag.name)\"; choose another name, or replace the tag")
        }
    }

    func delete(_ name: String) throws -> Bool {
        guard
            let id = try connection.scalarInt64(
                "SELECT id FROM \(Self.name) WHERE name = ?", { try $0.bind(name, at: 1) })
        else { return false }
        let statement = try connection.cached("DELETE FROM \(Self.name) WHERE id = ?")
        try statement.bind(id, at: 1)
        try statement.run()
        return true
    }
}
