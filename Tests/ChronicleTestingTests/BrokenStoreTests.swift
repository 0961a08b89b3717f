import Chronicle
import Testing

@testable import ChronicleTesting

@Suite("Stores that break a rule")
struct BrokenStoreTests {
    private let rules = StoreRule<FaultyStore>.models + StoreRule<FaultyStore>.history

    @Test(arguments: Fault.allCases)
    func isCaught(_ fault: Fault) throws {
        let report = checkRules([fault.rule]) { FaultyStore.Configuration(fault: fault) }
        #expect(report.failed.map(\.rule) == [fault.rule.name])
        // What is said is what was expected.
        #expect(report.failed.first?.text.contains("expected") == true)
    }

    @Test func everyRuleHasAFault() {
        #expect(Set(Fault.allCases.map(\.rule.name)) == Set(rules.map(\.name)))
        #expect(Fault.allCases.count == rules.count)
    }

    @Test func withoutAFaultNothingIsBroken() {
        let report = checkRules(rules) { FaultyStore.Configuration(fault: nil) }
        #expect(report.conforms, "\(report)")
        #expect(report.passed == rules.map(\.name))
    }

    @Test func whatIsNotDeclaredIsLeftOut() {
        let report = checkRules(rules, supporting: []) { FaultyStore.Configuration(fault: nil) }
        #expect(report.conforms, "\(report)")
        #expect(report.skipped.map(\.rule) == rules.filter { !$0.needs.isEmpty }.map(\.name))
        let tombstones = report.skipped.first { $0.rule == StoreRule<FaultyStore>.tombstones.name }
        #expect(tombstones?.text == "the store does not declare deletes, deleteHistory, tombstones")
    }

    @Test func aStoreThatCannotBeOpenedBreaksEveryRule() {
        let report = checkRules(rules) { () throws -> FaultyStore.Configuration in throw SwiftDataError.storeIsFull }
        #expect(report.failed.count == rules.count && !report.conforms)
        #expect("\(report)".contains("broken: deleted models are gone: expected no error, got storeIsFull"))
    }
}
