import ChronicleCore

extension PredicateSQL {
    // MARK: Equality

    /// Translates `==` and `!=`. In Swift nil equals nil, so optional operands require IS and IS NOT.
    mutating func equality(_ a: Tree, _ b: Tree, isNegated: Bool, _ truth: Truth) throws -> SQLQuery {
        if let condition = try sourceCondition(a, nil, b) { return isNegated ? negated(condition) : condition }
        let left = try operand(a)
        return try equality(left, operand(b), isNegated: isNegated, truth)
    }

    // Not recursive, like the other functions that combine operands, so that their frames do not occupy the stack once
    // for each level.
    private func equality(
        _ first: SQLOperand, _ second: SQLOperand, isNegated: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        let (left, right) = first.constant == nil ? (first, second) : (second, first)
        if right.isNull { return "\(left.storable.sql) IS \(raw: isNegated ? "NOT NULL" : "NULL")" }
        guard let right = try comparable(right, with: left) else { return isNegated ? "1" : "0" }
        if let condition = differentEntities(left, right, isNegated: isNegated) { return condition }

        if left.isOptional || right.isOptional {
            return optionalEquality(left.storable, right.storable, isNegated: isNegated, truth)
        }
        let sql: SQLQuery = "\(left.sql) \(raw: isNegated ? "<>" : "=") \(right.sql)"
        if left.nan == .blob, right.nan == .blob { return unlessNaN(sql, left, isNegated: isNegated) }
        guard left.nan == .null || right.nan == .null, isNegated || truth == .exact else { return sql }
        return "ifnull(\(sql), \(raw: isNegated ? "1" : "0"))"
    }

    private func optionalEquality(
        _ left: SQLOperand, _ right: SQLOperand, isNegated: Bool, _ truth: Truth
    ) -> SQLQuery {
        // With =, SQLite may convert an outer join to an inner join and choose the join order.
        let isPlain = right.constant != nil && !isNegated && truth == .nullIsFalse
        let sql: SQLQuery = "\(left.sql) \(raw: isNegated ? "IS NOT" : isPlain ? "=" : "IS") \(right.sql)"
        return left.nan == .blob && right.nan == .blob ? unlessNaN(sql, left, isNegated: isNegated) : sql
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
        isNegated
            ? "(\(sql) OR typeof(\(operand.sql)) = 'blob')" : "(\(sql) AND typeof(\(operand.sql)) <> 'blob')"
    }

    /// Returns the operand in a form that can be compared with another one, or `nil` if nothing equals it.
    private func comparable(_ operand: SQLOperand, with other: SQLOperand) throws -> SQLOperand? {
        guard let constant = operand.constant else { return operand }
        if case .reference(let identifier) = constant {
            guard let entityName = other.entityName else {
                throw SwiftDataError.unsupportedPredicate.with(
                    detail: "a captured identifier cannot be used in this expression")
            }
            return source.key(of: identifier, in: entityName).map { SQLOperand(constant: .integer($0)) }
        }
        return operand.isNaN ? nil : operand
    }

    // MARK: Order

    /// Translates comparisons and their negations, which differ for NaN, because every comparison with NaN is false.
    mutating func comparison(
        _ a: Tree, _ order: Tree.Order, _ b: Tree, isNegated: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        if let condition = try sourceCondition(a, order, b) { return isNegated ? negated(condition) : condition }
        let left = try operand(a)
        return comparison(left, order, try operand(b), isNegated: isNegated, truth)
    }

    private func comparison(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand, isNegated: Bool, _ truth: Truth
    ) -> SQLQuery {
        if left.isNaN || right.isNaN { return isNegated ? "1" : "0" }
        if let condition = identifierOrder(left, isNegated ? order.opposite : order, right) { return condition }

        var sql: SQLQuery = "\(left.sql) \(raw: (isNegated ? order.opposite : order).rawValue) \(right.sql)"
        // A NaN in a column is a blob and therefore greater than any number, so it must be distinguished from greater
        // numbers.
        let greater = order == .less || order == .lessOrEqual ? right : left
        if greater.nan == .blob {
            sql =
                isNegated
                ? "(\(sql) OR \(greater.sql) > \(SQLOperand.infinity))"
                : "(\(sql) AND \(greater.sql) <= \(SQLOperand.infinity))"
        }
        guard left.nan == .null || right.nan == .null, isNegated || truth == .exact else { return sql }
        return "ifnull(\(sql), \(raw: isNegated ? "1" : "0"))"
    }

    /// Translates the order of identifiers, which compares store and entity before the key. Returns `nil` if only the
    /// keys are compared.
    private func identifierOrder(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand
    ) -> SQLQuery? {
        guard let a = left.entityName, let b = right.entityName else { return nil }
        switch (left.constant, right.constant) {
        case (.reference(let first), .reference(let second)): return order.isTrue(first, second) ? "1" : "0"
        case (.reference, _): return identifierOrder(right, order.reversed, left)
        case (_, .reference(let identifier)):
            if let key = source.key(of: identifier, in: a) {
                return "\(left.sql) \(raw: order.rawValue) \(value: .integer(key))"
            }
            return order.isTrue(source.anyIdentifier(in: a), identifier) ? "1" : "0"
        default:
            return a == b ? nil : order.isTrue(source.anyIdentifier(in: a), source.anyIdentifier(in: b)) ? "1" : "0"
        }
    }

    /// Returns the source's own translation of a comparison, if there is one.
    private mutating func sourceCondition(_ a: Tree, _ order: Tree.Order?, _ b: Tree) throws -> SQLQuery? {
        if case .path(let path) = a, let condition = try source.condition(path, order, b) { return condition }
        if case .path(let path) = b { return try source.condition(path, order?.reversed, a) }
        return nil
    }
}

extension PredicateTree.Order {
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
