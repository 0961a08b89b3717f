import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

/// Files that are not complete journals. Opening them changes none of them.
@Suite struct DamageTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func damageBeforeTheLastRecordThrows() throws {
        try fixture.write("one")
        let begin = try fixture.bytes.count
        try fixture.write("two")
        let end = try fixture.bytes.count
        try fixture.write("three")
        let bytes = try fixture.bytes
        for index in begin..<end {
            var spoiled = bytes
            spoiled[index] ^= 64
            let url = try fixture.copy(spoiled)
            let error = try #require(throws: SwiftDataError.self) { try Fixture.open(url) }
            #expect(error == .damagedFile)
            #expect(error.detail?.contains("byte \(begin) ") == true, "\(error)")
            #expect(error.storeIdentifier != nil)
            #expect(try Data(contentsOf: url) == spoiled)
        }
    }

    @Test func missingRecordThrows() throws {
        try fixture.write("one")
        let begin = try fixture.bytes.count
        try fixture.write("two")
        let end = try fixture.bytes.count
        try fixture.write("three")
        var bytes = try fixture.bytes
        bytes.removeSubrange(begin..<end)
        let url = try fixture.copy(bytes)
        #expect(throws: SwiftDataError.damagedFile) { try Fixture.open(url) }
    }

    @Test func damageToAnyHeaderByteThrows() throws {
        try fixture.write("one")
        let bytes = try fixture.bytes
        for index in 0..<40 {
            var spoiled = bytes
            spoiled[index] ^= 1
            let url = try fixture.copy(spoiled)
            #expect("byte \(index)") {
                try Fixture.open(url)
            } throws: {
                SwiftDataError.loadIssueModelContainer ~= $0
            }
        }
    }

    @Test(arguments: [
        ("no journal at all\n", SwiftDataError.notADatabase), ("x", .notADatabase),
        ("Chronicle", .damagedFile),
        ("ChronicleJournal\u{2}\0\0\0" + String(repeating: "?", count: 100), .unsupportedFileVersion),
        ("ChronicleJournal\u{1}\0\0\0" + String(repeating: "?", count: 100), .damagedFile),
    ])
    func otherFilesAreNotChanged(_ text: String, _ kind: SwiftDataError) throws {
        let url = try fixture.copy(Data(text.utf8))
        let beside = URL(fileURLWithPath: url.path + ".new")
        try Data("beside".utf8).write(to: beside)
        let error = try #require(throws: SwiftDataError.self) { try Fixture.open(url) }
        #expect(error == kind)
        #expect(try Data(contentsOf: url) == Data(text.utf8))
        #expect(try Data(contentsOf: beside) == Data("beside".utf8))
    }

    @Test func journalWithoutItsFirstRowsIsDamaged() throws {
        try fixture.write("one", "two", "three")
        try fixture.context().deleteHistory(HistoryDescriptor<JournalTransaction>())
        let bytes = try fixture.bytes
        for end in 40..<bytes.count {
            let url = try fixture.copy(bytes.prefix(end))
            #expect(throws: SwiftDataError.damagedFile) { try Fixture.open(url) }
        }
    }

    @Test func pathsWithoutAFileThrow() throws {
        let missing = fixture.directory.url.appending(path: "missing/notes.journal")
        #expect(throws: SwiftDataError.missingDirectory) { try Fixture.open(missing) }
        #expect(throws: SwiftDataError.notADatabase) { try Fixture.open(fixture.directory.url) }
    }

    @Test func emptyFileBecomesAJournal() throws {
        let url = try fixture.copy(Data())
        #expect(try Fixture(fixture.directory, url).texts() == [])
        #expect(try Data(contentsOf: url).starts(with: Data("ChronicleJournal".utf8)))
    }

    @Test func damageToAnOpenJournalThrows() throws {
        try fixture.write("one", "two")
        var bytes = try fixture.bytes
        bytes[bytes.count - 5] ^= 1
        let handle = try FileHandle(forWritingTo: fixture.url)
        try handle.write(contentsOf: bytes)
        try handle.close()
        #expect(throws: SwiftDataError.damagedFile) { try fixture.history() }
    }

    @Test func deletingOrReplacingAnOpenJournalThrows() throws {
        try fixture.write("one")
        let other = try Fixture()
        try other.write("other")
        try FileManager.default.removeItem(at: fixture.url)
        #expect(throws: SwiftDataError.storeFailure) { try fixture.texts() }
        #expect(throws: SwiftDataError.storeFailure) { try fixture.write("two") }
        try FileManager.default.copyItem(at: other.url, to: fixture.url)
        #expect(throws: SwiftDataError.storeFailure) { try fixture.texts() }
        #expect(throws: SwiftDataError.storeFailure) { try fixture.write("two") }
        #expect(try other.texts() == ["other"])
    }
}
