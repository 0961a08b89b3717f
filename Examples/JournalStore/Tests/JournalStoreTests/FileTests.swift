import Chronicle
import Foundation
import Testing

@testable import JournalStore
@testable import JournalWorker

/// Replacing a journal with a new file: what is preserved, and what happens when it fails.
@Suite struct FileTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(durability: .full)
        try fixture.write("one", "two", "three")
    }

    private func status(_ url: URL) throws -> stat {
        var status = stat()
        try #require(lstat(url.path, &status) == 0)
        return status
    }

    private func deleteHistory() throws {
        let token = try #require(try fixture.history().dropLast().last?.token)
        try fixture.context().deleteHistory(HistoryDescriptor<JournalTransaction>.before(token))
        try fixture.store.compact()
    }

    @Test(arguments: [0o600, 0o640, 0o666] as [mode_t])
    func compactionKeepsPermissions(_ mode: mode_t) throws {
        #expect(chmod(fixture.url.path, mode) == 0)
        let before = try status(fixture.url)
        try deleteHistory()
        let after = try status(fixture.url)
        #expect(after.st_ino != before.st_ino && after.st_mode == before.st_mode)
        #expect(try fixture.again().texts() == ["one", "two", "three"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may change the owner of a file"))
    func compactionKeepsTheOwner() throws {
        #expect(chown(fixture.url.path, 65534, 65534) == 0)
        try deleteHistory()
        let after = try status(fixture.url)
        #expect(after.st_uid == 65534 && after.st_gid == 65534)
    }

    /// A file that is left over from a killed compaction may have other permissions.
    @Test func leftoverCompactionFileIsReplaced() throws {
        let elsewhere = fixture.directory.file()
        try Data("elsewhere".utf8).write(to: elsewhere)
        try FileManager.default.createSymbolicLink(
            atPath: fixture.url.path + ".new", withDestinationPath: elsewhere.path)
        try deleteHistory()
        #expect(try status(fixture.url).st_mode & S_IFMT == S_IFREG)
        #expect(try Data(contentsOf: elsewhere) == Data("elsewhere".utf8))
    }

    // MARK: The directory

    private func withFailingDirectory(_ body: () throws -> Void) throws {
        try JournalFile.$synchronizeDirectory.withValue(
            { _ in throw JournalFile.error("synchronize the directory of", EIO) }, operation: body)
    }

    @Test func compactionFailsIfTheDirectoryCannotBeSynchronized() throws {
        try withFailingDirectory {
            let error = #expect(throws: SwiftDataError.storeFailure) { try deleteHistory() }
            #expect(error?.underlying as? POSIXError == POSIXError(.EIO))
        }
        for store in [fixture, try fixture.again()] {
            #expect(try store.texts() == ["one", "two", "three"])
            #expect(try store.history().map(\.transactionIdentifier) == [3])
        }
        try fixture.write("four")
        #expect(try fixture.again().texts() == ["one", "two", "three", "four"])
    }

    /// A save is only durable if the name of its file is on the disk as well.
    @Test func saveFailsUntilTheDirectoryIsSynchronized() throws {
        let again = try Fixture(fixture.directory, fixture.url, durability: .full)
        try withFailingDirectory {
            #expect(throws: SwiftDataError.storeFailure) { try deleteHistory() }
            for store in [fixture, again] {
                let size = try fixture.bytes.count
                #expect(throws: SwiftDataError.storeFailure) { try store.write("lost") }
                #expect(try fixture.bytes.count == size)
            }
        }
        try again.write("four")
        try fixture.write("five")
        #expect(try again.texts() == ["one", "two", "three", "four", "five"])
    }

    @Test func newJournalFailsIfTheDirectoryCannotBeSynchronized() throws {
        let url = fixture.directory.file()
        try withFailingDirectory {
            #expect(throws: SwiftDataError.storeFailure) { try Fixture.open(url) }
        }
        let store = try Fixture(fixture.directory, url, durability: .full)
        try store.write("one")
        #expect(try store.again().texts() == ["one"])
    }

    // MARK: Symbolic links

    @Test func compactionKeepsASymbolicLink() throws {
        let link = fixture.directory.file()
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: fixture.url.path)
        let linked = try Fixture(fixture.directory, link)
        try linked.write("four")
        let token = try #require(try linked.history().last?.token)
        try linked.context().deleteHistory(HistoryDescriptor<JournalTransaction>.before(token))
        try linked.store.compact()
        #expect(try status(link).st_mode & S_IFMT == S_IFLNK)
        try fixture.write("five")
        try linked.write("six")
        for store in [fixture, linked] { #expect(try store.texts() == ["one", "two", "three", "four", "five", "six"]) }
    }

    @Test func journalIsCreatedAtTheTargetOfASymbolicLink() throws {
        let (link, url) = (fixture.directory.file(), fixture.directory.file())
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: url.lastPathComponent)
        try Fixture(fixture.directory, link).write("one")
        #expect(try status(link).st_mode & S_IFMT == S_IFLNK)
        #expect(try Fixture(fixture.directory, url).texts() == ["one"])
    }
}
