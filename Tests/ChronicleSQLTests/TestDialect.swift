import Chronicle
import ChronicleSQL

/// A dialect that writes the names of the operations, and inherits all defaults.
protocol TestDialect: SQLDialect {}

extension TestDialect {
    func limit(_ limit: Int64?, offset: Int64?) -> SQLQuery { " LIMIT" }
    func order(_ value: SQLOperand, isDescending: Bool) -> SQLQuery { value.sql }
    var `true`: SQLQuery { "TRUE" }
    var `false`: SQLQuery { "FALSE" }
    func condition(_ value: SQLQuery) -> SQLQuery { "condition(\(value))" }
    func value(of condition: SQLQuery) -> SQLQuery { "value(\(condition))" }
    var infinity: SQLQuery { "infinity" }
    var nan: SQLQuery { "nan" }
    func isNaN(_ value: SQLQuery, isNegated: Bool) -> SQLQuery { "\(raw: isNegated ? "not " : "")isNaN(\(value))" }
    func calculate(
        _ operation: PredicateArithmetic, _ number: PredicateNumber, _ first: SQLOperand, _ second: SQLOperand
    ) -> SQLOperand {
        SQLOperand(
            sql: "calculate(\(first.sql) \(raw: operation.rawValue) \(second.sql))",
            type: number == .integer ? .integer : .real)
    }
    func negate(_ number: PredicateNumber, _ operand: SQLOperand) -> SQLOperand { operand }
    func decimal(_ text: SQLQuery) -> SQLQuery { "decimal(\(text))" }
    func checked(_ value: SQLOperand, _ range: ClosedRange<Int64>, of propertyName: String) -> SQLQuery {
        "checked(\(value.sql))"
    }
    func contains(_ text: SQLOperand, _ part: SQLOperand) throws -> SQLQuery { "contains(\(text.sql), \(part.sql))" }
    func starts(_ text: SQLOperand, with prefix: SQLOperand) throws -> SQLQuery {
        "starts(\(text.sql), \(prefix.sql))"
    }
    func isOneOf(_ value: SQLOperand, _ list: [PropertyValue]) -> SQLQuery? {
        list.isEmpty ? nil : "\(value.sql) IN (\(SQLQuery(values: list)))"
    }
    func isOneOf(_ key: SQLQuery, keys: [Int64]) -> SQLQuery {
        "\(key) IN (\(SQLQuery(values: keys.map { .integer($0) })))"
    }
    func member(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery {
        "member(\(object), \(raw: keys.joined(separator: ".")))"
    }
    func elements(of array: SQLQuery, _ form: JSONForm, alias: String) -> SQLQuery {
        "elements(\(array)) AS \(raw: alias)"
    }
    func element(_ form: JSONForm, alias: String) -> SQLQuery { "\(raw: alias).value" }
}

/// A dialect with every default.
struct PlainDialect: TestDialect {}
