import Chronicle
import ChronicleTestSupport
import Foundation

/// Creates random predicates on sights, which force-unwrap optional values at every level.
///
/// Foundation can evaluate them: no sum overflows, and no integer is divided by zero, unless ``calculatesFreely`` is set.
struct PredicateGenerator {
    typealias Node<Output> = any StandardPredicateExpression<Output>

    /// Whether calculations with integers may overflow or divide by zero.
    var calculatesFreely = false
    /// Whether captured values are parts of calculations.
    var calculatesCaptures = false
    private var random: SplitMix
    private var sight = PredicateExpressions.Variable<Sight>()

    init(seed: UInt64) { random = SplitMix(state: seed) }

    mutating func predicate() -> Predicate<Sight> {
        Predicate<Sight> { variable in
            sight = variable
            return condition(4)
        }
    }

    private mutating func one<Value>(of values: Value...) -> Value { values[random.below(values.count)] }

    private func path<Value>(_ keyPath: any KeyPath<Sight, Value> & Sendable) -> Node<Value> {
        PredicateExpressions.build_KeyPath(root: sight, keyPath: keyPath)
    }

    private var visits: Node<[Visit]> { path(\.visits) }
    private var score: Node<Int?> { path(\.score) }
    private var discount: Node<Double?> { path(\.discount) }

    private var regionName: Node<String?> {
        PredicateExpressions.build_flatMap(PredicateExpressions.build_KeyPath(root: sight, keyPath: \.region)) {
            PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name)
        }
    }

    private var region: Node<Region> { Nodes.unwrap(path(\.region)) }

    private var anyRegion: Node<Region> {
        mutating get { one(of: region, Nodes.unwrap(Nodes.parent(region))) }
    }

    private var regionCode: Node<Int?> {
        PredicateExpressions.build_flatMap(PredicateExpressions.build_KeyPath(root: sight, keyPath: \.region)) {
            PredicateExpressions.build_KeyPath(root: $0, keyPath: \.code)
        }
    }

    private mutating func value<Value: Codable & Sendable>(_ values: Value...) -> Node<Value> {
        let value = values[values.count > 1 ? random.below(values.count) : 0]
        guard calculatesCaptures else { return PredicateExpressions.build_Arg(value) }
        return Nodes.capture(random.below(Nodes.captureForms), value, values[random.below(values.count)])
    }

    private mutating func capturingCondition(_ depth: Int) -> Node<Bool> {
        let form = random.below(Nodes.elementForms)
        return switch random.below(4) {
        case 0: Nodes.element(form, of: one(of: nil, [], [2], [0, 3, 7]), integer(depth))
        case 1: Nodes.element(form, of: one(of: nil, [], ["Tower", ""]), text(depth))
        case 2: Nodes.element(form, of: one(of: nil, [nil, 7], [-5]), optionalInteger(depth))
        default: Nodes.isBelow(one(of: nil, Captured(value: 3)), integer(depth))
        }
    }

    // MARK: Conditions

    private mutating func condition(_ depth: Int) -> Node<Bool> {
        guard depth > 0 else { return one(of: path(\.isOpen), value(true), value(false)) }
        if calculatesCaptures, random.below(5) == 0 { return capturingCondition(depth - 1) }
        switch random.below(21) {
        case 0, 1: return Nodes.compare(integer(depth), integer(depth), order)
        case 2, 3: return Nodes.compare(real(depth), real(depth), order)
        case 4: return Nodes.compare(text(depth), text(depth), order)
        case 5: return equality(depth)
        case 6: return optionalEquality(depth)
        case 7: return Nodes.and(condition(depth - 1), condition(depth - 1))
        case 8: return Nodes.or(condition(depth - 1), condition(depth - 1))
        case 9: return Nodes.not(condition(depth - 1))
        case 10: return Nodes.choice(condition(depth - 1), condition(depth - 1), condition(depth - 1))
        case 11:
            let (text, part) = (text(depth), text(depth))
            return one(of: Nodes.contains(text, part), Nodes.starts(text, part), Nodes.search(text, part))
        case 12: return Nodes.coalesce(optionalCondition(depth), condition(depth - 1))
        case 13: return Nodes.exists(visits, integer(depth - 1), condition(depth - 1))
        case 14: return Nodes.all(visits, integer(depth - 1), condition(depth - 1))
        case 15: return Nodes.remarks(visits, are: text(depth - 1), all: one(of: true, false))
        case 16:
            return one(of: Nodes.isEmpty(region), Nodes.hasPart(region, text(0)), Nodes.allParts(region, integer(0)))
        case 17: return Nodes.tags(path(\.tags), contain: text(depth))
        case 18: return Nodes.unwrap(optionalCondition(depth))
        case 19: return Nodes.isEmpty(Nodes.unwrap(Nodes.parent(region)))
        default: return Nodes.isOne(of: [0, 2, nil, 7], optionalInteger(depth))
        }
    }

    private var order: PredicateExpressions.ComparisonOperator {
        mutating get { one(of: .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual) }
    }

    private mutating func equality(_ depth: Int) -> Node<Bool> {
        let isEqual = random.below(2) == 0
        switch random.below(4) {
        case 0: return Nodes.equal(integer(depth), integer(depth), isEqual)
        case 1: return Nodes.equal(real(depth), real(depth), isEqual)
        case 2: return Nodes.equal(text(depth), text(depth), isEqual)
        default: return Nodes.equal(condition(depth - 1), condition(depth - 1), isEqual)
        }
    }

    private mutating func optionalEquality(_ depth: Int) -> Node<Bool> {
        let isEqual = random.below(2) == 0
        switch random.below(4) {
        case 0: return Nodes.equal(optionalInteger(depth), optionalInteger(depth), isEqual)
        case 1: return Nodes.equal(optionalReal(depth), optionalReal(depth), isEqual)
        case 2: return Nodes.equal(optionalText(depth), optionalText(depth), isEqual)
        default: return Nodes.equal(optionalCondition(depth), optionalCondition(depth), isEqual)
        }
    }

    private mutating func optionalCondition(_ depth: Int) -> Node<Bool?> {
        switch random.below(4) {
        case 0: path(\.isFree)
        case 1: Nodes.ifPresent(optionalInteger(depth - 1), isBelow: integer(depth - 1), order)
        case 2: Nodes.ifPresent(optionalReal(depth - 1), isBelow: real(depth - 1), order)
        default: value(nil, true, false)
        }
    }

    // MARK: Values

    private mutating func integer(_ depth: Int) -> Node<Int> {
        switch random.below(depth > 0 ? calculatesFreely ? 12 : 10 : 2) {
        case 0: path(\.rank)
        case 1: calculatesFreely ? value(-1, 0, 1, 3, .max, .min) : value(-2, 0, 1, 3, 7)
        case 7: Nodes.unwrap(optionalInteger(depth - 1))
        case 8: Nodes.partCount(region)
        case 9: Nodes.remarkCount(visits, text(0))
        case 10, 11: Nodes.quotient(integer(depth - 1), integer(depth - 1), isRemainder: one(of: true, false))
        case 2: Nodes.arithmetic(integer(depth - 2), integer(depth - 2), one(of: .add, .subtract, .multiply))
        case 3: Nodes.integerDivision(integer(depth - 1), one(of: 2, -3), isRemainder: one(of: true, false))
        case 4: Nodes.coalesce(optionalInteger(depth - 1), integer(depth - 1))
        case 5: Nodes.count(text(depth - 1))
        default: Nodes.choice(condition(depth - 1), integer(depth - 1), integer(depth - 1))
        }
    }

    private mutating func real(_ depth: Int) -> Node<Double> {
        switch random.below(depth > 0 ? 9 : 2) {
        case 0: path(\.cost)
        case 1: value(-2, 0, -0.0, 3, 12.5, .infinity, -.infinity, .nan)
        case 7: Nodes.unwrap(optionalReal(depth - 1))
        case 8: Nodes.quotient(real(depth - 1), real(depth - 1))
        case 2: Nodes.arithmetic(real(depth - 1), real(depth - 1), one(of: .add, .subtract, .multiply))
        case 3: Nodes.division(real(depth - 1), one(of: 2, -0.5, 0, -0.0, .infinity, .nan))
        case 4: Nodes.coalesce(optionalReal(depth - 1), real(depth - 1))
        case 5: Nodes.minus(real(depth - 1))
        default: Nodes.choice(condition(depth - 1), real(depth - 1), real(depth - 1))
        }
    }

    private mutating func text(_ depth: Int) -> Node<String> {
        switch random.below(depth > 0 ? 6 : 2) {
        case 0: path(\.name)
        case 4: Nodes.unwrap(optionalText(depth - 1))
        case 5: Nodes.name(anyRegion)
        case 1: value("", "Tow", "Par", "\0", "é", "r")
        case 2: Nodes.coalesce(optionalText(depth - 1), text(depth - 1))
        default: Nodes.choice(condition(depth - 1), text(depth - 1), text(depth - 1))
        }
    }

    private mutating func optionalInteger(_ depth: Int) -> Node<Int?> {
        switch random.below(6) {
        case 0: path(\.score)
        case 1: value(nil, 0, 7)
        case 3: Nodes.code(region)
        case 4: Nodes.code(Nodes.unwrap(Nodes.parent(region)))
        case 2: regionCode
        default: Nodes.ifPresent(score, plus: integer(depth - 1))
        }
    }

    private mutating func optionalReal(_ depth: Int) -> Node<Double?> {
        switch random.below(3) {
        case 0: path(\.discount)
        case 1: value(nil, 0, .nan)
        default: Nodes.ifPresent(discount, plus: real(depth - 1))
        }
    }

    private mutating func optionalText(_ depth: Int) -> Node<String?> {
        one(of: path(\.note), regionName, value(nil), value("Tower"))
    }
}
