import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Random predicates")
struct RandomPredicateTests {
    private let count = TestSeed.rounds(40).count

    @Test(
        "Saved models, models with unsaved changes, and Foundation agree", arguments: PredicateFixture.all,
        [1, 2, 3, 4])
    func agreement(_ fixture: PredicateFixture, seed: UInt64) throws {
        let store = try SightStore(fixture)
        var generator = PredicateGenerator(seed: seed)
        for _ in 1...count {
            let predicate = generator.predicate()
            try store.agree(predicate)
            try store.agreeForUnsavedModels(predicate)
        }
    }

    @Test("Calculations with captured values", arguments: PredicateFixture.all, [9, 10, 11, 12])
    func captures(_ fixture: PredicateFixture, seed: UInt64) throws {
        let store = try SightStore(fixture)
        var generator = PredicateGenerator(seed: seed)
        generator.calculatesCaptures = true
        for _ in 1...count {
            let predicate = generator.predicate()
            try store.agree(predicate)
            try store.agreeForUnsavedModels(predicate)
        }
    }

    @Test("Calculations that Foundation traps in", arguments: PredicateFixture.all, [5, 6, 7, 8])
    func undefinedCalculations(_ fixture: PredicateFixture, seed: UInt64) throws {
        let store = try SightStore(fixture)
        var generator = PredicateGenerator(seed: seed)
        generator.calculatesFreely = true
        for _ in 1...count {
            let predicate = generator.predicate()
            try store.agreeBeforeAndAfterSave(predicate)
            try store.agreeForUnsavedModels(predicate)
        }
    }
}
