import ChronicleCore
import ChronicleSQL

// SQLite converts an overflowing sum of integers to REAL, which is undefined in a predicate, and returns NULL for a
// division by zero. https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes
extension SQLiteDialect {
    /// Blobs are greater than all numbers. https://www.sqlite.org/datatype3.html#comparisons
    var infinity: SQLQuery { "9e999" }

    /// The bytes of a NaN in a column, which batch updates write. Comparisons only depend on the type.
    var nan: SQLQuery { "x'7ff8000000000000'" }

    func isNaN(_ value: SQLQuery, isNegated: Bool) -> SQLQuery {
        "typeof(\(value)) \(raw: isNegated ? "<>" : "=") 'blob'"
    }

    func storable(_ operand: SQLOperand) -> SQLOperand {
        guard operand.nan == .null else { return operand }
        var result = operand
        result.sql = "ifnull(\(operand.sql), \(nan))"
        result.nan = .stored
        return result
    }

    private func calculable(_ operand: SQLOperand) -> SQLOperand {
        guard operand.nan == .stored else { return operand }
        var result = operand
        result.sql = operand.isNaN ? "NULL" : "iif(\(operand.sql) <= \(infinity), \(operand.sql), NULL)"
        result.nan = .null
        return result
    }

    func calculate(
        _ operation: PredicateArithmetic, _ number: PredicateNumber, _ first: SQLOperand, _ second: SQLOperand
    ) -> SQLOperand {
        if number == .integer {
            let result: SQLQuery =
                "\(first.unchecked ?? first.sql) \(raw: operation.rawValue) \(second.unchecked ?? second.sql)"
            // The REAL of an overflow remains one in further calculations.
            let isUnchecked = first.unchecked != nil || second.unchecked != nil || mayOverflow(operation, second)
            return isUnchecked ? checked(result) : SQLOperand(sql: "(\(result))", type: .integer)
        }
        let (a, b) = (calculable(first), calculable(second))
        let sql: SQLQuery =
            operation == .divide ? quotient(a, b) : "(\(a.sql) \(raw: operation.rawValue) \(b.sql))"
        return SQLOperand(sql: sql, type: .real, nan: .null)
    }

    private func checked(_ result: SQLQuery) -> SQLOperand {
        var operand = SQLOperand(sql: PredicateFunctions.integer(result: result), type: .integer)
        operand.unchecked = "(\(result))"
        return operand
    }

    private func mayOverflow(_ operation: PredicateArithmetic, _ second: SQLOperand) -> Bool {
        switch (operation, second.constant) {
        case (.add, _), (.subtract, _), (.multiply, _): true
        case (.divide, .integer(let divisor)): divisor == -1
        case (.divide, _): true
        case (.remainder, _): false
        }
    }

    private func quotient(_ a: SQLOperand, _ b: SQLOperand) -> SQLQuery {
        // A column of reals may contain integers written by other programs, which would divide as integers.
        let quotient: SQLQuery = "1.0 * \(a.sql) / \(b.sql)"
        if case .real(let divisor) = b.constant, !divisor.isZero { return "(\(quotient))" }
        // A number divided by zero is infinite, with a sign that depends on that of the zero, which only a function
        // receives; zero divided by zero is NaN, like zero times infinity.
        return "iif(\(b.sql) = 0, \(a.sql) * \(PredicateFunctions.reciprocal(of: b.sql)), \(quotient))"
    }

    func negate(_ number: PredicateNumber, _ operand: SQLOperand) -> SQLOperand {
        let operand = calculable(operand)
        // SQLite subtracts from 0, so that the opposite of 0.0 would be 0.0.
        return number == .integer
            ? checked("-\(operand.unchecked ?? operand.sql)")
            : SQLOperand(sql: "(-1.0 * \(operand.sql))", type: .real, nan: operand.nan)
    }

    func decimal(_ text: SQLQuery) -> SQLQuery { DecimalOrder.collated(text) }

    func checked(_ value: SQLOperand, _ range: ClosedRange<Int64>, of propertyName: String) -> SQLQuery {
        PredicateFunctions.checked(value.sql, range, of: propertyName, isOptional: value.isOptional)
    }
}
