import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random histories of several writers, with links, cascades, changes of other programs, and changes of the schema. All
/// positions are read, compared and reverted, and the results are compared with the states that were kept.
@Suite struct RandomTimeTravelTests {
    @Test(arguments: TestSeed.rounds(3)) func statesThatWereKeptAreReadComparedAndRestored(_ number: Int) throws {
        var history = try PoemHistory(TestSeed.generator(number))
        for version in PoemVersions.all {
            try history.write(version, steps: 15)
            try history.expectPositions(version)
            try history.expectNetChanges(version)
        }
        // A few histories have too many conflicts, or none.
        let latest = try #require(PoemVersions.all.last)
        for _ in 0..<20 where history.appliedReverts <= 3 || history.refusedReverts == 0 {
            try history.write(latest, steps: 5)
        }
        #expect(history.appliedReverts > 3 && history.refusedReverts > 0, "\(TestSeed.description)")
    }
}
