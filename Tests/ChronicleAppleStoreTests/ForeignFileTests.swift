import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleAppleStore

/// Links and journals that refer to files of others, and files that change during a read.
@Suite("Files beside a store of SwiftData")
struct ForeignFileTests {
    let directory: TemporaryDirectory
    let url: URL
    /// A file that must not change.
    let victim: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = try AppleTrips.write(to: directory)
        victim = directory.file("thesis.txt")
        try Data("all of it".utf8).write(to: victim)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: victim.path)
    }

    private func checkVictim() throws {
        #expect(try Data(contentsOf: victim) == Data("all of it".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: victim.path)
        #expect(attributes[.posixPermissions] as? NSNumber == 0o644)
    }

    private func open() throws -> AppleStore {
        try AppleStore(AppleStoreConfiguration(url: url), schema: AppleStore.schema(ofFileAt: url))
    }

    @Test(arguments: ["-wal", "-journal"]) func rejectsLinks(_ suffix: String) throws {
        try FileManager.default.createSymbolicLink(atPath: url.path + suffix, withDestinationPath: victim.path)
        for body in [{ _ = try AppleStore.isAppleStore(fileAt: url) }, { _ = try AppleStore.schema(ofFileAt: url) }] {
            let error = #expect(throws: SwiftDataError.self) { try body() }
            #expect(error == .storeFailure)
            #expect(error?.detail?.contains("\(suffix) is not a regular file") == true)
        }
        try checkVictim()
    }

    @Test func rejectsADirectoryAsLog() throws {
        try FileManager.default.createDirectory(atPath: url.path + "-wal", withIntermediateDirectories: false)
        let error = #expect(throws: SwiftDataError.self) { _ = try open() }
        #expect(error == .storeFailure)
    }

    /// Writes a file with the journal of an interrupted transaction, which ends with the path of a file that SQLite deletes.
    private func writeJournal(naming file: URL?) throws -> URL {
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
        try connection.execute("UPDATE ZPERSON SET ZNAME = 'Lost' || hex(zeroblob(20000))")
        let folder = directory.url.appending(path: "hot")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: "default.store")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        try connection.execute("ROLLBACK")
        connection.close()
        guard let file else { return copy }
        let name = Array(file.path.utf8)
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ((3 - $0) * 8)) } }
        let journal = URL(fileURLWithPath: copy.path + "-journal")
        var data = try Data(contentsOf: journal)
        // The page number of the locking page, which no page of a journal has.
        data += number(0x4000_0000 / 4_096 + 1) + name + number(name.count)
        data += number(name.reduce(0) { $0 + Int($1) }) + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        try data.write(to: journal)
        return copy
    }

    @Test func rejectsAJournalThatNamesAnotherFile() throws {
        let copy = try writeJournal(naming: victim)
        let before = try Data(contentsOf: URL(fileURLWithPath: copy.path + "-journal"))
        let error = #expect(throws: SwiftDataError.self) { _ = try AppleStore.schema(ofFileAt: copy) }
        #expect(error == .storeFailure)
        #expect(error?.detail?.contains("several databases") == true)
        try checkVictim()
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path + "-journal")) == before)
        // SQLite does delete the file.
        let connection = try Connection(path: copy.path, mode: .readWrite)
        #expect(try connection.scalarText("SELECT ZNAME FROM ZPERSON WHERE Z_PK = 1") == "Anna")
        connection.close()
        #expect(!FileManager.default.fileExists(atPath: victim.path))
    }

    // MARK: Files that change

    /// Writes to the file as a checkpoint does: with the same size, and without a log or a journal afterwards.
    private func overwrite() throws {
        let connection = try Connection(path: url.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute("UPDATE ZPERSON SET ZNAME = 'Hanna' WHERE Z_PK = 1")
    }

    private func openOldFile() throws -> AppleStore {
        // The clock of a file system has a limited resolution.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceReferenceDate: 0)], ofItemAtPath: url.path)
        return try open()
    }

    @Test func repeatsAReadDuringWhichTheFileChanged() throws {
        let store = try openOldFile()
        var count = 0
        let name = try store.reading { connection in
            count += 1
            let name = try connection.scalarText("SELECT ZNAME FROM ZPERSON WHERE Z_PK = 1")
            if count == 1 { try overwrite() }
            return name
        }
        #expect(count == 2)
        #expect(name == "Hanna")
        #expect(try store.fetchCount(ofEntity: "Person") == 3)
    }

    @Test func reportsAFileThatChangesAgain() throws {
        let store = try openOldFile()
        var dates = [1.0, 2]
        let error = #expect(throws: SwiftDataError.self) {
            try store.reading { _ in
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceReferenceDate: dates.removeFirst())],
                    ofItemAtPath: url.path)
                // What a mixture of two states looks like.
                throw SwiftDataError.damagedFile
            }
        }
        #expect(error == .storeBusy)
        #expect(error?.underlying as? SwiftDataError == .damagedFile)
        #expect(dates.isEmpty)
    }

    @Test func rejectsRowsThatWereReadWhileTheFileChanged() throws {
        let store = try openOldFile()
        var rows = 0
        let error = #expect(throws: SwiftDataError.self) {
            try store.fetchRows(ofEntity: "Person") { _ in
                rows += 1
                if rows == 1 { try overwrite() }
            }
        }
        #expect(error == .storeBusy)
        #expect(rows == 3)
        try store.fetchRows(ofEntity: "Person") { _ in rows += 1 }
        #expect(rows == 6)
        // The error of the closure has priority.
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.fetchRows(ofEntity: "Person") { _ in
                try overwrite()
                throw Stop()
            }
        }
    }
}
