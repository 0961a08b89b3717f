import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Expressions that a store cannot translate throw an error that names the part, before anything is read.
@Suite("Predicates: unsupported expressions")
struct UnsupportedPredicateTests {
    private let store: SightStore

    init() throws { store = try SightStore() }

    private func expect<Model: PersistentModel>(
        _ detail: String, _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
            try store.context.fetch(FetchDescriptor(predicate: predicate))
        }
        #expect(error == .unsupportedPredicate, sourceLocation: location)
        #expect(error?.entityName == Model.entityName, sourceLocation: location)
        #expect(error?.detail?.contains(detail) == true, "\(error?.detail ?? "no detail")", sourceLocation: location)
    }

    @Test("Nodes")
    func nodes() {
        // { $0.score is String }
        expect(
            "TypeCheck",
            Predicate<Sight> { sight in
                PredicateExpressions.TypeCheck<_, String>(
                    PredicateExpressions.build_KeyPath(root: sight, keyPath: \.score))
            })
        expect("DictionaryKeySubscript", #Predicate<Atlas> { $0.pages["x"] == 1 })
        expect("CollectionIndexSubscript", #Predicate<Sight> { $0.tags[0] == "x" })
        expect("StringContainsRegex", #Predicate<Sight> { $0.name.contains(/T.*r/) })
        expect("SequenceMaximum", #Predicate<Sight> { $0.tags.max() == "x" })
        expect("captured Array<Int>", #Predicate<Sight> { sight in [1, 2].filter { $0 == sight.rank }.count > 1 })
    }

    @Test("Contents of a value")
    func insides() {
        expect("a computed property of Size is not in its JSON", #Predicate<Sight> { $0.size.area > 1 })
        expect("Level is not CaseIterable", #Predicate<Sight> { $0.level.rawValue == 1 })
    }

    @Test("Order that is not stored")
    func order() {
        let level = Sight.Level.low
        expect("Level", #Predicate<Sight> { $0.level < level })
        expect("Float", #Predicate<Sight> { $0.weight * 2 > 1 })
    }

    @Test("Properties that are not stored, and values without a unique representation")
    func properties() {
        let marks: Set = ["a", "b"]
        let number = UInt64.max
        expect(
            "a computed property of Sight with a value of type Bool, which is not a stored property",
            #Predicate<Sight> { $0.hasChanges })
        expect("to-many property visits", #Predicate<Sight> { $0.visits == $0.visits })
        expect("Set<String>", #Predicate<Atlas> { $0.marks == marks })
        expect("UInt64", #Predicate<Atlas> { $0.number == number })
    }

    @Test("A set with one element")
    func oneForm() throws {
        let marks: Set = ["a"]
        try store.agree(#Predicate<Atlas> { $0.marks == marks })
        try store.agree(#Predicate<Atlas> { $0.marks != marks })
    }
}
