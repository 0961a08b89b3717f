import Chronicle
import ChronicleTestSupport
import Foundation

/// The database of another program whose changes are recorded, with a content that does not depend on the time.
enum TrackedFile {
    static let schema = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT UNIQUE, quota REAL);
        CREATE TABLE folder(account INTEGER REFERENCES account(id) ON DELETE CASCADE, path TEXT, unread,
            PRIMARY KEY (account, path)) WITHOUT ROWID;
        CREATE TABLE label(name TEXT PRIMARY KEY, color);
        CREATE TABLE settings(name, value);
        CREATE VIRTUAL TABLE notes USING fts5(text);
        CREATE VIEW unread AS SELECT * FROM folder WHERE unread > 0;
        """

    /// Makes a database and records it. Each of the statements is a transaction, an hour after the previous one.
    static func make() throws -> URL {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(
            file,
            "\(schema) INSERT INTO account VALUES (1, 'anna@example.org', 1.5); INSERT INTO label VALUES ('red', 1)")
        try TrackedDatabase(url: file).track()
        let statements = [
            "INSERT INTO account VALUES (2, 'bea@example.org', 2); INSERT INTO folder VALUES (2, 'inbox', 0), (2, 'it''s', 'x')",
            "UPDATE folder SET unread = 3 WHERE path = 'inbox'; UPDATE account SET quota = NULL WHERE id = 1",
            "UPDATE label SET name = 'blue'; INSERT INTO label VALUES (x'00ff', 1.5)",
            "PRAGMA foreign_keys = ON; DELETE FROM account WHERE id = 2",
        ]
        for (index, statement) in statements.enumerated() {
            _ = try Shell.sqlite3(
                file,
                // The time of the transaction that the first change begins is replaced afterwards.
                "\(statement); UPDATE chronicle_pending SET started = \(788_918_400 + index * 3_600)")
        }
        _ = try Shell.sqlite3(
            file,
            """
            UPDATE chronicle_meta SET value = '00000000-0000-0000-0000-000000000000' WHERE name = 'store';
            UPDATE chronicle_change SET attributes = id * 1000003 WHERE kind <= 0
            """)
        return file
    }
}
