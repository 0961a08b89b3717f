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
        case .negative(let number, let value): try negative(number, value)
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
        var operand = SQLOperand(
            sql: source.dialect.value(of: try self.condition(condition, .exact)), type: .integer)
        operand.mayBeUndefined = condition.mayBeUndefined
        return operand
    }

    private mutating func count(_ elements: Tree.Elements) throws -> SQLOperand {
        guard let filter = elements.filter, filter.mayBeUndefined else {
            let rows = try rows(elements)
            return SQLOperand(sql: "(\(source.count(rows)))", type: .integer)
        }
        let owner = try source.enter(elements)
        let result = source.dialect.value(of: try condition(filter, .exact))
        // The number is undefined if the filter is for one of the elements.
        let (defined, matching) = (source.dialect.count("r"), source.dialect.count("nullif(r, 0)"))
        var count = SQLOperand(
            sql: """
                (SELECT CASE WHEN count(*) = \(defined) THEN \(matching) END \
                FROM (SELECT \(result) AS r FROM \(source.tables(of: elements.variable)) WHERE \(owner)) AS f)
                """, type: .integer)
        count.mayBeUndefined = true
        return count
    }

    private mutating func characterCount(_ text: Tree) throws -> SQLOperand {
        let text = try operand(text)
        var count = SQLOperand(sql: try source.dialect.characterCount(text), type: .integer)
        count.mayBeUndefined = text.mayBeUndefined
        return count
    }

    private mutating func decimal(_ text: Tree) throws -> SQLOperand {
        var operand = try operand(text)
        (operand.sql, operand.type) = (source.dialect.decimal(operand.sql), .decimal)
        return operand
    }

    private mutating func arithmetic(
        _ operation: PredicateArithmetic, _ number: PredicateNumber, _ a: Tree, _ b: Tree
    ) throws -> SQLOperand {
        let (first, second) = (try operand(a), try operand(b))
        var result = source.dialect.calculate(operation, number, first, second)
        result.mayBeUndefined = Tree.arithmetic(operation, number, a, b).mayBeUndefined
        result.definition = definition(result, [first, second])
        return result
    }

    private mutating func negative(_ number: PredicateNumber, _ value: Tree) throws -> SQLOperand {
        let operand = try operand(value)
        var result = source.dialect.negate(number, operand)
        result.mayBeUndefined = Tree.negative(number, value).mayBeUndefined
        result.definition = definition(result, [operand])
        return result
    }

    /// Returns the condition that the result of a calculation is defined, if its NULL represents NaN.
    private func definition(_ result: SQLOperand, _ operands: [SQLOperand]) -> SQLQuery? {
        guard result.nan == .null else { return nil }
        let definitions = operands.compactMap(\.isDefined)
        return definitions.isEmpty ? nil : "\(definitions.joined(" AND "))"
    }

    // MARK: Optionals

    private mutating func flatMap(_ value: Tree, _ result: Tree) throws -> SQLOperand {
        let dialect = source.dialect
        var operand = dialect.settled(try operand(result))
        let tested: SQLOperand
        if case .unwrapped(let asserted) = value {
            tested = dialect.settled(try self.operand(asserted))
            let isDefined: SQLQuery = ["\(tested.sql) IS NOT NULL", tested.definition, operand.definition]
                .compactMap { $0 }.joined(" AND ")
            operand.definition = isDefined
            operand = operand.settled
        } else {
            tested = dialect.settled(try self.operand(value))
            operand.definition = [tested.isDefined, operand.isDefined.map { "(\(tested.sql) IS NULL OR \($0))" }]
                .compactMap { $0 }.joinedOrNil(" AND ")
            operand.sql = "CASE WHEN \(tested.sql) IS NOT NULL THEN \(operand.sql) END"
            operand.isOptional = true
        }
        operand.mayBeUndefined = value.mayBeUndefined || result.mayBeUndefined
        operand.constant = nil
        (operand.indexed, operand.unchecked) = (nil, nil)
        return operand.enclosed
    }

    private mutating func coalesce(_ value: Tree, _ other: Tree) throws -> SQLOperand {
        let dialect = source.dialect
        let (first, second) = (dialect.settled(try operand(value)), dialect.settled(try operand(other)))
        var operand = try either(first, second)
        operand.sql = dialect.ifNull(first.sql, second.sql)
        operand.isOptional = second.isOptional
        // The second value is evaluated only if the first one is nil.
        let other = second.isOptional ? second.isDefined.map { "(\(first.sql) IS NOT NULL OR \($0))" as SQLQuery } : nil
        operand.definition = [first.isDefined, other].compactMap { $0 }.joinedOrNil(" AND ")
        return operand.settled
    }

    private mutating func unwrapped(_ value: Tree) throws -> SQLOperand {
        var operand = source.dialect.storable(try operand(value))
        operand.mayBeUndefined = operand.mayBeUndefined || operand.isOptional
        operand.isOptional = false
        // The NULL of a constant nil is undefined, and not nil.
        if operand.isNull { operand.constant = nil }
        return operand.settled
    }

    /// Translates `value.map { condition } ?? other`, the form of `if let` in a predicate.
    mutating func presence(_ value: Tree, _ result: Tree, _ other: Tree, _ truth: Truth) throws -> SQLQuery {
        let value = source.dialect.settled(try operand(value))
        let tested = value.sql
        let result = try condition(result, truth)
        let condition: SQLQuery
        switch other {
        // AND and OR with a constant hide a NULL result of the condition.
        case .constant(.integer(0)): condition = "(\(tested) IS NOT NULL AND \(result))"
        case .constant(.integer): condition = "(\(tested) IS NULL OR \(result))"
        default: condition = choice("\(tested) IS NOT NULL", result, try self.condition(other, truth))
        }
        return source.dialect.defined(condition, where: [value.isDefined], nullIsFalse: truth == .nullIsFalse)
    }

    // MARK: Choice

    private mutating func conditional(_ test: Tree, _ then: Tree, _ other: Tree) throws -> SQLOperand {
        let dialect = source.dialect
        let isDefined = !test.mayBeUndefined
        let test = try condition(test, isDefined ? .nullIsFalse : .exact)
        let (first, second) = (dialect.settled(try operand(then)), dialect.settled(try operand(other)))
        var operand = try either(first, second)
        operand.sql = isDefined ? choice(test, first.sql, second.sql) : dialect.choice(test, first.sql, second.sql)
        operand.mayBeUndefined = !isDefined || first.mayBeUndefined || second.mayBeUndefined
        if operand.isOptional, operand.mayBeUndefined {
            let (then, other) = (first.isDefined ?? dialect.true, second.isDefined ?? dialect.true)
            operand.definition =
                isDefined
                ? "(\(choice(test, then, other)))"
                : dialect.ifNull("(\(dialect.choice(test, then, other)))", dialect.false)
        }
        return operand.enclosed
    }

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
        (operand.indexed, operand.unchecked) = (nil, nil)
        operand.isOptional = first.isOptional || second.isOptional
        operand.nan = first.nan == .none ? second.nan : first.nan
        operand.mayBeUndefined = first.mayBeUndefined || second.mayBeUndefined
        operand.definition = nil
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

extension [SQLQuery] {
    fileprivate func joinedOrNil(_ separator: SQLQuery) -> SQLQuery? { isEmpty ? nil : joined(separator) }
}
