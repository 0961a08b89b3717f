import ChronicleCSQLite
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// Changes values with the incremental interface for blobs, which runs no triggers.
/// https://www.sqlite.org/c3ref/blob_open.html
struct BlobWriter {
    let url: URL

    /// Overwrites all bytes of a random text or blob in a table with rowids.
    ///
    /// - Parameter app: A connection to the file, with which the row is chosen.
    /// - Returns: The row and the column as text, or `nil` if there is no such value, or SQLite refuses to write it, for example
    ///   because an index contains it.
    func writeRandomValue(_ random: inout SplitMix, _ app: Connection) throws -> String? {
        let columns = try app.prepare(
            """
            SELECT t.name, c.name, (SELECT group_concat('"' || k.name || '" IS NOT NULL', ' AND ') \
            FROM pragma_table_info(t.name) AS k WHERE k.pk > 0) FROM pragma_table_list AS t, pragma_table_info(t.name) AS c \
            WHERE t.schema = 'main' AND t.type = 'table' AND NOT t.wr AND c.pk = 0 AND t.name NOT LIKE 'chronicle%' \
            AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid
            """)
        var choices: [(table: String, column: String, condition: String)] = []
        while try columns.step() { choices.append((columns.text(0), columns.text(1), columns.text(2))) }
        guard let choice = choices.randomElement(using: &random) else { return nil }
        let value = RecorderSQL.quoted(choice.column)
        let rows = try app.prepare(
            """
            SELECT rowid, substr(CAST(\(value) AS TEXT), 1, 1) = 'z' FROM \(RecorderSQL.quoted(choice.table)) \
            WHERE \(choice.condition) AND typeof(\(value)) IN ('text', 'blob') AND length(\(value)) > 0
            """)
        var keys: [(rowID: Int64, isWritten: Bool)] = []
        while try rows.step() { keys.append((rows.int64(0), rows.int64(1) != 0)) }
        rows.reset()
        guard let key = keys.randomElement(using: &random) else { return nil }
        guard try write(key.isWritten ? "y" : "z", choice.table, choice.column, key.rowID) else { return nil }
        return "\(choice.table).\(choice.column) of the row \(key.rowID)"
    }

    /// Returns `false` if SQLite does not open the value for writing.
    private func write(_ character: Unicode.Scalar, _ table: String, _ column: String, _ rowID: Int64) throws -> Bool {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK else { throw POSIXError(.EIO) }
        var blob: OpaquePointer?
        guard sqlite3_blob_open(opened, "main", table, column, rowID, 1, &blob) == SQLITE_OK, let blob else {
            return false
        }
        let bytes = [UInt8](repeating: UInt8(ascii: character), count: Int(sqlite3_blob_bytes(blob)))
        let written = sqlite3_blob_write(blob, bytes, Int32(bytes.count), 0)
        guard sqlite3_blob_close(blob) == SQLITE_OK, written == SQLITE_OK else { throw POSIXError(.EIO) }
        return true
    }
}
