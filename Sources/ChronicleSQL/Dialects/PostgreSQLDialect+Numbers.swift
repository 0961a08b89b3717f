public import ChronicleCore

// PostgreSQL ends a query with an error if a calculation with integers or reals overflows, if one with reals underflows,
// and if a number is divided by zero. A calculation therefore considers the magnitude of its operands, in a subquery that
// names them. OFFSET 0 prevents PostgreSQL from inserting the operands, which may be long, wherever their names occur.
//
// Literals have the type of the other operand, because an operator of another schema in the search path would be preferred
// to one of the server whose operands must be converted.
extension PostgreSQLDialect {
    public var infinity: SQLQuery { "'Infinity'::float8" }

    /// NaN is greater than all numbers and equals itself.
    public var nan: SQLQuery { "'NaN'::float8" }

    public func isNaN(_ value: SQLQuery, isNegated: Bool) -> SQLQuery { isSame(value, nan, isNegated: isNegated) }

    public func calculate(
        _ operation: PredicateArithmetic, _ number: PredicateNumber, _ first: SQLOperand, _ second: SQLOperand
    ) -> SQLOperand {
        let (first, second) = (typed(first, number), typed(second, number))
        return switch number {
        case .integer: SQLOperand(sql: integer(operation, first, second), type: .integer)
        case .real: SQLOperand(sql: real(operation, first, second), type: .real, nan: .stored)
        }
    }

    /// Returns an operand of a calculation. PostgreSQL cannot infer the type of a NULL.
    private func typed(_ operand: SQLOperand, _ number: PredicateNumber) -> SQLQuery {
        guard operand.type == .null else { return operand.sql }
        return number == .integer ? "NULL::bigint" : "NULL::float8"
    }

    public func negate(_ number: PredicateNumber, _ operand: SQLOperand) -> SQLOperand {
        switch number {
        // The least integer has no opposite.
        case .integer: SQLOperand(sql: integer(.subtract, "0", typed(operand, number)), type: .integer)
        case .real: SQLOperand(sql: "(-\(typed(operand, number)))", type: .real, nan: operand.nan)
        }
    }

    // MARK: Integers

    private func integer(_ operation: PredicateArithmetic, _ a: SQLQuery, _ b: SQLQuery) -> SQLQuery {
        switch operation {
        case .add, .subtract, .multiply: bigint("\(a)::numeric \(raw: operation.rawValue) \(b)::numeric")
        // The least integer divided by -1 is too great. div truncates, and returns NULL for NULL.
        case .divide: bigint("div(\(a)::numeric, nullif(\(b), 0)::numeric)")
        case .remainder: "mod(\(a), nullif(\(b), 0))"
        }
    }

    /// Returns a numeric as an integer of 64 bits, or NULL if it is outside of their range.
    private func bigint(_ number: SQLQuery) -> SQLQuery {
        let (least, greatest): (SQLQuery, SQLQuery) = ("-9223372036854775809", "9223372036854775808")
        // LEAST and GREATEST ignore NULL, so NULL becomes a number outside of the range, and NULL again.
        return "nullif(nullif(greatest(least(\(number), \(greatest)), \(least)), \(greatest)), \(least))::bigint"
    }

    // PostgreSQL has no function that ends a statement with an error. The conversion of another text to a number does.
    public func checked(_ value: SQLOperand, _ range: ClosedRange<Int64>, of propertyName: String) -> SQLQuery {
        let allowed: SQLQuery = value.isOptional ? "v IS NULL OR " : ""
        let text: SQLQuery = "'\(raw: Self.outOfRange)\(raw: propertyName.replacing("'", with: "''")) '"
        return """
            (SELECT CASE WHEN \(allowed)v BETWEEN '\(raw: String(range.lowerBound))'::bigint \
            AND '\(raw: String(range.upperBound))'::bigint \
            THEN v ELSE pg_catalog.concat(\(text), v)::bigint END FROM (SELECT \(value.sql) AS v OFFSET 0) AS o)
            """
    }

    private static let outOfRange = "chronicle value out of range: "

    /// Returns the name of the attribute in the server's error for a value that ``checked(_:_:of:)`` rejects, or `nil` for
    /// other errors.
    ///
    /// - Parameter message: The message of an error with the SQLSTATE 22P02, `invalid_text_representation`.
    /// - Returns: The name.
    public static func propertyOutOfRange(_ message: String) -> String? {
        guard let start = message.firstRange(of: outOfRange)?.upperBound else { return nil }
        return message[start...].firstIndex(of: " ").map { String(message[start..<$0]) }
    }

    // MARK: Reals

    private func real(_ operation: PredicateArithmetic, _ a: SQLQuery, _ b: SQLQuery) -> SQLQuery {
        let result: SQLQuery =
            switch operation {
            case .add, .subtract: Self.sum(SQLQuery(raw: operation.rawValue))
            case .multiply: Self.product
            case .divide, .remainder: Self.quotient
            }
        return "(SELECT \(result) FROM (SELECT \(a) AS a, \(b) AS b OFFSET 0) AS o)"
    }

    // Multiplying by 2^512 or 2^-512 is exact. NaN is greater than infinity.
    private static let (up, down): (SQLQuery, SQLQuery) = (
        "1.3407807929942597e154::float8", "7.458340731200207e-155::float8"
    )
    private static let signedInfinity: SQLQuery = "sign(a) * sign(b) * 'Infinity'::float8"
    private static let signedZero: SQLQuery = "sign(a) * sign(b) * '0'::float8"
    private static let isModerate: SQLQuery =
        "abs(a) BETWEEN 1e-150::float8 AND 1e150::float8 AND abs(b) BETWEEN 1e-150::float8 AND 1e150::float8"
    private static let isInfinite: SQLQuery = "abs(a) >= 'Infinity'::float8 OR abs(b) >= 'Infinity'::float8"
    /// A number of at most this size times 2^-1024 rounds to zero.
    private static let half: SQLQuery = "4.440892098500626e-16::float8"

    /// A sum with a number below 1e290 does not overflow; half a sum that overflows is at least 2^1023.
    private static func sum(_ operation: SQLQuery) -> SQLQuery {
        let isLarge: SQLQuery = "BETWEEN 1e290::float8 AND 1.7976931348623157e308::float8"
        return """
            CASE WHEN abs(a) < 1e307::float8 AND abs(b) < 1e307::float8 THEN a \(operation) b \
            WHEN abs(a) \(isLarge) AND abs(b) \(isLarge) \
            THEN CASE WHEN abs(a * 0.5::float8 \(operation) b * 0.5::float8) >= 8.98846567431158e307::float8 \
            THEN sign(a) * 'Infinity'::float8 ELSE a \(operation) b END ELSE a \(operation) b END
            """
    }

    private static let product: SQLQuery = """
        CASE WHEN \(isModerate) THEN a * b \
        WHEN a = 0::float8 OR b = 0::float8 OR \(isInfinite) THEN a * b \
        WHEN abs(a) >= 1::float8 AND abs(b) >= 1::float8 \
        THEN CASE WHEN abs(a * \(down)) * abs(b * \(down)) >= 1::float8 THEN \(signedInfinity) ELSE a * b END \
        WHEN abs(a) < 1e-162::float8 AND abs(b) < 1e-162::float8 THEN \(signedZero) \
        WHEN abs(a) < 1::float8 AND abs(b) < 1::float8 \
        THEN CASE WHEN abs(a * \(up)) * abs(b * \(up)) <= \(half) THEN \(signedZero) ELSE a * b END ELSE a * b END
        """

    /// A number divided by zero is infinite, with a sign that depends on that of the zero; zero divided by zero is NaN, like
    /// zero times infinity.
    private static let quotient: SQLQuery = """
        CASE WHEN b = 0::float8 THEN a * (CASE b::text WHEN '-0' THEN '-Infinity' ELSE 'Infinity' END)::float8 \
        WHEN \(isModerate) THEN a / b \
        WHEN a = 0::float8 OR \(isInfinite) THEN a / b \
        WHEN abs(b) < 1::float8 THEN CASE WHEN abs(a) < \(half) THEN a / b \
        WHEN abs(a) > 1e10::float8 AND abs(b) < 1e-300::float8 THEN \(signedInfinity) \
        WHEN abs(a * \(down)) / abs(b * \(up)) >= 1::float8 THEN \(signedInfinity) ELSE a / b END \
        WHEN abs(a) >= 1::float8 THEN a / b \
        WHEN abs(a * \(up)) / abs(b * \(down)) <= \(half) THEN \(signedZero) ELSE a / b END
        """

    // MARK: Decimals

    // A text that is not a number, which another program may have written, is NULL.
    public func decimal(_ text: SQLQuery) -> SQLQuery {
        """
        substring(replace(\(text), 'NaN'::text, '-Infinity'::text) from '^(?:-Infinity|-?[0-9]+(?:\\.[0-9]+)?)$')::numeric
        """
    }
}
