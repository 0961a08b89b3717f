import Chronicle
import Foundation
import SampleTrips

/// The full-text index of a store: an SQLite file with one document for each model.
///
/// The file also contains the position in the store's history up to which it is complete. Both are written in one
/// transaction, so they belong together after a crash as well.
public final class SearchIndex {
    let url: URL
    let database: Database

    /// The number that identifies the files of this program, "Trip" in ASCII.
    ///
    /// https://www.sqlite.org/pragma.html#pragma_application_id
    private static var applicationID: Int64 { 0x5472_6970 }
    /// The version of the tables. An index of another version is built again.
    private static var version: Int64 { 1 }

    /// Returns the URL of the index of a store: beside the store, with `.search` at the end of its name.
    public static func url(of store: TripStore) -> URL { URL(fileURLWithPath: store.url.path + ".search") }

    /// Opens the index of a store for searches.
    ///
    /// - Throws: ``Failure`` if there is no index, or if it is damaged or of another version; update it.
    public init(reading url: URL) throws {
        self.url = url
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw Failure("there is no index at \(url.path). `trip-search update` creates it.")
        }
        do {
            database = try Database(url, isReadOnly: true)
            guard try Self.state(of: database) == .current else {
                throw Failure("\(url.path) is of another version. `trip-search update` builds it again.")
            }
        } catch let error as DatabaseError { throw Self.failure(error, url) }
    }

    /// Opens an index for changes. Creates it if it does not exist, is damaged, or is of another version.
    ///
    /// Checks the whole file, because only a new index replaces a damaged one.
    ///
    /// - Throws: ``Failure`` if the file is a database of another program, or cannot be written.
    init(updating url: URL) throws {
        self.url = url
        do {
            do {
                database = try Self.open(url)
            } catch let error as DatabaseError where error.isDamage {
                try Self.remove(url)
                database = try Self.open(url)
            }
        } catch let error as DatabaseError { throw Self.failure(error, url) }
    }

    /// Removes an index and the files that belong to it.
    static func remove(_ url: URL) throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    static func failure(_ error: DatabaseError, _ url: URL) -> Failure {
        error.isDamage
            ? Failure("\(url.path) is damaged. `trip-search update` builds it again.")
            : Failure("the index cannot be used: \(error)")
    }

    // MARK: Tables

    private enum State { case empty, current, otherVersion }

    private static func state(of database: Database) throws -> State {
        let application = try database.run("PRAGMA application_id") { $0.integer(0) }.first
        let version = try database.run("PRAGMA user_version") { $0.integer(0) }.first
        if application == applicationID { return version == Self.version ? .current : .otherVersion }
        guard try database.run("SELECT 1 FROM sqlite_schema LIMIT 1", row: { _ in () }).isEmpty else {
            throw Failure("\(database.path) is a database of another program. Move it to another place.")
        }
        return .empty
    }

    private static func open(_ url: URL) throws -> Database {
        let database = try Database(url)
        // Before the first change, because the file may belong to another program.
        _ = try state(of: database)
        // With NORMAL, a power failure may undo the last transactions, but only together with their positions.
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try database.transaction {
            switch try state(of: database) {
            case .current: return
            case .otherVersion: try database.execute("DROP TABLE IF EXISTS documents; DROP TABLE IF EXISTS position")
            case .empty: break
            }
            try createDocuments(database)
            try database.execute(
                """
                CREATE TABLE position(id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT, isComplete INTEGER NOT NULL);
                INSERT INTO position VALUES (1, NULL, 0);
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version)
                """)
        }
        try checkIntegrity(database)
        return database
    }

    /// Reads the whole file, and compares the words of the index with the text of the documents.
    ///
    /// - Throws: An error with ``DatabaseError/isDamage`` if they do not agree.
    private static func checkIntegrity(_ database: Database) throws {
        guard try database.run("PRAGMA quick_check(1)", row: { $0.text(0) }) == ["ok"] else {
            throw DatabaseError(damaged: database.path)
        }
        // https://www.sqlite.org/fts5.html#the_integrity_check_command
        try database.run("INSERT INTO documents(documents) VALUES ('integrity-check')")
    }

    private static func createDocuments(_ database: Database) throws {
        try database.execute(
            "CREATE VIRTUAL TABLE documents USING fts5(title, detail, tokenize = 'unicode61 remove_diacritics 2')")
    }

    // MARK: Position

    /// The position in the store's history up to which the index is complete, or `nil` if it has to be built.
    func position() throws -> DefaultHistoryToken? {
        let tokens = try database.run("SELECT token FROM position WHERE isComplete") { $0.text(0) }
        guard let json = tokens.first ?? nil else { return nil }
        // An index whose position cannot be read has to be built again as well.
        do { return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(json.utf8)) } catch { return nil }
    }

    /// Whether every model that existed at the position has a document.
    public var isComplete: Bool {
        get throws { try database.run("SELECT isComplete FROM position") { $0.integer(0) != 0 }.first ?? false }
    }

    /// Records that the documents of all models were added.
    func completeRebuild() throws { try database.run("UPDATE position SET isComplete = 1 WHERE NOT isComplete") }

    // MARK: Documents

    /// Changes documents and the position in one transaction.
    func update(to token: DefaultHistoryToken?, isComplete: Bool, _ body: () throws -> Void) throws {
        try database.transaction {
            try body()
            let json = try token.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            try database.run(
                "UPDATE position SET token = ?1, isComplete = ?2", json.map(Database.Value.text) ?? .null,
                .integer(isComplete ? 1 : 0))
        }
    }

    func replace(_ document: Document) throws {
        try database.run(
            "INSERT OR REPLACE INTO documents(rowid, title, detail) VALUES (?1, ?2, ?3)", .integer(document.id.rowID),
            .text(document.title), .text(document.detail))
    }

    func remove(_ id: Document.ID) throws {
        try database.run("DELETE FROM documents WHERE rowid = ?1", .integer(id.rowID))
    }

    /// Removes all documents. Creating the table again takes the same time for any number of them.
    func removeAll() throws {
        try database.execute("DROP TABLE documents")
        try Self.createDocuments(database)
    }

    /// Returns all documents.
    public func documents() throws -> Set<Document> {
        Set(
            try database.run("SELECT rowid, title, detail FROM documents") { row in
                Document(
                    id: Document.ID(rowID: row.integer(0)), title: row.text(1) ?? "", detail: row.text(2) ?? "")
            })
    }
}
