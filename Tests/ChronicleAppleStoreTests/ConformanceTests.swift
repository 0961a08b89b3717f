import Chronicle
import ChronicleConformance
import ChronicleTestSupport
import Foundation
import Testing

/// The rules for stores that apply to reading.
@Suite("Conformance of the reading of SwiftData's files")
struct ConformanceTests {
    @Test func readsWhatTheRulesSave() throws {
        let directory = try TemporaryDirectory()
        let features = StoreFeatures.all.subtracting([
            .deletingHistory, .sharing, .forks, .migrations, .referentialIntegrity,
        ])
        typealias Rule = StoreRule<MirroredStore>
        // A column of type FLOAT stores -0.0 as 0 and no NaN.
        let rules = (Rule.models + Rule.history).filter { !$0.name.hasSuffix("are stored bit for bit") }
        let report = checkRules(rules, supporting: features, fixture: .file(\.url)) {
            MirroredConfiguration(url: directory.file("\(UUID().uuidString).sqlite"))
        }
        #expect(report.conforms, "\(report)")
        #expect(report.passed.count > 60, "\(report)")
    }
}
