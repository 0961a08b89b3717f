import ChronicleTesting
import Foundation
import JournalStore
import Testing

/// The rules that every store has to keep to.
@Test func conforms() throws {
    let directory = try TemporaryDirectory()
    let report = assertStoreConforms(tools: .file(\.url)) {
        JournalStoreConfiguration(url: directory.file(), durability: .relaxed)
    }
    #expect(report.skipped.allSatisfy { $0.text.hasPrefix("there is no ") })
}
