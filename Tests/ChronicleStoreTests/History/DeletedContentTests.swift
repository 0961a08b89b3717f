import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Content that was deleted from the history is no longer in the file.
@Suite struct DeletedContentTests {
    @Test func deletedValuesAreOverwritten() throws {
        let store = try TestStore(.file)
        let context = store.context()
        // Short and long values, so that some use overflow pages.
        let secrets = (0..<40).map { number in
            "secret \(number) " + String(repeating: "s", count: number % 4 == 0 ? 9_000 : number)
        }
        for secret in secrets { context.insert(Trip(name: secret, destination: "somewhere")) }
        try context.save()
        for trip in try context.fetch(FetchDescriptor<Trip>()) {
            context.delete(trip)
            try context.save()
        }
        _ = try store.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try occurrences(in: store.url) == 40)

        try store.store.deleteHistory(Descriptor())
        #expect(try store.history().isEmpty)
        // A checkpoint removes it from the file, as documented in the guide.
        #expect(try occurrences(in: store.url) == 40)
        _ = try store.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try occurrences(in: store.url) == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.url.path + "-wal")).isEmpty)
        withExtendedLifetime(store) {}
    }

    /// Returns the number of the values that are in the file.
    private func occurrences(in file: URL) throws -> Int {
        // In another process, because closing the file in this one would release SQLite's locks on it.
        // https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
        let copy = URL(fileURLWithPath: file.path + "-copy")
        try #require(try Shell.run("/usr/bin/env", ["cp", file.path, copy.path]).status == 0)
        let bytes = try Data(contentsOf: copy)
        return (0..<40).count { bytes.range(of: Data("secret \($0) ".utf8)) != nil }
    }

    @Test(arguments: StoreKind.allCases)
    func everySQLiteVersionOverwritesDeletedContent(_ kind: StoreKind) throws {
        #expect(try TestStore(kind).number("PRAGMA secure_delete") == 1)
    }
}
