import CSQLite
import Chronicle
import Foundation

/// The baseline of relationships: the tables of folders, notes, pages, and tags through SQLite's C API, without history.
/// They have the indexes and foreign keys that Chronicle creates.
final class PlainNotes {
    private let database: PlainDatabase

    init(_ directory: URL) throws {
        database = try PlainDatabase(directory.appending(path: "plain"), .relaxed)
        try database.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE note(id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
                folder INTEGER REFERENCES folder ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE page(id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
                folder INTEGER REFERENCES folder ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE tag(id INTEGER PRIMARY KEY, number INTEGER NOT NULL);
            CREATE TABLE note_tag(note INTEGER NOT NULL REFERENCES note ON DELETE CASCADE,
                tag INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE, PRIMARY KEY (note, tag)) WITHOUT ROWID;
            CREATE INDEX note_folder ON note(folder);
            CREATE INDEX page_folder ON page(folder);
            CREATE INDEX note_tag_tag ON note_tag(tag);
            """)
    }

    /// Inserts folders with a number of notes or pages each, in one transaction.
    func insertFolders(_ count: Int, children: Int, table: String = "note") throws {
        let folder = try database.prepare("INSERT INTO folder(name) VALUES (?)")
        let child = try database.prepare("INSERT INTO \(table)(number, folder) VALUES (?, ?)")
        try transaction {
            for index in 1...count {
                try run(folder) { sqlite3_bind_text($0, 1, "Travel", 6, nil) }
                for number in 0..<children {
                    try run(child) {
                        sqlite3_bind_int64($0, 1, Int64(number))
                        sqlite3_bind_int64($0, 2, Int64(index))
                    }
                }
            }
        }
    }

    func insertTags(_ count: Int) throws {
        let tag = try database.prepare("INSERT INTO tag(number) VALUES (?)")
        try transaction {
            for number in 0..<count { try run(tag) { sqlite3_bind_int64($0, 1, Int64(number)) } }
        }
    }

    /// Links each note with each tag, in one transaction.
    func link(notes: Int, tags: Int) throws {
        let link = try database.prepare("INSERT INTO note_tag(note, tag) VALUES (?, ?)")
        try transaction {
            for note in 1...notes {
                for tag in 1...tags {
                    try run(link) {
                        sqlite3_bind_int64($0, 1, Int64(note))
                        sqlite3_bind_int64($0, 2, Int64(tag))
                    }
                }
            }
        }
    }

    /// Reads the notes of each folder.
    ///
    /// - Returns: The number of notes.
    func readLists(_ folders: Int) throws -> Int {
        let select = try database.prepare("SELECT id, number, folder FROM note WHERE folder = ?")
        var (count, sum) = (0, 0 as Int64)
        for folder in 1...folders {
            sqlite3_bind_int64(select, 1, Int64(folder))
            while sqlite3_step(select) == SQLITE_ROW {
                count += 1
                for column in 0..<3 as Range<Int32> { sum &+= sqlite3_column_int64(select, column) }
            }
            sqlite3_reset(select)
        }
        precondition(sum > 0, "the notes have no values")
        return count
    }

    func deleteFolder() throws { try database.execute("BEGIN IMMEDIATE; DELETE FROM folder WHERE id = 1; COMMIT") }

    private func transaction(_ body: () throws -> Void) throws {
        try database.execute("BEGIN IMMEDIATE")
        try body()
        try database.execute("COMMIT")
    }

    private func run(_ statement: OpaquePointer, _ bind: (OpaquePointer) -> Void) throws {
        bind(statement)
        try database.check(sqlite3_step(statement))
        sqlite3_reset(statement)
    }
}
