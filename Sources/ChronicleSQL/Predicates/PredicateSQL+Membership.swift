import ChronicleCore

extension PredicateSQL {
    mutating func membership(_ value: Tree, _ list: [PropertyValue], _ truth: Truth) throws -> SQLQuery {
        if case .path(let path) = value, let condition = try source.membership(path, list) { return condition }
        let dialect = source.dialect
        let operand = dialect.settled(try operand(value))
        let isNull: SQLQuery? = list.contains { $0.isNull } ? "\(operand.sql) IS NULL" : nil
        let elements = try elements(list, comparableWith: operand)
        var found = dialect.isOneOf(operand, elements)
        if let searchable = operand.searchable, let exact = found {
            let prefixes = elements.compactMap { SQLOperand(constant: $0, dialect).searchablePrefix(dialect)?.constant }
            found = dialect.isOneOf(searchable, prefixes).map { "(\($0) AND \(exact))" } ?? exact
        }
        let isPlain = found != nil && isNull == nil
        return dialect.defined(
            membership(operand, found, isNull, truth), where: [isPlain ? operand.definition : operand.isDefined],
            nullIsFalse: truth == .nullIsFalse)
    }

    private func membership(
        _ operand: SQLOperand, _ found: SQLQuery?, _ isNull: SQLQuery?, _ truth: Truth
    ) -> SQLQuery {
        let dialect = source.dialect
        switch (found, isNull) {
        case (nil, nil): return dialect.false
        case (nil, let isNull?): return isNull
        case (let found?, let isNull?): return "(\(found) OR \(isNull))"
        case (let found?, nil):
            return operand.isOptional && truth == .exact ? dialect.ifNull(found, dialect.false) : found
        }
    }

    /// Returns the elements that a value can be equal to, without nil, NaN, and rows of other tables.
    private func elements(
        _ list: [PropertyValue], comparableWith operand: SQLOperand
    ) throws -> [PropertyValue] {
        var elements: [PropertyValue] = []
        for value in list {
            switch (value, operand.entityName) {
            case (.null, _): continue
            case (.real(let number), _) where number.isNaN: continue
            case (.reference(let identifier), let entityName?):
                guard let key = source.key(of: identifier, in: entityName) else { continue }
                elements.append(.integer(key))
            case (.reference, _):
                throw SwiftDataError.unsupportedPredicate.with(
                    detail: "captured identifiers cannot be used in this expression")
            default: elements.append(value)
            }
        }
        return elements
    }
}
