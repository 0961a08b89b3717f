import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

@testable import ChronicleConformance
@testable import ChronicleConformanceWorker

@Suite("Stores with a fault")
struct BrokenStoreTests {
    private typealias Rule = StoreRule<FaultyStore>
    private typealias FileRule = StoreRule<FaultyFileStore>

    private let rules = Rule.models + Rule.history
    /// The rules about these also need a file.
    private let features = StoreFeatures.all.subtracting([.referentialIntegrity, .migrations])

    @Test(arguments: Fault.allCases)
    func conformanceRulesDetectTheFault(_ fault: Fault) throws {
        let report = checkRules([fault.rule], supporting: features) { FaultyStore.Configuration(fault: fault) }
        expectBroken(fault.rule.name, report)
    }

    @Test(arguments: FileFault.allCases)
    func conformanceRulesDetectTheFaultInAFile(_ fault: FileFault) throws {
        let directory = try TemporaryDirectory()
        let report = checkRules([fault.rule], fixture: .faulty) {
            FaultyFileStore.Configuration(url: directory.file(), fault: fault)
        }
        expectBroken(fault.rule.name, report)
    }

    /// The example store does not maintain references, and does not declare referential integrity. Here it does.
    @Test func missingReferentialIntegrityIsDetected() {
        for rule in StoreRule<MemoryStore>.integrity + [.storeCascades] {
            expectBroken(rule.name, checkRules([rule]) { MemoryStoreConfiguration() })
        }
    }

    private func expectBroken(_ rule: String, _ report: ConformanceReport) {
        #expect(report.failed.map(\.rule) == [rule], "\(report)")
        // The failures must be conformance failures and not unrelated errors; the context itself detects some faults.
        let text = report.failed.first?.text ?? ""
        #expect(text.hasPrefix("expected "), "\(report)")
        #expect(!text.contains("expected no error") || text.contains("invalidStoreResponse"), "\(report)")
    }

    @Test func everyRuleHasAFault() {
        var broken = Fault.allCases.map(\.rule.name) + FileFault.allCases.map(\.rule.name)
        broken += (Rule.integrity + [.storeCascades]).map(\.name)
        #expect(Set(broken) == Set(rules.map(\.name)))
        #expect(broken.count == rules.count)
    }

    private func isApplicable(_ rule: Rule) -> Bool {
        features.contains(rule.needs) && rule.capabilities.isEmpty && rule.missingSupport == nil
    }

    @Test func storeWithoutAFaultConforms() throws {
        let report = checkRules(rules, supporting: features) { FaultyStore.Configuration(fault: nil) }
        #expect(report.conforms, "\(report)")
        #expect(report.passed == rules.filter(isApplicable).map(\.name))
        let directory = try TemporaryDirectory()
        let recovery = FileFault.allCases.map(\.rule)
        let inAFile = checkRules(recovery, fixture: .faulty) {
            FaultyFileStore.Configuration(url: directory.file(), fault: nil)
        }
        #expect(inAFile.passed == recovery.map(\.name), "\(inAFile)")
    }
}
