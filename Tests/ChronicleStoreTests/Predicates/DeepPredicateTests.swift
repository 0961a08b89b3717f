import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

/// Predicates that are created at run time and are longer or deeper than the stack of the evaluating thread.
@Suite("Predicates: length and depth")
struct DeepPredicateTests {
    private let store: SightStore
    private let ids: [PersistentIdentifier]

    init() throws {
        store = try SightStore()
        ids = store.sights.map(\.persistentModelID)
    }

    /// A chain of conditions, one of which each sight with an even rank satisfies, or, with `&&`, all of which those
    /// with an odd rank satisfy. It consists of shorter chains, because the types of a plain chain of 10,000 would take
    /// seconds to create.
    private static func chain(_ count: Int, _ lean: Deep.Lean, isAnd: Bool) async throws -> Predicate<Sight> {
        // Foundation copies the nodes.
        try await onThread(stackSize: 64 << 20) {
            Predicate<Sight> { sight in
                Deep.chain(count / 10, lean, isAnd: isAnd) { part in
                    Deep.chain(10, lean, isAnd: isAnd) { index in
                        let isEqual = Deep.isEqual(sight, \.rank, (part * 10 + index) * 2 - 1_000)
                        if isAnd { return Nodes.not(isEqual) }
                        return isEqual
                    }
                }
            }
        }
    }

    @Test("A chain of 10,000 conditions", arguments: [false, true])
    func longChain(isAnd: Bool) async throws {
        let predicate = try await Self.chain(10_000, .left, isAnd: isAnd)
        let context = store.context
        let expected = store.sights.filter { ($0.rank % 2 == 0) != isAnd }.map(\.persistentModelID)
        let found = try await onThread { try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)) }
        #expect(found == expected)
    }

    @Test("Left and right associative chains", arguments: Deep.Lean.allCases, [false, true])
    func chain(_ lean: Deep.Lean, isAnd: Bool) async throws {
        let predicate = try await Self.chain(2_000, lean, isAnd: isAnd)
        let (context, sights) = (store.context, store.sights)
        let expected = sights.filter { ($0.rank % 2 == 0) != isAnd }.map(\.persistentModelID)
        let evaluated = try await onThread(stackSize: 64 << 20) { try sights.filter { try predicate.evaluate($0) } }
        #expect(evaluated.map(\.persistentModelID) == expected)

        try await onThread {
            let descriptor = FetchDescriptor(predicate: predicate)
            #expect(try context.fetchIdentifiers(descriptor) == expected)
            #expect(try context.fetchCount(descriptor) == expected.count)
            #expect(try context.fetch(descriptor).map(\.persistentModelID) == expected)
            // Pending changes are filtered in memory.
            sights[0].rank += 1
            #expect(try context.fetchCount(descriptor) == expected.count + (isAnd ? -1 : 1))
            context.rollback()
            try context.delete(model: Sight.self, where: predicate)
            #expect(try context.fetchCount(FetchDescriptor<Sight>()) == sights.count - expected.count)
        }
    }

    @Test("Nested chains, one of them without groups")
    func nestedChains() async throws {
        let (context, sights) = (store.context, store.sights)
        let predicate = try await onThread(stackSize: 64 << 20) {
            Predicate<Sight> { sight in
                let ranks = Deep.chain(2_000, .left) { Deep.isEqual(sight, \.rank, $0 * 2) }
                let either = Nodes.or(ranks, Deep.isEqual(sight, \.name, "Par"))
                let names = Deep.chain(1_000, .both, isAnd: true) { Nodes.not(Deep.isEqual(sight, \.name, "x\($0)")) }
                return Nodes.and(either, names)
            }
        }
        let expected = try await onThread(stackSize: 64 << 20) {
            try sights.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
        }
        #expect(expected.count == 5)
        let found = try await onThread { try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)) }
        #expect(found == expected)
    }

    @Test("Random chains match Foundation", arguments: [1, 2, 3])
    func random(seed: UInt64) async throws {
        let (context, sights) = (store.context, store.sights)
        for round in 0..<10 {
            var random = SplitMix(state: seed << 8 + UInt64(round))
            let predicate = try await onThread(stackSize: 64 << 20) {
                Predicate<Sight> { sight in
                    var nodes = (0..<80).map { _ -> Nodes.Node<Bool> in
                        let rank = Deep.isEqual(sight, \.rank, random.below(8) - 3)
                        let isOpen: Nodes.Node<Bool> = PredicateExpressions.build_KeyPath(
                            root: sight, keyPath: \.isOpen)
                        return random.below(3) == 0 ? isOpen : rank
                    }
                    while nodes.count > 1 {
                        let index = random.below(nodes.count - 1)
                        let (a, b) = (nodes[index], nodes.remove(at: index + 1))
                        switch random.below(5) {
                        case 0: nodes[index] = Nodes.not(Nodes.and(a, b))
                        case 1, 2: nodes[index] = Nodes.and(a, b)
                        default: nodes[index] = Nodes.or(a, b)
                        }
                    }
                    return nodes[0]
                }
            }
            let (found, expected) = try await onThread(stackSize: 64 << 20) {
                (
                    try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)),
                    try sights.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
                )
            }
            #expect(found == expected, "seed \(seed), round \(round)")
        }
    }

    @Test("Any number of negations", arguments: [2_000, 2_001])
    func negations(count: Int) async throws {
        let context = store.context
        let predicate = Predicate<Sight> { sight in
            let isOpen: Nodes.Node<Bool> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.isOpen)
            return Deep.nest(count, isOpen) { (node: Nodes.Node<Bool>) -> Nodes.Node<Bool> in Nodes.not(node) }
        }
        let expected = store.sights.filter { $0.isOpen == (count % 2 == 0) }.map(\.persistentModelID)
        try await onThread {
            #expect(try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)) == expected)
            let new = Sight("New", isOpen: true)
            context.insert(new)
            let found = try context.fetch(FetchDescriptor(predicate: predicate))
            #expect(found.contains { $0 === new } == (count % 2 == 0))
        }
    }

    @Test("Other nodes may be nested to a limited depth", arguments: DeepShape.allCases)
    func depth(_ shape: DeepShape) async throws {
        let context = store.context
        if shape != .castedChain {
            // Deeper closures exceed the parser stack of older SQLite versions.
            try store.agree(shape.predicate(shape == .closure ? 3 : 12))
        }
        for levels in [60, 1_000] {
            let predicate = try await onThread(stackSize: 64 << 20) { shape.predicate(levels) }
            try await onThread {
                func expectError(_ call: () throws -> Void) {
                    #expect(throws: SwiftDataError.unsupportedPredicate, performing: call)
                }
                let descriptor = FetchDescriptor(predicate: predicate)
                expectError { _ = try context.fetch(descriptor) }
                expectError { _ = try context.fetchCount(descriptor) }
                expectError { try context.delete(model: Sight.self, where: predicate) }
                context.insert(Sight("New"))
                expectError { _ = try context.fetch(descriptor) }
                context.rollback()
                let count = try context.fetchCount(FetchDescriptor<Sight>())
                #expect(count == 8)
            }
        }
    }

    @Test("Nested closures that repeat their value throw instead of exhausting memory")
    func repetition() async throws {
        let context = store.context
        typealias Node<Output> = Deep.Node<Output>
        let predicate = Predicate<Sight> { sight in
            let cost: Node<Double> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.cost)
            let discount: Node<Double?> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.discount)
            let value = Deep.nest(20, discount) { (node: Node<Double?>) -> Node<Double?> in
                func square(_ node: some StandardPredicateExpression<Double?>) -> Node<Double?> {
                    PredicateExpressions.build_flatMap(node) {
                        PredicateExpressions.build_Division(lhs: $0, rhs: $0) as PredicateExpressions.FloatDivision
                    }
                }
                return square(node)
            }
            return Nodes.compare(Nodes.coalesce(value, cost), cost, .lessThan)
        }
        try await onThread {
            #expect(throws: SwiftDataError.unsupportedPredicate) {
                try context.fetchCount(FetchDescriptor(predicate: predicate))
            }
            return
        }
    }

    @Test("A thousand sort descriptors")
    func sorting() throws {
        let one = [SortDescriptor(\Sight.rank), SortDescriptor(\Sight.name, order: .reverse)]
        let many = one + (0..<3_000).map { SortDescriptor(\Sight.rank, order: $0 % 2 == 0 ? .forward : .reverse) }
        let context = ModelContext(store.container)
        let expected = try context.fetch(FetchDescriptor<Sight>(sortBy: one)).map(\.name)
        #expect(try context.fetch(FetchDescriptor<Sight>(sortBy: many)).map(\.name) == expected)
    }
}

@Suite("Predicates: length and depth in memory and in the history")
struct DeepPredicateEvaluationTests {
    private typealias Node<Output> = Deep.Node<Output>

    @Test("Filtering in memory")
    func inMemory() async throws {
        let store = try ScriptedContainer()
        try store.add(("Ritz", 3), ("Tent", 0), ("Astoria", 5))
        store.script.change { $0.prefersFilter = true }
        let context = ModelContext(store.container)
        func predicate(_ make: @escaping (PredicateExpressions.Variable<Hotel>) -> Node<Bool>) async throws
            -> Predicate<Hotel>
        {
            try await onThread(stackSize: 64 << 20) { Predicate<Hotel> { make($0) } }
        }
        func sum(_ levels: Int) async throws -> Predicate<Hotel> {
            try await predicate { hotel in
                let stars: Node<Int> = PredicateExpressions.build_KeyPath(root: hotel, keyPath: \.stars)
                let sum = Deep.nest(levels, stars) { (node: Node<Int>) -> Node<Int> in
                    Nodes.arithmetic(stars, node, .add)
                }
                return Nodes.compare(stars, sum, .lessThan)
            }
        }
        let chain = try await predicate { hotel in
            let either = Deep.chain(2_000, .right) { Deep.isEqual(hotel, \.stars, $0 + 4) }
            let neither = Deep.chain(2_000, .both) { Deep.isEqual(hotel, \.stars, $0 + 1) }
            return Nodes.or(either, Nodes.not(neither))
        }
        let (shallow, deep, deeper) = (try await sum(40), try await sum(60), try await sum(1_000))
        try await onThread {
            let found = try context.fetch(FetchDescriptor(predicate: chain)).map(\.name)
            #expect(found == ["Tent", "Astoria"])
            #expect(try context.fetch(FetchDescriptor(predicate: shallow)).map(\.name) == ["Ritz", "Astoria"])
            for predicate in [deep, deeper] {
                #expect(throws: SwiftDataError.unsupportedPredicate) {
                    try context.fetch(FetchDescriptor(predicate: predicate))
                }
            }
        }
    }

    @Test("Predicates on the history")
    func history() async throws {
        let store = try TestStore(.inMemory)
        let context = ModelContext(store.container)
        var tokens: [DefaultHistoryToken] = []
        for author in ["author 7", "author 3000", "author 8"] {
            context.author = author
            context.insert(Trip(name: author, destination: "x"))
            try context.save()
            tokens.append(try context.currentHistoryToken())
        }
        let first = tokens[0]
        let predicate = try await onThread(stackSize: 64 << 20) {
            Predicate<DefaultHistoryTransaction> { transaction in
                let authors = Deep.chain(2_000, .left) { Deep.isEqual(transaction, \.author, "author \($0)") }
                let token: Node<DefaultHistoryToken> = PredicateExpressions.build_KeyPath(
                    root: transaction, keyPath: \.token)
                let later = Nodes.compare(token, PredicateExpressions.build_Arg(first), .greaterThan)
                let negated = Deep.nest(2_000, later) { (node: Node<Bool>) -> Node<Bool> in Nodes.not(node) }
                return Nodes.and(authors, negated)
            }
        }
        let tooDeep = try await onThread(stackSize: 64 << 20) {
            Predicate<DefaultHistoryTransaction> { transaction in
                let isExternal: Node<Bool> = PredicateExpressions.build_KeyPath(
                    root: transaction, keyPath: \.isExternal)
                return Deep.nest(1_000, isExternal) { (node: Node<Bool>) -> Node<Bool> in
                    Nodes.equal(node, isExternal, true)
                }
            }
        }
        try await onThread {
            let descriptor = HistoryDescriptor(predicate: predicate)
            #expect(try context.fetchHistory(descriptor).map(\.author) == ["author 8"])
            #expect(try context.fetchHistoryCount(descriptor) == 1)
            #expect(try HistoryTokenBounds(descriptor).lower.map(\.token) == [first])
            #expect(throws: SwiftDataError.unsupportedPredicate) {
                try context.fetchHistory(HistoryDescriptor(predicate: tooDeep))
            }
            #expect(throws: SwiftDataError.unsupportedPredicate) {
                try context.deleteHistory(HistoryDescriptor(predicate: tooDeep))
            }
            try context.deleteHistory(descriptor)
            let rest = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            #expect(rest.map(\.author) == ["author 7", "author 3000"])
        }
    }

    @Test("A computed operand is copied once")
    func computedOperand() throws {
        let found = try withNode(of: Doubled(text: "ab")) { node in
            let operands = Array(node.operands)
            let value = try #require(operands.first)
            return value.pointer(as: PredicateExpressions.Value<String>.self).pointee.value
        }
        #expect(found == "abab")
    }

    /// A node that a future version of Foundation could have.
    private struct Doubled: PredicateExpression, CompositeNode {
        let text: String
        var operand: PredicateExpressions.Value<String> { PredicateExpressions.build_Arg(text + text) }

        static var parts: [NodePart] { [part(\.operand)] }

        func evaluate(_ bindings: PredicateBindings) throws -> String { text + text }
    }
}
