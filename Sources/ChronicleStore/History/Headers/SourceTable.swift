import ChronicleCore
import ChronicleSQLite
import Foundation

/// The author, the context, and the program of a transaction. The file stores each combination once.
struct TransactionSource: Equatable, Sendable {
    let author: String?
    let contextName: String?
    /// The name is empty for external transactions.
    let program: String

    static let external = TransactionSource(author: nil, contextName: nil, program: "")

    init(_ state: EditingState) {
        self.init(author: state.author, contextName: state.contextName, program: Self.program)
    }

    init(author: String?, contextName: String?, program: String) {
        (self.author, self.contextName, self.program) = (author, contextName, program)
    }

    /// Sources are different if their texts have different bytes, as in the table.
    static func == (a: TransactionSource, b: TransactionSource) -> Bool {
        func isSame(_ a: String?, _ b: String?) -> Bool {
            if let a, let b { a.utf8.elementsEqual(b.utf8) } else { a == nil && b == nil }
        }
        return isSame(a.author, b.author) && isSame(a.contextName, b.contextName) && isSame(a.program, b.program)
    }

    /// The bundle identifier of this program, or the name of its executable.
    static let program: String = {
        if let identifier = Bundle.main.bundleIdentifier { return identifier }
        let name = ProcessInfo.processInfo.processName
        // Linux adds this to the name of an executable that was replaced while it runs.
        let suffix = " (deleted)"
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }()
}

/// The sources of the transactions, each with an index entry that a save finds it by. A source is deleted when history is
/// deleted and all its transactions are gone.
enum SourceTable {
    static let name = "chronicle_source"
    /// This source is never deleted.
    static let external: Int64 = 1

    /// The numbers are AUTOINCREMENT, so that they are reused only after a backup was restored: earlier versions cache
    /// sources by number.
    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(id INTEGER PRIMARY KEY AUTOINCREMENT, author TEXT, context TEXT, \
        program TEXT, newest INTEGER)
        """
    static let createIndex =
        "CREATE INDEX IF NOT EXISTS chronicle_source_index ON \(name)(author, context, program)"

    static func insertExternal(_ connection: Connection) throws {
        try connection.execute("INSERT INTO \(name)(id) VALUES (\(external))")
    }

    static func source(_ number: Int64, _ connection: Connection) throws -> TransactionSource? {
        let statement = try connection.cached("SELECT author, context, program FROM \(name) WHERE id = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        guard try statement.step() else { return nil }
        return TransactionSource(
            author: statement.isNull(0) ? nil : statement.text(0),
            contextName: statement.isNull(1) ? nil : statement.text(1), program: statement.text(2))
    }

    /// Inserts the source if there is none.
    static func number(of source: TransactionSource, _ connection: Connection) throws -> Int64 {
        func bind(_ statement: Statement) throws {
            for (index, text) in [source.author, source.contextName, source.program].enumerated() {
                if let text {
                    try statement.bind(text, at: Int32(index + 1))
                } else {
                    try statement.bindNull(Int32(index + 1))
                }
            }
        }
        if let number = try connection.scalarInt64(select, bind) { return number }
        let insert = try connection.cached(insert)
        try bind(insert)
        try insert.run()
        return connection.lastInsertRowID
    }

    private static let select = "SELECT id FROM \(name) WHERE author IS ? AND context IS ? AND program IS ?"
    private static let insert = "INSERT INTO \(name)(author, context, program) VALUES (?, ?, ?)"

    // MARK: Deleting sources

    static func setNewest(_ position: Int64, of number: Int64, _ connection: Connection) throws {
        let statement = try connection.cached("UPDATE \(name) SET newest = ? WHERE id = ?")
        try statement.bind(position, at: 1)
        try statement.bind(number, at: 2)
        try statement.run()
    }

    /// Deletes the sources whose transactions were all before `oldest`. The headers of the open range, from `open` on, are
    /// read because the column `newest` does not include them; see ``SummaryTable``.
    static func deleteUnused(before oldest: Int64, open: Int64, _ connection: Connection) throws {
        let statement = try connection.cached(
            """
            DELETE FROM \(name) WHERE (newest IS NULL OR newest < ?) AND id <> \(external) AND id NOT IN \
            (SELECT \(ChangeTable.source()) FROM \(ChangeTable.name) WHERE id >= ? AND \(ChangeTable.isHeader()))
            """)
        try statement.bind(oldest, at: 1)
        try statement.bind(open, at: 2)
        try statement.run()
    }
}
