/// Widths are numbers of characters.
enum TextLayout {
    /// Lines have at most `width` characters, if the words fit.
    static func wrapped(_ text: String, width: Int, indent: Int = 0) -> String {
        let available = max(width - indent, 10)
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // Indented lines are examples, which are not wrapped.
            if paragraph.hasPrefix("  ") {
                lines.append(margin + paragraph)
                continue
            }
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, line.count + 1 + word.count > available {
                    lines.append(margin + line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line.isEmpty ? "" : margin + line)
        }
        return lines.joined(separator: "\n")
    }

    /// Uses two columns if there is space, and puts descriptions below the terms otherwise.
    static func definitions(_ rows: [(term: String, description: String)], width: Int) -> String {
        let column = min(rows.map(\.term.count).max() ?? 0, 28) + 4
        guard width - column >= 24 else {
            return rows.map { "  \($0.term)\n\(wrapped($0.description, width: width, indent: 4))\n" }.joined()
        }
        return rows.map { row in
            let description = wrapped(row.description, width: width, indent: column)
            let term = "  \(row.term)"
            guard term.count <= column - 2 else { return "\(term)\n\(description)\n" }
            return term + String(repeating: " ", count: column - term.count) + description.dropFirst(column) + "\n"
        }.joined()
    }

    /// Columns are separated by two spaces; the last one is not padded.
    static func table(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (index, cell) in row.enumerated() {
                if index < widths.count {
                    widths[index] = max(widths[index], cell.count)
                } else {
                    widths.append(cell.count)
                }
            }
        }
        return rows.map { row in
            row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                if rightAligned.contains(index) { return padding + cell }
                return index == row.count - 1 ? cell : cell + padding
            }.joined(separator: "  ")
        }
    }

    /// Adds an ellipsis if the text is longer.
    static func truncated(_ text: String, to width: Int) -> String {
        guard width > 0 else { return "" }
        // `prefix` first: counting the characters of a long text takes longer.
        let start = text.prefix(width + 1)
        return start.count <= width ? text : start.prefix(width - 1) + "…"
    }
}
