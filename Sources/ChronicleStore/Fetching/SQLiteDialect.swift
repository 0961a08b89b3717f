import ChronicleCore
import ChronicleSQL

/// The SQL of SQLite. NaN in a column is a blob, because SQLite's numbers do not include it.
struct SQLiteDialect: SQLDialect {
    /// SQLite has no OFFSET without LIMIT, which may be negative. https://www.sqlite.org/lang_select.html#limitoffset
    func limit(_ limit: Int64?, offset: Int64?) -> SQLQuery {
        guard let offset else { return " LIMIT \(value: .integer(limit ?? -1))" }
        return " LIMIT \(value: .integer(limit ?? -1)) OFFSET \(value: .integer(offset))"
    }

    func count(of query: SQLQuery) -> SQLQuery { "SELECT count(*) FROM (\(query))" }

    /// SQLite orders NULL before every value, and the bytes of texts are in the order of their scalars.
    func order(_ value: SQLOperand, isDescending: Bool) -> SQLQuery {
        isDescending ? "\(value.sql) DESC" : value.sql
    }

    // MARK: Conditions and values

    var `true`: SQLQuery { "1" }
    var `false`: SQLQuery { "0" }

    func condition(_ value: SQLQuery) -> SQLQuery { value }

    func value(of condition: SQLQuery) -> SQLQuery { "(\(condition))" }

    func isSame(_ first: SQLQuery, _ second: SQLQuery, isNegated: Bool) -> SQLQuery {
        "\(first) \(raw: isNegated ? "IS NOT" : "IS") \(second)"
    }

    func ifNull(_ value: SQLQuery, _ other: SQLQuery) -> SQLQuery { "ifnull(\(value), \(other))" }

    func unlessNull(_ value: SQLQuery, _ result: SQLQuery) -> SQLQuery { "iif(\(value) IS NULL, NULL, \(result))" }

    // MARK: Text

    // LIKE and GLOB interpret wildcards, and LIKE ignores case.

    func contains(_ text: SQLOperand, _ part: SQLOperand) -> SQLQuery {
        // instr finds the empty text at 1 and does not stop at a NUL character.
        "instr(\(text.sql), \(part.sql)) > 0"
    }

    func starts(_ text: SQLOperand, with prefix: SQLOperand) -> SQLQuery {
        guard case .text(let known) = prefix.constant else { return "instr(\(text.sql), \(prefix.sql)) = 1" }
        // A range can use an index. The order of UTF-8 bytes is the order of the scalars.
        let end: SQLQuery = known.endOfPrefix.map { "\(value: .text($0))" } ?? "x''"
        return "(\(text.sql) >= \(prefix.sql) AND \(text.sql) < \(end))"
    }

    func localizedStandardContains(_ text: SQLOperand, _ part: SQLOperand) -> SQLQuery {
        PredicateFunctions.contains(text.sql, part.sql)
    }

    func characterCount(_ text: SQLOperand) -> SQLQuery { PredicateFunctions.count(text.sql) }

    // MARK: Lists

    func isOneOf(_ value: SQLOperand, _ list: [PropertyValue]) -> SQLQuery? { SQLList(list).found(value) }

    func isOneOf(_ key: SQLQuery, keys: [Int64]) -> SQLQuery {
        let array = "[\(keys.map(String.init).joined(separator: ","))]"
        return "\(key) IN (SELECT value FROM json_each(\(value: .text(array))))"
    }

    func isOneOf(_ column: SQLQuery, names: [String]) -> SQLQuery {
        let conditions = names.map { "\(column) IS \(raw: RecorderSQL.literal($0))" as SQLQuery }
        return conditions.count == 1 ? conditions[0] : "(\(conditions.joined(" OR ")))"
    }

    // MARK: JSON

    // The SQL for integers and Booleans is `json_extract(column, path)`, which an index may contain; that for texts includes
    // it, as `indexedMember`.

    func member(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery {
        let path = path(keys)
        guard PredicateFunctions.isExact(form) else { return PredicateFunctions.json("\(object) -> \(path)", form) }
        let value: SQLQuery = "json_extract(\(object), \(path))"
        return form == .text ? PredicateFunctions.text(value, in: object, at: path) : value
    }

    func indexedMember(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery? {
        form == .text ? "json_extract(\(object), \(path(keys)))" : nil
    }

    /// Text instead of a parameter, because an index is only used for the same expression.
    private func path(_ keys: [String]) -> SQLQuery {
        let path = "$" + keys.map { ".\"\($0)\"" }.joined()
        return "\(raw: RecorderSQL.literal(path))"
    }

    func elements(of array: SQLQuery, _ form: JSONForm, alias: String) -> SQLQuery {
        "json_each(\(PredicateFunctions.isExact(form) ? array : PredicateFunctions.elements(array))) AS \(raw: alias)"
    }

    func element(_ form: JSONForm, alias: String) -> SQLQuery {
        let value: SQLQuery = "\(raw: alias).value"
        guard PredicateFunctions.isExact(form) else { return PredicateFunctions.json(value, form) }
        return form == .text
            ? PredicateFunctions.text(value, in: "\(raw: alias).json", at: "\(raw: alias).key") : value
    }
}
