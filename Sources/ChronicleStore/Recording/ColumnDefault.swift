import ChronicleSQL
import ChronicleSQLite

/// The default values of columns, as SQLite describes them.
enum ColumnDefault {
    /// The literal of the value that REPLACE stores instead of NULL (https://www.sqlite.org/lang_conflict.html), from a row
    /// of `PRAGMA table_xinfo` and the indexes of `notnull` and `dflt_value`.
    static func replacement(_ statement: Statement, isRequired: Int32, default text: Int32) -> String? {
        if statement.int64(isRequired) == 0 || statement.isNull(text) { return nil }
        return literal(statement.text(text))
    }

    /// `nil` for NULL and other expressions. In a trigger, these could have another meaning, or call a function that a
    /// program does not define, which could then no longer write to the table.
    private static func literal(_ text: String) -> String? {
        switch text.uppercased() {
        case "NULL": return nil
        // SQLite before version 3.23 has no such literals.
        case "TRUE": return "1"
        case "FALSE": return "0"
        case "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP": return text
        default: break
        }
        // A default value that is a name is a text. In a trigger, it would be a column.
        if let name = name(text) { return SQLQuery.literal(name) }
        let isString = text.wholeMatch(of: #/[xX]?'(?:[^']|'')*'/#) != nil
        let isNumber = text.wholeMatch(of: #/[+-]?\s*(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][+-]?[0-9]+)?)/#) != nil
        return isString || isNumber ? text : nil
    }

    /// The text of a name, which may have one of SQLite's three kinds of quotation marks.
    private static func name(_ text: String) -> String? {
        for (first, last) in [("\"", "\""), ("`", "`"), ("[", "]")] where text.hasPrefix(first) {
            guard text.count > 1, text.hasSuffix(last) else { return nil }
            let content = String(text.dropFirst().dropLast())
            let isName = !content.replacing(last + last, with: "").contains(last)
            return isName ? content.replacing(last + last, with: last) : nil
        }
        // https://www.sqlite.org/draft/tokenreq.html
        let isName = text.unicodeScalars.allSatisfy {
            !$0.isASCII || $0 == "_" || $0 == "$" || Character($0).isLetter || Character($0).isNumber
        }
        return isName && text.first?.isNumber == false ? text : nil
    }
}
