import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// After random purges with rules, exactly the values are gone that the rules name.
@Suite struct RandomValueRuleTests {
    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func exactlyTheValuesOfTheRulesAreGone(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        var erased = 0
        // A consumer can hold all values of a run.
        for number in 0..<8 where number < 3 || erased == 0 {
            let store = try TestStore(kind, preservesValues: true, recorder: recorder)
            var simulation = try ValueRuleSimulation(
                TestSeed.generator(number),
                writeByOthers: { number in
                    try store.foreign(
                        """
                        UPDATE Trip SET note = 'other \(number)', destination = 'x' WHERE id % 3 = \(number % 3); \
                        UPDATE BucketListItem SET title = 'other \(number)' WHERE id % 4 = \(number % 4); \
                        DELETE FROM BucketListItem WHERE id % 7 = \(number % 7)
                        """)
                }
            ) {
                // A store in memory has no other process.
                kind == .inMemory ? store.container : try store.reopened()
            }
            do { try simulation.run(steps: 50) } catch let mismatch as ValueRuleSimulation.Mismatch {
                Issue.record("\(mismatch), \(TestSeed.description)")
            }
            erased += simulation.erased
            #expect(try store.problems().isEmpty)
        }
        #expect(erased > 0, "\(TestSeed.description)")
    }
}

extension TestStore {
    /// What a verification reports. In memory, there is no file to verify.
    func problems() throws -> [String] {
        var problems = try historyFailures()
        if kind == .file { try DefaultStore.verify(fileAt: url) { problems.append("\($0.kind) \($0)") } }
        return problems
    }
}
