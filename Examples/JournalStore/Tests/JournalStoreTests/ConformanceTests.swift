import ChronicleTesting
import Foundation
import JournalStore
import Testing

/// The rules for all stores, including those about killed processes and restored backups.
@Test func conforms() throws {
    let directory = try TemporaryDirectory()
    let report = assertStoreConforms(
        supporting: .all.subtracting(.links), fixture: .file(\.url, worker: "JournalWorker")
    ) {
        JournalStoreConfiguration(url: directory.file(), durability: .relaxed)
    }
    // A journal is its history, which cannot be disabled.
    let skipped = Set(report.skipped.map(\.text))
    #expect(
        skipped == [
            "the fixture does not disable the history (StoreFixture.recording)", "the store does not declare links",
            "the store does not conform to DataStoreInheriting", "the store does not conform to DataStoreConsuming",
            "the store does not conform to HistoryRetaining", "the store does not conform to HistoryPaging",
            "the store does not conform to DataStoreVersioning",
        ])
}
