import ChronicleCore

extension PredicateSQL {
    // MARK: Equality

    /// Swift's `==` and `!=`: nil equals nil, so it is IS and IS NOT wherever there may be one.
    mutating func equality(_ a: Tree, _ b: Tree, isNegated: Bool, _ truth: Truth) throws -> SQLQuery {
        if let condition = try ofSource(a, nil, b) { return isNegated ? negated(condition) : condition }
        let left = try operand(a)
        return try equality(left, operand(b), isNegated: isNegated, truth)
    }

    // Without recursion, as are the other functions that make SQL of operands: their frames need not fit into the stack
    // once for each level.
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
        // With = SQLite may turn an outer join into an inner one and choose freely where to begin.
        let isPlain = right.constant != nil && !isNegated && truth == .nullIsFalse
        let sql: SQLQuery = "\(left.sql) \(raw: isNegated ? "IS NOT" : isPlain ? "=" : "IS") \(right.sql)"
        return left.nan == .blob && right.nan == .blob ? unlessNaN(sql, left, isNegated: isNegated) : sql
    }

    /// Identifiers of rows of two tables: the same number does not make them equal, only nil does.
    private func differentEntities(_ left: SQLOperand, _ right: SQLOperand, isNegated: Bool) -> SQLQuery? {
        guard case .reference(let a) = left.form, case .reference(let b) = right.form, a != b else { return nil }
        return isNegated
            ? "(\(left.sql) IS NOT NULL OR \(right.sql) IS NOT NULL)"
            : "(\(left.sql) IS NULL AND \(right.sql) IS NULL)"
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
                throw SwiftDataError.unsupportedPredicate.with(detail: "a captured identifier in this place")
            }
            return source.key(of: identifier, in: entityName).map { SQLOperand(constant: .integer($0)) }
        }
        return operand.isNaN ? nil : operand
    }

    // MARK: Order

    /// Swift's `<` and its kin, and their opposites, which differ for NaN: it is in no order with anything.
    mutating func comparison(
        _ a: Tree, _ order: Tree.Order, _ b: Tree, isNegated: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        if let condition = try ofSource(a, order, b) { return isNegated ? negated(condition) : condition }
        let left = try operand(a)
        return comparison(left, order, try operand(b), isNegated: isNegated, truth)
    }

    private func comparison(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand, isNegated: Bool, _ truth: Truth
    ) -> SQLQuery {
        if left.isNaN || right.isNaN { return isNegated ? "1" : "0" }
        if let condition = identifierOrder(left, isNegated ? order.opposite : order, right) { return condition }

        var sql: SQLQuery = "\(left.sql) \(raw: (isNegated ? order.opposite : order).rawValue) \(right.sql)"
        // A NaN in a column is a blob and greater than any number: in doubt it has to be told from a greater number.
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

    /// The order of identifiers: by store and entity first, which is one answer for all rows, then by number. `nil` when
    /// only the numbers count.
    private func identifierOrder(
        _ left: SQLOperand, _ order: Tree.Order, _ right: SQLOperand
    ) -> SQLQuery? {
        guard case .reference(let a) = left.form, case .reference(let b) = right.form else { return nil }
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

    /// What the source does in its own way.
    private mutating func ofSource(_ a: Tree, _ order: Tree.Order?, _ b: Tree) throws -> SQLQuery? {
        if case .path(let path) = a, let condition = try source.condition(path, order, b) { return condition }
        if case .path(let path) = b { return try source.condition(path, order?.reversed, a) }
        return nil
    }
}

extension PredicateTree.Order {
    /// What is true when this is not, of anything but NaN.
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
