public import ChronicleCore

extension PredicateSQL {
    /// Returns a value, or a condition as a stored Boolean.
    ///
    /// - Parameter tree: An expression.
    /// - Returns: The value.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if a part has no equivalent in SQL; the detail names it.
    public mutating func operand(_ tree: Tree) throws -> SQLOperand {
        let operand = try comparand(tree)
        guard operand.isRepresentable else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the database cannot store a captured value, which can only be compared for equality; "
                    + "evaluate the predicate for fetched models")
        }
        return operand
    }

    /// Returns a value, which may be a constant that the database cannot represent.
    mutating func comparand(_ tree: Tree) throws -> SQLOperand {
        let operand = try translation(tree)
        try operand.sql.requireReasonableLength()
        return operand
    }

    private mutating func translation(_ tree: Tree) throws -> SQLOperand {
        switch tree {
        case .constant(let value): SQLOperand(constant: value, source.dialect)
        case .path(let path): try source.operand(path)
        case .arithmetic(let operation, let number, let a, let b): try arithmetic(operation, number, a, b)
        case .negative(let number, let value): source.dialect.negate(number, try operand(value))
        case .count(let elements): try count(elements)
        case .characterCount(let text): try characterCount(text)
        case .decimal(let text): try decimal(text)
        case .ifPresent(let value, let result): try flatMap(value, result)
        case .coalesce(let value, let other): try coalesce(value, other)
        case .unwrapped(let value): try unwrapped(value)
        case .conditional(let test, let then, let other): try conditional(test, then, other)
        case .foreign(let value): throw unsupported(value)
        case .and, .or, .not, .equal, .compare, .isOneOf, .contains, .starts, .localizedStandardContains, .exists:
            try truth(of: tree)
        }
    }

    private func unsupported(_ value: any Sendable) -> SwiftDataError {
        .unsupportedPredicate.with(
            detail: "a captured value of type \(type(of: value)) cannot be used in this expression")
    }

    private mutating func truth(of condition: Tree) throws -> SQLOperand {
        SQLOperand(sql: source.dialect.value(of: try self.condition(condition, .exact)), type: .integer)
    }

    private mutating func count(_ elements: Tree.Elements) throws -> SQLOperand {
        let rows = try rows(elements)
        return SQLOperand(sql: "(\(source.count(rows)))", type: .integer)
    }

    private mutating func characterCount(_ text: Tree) throws -> SQLOperand {
        SQLOperand(sql: try source.dialect.characterCount(operand(text)), type: .integer)
    }

    private mutating func decimal(_ text: Tree) throws -> SQLOperand {
        var operand = try operand(text)
        (operand.sql, operand.type) = (source.dialect.decimal(operand.sql), .decimal)
        return operand
    }

    private mutating func arithmetic(
        _ operation: PredicateArithmetic, _ number: PredicateNumber, _ a: Tree, _ b: Tree
    ) throws -> SQLOperand {
        let first = try operand(a)
        return source.dialect.calculate(operation, number, first, try operand(b))
    }

    // MARK: Optionals

    private mutating func flatMap(_ value: Tree, _ result: Tree) throws -> SQLOperand {
        let dialect = source.dialect
        var operand = dialect.storable(try operand(result))
        let tested = dialect.storable(try self.operand(value)).sql
        operand.sql = "CASE WHEN \(tested) IS NOT NULL THEN \(operand.sql) END"
        operand.isOptional = true
        operand.constant = nil
        return operand.enclosed
    }

    private mutating func coalesce(_ value: Tree, _ other: Tree) throws -> SQLOperand {
        let dialect = source.dialect
        let (first, second) = (dialect.storable(try operand(value)), dialect.storable(try operand(other)))
        var operand = try either(first, second)
        operand.sql = dialect.ifNull(first.sql, second.sql)
        operand.isOptional = second.isOptional
        return operand
    }

    private mutating func unwrapped(_ value: Tree) throws -> SQLOperand {
        var operand = try operand(value)
        operand.isOptional = false
        return operand
    }

    /// Translates `value.map { condition } ?? other`, the form of `if let` in a predicate.
    mutating func presence(_ value: Tree, _ result: Tree, _ other: Tree, _ truth: Truth) throws -> SQLQuery {
        let tested = source.dialect.storable(try operand(value)).sql
        let result = try condition(result, truth)
        switch other {
        // AND and OR with a constant hide a NULL result of the condition.
        case .constant(.integer(0)): return "(\(tested) IS NOT NULL AND \(result))"
        case .constant(.integer): return "(\(tested) IS NULL OR \(result))"
        default: return choice("\(tested) IS NOT NULL", result, try condition(other, truth))
        }
    }

    // MARK: Choice

    private mutating func conditional(_ test: Tree, _ then: Tree, _ other: Tree) throws -> SQLOperand {
        let test = try condition(test, .nullIsFalse)
        let dialect = source.dialect
        let (first, second) = (dialect.storable(try operand(then)), dialect.storable(try operand(other)))
        var operand = try either(first, second)
        operand.sql = choice(test, first.sql, second.sql)
        return operand.enclosed
    }

    /// Combines the properties of two alternative values.
    private func either(_ first: SQLOperand, _ second: SQLOperand) throws -> SQLOperand {
        for case .reference(let identifier) in [first.constant, second.constant] {
            // The key alone would identify a row of this store.
            guard source.key(of: identifier, in: identifier.rootEntityName) == nil else { continue }
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a captured identifier of another store cannot be used in this expression")
        }
        let isSame = first.type == second.type && first.entityName == second.entityName
        guard isSame || first.type == .null || second.type == .null else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a conditional value cannot contain identifiers of two entities")
        }
        var operand = first.type == .null ? second : first
        (operand.sql, operand.constant) = (first.sql, nil)
        operand.isOptional = first.isOptional || second.isOptional
        operand.nan = first.nan == .none ? second.nan : first.nan
        return operand
    }
}

extension SQLOperand {
    fileprivate var enclosed: SQLOperand {
        var result = self
        result.sql = "(\(sql))"
        return result
    }
}
