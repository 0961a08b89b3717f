import Chronicle
import Foundation
import Testing

@Suite("Random predicates")
struct RandomPredicateTests {
    @Test("SQL and Foundation agree", arguments: PredicateFixture.all, [1, 2, 3, 4])
    func agreement(_ fixture: PredicateFixture, seed: UInt64) throws {
        let store = try SightStore(fixture)
        var generator = PredicateGenerator(seed: seed)
        // Set this environment variable for a longer run.
        let count = Int(ProcessInfo.processInfo.environment["CHRONICLE_RANDOM_PREDICATES"] ?? "") ?? 100
        for _ in 1...count { try store.agree(generator.predicate()) }
    }
}
