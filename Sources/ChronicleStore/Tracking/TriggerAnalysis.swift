import ChronicleSQLStore
import ChronicleSQLite

/// Which tables the triggers of other programs write, from their text: SQLite reports their effects only to a connection
/// that has all functions that they call.
struct TriggerAnalysis {
    /// The folded names by the table or view of the trigger.
    private var written: [String: Set<String>] = [:]

    /// Reads the triggers except those of the recorder.
    init(_ connection: Connection) throws {
        let statement = try connection.prepare(
            """
            SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, 10) <> 'chronicle_'
            """)
        while try statement.step() {
            written[TableNames.folded(statement.text(0)), default: []]
                .formUnion(Self.tablesWritten(by: statement.text(1)))
        }
    }

    /// Whether a trigger writes a table, or causes another one to write it.
    func mayWrite(_ table: String, trigger sql: String) -> Bool {
        var reached = Self.tablesWritten(by: sql)
        var pending = Array(reached)
        while let name = pending.popLast() {
            for next in written[name] ?? [] where reached.insert(next).inserted { pending.append(next) }
        }
        return reached.contains(TableNames.folded(table))
    }

    /// Returns the folded names of the tables.
    static func tablesWritten(by sql: String) -> Set<String> {
        var tokens = Tokens(sql)
        while let token = tokens.next(), token != .keyword("begin") {}
        var names: Set<String> = []
        var previous: Token?
        while let token = tokens.next() {
            switch token {
            case .keyword("into"):
                if let name = tokens.name() { names.insert(name) }
            // Not the action of an upsert, whose table is that of the insert.
            case .keyword("update") where previous != .keyword("do"):
                if tokens.peek() == .keyword("or") {
                    _ = tokens.next()
                    _ = tokens.next()
                }
                if let name = tokens.name() { names.insert(name) }
            case .keyword("from") where previous == .keyword("delete"):
                if let name = tokens.name() { names.insert(name) }
            default: break
            }
            previous = token
        }
        return names
    }

    /// Numbers and operators are only separators here.
    fileprivate enum Token: Equatable {
        /// A keyword or a name without quotation marks, folded.
        case keyword(String)
        /// A name or text, folded.
        case quoted(String)
        case other(Character)
    }

    /// https://www.sqlite.org/lang_keywords.html
    private struct Tokens {
        private var rest: Substring

        init(_ sql: String) { rest = sql[...] }

        func peek() -> Token? {
            var copy = self
            return copy.next()
        }

        /// Reads a name, which may follow that of a database.
        mutating func name() -> String? {
            guard let first = next()?.name else { return nil }
            guard peek() == .other(".") else { return first }
            _ = next()
            return next()?.name
        }

        mutating func next() -> Token? {
            skipBlanks()
            guard let first = rest.first else { return nil }
            switch first {
            case "\"", "'", "`": return .quoted(TableNames.folded(readQuoted(until: first)))
            case "[": return .quoted(TableNames.folded(readQuoted(until: "]")))
            default: break
            }
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || !$0.isASCII }
            guard !word.isEmpty else { return .other(rest.removeFirst()) }
            rest = rest[word.endIndex...]
            return .keyword(TableNames.folded(String(word)))
        }

        private mutating func skipBlanks() {
            while let first = rest.first {
                if first.isWhitespace {
                    rest.removeFirst()
                } else if rest.hasPrefix("--") {
                    rest = rest.drop { !$0.isNewline }
                } else if rest.hasPrefix("/*") {
                    rest = rest.dropFirst(2)
                    while !rest.isEmpty, !rest.hasPrefix("*/") { rest.removeFirst() }
                    rest = rest.dropFirst(2)
                } else {
                    return
                }
            }
        }

        private mutating func readQuoted(until end: Character) -> String {
            rest.removeFirst()
            var text = ""
            while let character = rest.popFirst() {
                if character == end {
                    // Two of them are one character of the name, except in brackets.
                    guard end != "]", rest.first == end else { break }
                    rest.removeFirst()
                }
                text.append(character)
            }
            return text
        }
    }
}

extension TriggerAnalysis.Token {
    fileprivate var name: String? {
        switch self {
        case .keyword(let name), .quoted(let name): name
        case .other: nil
        }
    }
}
