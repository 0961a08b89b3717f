/// Text in columns.
public struct Table {
    /// A text with its style, which does not count for its width.
    public struct Cell {
        let text: String
        let styled: String

        public init(_ text: String, _ style: (String) -> String = { $0 }) {
            self.text = text
            styled = style(text)
        }
    }

    private var rows: [[Cell]] = []

    public init() {}

    public mutating func add(_ cells: Cell...) { rows.append(cells) }

    /// The lines, each column as wide as its widest text, without spaces at the end.
    public var lines: [String] {
        var widths: [Int] = []
        for row in rows {
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.text.count)
            }
        }
        return rows.map { row in
            let last = row.lastIndex { !$0.text.isEmpty } ?? 0
            return row.prefix(last + 1).enumerated().map { index, cell in
                let padding = index == last ? 0 : widths[index] - cell.text.count
                return cell.styled + String(repeating: " ", count: padding)
            }.joined(separator: "  ")
        }
    }
}
