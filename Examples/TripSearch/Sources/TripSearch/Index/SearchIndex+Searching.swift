extension SearchIndex {
    /// Searches for documents that contain all words of a text, the last of them also as the beginning of a word.
    ///
    /// - Parameters:
    ///   - text: The words. Letter case and diacritics make no difference, and operators have no special meaning.
    ///   - delimiters: What to insert before and after each match.
    ///   - limit: The maximum number of documents.
    /// - Returns: The documents with the best match first; those with a match in the title come before others. The text
    ///   contains the delimiters, and long details are shortened.
    public func search(
        _ text: String, delimiters: (start: String, end: String) = ("[", "]"), limit: Int64 = 20
    ) throws -> [Document] {
        guard let expression = SearchQuery(text).expression else { return [] }
        do {
            return try database.run(
                """
                SELECT rowid, highlight(documents, 0, ?2, ?3), snippet(documents, 1, ?2, ?3, '…', 12) FROM documents
                WHERE documents MATCH ?1 ORDER BY bm25(documents, 10, 1), rowid LIMIT ?4
                """, .text(expression), .text(delimiters.start), .text(delimiters.end), .integer(limit)
            ) { row in
                Document(
                    id: Document.ID(rowID: row.integer(0)), title: row.text(1) ?? "", detail: row.text(2) ?? "")
            }
        } catch let error as DatabaseError { throw Self.failure(error, url) }
    }
}
