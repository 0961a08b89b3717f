import ChronicleCore
import ChronicleSQLite

extension PredicateSQL {
    mutating func operand(_ tree: Tree) throws -> SQLOperand {
        let operand = try translation(tree)
        try operand.sql.requireReasonableLength()
        return operand
    }

    private mutating func translation(_ tree: Tree) throws -> SQLOperand {
        switch tree {
        case .constant(let value): SQLOperand(constant: value)
        case .path(let path): try source.operand(path)
        case .arithmetic(let operation, .integer, let a, let b): try integers(operation, a, b)
        case .arithmetic(let operation, .real, let a, let b): try reals(operation, a, b)
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
        SQLOperand(sql: "(\(try self.condition(condition, .exact)))", storageClass: .integer)
    }

    private mutating func count(_ elements: Tree.Elements) throws -> SQLOperand {
        let rows = try rows(elements)
        return SQLOperand(sql: "(\(source.count(rows)))", storageClass: .integer)
    }

    private mutating func characterCount(_ text: Tree) throws -> SQLOperand {
        SQLOperand(sql: PredicateFunctions.count(try operand(text).sql), storageClass: .integer)
    }

    private mutating func decimal(_ text: Tree) throws -> SQLOperand {
        var operand = try operand(text)
        operand.sql = DecimalOrder.collated(operand.sql)
        return operand
    }

    // MARK: Optionals

    private mutating func flatMap(_ value: Tree, _ result: Tree) throws -> SQLOperand {
        var operand = try operand(result).storable
        operand.sql = "CASE WHEN \(try self.operand(value).storable.sql) IS NOT NULL THEN \(operand.sql) END"
        operand.isOptional = true
        operand.constant = nil
        return operand.enclosed
    }

    private mutating func coalesce(_ value: Tree, _ other: Tree) throws -> SQLOperand {
        let (first, second) = (try operand(value).storable, try operand(other).storable)
        var operand = try either(first, second)
        operand.sql = "ifnull(\(first.sql), \(second.sql))"
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
        let tested = try operand(value).storable.sql
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
        let (first, second) = (try operand(then).storable, try operand(other).storable)
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
        let isSame = first.storageClass == second.storageClass && first.entityName == second.entityName
        guard isSame || first.storageClass == .null || second.storageClass == .null else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "a conditional value cannot contain identifiers of two entities")
        }
        var operand = first.storageClass == .null ? second : first
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
