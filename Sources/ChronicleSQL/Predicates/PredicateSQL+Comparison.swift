import ChronicleCore

extension PredicateSQL {
    // MARK: Equality

    /// Translates `==` and `!=`. In Swift nil equals nil, so optional operands require IS and IS NOT.
    mutating func equality(_ a: Tree, _ b: Tree, isNegated: Bool, _ truth: Truth) throws -> SQLQuery {
        if let condition = try sourceCondition(a, nil, b) { return isNegated ? negated(condition) : condition }
        let (left, right) = (try comparand(a), try comparand(b))
        return defined(try equality(left, right, isNegated: isNegated, truth), left, right, truth)
    }

    private func defined(
        _ condition: SQLQuery, _ left: SQLOperand, _ right: SQLOperand, _ truth: Truth
    ) -> SQLQuery {
        let isPlain = left.isPlain && right.isPlain
        return source.dialect.defined(
            condition, where: [left, right].map { isPlain ? $0.definition : $0.isDefined },
            nullIsFalse: truth == .nullIsFalse)
    }

    // Not recursive, like the other functions that combine operands, so that nesting does not occupy the stack with their
    // frames.
    private func equality(
        _ first: SQLOperand, _ second: SQLOperand, isNegated: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        let dialect = source.dialect
        let (left, right) = first.constant == nil ? (first, second) : (second, first)
        guard left.isRepresentable else {
            // Only a constant is not representable, so both are constants.
            return constant((left.constant == right.constant) != isNegated)
        }
        if right.isNull { return "\(dialect.storable(left).sql) IS \(raw: isNegated ? "NOT NULL" : "NULL")" }
        guard let right = try comparable(right, with: left) else { return constant(isNegated) }
        if let condition = differentEntities(left, right, isNegated: isNegated) { return condition }

        if left.isOptional || right.isOptional {
            return optionalEquality(dialect.storable(left), dialect.storable(right), isNegated: isNegated, truth)
        }
        let sql = dialect.searchingEqual(
            "\(left.sql) \(raw: isNegated ? "<>" : "=") \(right.sql)", left, right, isNegated)
        if left.nan == .stored, right.nan == .stored { return unlessNaN(sql, left, isNegated: isNegated) }
        guard left.nan == .null || right.nan == .null, isNegated || truth == .exact else { return sql }
        return dialect.ifNull(sql, constant(isNegated))
    }

    private func optionalEquality(
        _ left: SQLOperand, _ right: SQLOperand, isNegated: Bool, _ truth: Truth
    ) -> SQLQuery {
        // With =, a database can use an index, and SQLite may convert an outer join to an inner join and choose the join order.
        let isPlain = right.constant != nil && !isNegated && truth == .nullIsFalse
        let dialect = source.dialect
        let sql = dialect.searchingEqual(
            isPlain ? "\(left.sql) = \(right.sql)" : dialect.isSame(left.sql, right.sql, isNegated: isNegated),
            left, right, isNegated || truth == .exact)
        return left.nan == .stored && right.nan == .stored ? unlessNaN(sql, left, isNegated: isNegated) : sql
    }

    /// Compares identifiers of two tables, which are equal only if both are nil, regardless of their keys.
    private func differentEntities(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLQuery? {
        guard let a = left.entityName, let b = right.entityName, a != b else { return nil }
        return isNegated
            ? "(\(left.sql) IS NOT NULL OR \(right.sql) IS NOT NULL)"
            : "(\(left.sql) IS NULL AND \(right.sql) IS NULL)"
    }

    /// Two NaNs with the same bits are not equal.
    private func unlessNaN(_ sql: SQLQuery, _ operand: SQLOperand, isNegated: Bool) -> SQLQuery {
        let isNaN = source.dialect.isNaN(operand.sql, isNegated: !isNegated)
        return isNegated ? "(\(sql) OR \(isNaN))" : "(\(sql) AND \(isNaN))"
    }

    /// Returns `nil` if nothing equals the operand.
    private func comparable(_ operand: SQLOperand, with other: SQLOperand) throws -> SQLOperand? {
        guard let constant = operand.constant else { return operand }
        if case .reference(let identifier) = constant {
            guard let entityName = other.entityName else {
                throw SwiftDataError.unsupportedPredicate.with(
                    detail: "a captured identifier cannot be used in this expression")
            }
            return source.key(of: identifier, in: entityName).map { SQLOperand(constant: .integer($0), source.dialect) }
        }
        return operand.isNaN || !operand.isRepresentable ? nil : operand
    }

    // MARK: Order

    /// Translates comparisons and their negations, which differ for NaN, because every comparison with NaN is false.
    mutating func comparison(
        _ a: Tree, _ order: Tree.Order, _ b: Tree, isNegated: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        if let condition = try sourceCondition(a, order, b) { return isNegated ? negated(condition) : condition }
        let (left, right) = (try operand(a), try operand(b))
        return defined(comparison(left, order, right, isNegated: isNegated, truth), left, right, truth)
    }

    private func comparison(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand, isNegated: Bool, _ truth: Truth
    ) -> SQLQuery {
        if left.isNaN || right.isNaN { return constant(isNegated) }
        let dialect = source.dialect
        if let condition = identifierOrder(left, isNegated ? order.opposite : order, right) { return condition }

        var sql = dialect.compare(left, isNegated ? order.opposite : order, right)
        if !isNegated, truth == .nullIsFalse {
            sql = dialect.searching(sql, left, for: right) { dialect.compare($0, order.inclusive, $1) }
            sql = dialect.searching(sql, right, for: left) { dialect.compare($1, order.inclusive, $0) }
        }
        // A NaN in a column is greater than any number, so it must be distinguished from greater numbers.
        let greater = order == .less || order == .lessOrEqual ? right : left
        if greater.nan == .stored {
            sql =
                isNegated
                ? "(\(sql) OR \(greater.sql) > \(dialect.infinity))"
                : "(\(sql) AND \(greater.sql) <= \(dialect.infinity))"
        }
        guard left.nan == .null || right.nan == .null, isNegated || truth == .exact else { return sql }
        return dialect.ifNull(sql, constant(isNegated))
    }

    /// The order of identifiers compares store and entity before the key. Returns `nil` if only the keys are compared.
    private func identifierOrder(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand
    ) -> SQLQuery? {
        guard let a = left.entityName, let b = right.entityName else { return nil }
        switch (left.constant, right.constant) {
        case (.reference(let first), .reference(let second)): return constant(order.isTrue(first, second))
        case (.reference, _): return identifierOrder(right, order.reversed, left)
        case (_, .reference(let identifier)):
            if let key = source.key(of: identifier, in: a) {
                return "\(left.sql) \(raw: order.rawValue) \(value: .integer(key))"
            }
            return constant(order.isTrue(source.anyIdentifier(in: a), identifier))
        default:
            return a == b ? nil : constant(order.isTrue(source.anyIdentifier(in: a), source.anyIdentifier(in: b)))
        }
    }

    private mutating func sourceCondition(_ a: Tree, _ order: Tree.Order?, _ b: Tree) throws -> SQLQuery? {
        if case .path(let path) = a, let condition = try source.condition(path, order, b) { return condition }
        if case .path(let path) = b { return try source.condition(path, order?.reversed, a) }
        return nil
    }
}

extension SQLDialect {
    fileprivate func searchingEqual(
        _ condition: SQLQuery, _ left: SQLOperand, _ right: SQLOperand, _ isExact: Bool
    ) -> SQLQuery {
        isExact ? condition : searching(condition, left, for: right) { "\($0.sql) = \($1.sql)" }
    }
}

extension PredicateOrder {
    fileprivate var inclusive: Self {
        switch self {
        case .less, .lessOrEqual: .lessOrEqual
        case .greater, .greaterOrEqual: .greaterOrEqual
        }
    }

    /// The comparison that is true if this one is false, except for NaN.
    fileprivate var opposite: Self {
        switch self {
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    fileprivate func isTrue(_ first: PersistentIdentifier, _ second: PersistentIdentifier) -> Bool {
        switch self {
        case .less: first < second
        case .lessOrEqual: first <= second
        case .greater: first > second
        case .greaterOrEqual: first >= second
        }
    }
}
