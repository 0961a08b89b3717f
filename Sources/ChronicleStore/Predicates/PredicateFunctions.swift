import ChronicleCore
import ChronicleSQLite

/// What predicates ask and SQLite cannot answer by itself.
enum PredicateFunctions {
    static let all = [contains, count, real]

    /// Whether a text contains another one, see ``TextSearch``.
    static func contains(_ text: SQLQuery, _ part: SQLQuery) -> SQLQuery {
        "\(raw: contains.name)(\(text), \(part))"
    }

    private static let contains = SQLFunction("chronicle_contains", argumentCount: 2) { call in
        guard let search = call.prepared(1, { PreparedSearch(String(decoding: $0, as: UTF8.self)) }) else { return nil }
        return call.text(0).map { .integer(search.text.isFound(in: $0) ? 1 : 0) }
    }

    /// A search that SQLite keeps from row to row.
    private final class PreparedSearch {
        let text: TextSearch

        init(_ text: String) { self.text = TextSearch(text) }
    }

    /// How many characters a text has.
    static func count(_ text: SQLQuery) -> SQLQuery { "\(raw: count.name)(\(text))" }

    private static let count = SQLFunction("chronicle_count", argumentCount: 1) { call in
        call.text(0).map { utf8 in
            // Of these each is a character, but for a line feed that follows a carriage return.
            let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\r") }
            return .integer(Int64(isPlain ? utf8.count : String(decoding: utf8, as: UTF8.self).count))
        }
    }

    /// The real number whose bits an integer has. SQLite does not read every decimal as the nearest real.
    static func real(bits: SQLQuery) -> SQLQuery { "\(raw: real.name)(\(bits))" }

    private static let real = SQLFunction("chronicle_real", argumentCount: 1) { call in
        .real(Double(bitPattern: UInt64(bitPattern: call.integer(0))))
    }
}
