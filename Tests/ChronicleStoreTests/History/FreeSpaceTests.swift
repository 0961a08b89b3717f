import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Purges return the space of deleted history to the file system.
@Suite struct FreeSpaceTests {
    private func filled() throws -> TestStore {
        let store = try TestStore(.file)
        let context = store.context()
        for number in 0..<100 {
            for item in 0..<300 { context.insert(BucketListItem(title: "\(number) \(item)")) }
            try context.save()
        }
        return store
    }

    private func size(_ store: TestStore) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: store.url.path)
        return try #require(attributes[.size] as? NSNumber).intValue
    }

    @Test func purgesShrinkTheFile() async throws {
        let store = try filled()
        _ = try store.database.write { try $0.truncateLog() }
        let before = try size(store)
        let results = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        #expect(results[0].returnedBytes > 100_000)
        #expect(try store.number("PRAGMA freelist_count") == 0)
        // The pages are removed from the file when the log is copied.
        #expect(try store.database.write { try $0.truncateLog() })
        #expect(try size(store) == before - results[0].returnedBytes)
        #expect(try store.shell("PRAGMA integrity_check") == "ok")
    }

    /// The last checkpoint of a purge copies the whole log unless a reader needs it.
    @Test func theLogIsCopied() async throws {
        let store = try filled()
        let before = try size(store)
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        let statement = try store.shell("PRAGMA wal_checkpoint(PASSIVE)")
        #expect(statement.hasPrefix("0|"))
        #expect(try size(store) < before)
    }

    @Test func compactedFilesReturnSpace() async throws {
        let store = try filled()
        // Like a file that an earlier version created.
        try store.shell("PRAGMA auto_vacuum = NONE; VACUUM")
        #expect(try store.shell("PRAGMA auto_vacuum") == "0")
        let container = try store.reopened([BucketListItem.self, Trip.self])
        let other = try #require(container.stores.first as? DefaultStore)
        let results = try await container.purgeHistory(HistoryRetention(maximumChanges: 20_000))
        #expect(results[0].transactions > 0 && results[0].returnedBytes == 0)
        #expect(try #require(Int(store.shell("PRAGMA freelist_count"))) > 0)
        let all = try other.fetchHistory(Descriptor())
        try other.compact()
        #expect(try store.shell("PRAGMA auto_vacuum") == "2")
        #expect(try store.shell("PRAGMA freelist_count") == "0")
        #expect(try other.fetchHistory(Descriptor()) == all)
        let more = try await container.purgeHistory(HistoryRetention(maximumChanges: 1))
        #expect(more[0].returnedBytes > 0)
        #expect(try store.shell("PRAGMA integrity_check") == "ok")
    }

    @Test func storesInMemoryAreNotCompacted() throws {
        let store = try TestStore(.inMemory)
        try store.add("a")
        try store.store.compact()
        #expect(try store.history().count == 1)
    }

    @Test func readOnlyStoresAreNotCompacted() throws {
        let store = try filled()
        let configuration = ModelConfiguration(url: store.url, allowsSave: false)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let other = try #require(container.stores.first as? DefaultStore)
        #expect(throws: SwiftDataError.storeReadOnly) { try other.compact() }
    }

    /// Another program may free pages as fast as a purge returns them.
    @Test func returningPagesEnds() {
        var pacing = PurgePacing()
        for _ in 0..<2 {
            var steps = 1
            while !pacing.returnedPages(64, of: 10_000, in: .microseconds(1_500)) { steps += 1 }
            #expect(steps == 157)
        }
        // A purge that deletes history counts the free pages again.
        let first = pacing.returnedPages(64, of: 100, in: .microseconds(1_500))
        pacing.deleted(in: .microseconds(1_500))
        let second = pacing.returnedPages(64, of: 100, in: .microseconds(1_500))
        let third = pacing.returnedPages(64, of: 10_000, in: .microseconds(1_500))
        #expect([first, second, third] == [false, false, true])
    }
}
