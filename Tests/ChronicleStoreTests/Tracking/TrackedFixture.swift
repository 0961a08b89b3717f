import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A database of another program: a connection of that program, and the history that Chronicle records.
final class TrackedFixture {
    let url: URL
    /// The connection of the program.
    let app: Connection
    var database: TrackedDatabase { TrackedDatabase(url: url) }

    init(_ sql: String, collations: [SQLCollation] = [], track: Bool = true) throws {
        url = try TemporaryDirectory().file("app.db")
        app = try Connection(path: url.path, mode: .readWriteCreate)
        // As in other programs, unless they decide otherwise.
        try app.execute("PRAGMA trusted_schema = ON")
        for collation in collations { try app.define(collation) }
        try app.execute(sql)
        if track { try database.track() }
    }

    /// Opens the history, as a program without model classes does.
    func store(allowsSave: Bool = false) throws -> DefaultStore {
        let schema = try DefaultStore.schema(ofFileAt: url)
        return try DefaultStore(
            ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave), migrationPlan: nil)
    }

    /// Returns the changes after a token, or all of them, each as a line of text.
    func changes(after token: DefaultHistoryToken? = nil) throws -> [String] {
        let store = try store()
        let start = try token ?? store.earliestHistoryToken()
        let descriptor = start.map { HistoryDescriptor<DefaultHistoryTransaction>.after($0) } ?? .init()
        return try store.fetchHistory(descriptor).flatMap(\.changes).map { try Self.line($0, store) }
    }

    /// Returns the problems that a verification finds.
    func problems() throws -> [String] {
        var problems: [String] = []
        try DefaultStore.verify(fileAt: url) { problems.append("\($0.kind) \($0)") }
        return problems
    }

    /// Returns the definitions of the file in any order, and what the header contains.
    func schemaDump() throws -> [String] {
        let statement = try app.prepare("SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0)) }
        let header = try ["application_id", "user_version", "auto_vacuum", "encoding", "page_size"].map {
            "\($0) \(try app.scalarText("SELECT * FROM pragma_\($0)") ?? "")"
        }
        return lines.sorted() + header + [try app.scalarText("PRAGMA journal_mode") ?? ""]
    }

    /// A collation that SQLite does not have: it ignores the case, and sorts backwards.
    static let collation = SQLCollation("ownOrder") { first, second in
        func folded(_ text: SQLCollation.Text) -> [UInt8] {
            text.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
        }
        let (first, second) = (folded(first), folded(second))
        return first == second ? 0 : first.lexicographicallyPrecedes(second) ? 1 : -1
    }

    /// Runs a statement of the program, which may violate a constraint.
    func run(_ sql: String) throws {
        do { try app.execute(sql) } catch is SQLiteError {}
    }

    typealias Row = [String: PropertyValue]
    typealias Rows = [PersistentIdentifier: Row]

    /// Returns the rows with keys, read from the tables of the program. A key that was never recorded has no identifier.
    func rows(_ store: DefaultStore, unrecorded: ((String) -> Void)? = nil) throws -> [PersistentIdentifier: Row] {
        var rows: [PersistentIdentifier: Row] = [:]
        for entity in store.schema.entities {
            let names = entity.storedProperties.map(\.name)
            let columns = store.primaryKeyColumns(ofEntity: entity.name) ?? ["_rowid_"]
            let statement = try app.prepare(
                "SELECT \((columns + names).map(quoted).joined(separator: ", ")) FROM \(quoted(entity.name))")
            while try statement.step() {
                let key = columns.indices.map { statement.plainValue(Int32($0)) }
                if key.contains(where: \.isNull) { continue }
                let found = try store.identifier(ofEntity: entity.name, primaryKey: key)
                if found == nil, let unrecorded {
                    unrecorded("\(entity.name)/\(key)")
                    continue
                }
                let identifier = try #require(found)
                rows[identifier] = Dictionary(
                    uniqueKeysWithValues: names.enumerated().map {
                        ($1, statement.plainValue(Int32(columns.count + $0)))
                    })
            }
        }
        return rows
    }

    static func stored(_ value: (any Sendable)?) -> PropertyValue {
        switch value {
        case nil: .null
        case let value as Int64: .integer(value)
        case let value as Double: .real(value)
        case let value as String: .text(value)
        case let value as Data: .blob(value)
        default: .references([])
        }
    }

    private static func line(_ change: HistoryChange, _ store: DefaultStore) throws -> String {
        let model = change.changedPersistentIdentifier
        let key = try store.primaryKey(of: model).map(Self.text).joined(separator: ",")
        func text(_ value: (any Sendable)?) -> String {
            switch value {
            case nil: "NULL"
            case let value as Data: "x'\(value.map { String(format: "%02x", $0) }.joined())'"
            case let value as String: "'\(value)'"
            case let value?: "\(value)"
            }
        }
        let values = change.preservedValues.map { value in
            switch change {
            case .insert: "\(value.name)=\(text(value.value))"
            case .update: "\(value.name)=\(text(value.previousValue))>\(text(value.value))"
            case .delete: "\(value.name)=\(text(value.previousValue))"
            }
        }
        let kind =
            switch change {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            }
        return ([kind, "\(model.entityName)/\(key)"] + values).joined(separator: " ")
    }

    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): "'\(value)'"
        case .blob(let value): "x'\(value.map { String(format: "%02x", $0) }.joined())'"
        case .reference, .references: "?"
        }
    }
}

extension [PersistentIdentifier: TrackedFixture.Row] {
    /// Applies a change without regard to the state before.
    mutating func assign(_ change: HistoryChange) {
        let model = change.changedPersistentIdentifier
        let values = change.preservedValues
        switch change {
        case .insert:
            self[model] = TrackedFixture.Row(
                uniqueKeysWithValues: values.map { ($0.name, TrackedFixture.stored($0.value)) })
        case .update: for value in values { self[model]?[value.name] = TrackedFixture.stored(value.value) }
        case .delete: self[model] = nil
        }
    }
}

/// Schemas with everything that the recorder has to leave as it is.
enum NastySchema {
    static let mail = """
        PRAGMA application_id = 77; PRAGMA user_version = 12;
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT);
        CREATE TABLE folder(account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE, path TEXT NOT NULL,
            unread INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, path)) WITHOUT ROWID;
        CREATE TABLE message(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, folder TEXT NOT NULL,
            subject TEXT, body TEXT, size INTEGER GENERATED ALWAYS AS (length(body)) STORED,
            preview TEXT AS (substr(body, 1, 10)), is_read INTEGER NOT NULL DEFAULT 0,
            FOREIGN KEY (account, folder) REFERENCES folder(account, path) ON UPDATE CASCADE ON DELETE CASCADE);
        CREATE INDEX message_folder ON message(account, folder) WHERE is_read = 0;
        CREATE TABLE label(name TEXT PRIMARY KEY, color);
        CREATE TABLE message_label(message INTEGER REFERENCES message(id) ON DELETE CASCADE,
            label TEXT REFERENCES label(name) ON UPDATE CASCADE, PRIMARY KEY (message, label)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE message_text USING fts5(subject, body, content = 'message', content_rowid = 'id');
        CREATE TRIGGER message_inserted AFTER INSERT ON message BEGIN
            INSERT INTO message_text(rowid, subject, body) VALUES (new.id, new.subject, new.body);
            UPDATE folder SET unread = unread + 1 WHERE account = new.account AND path = new.folder;
        END;
        CREATE TRIGGER message_deleted AFTER DELETE ON message BEGIN
            INSERT INTO message_text(message_text, rowid, subject, body) VALUES ('delete', old.id, old.subject, old.body);
        END;
        CREATE TRIGGER message_updated AFTER UPDATE OF subject, body ON message BEGIN
            INSERT INTO message_text(message_text, rowid, subject, body) VALUES ('delete', old.id, old.subject, old.body);
            INSERT INTO message_text(rowid, subject, body) VALUES (new.id, new.subject, new.body);
        END;
        CREATE VIEW inbox AS SELECT m.id, m.subject, a.email FROM message AS m JOIN account AS a ON a.id = m.account;
        CREATE TRIGGER inbox_rename INSTEAD OF UPDATE OF subject ON inbox BEGIN
            UPDATE message SET subject = new.subject WHERE id = new.id;
        END;
        INSERT INTO account VALUES (1, 'anna@example.org', 'Anna');
        INSERT INTO folder VALUES (1, 'inbox', 0);
        """

    static let names = """
        CREATE TABLE "select"("group" TEXT PRIMARY KEY, "a""b", 'c''d' INTEGER);
        CREATE TABLE "T t.é/1"("k k" INTEGER PRIMARY KEY, "ü" TEXT);
        CREATE TABLE UPPER(Id integer primary key, Value);
        CREATE TABLE [brackets]([x y] TEXT, z, PRIMARY KEY (z, [x y]));
        """

    static let kinds = """
        PRAGMA auto_vacuum = FULL;
        CREATE TABLE strict(id TEXT PRIMARY KEY, n INTEGER, v ANY) STRICT, WITHOUT ROWID;
        CREATE TABLE descending(id INTEGER PRIMARY KEY DESC, v);
        CREATE TABLE nocase(id TEXT PRIMARY KEY COLLATE NOCASE, v);
        CREATE TABLE no_key(v);
        CREATE TABLE hidden(rowid TEXT, oid TEXT, id INTEGER PRIMARY KEY);
        CREATE TABLE reserved("_rowid_" TEXT PRIMARY KEY);
        CREATE VIRTUAL TABLE place USING rtree(id, minX, maxX);
        CREATE TABLE empty(id INTEGER PRIMARY KEY);
        """

    /// Whether SQLite was built with the module for text search that `mail` uses.
    static let hasTextSearch: Bool = {
        guard let connection = try? Connection(path: ":memory:", mode: .readWriteCreate) else { return false }
        let modules = "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"
        return (try? connection.scalarInt64(modules)) == 1
    }()

    static let all = (hasTextSearch ? [mail] : []) + [names, kinds]
}
