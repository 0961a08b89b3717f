import ChronicleTesting
import Foundation
import JournalStore
import Testing

/// The rules for all stores, including those about killed processes and restored backups.
@Test func conforms() throws {
    let directory = try TemporaryDirectory()
    let report = assertStoreConforms(
        supporting: .all.subtracting([.links, .migrations]), fixture: .file(\.url, worker: "JournalWorker")
    ) {
        JournalStoreConfiguration(url: directory.file(), durability: .relaxed)
    }
    // A journal is its history, which cannot be disabled.
    let protocols = [
        "DataStoreConsuming", "DataStoreExporting", "HistoryPaging", "HistoryRetaining", "HistoryTagging",
        "HistoryValueRetaining",
    ].map { "the store does not conform to \($0)" }
    let capabilities = ["earlierPositions", "explicitIdentifiers", "inheritance", "replay"]
        .map { "the store does not have the capability \($0)" }
    #expect(
        Set(report.skipped.map(\.text))
            == Set(
                protocols + capabilities + [
                    "the fixture does not disable the history (StoreFixture.recording)",
                    "the store does not declare links", "the store does not declare migrations",
                ]))
}
