import ChronicleCore
import ChronicleSQLite

// Where Swift would trap, SQLite converts an overflowing sum of integers to REAL, and returns NULL for a division by
// zero. https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes
extension PredicateSQL {
    mutating func integers(_ operation: Tree.Arithmetic, _ a: Tree, _ b: Tree) throws -> SQLOperand {
        SQLOperand(
            sql: try "(\(operand(a).sql) \(raw: operation.rawValue) \(operand(b).sql))", storageClass: .integer)
    }

    mutating func reals(_ operation: Tree.Arithmetic, _ a: Tree, _ b: Tree) throws -> SQLOperand {
        let (a, b) = (try operand(a).calculable, try operand(b).calculable)
        let sql: SQLQuery =
            operation == .divide ? quotient(a, b) : "(\(a.sql) \(raw: operation.rawValue) \(b.sql))"
        return SQLOperand(sql: sql, storageClass: .real, nan: .null)
    }

    private func quotient(_ a: SQLOperand, _ b: SQLOperand) -> SQLQuery {
        // A column of reals may contain integers written by other programs, which would divide as integers.
        let quotient: SQLQuery = "1.0 * \(a.sql) / \(b.sql)"
        if case .real(let divisor) = b.constant, !divisor.isZero { return "(\(quotient))" }
        // A number divided by zero is infinite; zero divided by zero is NaN, like zero times infinity.
        return "iif(\(b.sql) = 0, \(a.sql) * \(SQLOperand.infinity), \(quotient))"
    }

    mutating func negative(_ number: Tree.Number, _ value: Tree) throws -> SQLOperand {
        let operand = try operand(value).calculable
        return SQLOperand(
            sql: "(-\(operand.sql))", storageClass: number == .integer ? .integer : .real, nan: operand.nan)
    }
}
