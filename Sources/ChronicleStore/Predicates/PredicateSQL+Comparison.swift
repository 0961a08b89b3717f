import ChronicleCore

extension PredicateSQL {
    // MARK: Equality

    /// Swift's `==` and `!=`: nil equals nil, so it is IS and IS NOT wherever there may be one.
    mutating func equality(_ a: Tree, _ b: Tree, isNegated: Bool, _ truth: Truth) throws -> SQLQuery {
        if let condition = try foreign(a, nil, b) { return isNegated ? "NOT (\(condition))" : condition }
        var (left, right) = (try operand(a), try operand(b))
        if left.constant != nil { swap(&left, &right) }
        if right.isNull { return "\(left.storable.sql) IS \(raw: isNegated ? "NOT NULL" : "NULL")" }
        guard let right = try comparable(right, with: left) else { return isNegated ? "1" : "0" }

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
        // With = SQLite may turn an outer join into an inner one and choose freely where to begin.
        let isPlain = right.constant != nil && !isNegated && truth == .nullIsFalse
        let sql: SQLQuery = "\(left.sql) \(raw: isNegated ? "IS NOT" : isPlain ? "=" : "IS") \(right.sql)"
        return left.nan == .blob && right.nan == .blob ? unlessNaN(sql, left, isNegated: isNegated) : sql
    }

    /// Two NaNs with the same bits are not equal.
    private func unlessNaN(_ sql: SQLQuery, _ operand: SQLOperand, isNegated: Bool) -> SQLQuery {
        isNegated
            ? "(\(sql) OR typeof(\(operand.sql)) = 'blob')" : "(\(sql) AND typeof(\(operand.sql)) <> 'blob')"
    }

    /// The operand as it can be compared with another one, or `nil` when nothing equals it.
    private func comparable(_ operand: SQLOperand, with other: SQLOperand) throws -> SQLOperand? {
        guard let constant = operand.constant else { return operand }
        if case .reference(let identifier) = constant {
            guard case .reference(let entityName) = other.form else {
                throw SwiftDataError.unsupportedPredicate.adding(detail: "a captured identifier in this place")
            }
            return source.key(of: identifier, in: entityName).map { SQLOperand(constant: .integer($0)) }
        }
        return operand.isNaN ? nil : operand
    }

    // MARK: Order

    mutating func comparison(_ a: Tree, _ order: Tree.Order, _ b: Tree, _ truth: Truth) throws -> SQLQuery {
        if let condition = try foreign(a, order, b) { return condition }
        let (left, right) = (try operand(a), try operand(b))
        if left.isNaN || right.isNaN { return "0" }
        if let condition = try identifierOrder(left, order, right) { return condition }

        let sql: SQLQuery = "\(left.sql) \(raw: order.rawValue) \(right.sql)"
        // A NaN in a column is a blob and greater than any number.
        let greater = order == .less || order == .lessOrEqual ? right : left
        if greater.nan == .blob { return "(\(sql) AND \(greater.sql) <= \(SQLOperand.infinity))" }
        return (left.nan == .null || right.nan == .null) && truth == .exact ? "ifnull(\(sql), 0)" : sql
    }

    /// The order of identifiers: by store and entity first, which is one answer for all rows, then by number.
    private func identifierOrder(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand
    ) throws -> SQLQuery? {
        if case .reference(let identifier) = right.constant, case .reference(let name) = left.form {
            if let key = source.key(of: identifier, in: name) {
                return "\(left.sql) \(raw: order.rawValue) \(value: .integer(key))"
            }
            return source.anyIdentifier(in: name) < identifier ? order.whenLess : order.whenGreater
        }
        if case .reference(let identifier) = left.constant, case .reference = right.form {
            let reversed = SQLOperand(constant: .reference(identifier))
            return try identifierOrder(right, order.reversed, reversed)
        }
        return nil
    }

    // MARK: Foreign values

    private mutating func foreign(_ a: Tree, _ order: Tree.Order?, _ b: Tree) throws -> SQLQuery? {
        switch (a, b) {
        case (.path(let path), .foreign(let value)): try source.condition(path, order, value)
        case (.foreign(let value), .path(let path)): try source.condition(path, order?.reversed, value)
        default: nil
        }
    }
}

extension PredicateTree.Order {
    /// The same question asked from the other side.
    var reversed: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    fileprivate var whenLess: SQLQuery { self == .less || self == .lessOrEqual ? "1" : "0" }
    fileprivate var whenGreater: SQLQuery { self == .greater || self == .greaterOrEqual ? "1" : "0" }
}
