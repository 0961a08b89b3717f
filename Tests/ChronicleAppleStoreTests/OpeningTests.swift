import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleAppleStore

@Suite("Opening a store of SwiftData")
struct OpeningTests {
    let directory: TemporaryDirectory
    let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = try AppleTrips.write(to: directory)
    }

    private func open() throws -> AppleStore {
        try AppleStore(AppleStoreConfiguration(url: url), schema: AppleStore.schema(ofFileAt: url))
    }

    /// Returns the names and contents of the files in the directory.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: directory.file($0))) })
    }

    /// Uses every part of the store, and returns the names of the people.
    private func use(_ store: AppleStore) throws -> [String] {
        _ = try store.fetchHistory(HistoryDescriptor())
        _ = try store.fetchHistoryWithoutChanges(HistoryDescriptor())
        _ = try store.fetchCount(ofEntity: "Trip")
        var names: [String] = []
        try store.fetchRows(ofEntity: "Person") { row in
            if case .text(let name) = row.values.first { names.append(name) }
        }
        return names
    }

    private func writer() throws -> Connection {
        let connection = try Connection(path: url.path, mode: .readWrite)
        _ = try connection.scalarText("PRAGMA journal_mode = WAL")
        return connection
    }

    @Test func changesNoFileWithoutLog() throws {
        let before = try files()
        #expect(try use(open()) == ["Anna", "Ben", "Cleo"])
        #expect(try files() == before)
        #expect(before.keys.sorted() == ["default.store"])
    }

    /// A file whose log is open in another program, such as a simulator.
    @Test func readsTheLogOfAnotherProgram() throws {
        let writer = try writer()
        try writer.execute("UPDATE ZPERSON SET ZNAME = 'Annika' WHERE Z_PK = 1")
        // The connections of one process share the -shm, so that it can change here.
        func contents() throws -> [String: Data] { try files().filter { !$0.key.hasSuffix("-shm") } }
        let before = try contents()
        #expect(before.keys.sorted() == ["default.store", "default.store-wal"])
        let store = try open()
        #expect(try use(store) == ["Annika", "Ben", "Cleo"])
        #expect(try contents() == before)
        // The same store sees later commits.
        try writer.execute("UPDATE ZPERSON SET ZNAME = 'Bea' WHERE Z_PK = 2")
        #expect(try use(store) == ["Annika", "Bea", "Cleo"])
        writer.close()
    }

    /// Copies the file and its log while a program uses it, as a backup does.
    private func copyFiles(_ suffixes: [String]) throws -> URL {
        let writer = try writer()
        try writer.execute("UPDATE ZPERSON SET ZNAME = 'Annika' WHERE Z_PK = 1")
        let copy = directory.url.appending(path: "copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for suffix in suffixes {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + "/default.store" + suffix)
        }
        writer.close()
        return copy.appending(path: "default.store")
    }

    @Test(arguments: [["", "-wal"], ["", "-wal", "-shm"]])
    func readsALogWithoutItsProgram(_ suffixes: [String]) throws {
        let copy = try copyFiles(suffixes)
        func contents() throws -> [Data] {
            try suffixes.map { try Data(contentsOf: URL(fileURLWithPath: copy.path + $0)) }
        }
        let before = try contents()
        let store = try AppleStore(AppleStoreConfiguration(url: copy), schema: AppleStore.schema(ofFileAt: copy))
        #expect(try use(store) == ["Annika", "Ben", "Cleo"])
        #expect(try contents() == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: copy.deletingLastPathComponent().path)
        #expect(names.sorted() == suffixes.map { "default.store\($0)" }.sorted())
    }

    /// Recognizing, describing and reading a file with a log needs one copy.
    @Test func recognizesFilesOnce() throws {
        let copy = try copyFiles(["", "-wal"])
        let store = try #require(try AppleStore(recognizing: copy))
        #expect(try use(store) == ["Annika", "Ben", "Cleo"])
        #expect(try store.schema.entities.count == AppleStore.schema(ofFileAt: copy).entities.count)
        let other = directory.file("other.store")
        try Data("no database".utf8).write(to: other)
        #expect(try AppleStore(recognizing: other) == nil)
        #expect(throws: SwiftDataError.self) { try AppleStore(recognizing: directory.file("missing.store")) }
    }

    /// The log was not copied: the file is read as of its last checkpoint.
    @Test func readsAHalfCopiedFile() throws {
        let copy = try copyFiles([""])
        let store = try AppleStore(AppleStoreConfiguration(url: copy), schema: AppleStore.schema(ofFileAt: copy))
        #expect(try use(store).count == 3)
    }

    @Test func removesPrivateCopies() throws {
        let copy = try copyFiles(["", "-wal"])
        var known: PrivateCopy? = try PrivateCopy(of: copy.path)
        let path = try #require(known?.path)
        #expect(FileManager.default.fileExists(atPath: path))
        known = nil
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func rollsBackAnInterruptedTransactionInACopy() throws {
        // A journal that is not empty and belongs to no running program is rolled back.
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
        let store = try AppleStore(AppleStoreConfiguration(url: copy), schema: AppleStore.schema(ofFileAt: copy))
        #expect(try use(store) == ["Anna", "Ben", "Cleo"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "default.store", "default.store-journal",
            ])
    }

    @Test func noticesAReplacedFile() throws {
        let store = try open()
        #expect(try use(store).count == 3)
        try FileManager.default.removeItem(at: url)
        _ = try AppleTrips.write(to: directory) { $0.statements.append("DELETE FROM ZPERSON WHERE Z_PK = 3") }
        #expect(try use(store) == ["Anna", "Ben"])
    }

    @Test func noticesALogThatAppears() throws {
        let store = try open()
        #expect(try use(store).count == 3)
        let writer = try writer()
        try writer.execute("DELETE FROM ZPERSON WHERE Z_PK = 3")
        #expect(try use(store) == ["Anna", "Ben"])
        writer.close()
    }

    @Test func readsAProtectedDirectory() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.url.path)
        defer {
            #expect(throws: Never.self) {
                try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.url.path)
            }
        }
        #expect(try use(open()) == ["Anna", "Ben", "Cleo"])
    }

    @Test func rejectsOtherFiles() throws {
        func error(_ url: URL) -> SwiftDataError? {
            #expect(throws: SwiftDataError.self) { _ = try AppleStore.schema(ofFileAt: url) }
        }
        #expect(error(directory.file("missing.store")) == .loadIssueModelContainer)
        #expect(error(directory.url) == .notADatabase)
        let text = directory.file("text.store")
        try Data("no database, but long enough for the header of one".utf8).write(to: text)
        #expect(error(text) == .notADatabase)
        #expect(try !AppleStore.isAppleStore(fileAt: text))
        let other = directory.file("other.store")
        let connection = try Connection(path: other.path, mode: .readWriteCreate)
        try connection.execute("CREATE TABLE Trip(id INTEGER PRIMARY KEY)")
        connection.close()
        #expect(error(other) == .loadIssueModelContainer)
        #expect(try !AppleStore.isAppleStore(fileAt: other))
        #expect(try AppleStore.isAppleStore(fileAt: url))
        // An encrypted file is no database.
        let encrypted = directory.file("encrypted.store")
        var generator = SplitMix(state: 7)
        try Data((0..<8_192).map { _ in UInt8(truncatingIfNeeded: generator.next()) }).write(to: encrypted)
        #expect(error(encrypted) == .notADatabase)
    }

    @Test(arguments: [
        "DROP TABLE ZPERSON; CREATE VIEW ZPERSON AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 'x' AS ZNAME",
        "DROP TABLE ZPERSON; CREATE VIRTUAL TABLE ZPERSON USING fts5(Z_PK, Z_ENT, ZNAME)",
        "ALTER TABLE ZPERSON ADD COLUMN ZX GENERATED ALWAYS AS (hex(zeroblob(1000000))) VIRTUAL",
    ])
    func rejectsTablesThatRunCode(_ statement: String) throws {
        let folder = try TemporaryDirectory()
        let url = try AppleTrips.write(to: folder) { $0.statements.append(statement) }
        let error = #expect(throws: SwiftDataError.self) { _ = try AppleStore.schema(ofFileAt: url) }
        #expect(error == .damagedFile)
        #expect(error?.detail?.contains("ZPERSON") == true)
    }
}
