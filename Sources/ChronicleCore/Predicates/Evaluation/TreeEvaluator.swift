import Foundation

protocol EvaluatedObjects {
    associatedtype Property: PredicateProperty
    associatedtype Object
    typealias Value = EvaluatedValue<Object>

    func value(of property: Property, in object: Object) throws -> Value
    func value(of members: ArraySlice<Property>, in value: PropertyValue) throws -> PropertyValue
    func elements(of property: Property, in object: Object) throws -> [Value]
    func elements(of property: Property, in value: PropertyValue) throws -> [PropertyValue]
    /// The value identifies an object in a comparison.
    func identifier(of object: Object) -> PropertyValue
}

/// Nil is ``PropertyValue/null``.
enum EvaluatedValue<Object> {
    case value(PropertyValue)
    case object(Object)
    case foreign(any Sendable)
}

/// The predicate or expression force-unwraps nil, divides an integer by zero, or a calculation with integers overflows.
struct UndefinedValue: Error {}

/// A ``PredicateTree`` that is evaluated for objects in memory, with the results of the SQL that stores execute.
///
/// The tree is converted to closures once, so that evaluating it for many objects does not examine it again.
struct TreeEvaluator<Objects: EvaluatedObjects> {
    typealias Tree = PredicateTree<Objects.Property>
    typealias Value = EvaluatedValue<Objects.Object>

    /// The objects of the variables, by number.
    final class Frame {
        var objects: [Int: Value]
        init(_ subject: Value) { objects = [Tree.Variable.subject.number: subject] }
    }

    typealias Condition = (Frame) throws -> Bool
    typealias Operand = (Frame) throws -> Value

    let objects: Objects

    func condition(_ tree: Tree) -> Condition {
        switch tree {
        case .and(let a, let b):
            let (a, b) = (condition(a), condition(b))
            return { try a($0) && b($0) }
        case .or(let a, let b):
            let (a, b) = (condition(a), condition(b))
            return { try a($0) || b($0) }
        case .not(let a):
            let a = condition(a)
            return { try !a($0) }
        case .equal(let a, let b):
            let (a, b) = (operand(a), operand(b))
            return { try isEqual(a($0), b($0)) }
        case .compare(.decimal(let a), let order, .decimal(let b)):
            let (a, b) = (decimal(a), decimal(b))
            return { try order.isSatisfied(by: ComparisonResult(a($0), b($0))) }
        case .compare(let a, let order, let b):
            let (a, b) = (operand(a), operand(b))
            return { try self.order(a($0), b($0)).map { order.isSatisfied(by: $0) } ?? false }
        case .isOneOf(let value, let list): return isOneOf(operand(value), list)
        case .contains(let text, let part):
            let (text, part) = (self.text(text), self.text(part))
            return { try text($0).containsBytes(of: part($0)) }
        case .starts(let text, let prefix):
            let (text, prefix) = (self.text(text), self.text(prefix))
            return { try text($0).utf8.starts(with: prefix($0).utf8) }
        case .localizedStandardContains(let text, let part):
            let text = self.text(text)
            if case .constant(.text(let part)) = part {
                let search = TextSearch(part)
                return { try search.isFound(in: text($0)) }
            }
            let part = self.text(part)
            return { try TextSearch(part($0)).isFound(in: text($0)) }
        case .exists(let elements): return exists(elements)
        case .conditional(let test, let then, let other):
            let (test, then, other) = (condition(test), condition(then), condition(other))
            return { try test($0) ? then($0) : other($0) }
        default:
            let operand = operand(tree)
            return { frame in
                guard case .value(.integer(let truth)) = try operand(frame) else { throw UndefinedValue() }
                return truth != 0
            }
        }
    }

    /// Returns a condition as a stored Boolean.
    func operand(_ tree: Tree) -> Operand {
        switch tree {
        case .constant(let value): return { _ in .value(value) }
        case .foreign(let value): return { _ in .foreign(value) }
        case .path(let path): return { try self.value(at: path, $0) }
        case .arithmetic(let operation, .integer, let a, let b):
            let (a, b) = (integer(a), integer(b))
            return { .value(.integer(try operation.calculate(a($0), b($0)))) }
        case .arithmetic(let operation, .real, let a, let b):
            let (a, b) = (real(a), real(b))
            return { .value(.real(try operation.calculate(a($0), b($0)))) }
        case .negative(.integer, let a):
            let a = integer(a)
            return { .value(.integer(try PredicateArithmetic.subtract.calculate(0, a($0)))) }
        case .negative(.real, let a):
            let a = real(a)
            return { .value(.real(try -a($0))) }
        case .count(let elements): return count(elements)
        case .characterCount(let text):
            let text = self.text(text)
            return { .value(.integer(Int64(try text($0).count))) }
        case .decimal(let text): return operand(text)
        case .ifPresent(let value, let result):
            let (value, result) = (operand(value), operand(result))
            return { try value($0).isNull ? .value(.null) : result($0) }
        case .coalesce(let value, let other):
            let (value, other) = (operand(value), operand(other))
            return { frame in
                let value = try value(frame)
                return try value.isNull ? other(frame) : value
            }
        case .unwrapped(let value):
            let value = operand(value)
            return { frame in
                let value = try value(frame)
                if value.isNull { throw UndefinedValue() }
                return value
            }
        case .conditional(let test, let then, let other):
            let (test, then, other) = (condition(test), operand(then), operand(other))
            return { try test($0) ? then($0) : other($0) }
        case .and, .or, .not, .equal, .compare, .isOneOf, .contains, .starts, .localizedStandardContains, .exists:
            let condition = condition(tree)
            return { .value(.integer(try condition($0) ? 1 : 0)) }
        }
    }

    // MARK: Comparisons

    private func isEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.foreign(let a as DefaultHistoryToken), .foreign(let b as DefaultHistoryToken)): a == b
        case (.foreign, _), (_, .foreign): false
        default: plain(a).isEqual(to: plain(b))
        }
    }

    private func order(_ a: Value, _ b: Value) throws -> ComparisonResult? {
        if case (.foreign(let a as DefaultHistoryToken), .foreign(let b as DefaultHistoryToken)) = (a, b) {
            return ComparisonResult(a, b)
        }
        let (a, b) = (plain(a), plain(b))
        if a.isNull || b.isNull { throw UndefinedValue() }
        return a.order(to: b)
    }

    private func plain(_ value: Value) -> PropertyValue {
        switch value {
        case .value(let value): value
        case .object(let object): objects.identifier(of: object)
        case .foreign: .null
        }
    }

    private func isOneOf(_ operand: @escaping Operand, _ list: [PropertyValue]) -> Condition {
        // NaN equals nothing.
        let values = Set(list.lazy.map(\.uniqueForm).filter { $0.isNull || $0.isEqual(to: $0) })
        return { values.contains(plain(try operand($0)).uniqueForm) }
    }

    // MARK: Operands of a form

    private func text(_ tree: Tree) -> (Frame) throws -> String {
        let operand = operand(tree)
        return { frame in
            guard case .value(.text(let text)) = try operand(frame) else { throw UndefinedValue() }
            return text
        }
    }

    private func integer(_ tree: Tree) -> (Frame) throws -> Int64 {
        let operand = operand(tree)
        return { frame in
            guard case .value(.integer(let integer)) = try operand(frame) else { throw UndefinedValue() }
            return integer
        }
    }

    private func real(_ tree: Tree) -> (Frame) throws -> Double {
        let operand = operand(tree)
        return { frame in
            switch try operand(frame) {
            case .value(.real(let real)): return real
            case .value(.integer(let integer)): return Double(integer)
            default: throw UndefinedValue()
            }
        }
    }

    private func decimal(_ tree: Tree) -> (Frame) throws -> Decimal {
        let operand = operand(tree)
        return { frame in
            guard let number = plain(try operand(frame)).decimal else { throw UndefinedValue() }
            return number
        }
    }

    // MARK: Paths and elements

    private func value(at path: Tree.Path, _ frame: Frame) throws -> Value {
        guard let start = frame.objects[path.variable.number] else { throw UndefinedValue() }
        return try value(at: path.properties[...], from: start)
    }

    func value(at properties: ArraySlice<Objects.Property>, from start: Value) throws -> Value {
        var current = start
        for index in properties.indices {
            switch current {
            case .object(let object): current = try objects.value(of: properties[index], in: object)
            case .value(.null), .foreign: return current
            case .value(let value): return .value(try objects.value(of: properties[index...], in: value))
            }
        }
        return current
    }

    private func elements(_ elements: Tree.Elements, _ frame: Frame) throws -> [Value] {
        guard let last = elements.path.properties.last, let start = frame.objects[elements.path.variable.number] else {
            return []
        }
        switch try value(at: elements.path.properties.dropLast(), from: start) {
        case .object(let owner):
            if last.isToMany { return try objects.elements(of: last, in: owner) }
            guard case .value(let value) = try objects.value(of: last, in: owner) else { return [] }
            return try objects.elements(of: last, in: value).map { .value($0) }
        case .value(.null), .foreign: return []
        case .value(let value):
            return try objects.elements(of: last, in: objects.value(of: [last], in: value)).map { .value($0) }
        }
    }

    private func filter(_ elements: Tree.Elements) -> (Value, Frame) throws -> Bool {
        guard let filter = elements.filter else { return { _, _ in true } }
        let (condition, number) = (condition(filter), elements.variable.number)
        return { element, frame in
            frame.objects[number] = element
            return try condition(frame)
        }
    }

    private func exists(_ elements: Tree.Elements) -> Condition {
        let filter = filter(elements)
        return { frame in try self.elements(elements, frame).contains { try filter($0, frame) } }
    }

    private func count(_ elements: Tree.Elements) -> Operand {
        let filter = filter(elements)
        return { frame in
            .value(.integer(Int64(try self.elements(elements, frame).count { try filter($0, frame) })))
        }
    }
}

extension EvaluatedValue {
    fileprivate var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }
}

extension PropertyValue {
    /// For an attribute that stores a `Decimal`.
    var decimal: Decimal? {
        switch self {
        case .text("NaN"): Decimal.nan
        case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        case .integer(let integer): Decimal(integer)
        default: nil
        }
    }
}

extension PredicateOrder {
    fileprivate func isSatisfied(by order: ComparisonResult) -> Bool {
        switch self {
        case .less: order == .orderedAscending
        case .lessOrEqual: order != .orderedDescending
        case .greater: order == .orderedDescending
        case .greaterOrEqual: order != .orderedAscending
        }
    }
}

extension PredicateArithmetic {
    fileprivate func calculate(_ a: Int64, _ b: Int64) throws -> Int64 {
        let (result, overflows) =
            switch self {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            case .divide: a.dividedReportingOverflow(by: b)
            // The remainder itself does not overflow, which Swift reports for the least integer.
            case .remainder: b == -1 ? (0, false) : a.remainderReportingOverflow(dividingBy: b)
            }
        if overflows { throw UndefinedValue() }
        return result
    }

    fileprivate func calculate(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        case .remainder: a.truncatingRemainder(dividingBy: b)
        }
    }
}
