public import ChronicleCore
import ChronicleSQLite

/// An error of SQLite: the ``SwiftDataError/underlying`` error of errors that a ``DefaultStore`` throws. Its description
/// contains no values of models.
public struct DatabaseError: LoggableError, Hashable, Sendable {
    /// The extended result code; see https://www.sqlite.org/rescode.html.
    public let extendedResultCode: Int32
    /// The message of SQLite.
    public let message: String
    /// The statement that failed, without its bound values; `nil` if there was none.
    public let sql: String?

    init(_ error: SQLiteError) {
        extendedResultCode = error.extendedCode
        message = error.message
        sql = error.sql
    }

    /// `SQLITE_CONSTRAINT` and `SQLITE_NOTADB`. https://www.sqlite.org/rescode.html
    private static let (constraint, notADatabase): (Int32, Int32) = (19, 26)

    /// The result code: the lowest 8 bits of the extended one.
    public var resultCode: Int32 { extendedResultCode & 0xFF }

    /// Whether the file has to be recovered by a connection that may write it.
    var needsRecovery: Bool { SQLiteError(extendedCode: extendedResultCode, message: message).needsRecovery }

    /// The code, the message, and the beginning of a statement that did not violate a constraint.
    public var description: String {
        var text = "SQLite error \(extendedResultCode)"
        // The kind of the error says that the file is not a database, and which model violates a constraint.
        if resultCode == Self.notADatabase { return text }
        text += ": \(message)"
        // An insert of many rows is long; `sql` has all of it.
        if resultCode != Self.constraint, let sql {
            text += " while running: \(sql.prefix(200))\(sql.utf8.count > 200 ? " …" : "")"
        }
        return text
    }
}
