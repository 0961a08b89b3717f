/// What a user searches for, as an expression of FTS5.
///
/// Each word becomes an FTS5 string, so that quotes, operators and punctuation have no effect. The last word also matches
/// the beginning of longer ones. See https://www.sqlite.org/fts5.html#full_text_query_syntax
struct SearchQuery {
    /// The expression, or `nil` if the text contains no word.
    let expression: String?

    init(_ text: String) {
        // SQLite takes a NUL for the end of the expression.
        let words = text.split { $0.isWhitespace || $0 == "\0" }
        let strings = words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        expression = strings.isEmpty ? nil : strings.joined(separator: " ") + "*"
    }
}
