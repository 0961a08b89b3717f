import Chronicle
import ChronicleConformance
import ChronicleTestSupport
import ChronicleTesting
import ExampleStore
import Foundation
import Testing

@testable import ChronicleStore

#if !canImport(Darwin)
    import JSONStore
#endif

@Suite("Conforming stores")
struct ConformanceTests {
    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func defaultStoreInAFileConforms(_ recorder: ModelConfiguration.Recorder) throws {
        let directory = try TemporaryDirectory()
        let report = assertStoreConforms(
            fixture: .file(\.url, recordsHistory: \.recordsHistory, worker: "ChronicleConformanceWorker")
        ) {
            var configuration = ModelConfiguration(url: directory.file(), durability: .relaxed)
            configuration.recorder = recorder
            return configuration
        }
        #expect(report.skipped.isEmpty)
    }

    /// Some rules use the values of updates if there are any.
    @Test func defaultStoreWithPreservedValuesConforms() throws {
        let directory = try TemporaryDirectory()
        typealias Rule = StoreRule<DefaultStore>
        let rules = Rule.restoring + Rule.earlierPositions + Rule.modelHistory + Rule.tags + Rule.replicas
        let report = checkRules(rules) {
            ModelConfiguration(url: directory.file(), durability: .relaxed, preservesValues: true)
        }
        #expect(report.passed == rules.map(\.name), "\(report)")
    }

    @Test(arguments: ModelConfiguration.Recorder.allCases)
    func defaultStoreInMemoryConforms(_ recorder: ModelConfiguration.Recorder) {
        let report = assertStoreConforms(supporting: .all.subtracting([.reopening, .sharing])) {
            var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
            configuration.recorder = recorder
            return configuration
        }
        let reasons = Set(report.skipped.map(\.text))
        #expect(reasons == ["the store does not declare reopening", "the store does not declare sharing"])
    }

    @Test func exampleStoreConforms() {
        let report = assertStoreConforms(supporting: .all.subtracting([.referentialIntegrity, .migrations])) {
            MemoryStoreConfiguration()
        }
        let optional = report.skipped.filter {
            $0.text.hasPrefix("the store does not conform to ")
                || $0.text.hasPrefix("the store does not have the capability ")
        }
        let expected =
            StoreRule<MemoryStore>.inheritance + StoreRule<MemoryStore>.restoring + StoreRule<MemoryStore>.events
            + StoreRule<MemoryStore>.subclassHistory + StoreRule<MemoryStore>.earlierPositions
            + StoreRule<MemoryStore>.replicas + StoreRule<MemoryStore>.retention
        #expect(optional.map(\.rule) == expected.map(\.name))
        #expect(report.passed.contains(StoreRule<MemoryStore>.tags[0].name))
        let recovery = report.skipped.filter {
            !optional.contains($0) && !$0.text.hasPrefix("the store does not declare ")
        }
        #expect(recovery.allSatisfy { $0.text.hasPrefix("the fixture ") })
    }

    #if !canImport(Darwin)
        @Test func storeWrittenForSwiftDataConforms() throws {
            let directory = try TemporaryDirectory()
            assertStoreConforms(supporting: [.updates, .deletes, .reopening, .nulCharacters]) {
                JSONStoreConfiguration(name: "json", fileURL: directory.file())
            }
        }
    #endif
}
