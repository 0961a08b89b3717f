import Chronicle
import Foundation

/// The rows of a query. Those of a table are collected, because the widths of its columns depend on them.
final class QueryOutput {
    enum Format: String, CaseIterable { case table, csv, json, markdown }

    private let format: Format
    private let console: Console
    /// The columns of the next rows.
    var columns: [String] = []
    private var rows: [[String]] = []
    private var hasHeader = false

    init(_ format: Format, _ console: Console) { (self.format, self.console) = (format, console) }

    func write(_ row: [PropertyValue]) throws {
        try writeHeader()
        switch format {
        case .table: rows.append(row.map(Self.text))
        case .csv: try console.line(row.map(field).joined(separator: ","))
        case .markdown: try writeMarkdown(row.map(Self.text))
        case .json:
            try console.line(
                .object(zip(columns, row).map { .init(name: $0, value: ValueText.json($1, of: nil)) }))
        }
    }

    func finish() throws {
        try writeHeader()
        guard format == .table else { return }
        for line in TextLayout.table(rows) { try console.line(line) }
    }

    private func writeHeader() throws {
        if hasHeader { return }
        hasHeader = true
        switch format {
        case .table:
            let names = columns.map(\.escaped)
            rows = [names, names.map { String(repeating: "-", count: max($0.count, 1)) }]
        case .csv: try console.line(columns.map { field(.text($0)) }.joined(separator: ","))
        case .markdown:
            try writeMarkdown(columns.map(\.escaped))
            try console.line("|" + columns.map { _ in " --- |" }.joined())
        case .json: break
        }
    }

    private func writeMarkdown(_ cells: [String]) throws {
        try console.line(
            "|" + cells.map { " \($0.utf8.contains(UInt8(ascii: "|")) ? Self.escapingBars($0) : $0) |" }.joined())
    }

    private static func escapingBars(_ cell: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in cell.unicodeScalars {
            if scalar == "|" { text.append("\\") }
            text.append(scalar)
        }
        return String(text)
    }

    // MARK: Values

    private static func text(_ value: PropertyValue) -> String {
        if case .text(let text) = value { return text.escaped }
        return literal(value)
    }

    /// RFC 4180, except that on a terminal, a control character other than a tab and a line feed is an escape sequence. An empty
    /// field is NULL.
    private func field(_ value: PropertyValue) -> String {
        guard case .text(let text) = value else { return value.isNull ? "" : Self.literal(value) }
        var field = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t", "\\": field.unicodeScalars.append(scalar)
            case "\"": field += "\"\""
            case _ where console.settings.isTerminal: field += String(scalar).escaped
            default: field.unicodeScalars.append(scalar)
            }
        }
        let isPlain = !field.isEmpty && !field.unicodeScalars.contains { [",", "\"", "\n", "\r", "\t"].contains($0) }
        return isPlain ? field : "\"\(field)\""
    }

    private static func literal(_ value: PropertyValue) -> String {
        switch value {
        case .integer(let integer): String(integer)
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let data): "x'\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
        case .null, .reference, .references: "NULL"
        }
    }
}
