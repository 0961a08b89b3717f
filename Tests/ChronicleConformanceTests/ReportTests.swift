import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

@testable import ChronicleConformance

@Suite("Conformance reports")
struct ReportTests {
    private let rules = StoreRule<FaultyStore>.models + StoreRule<FaultyStore>.history

    @Test func rulesForUndeclaredFeaturesAreSkipped() {
        let report = checkRules(rules, supporting: []) { FaultyStore.Configuration(fault: nil) }
        #expect(report.conforms, "\(report)")
        #expect(
            report.skipped.map(\.rule) == rules.filter { !$0.needs.isEmpty || $0.missingSupport != nil }.map(\.name))
        let tombstones = report.skipped.first { $0.rule == StoreRule<FaultyStore>.tombstones.name }
        #expect(tombstones?.text == "the store does not declare deletes, deleteHistory, tombstones")
        let sharing = report.skipped.first { $0.rule == StoreRule<FaultyStore>.sharedSaves.name }
        #expect(sharing?.text == "the store does not declare sharing")
    }

    @Test func rulesForMissingCapabilitiesAreSkipped() {
        let report = checkRules(rules.filter { !$0.capabilities.isEmpty }) { FaultyStore.Configuration(fault: nil) }
        #expect(report.passed.isEmpty && report.conforms)
        #expect(
            Set(report.skipped.map(\.text)) == [
                "the fixture has no worker (StoreFixture.worker)",
                "the fixture does not copy stores (StoreFixture.copy)",
                "the fixture does not disable the history (StoreFixture.recording)",
            ])
    }

    @Test func reportHasALineForEachRule() {
        let some = [StoreRule<FaultyStore>.concurrentSaves, .uniqueness, .sorts]
        let report = checkRules(some, supporting: .all.subtracting(.uniqueness)) {
            FaultyStore.Configuration(fault: .ignoresSorts)
        }
        let lines = "\(report)".split(separator: "\n")
        #expect(lines.first == "FaultyStore: 1 rules passed, 1 failed, 1 skipped")
        #expect(lines[1].hasPrefix("failed: \(some[2].name): expected the order of Specimen by string, uuid to be ["))
        #expect(lines[2] == "skipped: \(some[1].name): the store does not declare uniqueness")
        #expect(lines[3] == "passed: \(some[0].name)")
        #expect(lines.count == 4)
    }

    @Test func everyRuleFailsIfTheStoreCannotBeOpened() {
        let report = checkRules(rules) { () throws -> FaultyStore.Configuration in throw SwiftDataError.storeFull }
        let applicable = rules.filter { $0.capabilities.isEmpty && $0.missingSupport == nil }
        #expect(report.failed.count == applicable.count && !report.conforms)
        #expect("\(report)".contains("failed: deleted models are not fetched: expected no error, found storeFull"))
    }

    @Test func reportNamesAStoreThatIsNotEmpty() {
        let memory = Memory()
        let report = checkRules(Array(rules.prefix(2))) { FaultyStore.Configuration(memory: memory, fault: nil) }
        #expect(report.failed.map(\.rule) == [rules[1].name])
        #expect(
            report.failed[0].text.contains("a new store with its own identifier for each rule")
                && report.failed[0].text.contains(memory.identifier))
    }

    @Test func longValuesAreTruncated() {
        let report = checkRules([StoreRule<FaultyStore>.concurrentSaves, .sorts]) {
            FaultyStore.Configuration(fault: .ignoresSorts)
        }
        #expect(report.failed.allSatisfy { $0.text.count < 1_000 }, "\(report)")
        #expect(shown(Array(1...1_000)).hasSuffix("… (4893 characters)"))
    }

    @Test func reportNamesAMissingWorkerProgram() throws {
        let directory = try TemporaryDirectory()
        let report = checkRules(
            [StoreRule<DefaultStore>.acknowledgedSaves], fixture: .file(\.url, worker: "NoSuchWorker")
        ) {
            ModelConfiguration(url: directory.file())
        }
        let text = try #require(report.failed.first?.text)
        #expect(text.hasPrefix("expected the worker's program at ") && text.contains("/NoSuchWorker; "))
    }

    @Test func reportContainsTheOutputOfAFailedWorker() throws {
        let directory = try TemporaryDirectory()
        var fixture = StoreFixture<ModelConfiguration>.file(\.url)
        fixture.worker = StoreWorker(program: URL(fileURLWithPath: "/bin/sh")) { _ in "/nowhere" }
        let report = checkRules([StoreRule<DefaultStore>.acknowledgedSaves], fixture: fixture) {
            ModelConfiguration(url: directory.file())
        }
        let text = try #require(report.failed.first?.text)
        #expect(text.hasPrefix("expected the worker to save until it is killed, within "))
        // The output of the program: here, a shell that cannot find the script.
        #expect(text.contains("it ended with exit code ") && text.contains("/nowhere"))
    }
}
