import ChronicleTesting
import Foundation
import JournalStore
import Testing

/// The rules that every store has to keep to, killed processes and restored backups among them.
@Test func conforms() throws {
    let directory = try TemporaryDirectory()
    let report = assertStoreConforms(tools: .file(\.url, worker: "JournalWorker")) {
        JournalStoreConfiguration(url: directory.file(), durability: .relaxed)
    }
    // A journal is its history, which cannot be switched off.
    #expect(report.skipped.map(\.text) == ["there is no way to switch the history off (StoreTools.recording)"])
}
