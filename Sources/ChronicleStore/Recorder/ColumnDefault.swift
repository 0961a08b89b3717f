import ChronicleSQLite

/// The default values of columns, as SQLite describes them.
enum ColumnDefault {
    /// Returns the expression of the value that REPLACE stores instead of NULL in a column, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - statement: A row with `notnull` and `dflt_value` of `PRAGMA table_xinfo`.
    ///   - isRequired: The index of `notnull`.
    ///   - text: The index of `dflt_value`.
    static func replacement(_ statement: Statement, isRequired: Int32, default text: Int32) -> String? {
        if statement.int64(isRequired) == 0 || statement.isNull(text) { return nil }
        return replacement(statement.text(text))
    }

    /// Returns the expression of the value that REPLACE stores instead of NULL in a column that is NOT NULL.
    /// https://www.sqlite.org/lang_conflict.html
    ///
    /// - Parameter text: The text of `dflt_value` in the result of `PRAGMA table_xinfo`.
    /// - Returns: `nil` if there is none, or if it contains a function, which not every program defines.
    static func replacement(_ text: String) -> String? {
        let keywords = ["NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]
        if keywords.contains(text.uppercased()) { return text.uppercased() == "NULL" ? nil : text }
        // A name is a text here, and would be a column in the expression.
        if let name = name(text) { return "'\(name.replacing("'", with: "''"))'" }
        if text.replacing(#/'[^']*'/#, with: "").contains("(") { return nil }
        return "(\(text))"
    }

    /// Returns the text of a name, which may have one of SQLite's three kinds of quotation marks, or `nil` for other
    /// expressions.
    private static func name(_ text: String) -> String? {
        for (first, last) in [("\"", "\""), ("`", "`"), ("[", "]")] where text.hasPrefix(first) {
            guard text.count > 1, text.hasSuffix(last) else { return nil }
            let content = String(text.dropFirst().dropLast())
            return first == "[" ? content : content.replacing(first + first, with: first)
        }
        let isName = text.first.map { $0.isLetter || $0 == "_" } ?? false
        return isName && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" } ? text : nil
    }
}
