import Chronicle
import Foundation

/// Foundation's nodes, composed of parts whose types are only known at run time.
enum Nodes {
    typealias Node<Output> = any StandardPredicateExpression<Output>
    typealias Part = StandardPredicateExpression
    typealias Build = PredicateExpressions

    static func and(_ a: some Part<Bool>, _ b: some Part<Bool>) -> Node<Bool> {
        Build.build_Conjunction(lhs: a, rhs: b)
    }

    static func or(_ a: some Part<Bool>, _ b: some Part<Bool>) -> Node<Bool> {
        Build.build_Disjunction(lhs: a, rhs: b)
    }

    static func not(_ a: some Part<Bool>) -> Node<Bool> { Build.build_Negation(a) }

    static func compare<Value: Comparable>(
        _ a: some Part<Value>, _ b: some Part<Value>, _ order: Build.ComparisonOperator
    ) -> Node<Bool> {
        Build.build_Comparison(lhs: a, rhs: b, op: order)
    }

    static func equal<Value: Equatable>(_ a: some Part<Value>, _ b: some Part<Value>, _ isEqual: Bool) -> Node<Bool> {
        isEqual ? Build.build_Equal(lhs: a, rhs: b) : Build.build_NotEqual(lhs: a, rhs: b)
    }

    static func choice<Value>(_ test: some Part<Bool>, _ a: some Part<Value>, _ b: some Part<Value>) -> Node<Value> {
        Build.build_Conditional(test, a, b)
    }

    static func coalesce<Value>(_ a: some Part<Value?>, _ b: some Part<Value>) -> Node<Value> {
        Build.build_NilCoalesce(lhs: a, rhs: b)
    }

    static func contains(_ a: some Part<String>, _ b: some Part<String>) -> Node<Bool> { Build.build_contains(a, b) }

    static func starts(_ a: some Part<String>, _ b: some Part<String>) -> Node<Bool> { Build.build_starts(a, with: b) }

    static func search(_ a: some Part<String>, _ b: some Part<String>) -> Node<Bool> {
        Build.build_localizedStandardContains(a, b)
    }

    static func count(_ a: some Part<String>) -> Node<Int> { Build.build_KeyPath(root: a, keyPath: \.count) }

    static func isOne<Value: Codable & Equatable & Sendable>(of list: [Value], _ a: some Part<Value>) -> Node<Bool> {
        Build.build_contains(Build.build_Arg(list), a)
    }

    static func arithmetic<Value: Numeric>(
        _ a: some Part<Value>, _ b: some Part<Value>, _ operation: Build.ArithmeticOperator
    ) -> Node<Value> {
        Build.build_Arithmetic(lhs: a, rhs: b, op: operation)
    }

    static func integerDivision(_ a: some Part<Int>, _ divisor: Int, isRemainder: Bool) -> Node<Int> {
        if isRemainder { return Build.build_Remainder(lhs: a, rhs: Build.build_Arg(divisor)) }
        return Build.build_Division(lhs: a, rhs: Build.build_Arg(divisor)) as Build.IntDivision
    }

    static func division(_ a: some Part<Double>, _ divisor: Double) -> Node<Double> {
        Build.build_Division(lhs: a, rhs: Build.build_Arg(divisor)) as Build.FloatDivision
    }

    static func quotient(_ a: some Part<Double>, _ b: some Part<Double>) -> Node<Double> {
        Build.build_Division(lhs: a, rhs: b) as Build.FloatDivision
    }

    static func quotient(_ a: some Part<Int>, _ b: some Part<Int>, isRemainder: Bool) -> Node<Int> {
        if isRemainder { return Build.build_Remainder(lhs: a, rhs: b) }
        return Build.build_Division(lhs: a, rhs: b) as Build.IntDivision
    }

    static func minus(_ a: some Part<Double>) -> Node<Double> { Build.build_UnaryMinus(a) }

    // MARK: Forced unwraps

    static func unwrap<Value>(_ a: some Part<Value?>) -> Node<Value> { Build.build_ForcedUnwrap(a) }

    static func name(_ region: some Part<Region>) -> Node<String> { Build.build_KeyPath(root: region, keyPath: \.name) }

    static func code(_ region: some Part<Region>) -> Node<Int?> { Build.build_KeyPath(root: region, keyPath: \.code) }

    static func parent(_ region: some Part<Region>) -> Node<Region?> {
        Build.build_KeyPath(root: region, keyPath: \.parent)
    }

    static func isEmpty(_ region: some Part<Region>) -> Node<Bool> {
        Build.build_KeyPath(root: Build.build_KeyPath(root: region, keyPath: \.parts), keyPath: \.isEmpty)
    }

    static func partCount(_ region: some Part<Region>) -> Node<Int> {
        Build.build_KeyPath(root: Build.build_KeyPath(root: region, keyPath: \.parts), keyPath: \.count)
    }

    static func hasPart(_ region: some Part<Region>, _ name: some Part<String>) -> Node<Bool> {
        Build.build_contains(Build.build_KeyPath(root: region, keyPath: \.parts)) { part in
            Build.build_Equal(lhs: Build.build_KeyPath(root: part, keyPath: \.name), rhs: name)
        }
    }

    static func allParts(_ region: some Part<Region>, _ code: some Part<Int>) -> Node<Bool> {
        Build.build_allSatisfy(Build.build_KeyPath(root: region, keyPath: \.parts)) { part in
            Build.build_Comparison(
                lhs: Build.build_ForcedUnwrap(Build.build_KeyPath(root: part, keyPath: \.code)), rhs: code,
                op: .greaterThanOrEqual)
        }
    }

    static func tags(_ tags: some Part<[String]>, contain tag: some Part<String>) -> Node<Bool> {
        Build.build_contains(tags, tag)
    }

    // MARK: Closures

    static func ifPresent<Value: Numeric & Codable & Sendable>(
        _ a: some Part<Value?>, plus b: some Part<Value>
    ) -> Node<Value?> {
        Build.build_flatMap(a) { Build.build_Arithmetic(lhs: $0, rhs: b, op: .add) }
    }

    static func ifPresent<Value: Comparable & Codable & Sendable>(
        _ a: some Part<Value?>, isBelow b: some Part<Value>, _ order: Build.ComparisonOperator
    ) -> Node<Bool?> {
        Build.build_flatMap(a) { Build.build_Comparison(lhs: $0, rhs: b, op: order) }
    }

    static func exists(
        _ visits: some Part<[Visit]>, _ stars: some Part<Int>, _ condition: some Part<Bool>
    ) -> Node<Bool> {
        Build.build_contains(visits) { visit in
            Build.build_Conjunction(
                lhs: Build.build_Comparison(
                    lhs: Build.build_KeyPath(root: visit, keyPath: \.stars), rhs: stars, op: .lessThan),
                rhs: condition)
        }
    }

    /// Returns a condition on the remarks, some of which are nil.
    static func remarks(_ visits: some Part<[Visit]>, are text: some Part<String>, all: Bool) -> Node<Bool> {
        func isRemark(_ visit: Build.Variable<Visit>) -> some Part<Bool> {
            Build.build_Equal(
                lhs: Build.build_ForcedUnwrap(Build.build_KeyPath(root: visit, keyPath: \.remark)), rhs: text)
        }
        return all ? Build.build_allSatisfy(visits) { isRemark($0) } : Build.build_contains(visits) { isRemark($0) }
    }

    static func remarkCount(_ visits: some Part<[Visit]>, _ text: some Part<String>) -> Node<Int> {
        Build.build_KeyPath(
            root: Build.build_filter(visits) { visit in
                Build.build_NotEqual(
                    lhs: Build.build_ForcedUnwrap(Build.build_KeyPath(root: visit, keyPath: \.remark)), rhs: text)
            }, keyPath: \.count)
    }

    static func all(
        _ visits: some Part<[Visit]>, _ stars: some Part<Int>, _ condition: some Part<Bool>
    ) -> Node<Bool> {
        Build.build_allSatisfy(visits) { visit in
            Build.build_Disjunction(
                lhs: Build.build_Comparison(
                    lhs: Build.build_KeyPath(root: visit, keyPath: \.stars), rhs: stars, op: .greaterThan),
                rhs: condition)
        }
    }
}
