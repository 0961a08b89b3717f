import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleSQLite
@testable import ChronicleStore

/// Opening an unusable file throws an error with the reason and does not change the file.
@Suite struct OpeningTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("test.store") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(allowsSave: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: file, allowsSave: allowsSave, durability: .relaxed))
    }

    /// Files of other programs that have the names of the store's own.
    @Test func filesOfOtherProgramsAreNotChanged() throws {
        let other = Data("the file of another program".utf8)
        for suffix in ["-events", "-consumers"] {
            let path = file.path + suffix
            try other.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let container = try open()
        let context = ModelContext(container)
        context.insert(Trip(name: "Rome", destination: ""))
        try context.save()
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        #expect(throws: SwiftDataError.storeFailure) { try consumer.nextBatch() }
        for suffix in ["-events", "-consumers"] {
            let path = file.path + suffix
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == other)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    private func expectRefusal(
        _ kind: SwiftDataError, keeps: Bool = true, allowsSave: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = keeps ? try Data(contentsOf: file) : nil
        let neighbours = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        do {
            _ = try open(allowsSave: allowsSave)
            Issue.record("the file was opened", sourceLocation: sourceLocation)
        } catch let error as SwiftDataError {
            #expect(error == kind, "\(error)", sourceLocation: sourceLocation)
            #expect(SwiftDataError.loadIssueModelContainer ~= error, sourceLocation: sourceLocation)
        }
        if keeps { #expect(try Data(contentsOf: file) == before, sourceLocation: sourceLocation) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == neighbours,
            sourceLocation: sourceLocation)
    }

    /// The name of the log would be too long for the file system.
    @Test func fileThatTheSystemCannotExamine() throws {
        let long = directory.file(String(repeating: "x", count: 253))
        _ = try Shell.sqlite3(file, "CREATE TABLE trip(id INTEGER PRIMARY KEY)")
        try FileManager.default.moveItem(at: file, to: long)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: long)
        #expect(try failure(of: { try open() }) == .storeFailure)
        #expect(throws: SwiftDataError.storeFailure) { try DefaultStore.schema(ofFileAt: long) }
        #expect(throws: SwiftDataError.storeFailure) { try TrackedDatabase(url: long).track() }
    }

    @Test func nonDatabaseFileThrows() throws {
        try Data("Dear diary, this is not a database, but it is long enough to look like one.".utf8).write(to: file)
        try expectRefusal(.notADatabase)
        try expectRefusal(.notADatabase, allowsSave: false)
        try Data(repeating: 7, count: 100_000).write(to: file)
        try expectRefusal(.notADatabase)
    }

    @Test func directoryThrows() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try expectRefusal(.notADatabase, keeps: false)
    }

    /// Opening a pipe would wait for a program that writes to it.
    @Test func pipeThrows() throws {
        #expect(mkfifo(file.path, 0o600) == 0)
        for allowsSave in [true, false] { try expectRefusal(.notADatabase, keeps: false, allowsSave: allowsSave) }
        #expect(throws: SwiftDataError.notADatabase) { try DefaultStore.verify(fileAt: file) { _ in } }
        #expect(throws: SwiftDataError.notADatabase) { try TrackedDatabase(url: file).tables() }
        #expect(throws: SwiftDataError.notADatabase) { try TrackedDatabase(url: file).track() }
    }

    @Test func deviceThrows() throws {
        let device = URL(fileURLWithPath: "/dev/null")
        #expect(throws: SwiftDataError.notADatabase) { try DefaultStore.verify(fileAt: device) { _ in } }
        #expect(throws: SwiftDataError.notADatabase) {
            try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: device))
        }
    }

    @Test(arguments: ["delete", "wal"])
    func databaseOfAnotherApplicationThrows(_ journal: String) throws {
        _ = try Shell.sqlite3(file, "PRAGMA journal_mode = \(journal); CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        try expectRefusal(.notAChronicleStore)
        _ = try Shell.sqlite3(file, "PRAGMA application_id = 4711")
        try expectRefusal(.notAChronicleStore)
    }

    @Test func newerFileFormatThrows() throws {
        _ = try open()
        _ = try Shell.sqlite3(file, "\(Self.newerVersion); PRAGMA wal_checkpoint(TRUNCATE)")
        try expectRefusal(.unsupportedFileVersion)
    }

    private static let newerVersion =
        "PRAGMA user_version = 4; UPDATE chronicle_meta SET value = 4 WHERE name = 'format'"

    @Test(arguments: [0, 1, 3, 99]) func theUserVersionOfAnotherProgramIsIgnored(_ version: Int) throws {
        _ = try open()
        _ = try Shell.sqlite3(file, "PRAGMA user_version = \(version)")
        let context = ModelContext(try open())
        context.insert(Trip(name: "trip", destination: "somewhere"))
        try context.save()
        #expect(try Shell.sqlite3(file, "SELECT value FROM chronicle_meta WHERE name = 'format'") == "2")
        #expect(try Shell.sqlite3(file, "PRAGMA user_version") == "\(version)")
    }

    @Test(arguments: [true, false])
    func newerFileFormatInTheLogThrows(_ allowsSave: Bool) throws {
        let container = try open()
        _ = try Shell.sqlite3(file, Self.newerVersion)
        try expectRefusal(.unsupportedFileVersion, allowsSave: allowsSave)
        withExtendedLifetime(container) {}
    }

    @Test func missingDirectoryThrows() throws {
        #expect(throws: SwiftDataError.missingDirectory) {
            try ModelContainer(
                for: Trip.self, configurations: ModelConfiguration(url: directory.file("no/such/place.store")))
        }
    }

    @Test func missingReadOnlyFileThrows() throws {
        try expectRefusal(.loadIssueModelContainer, keeps: false, allowsSave: false)
    }

    @Test func truncatedFileThrows() throws {
        do {
            let context = ModelContext(try open())
            for number in 0..<2_000 { context.insert(Trip(name: "trip \(number)", destination: "somewhere")) }
            try context.save()
        }
        _ = try Shell.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)")
        let whole = try Data(contentsOf: file)
        try whole.prefix(whole.count / 2 / 4096 * 4096).write(to: file)
        do {
            let context = ModelContext(try open())
            _ = try context.fetch(FetchDescriptor<Trip>())
            _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            Issue.record("a truncated file was read")
        } catch let error as SwiftDataError {
            #expect(error == .damagedFile, "\(error)")
        }
    }

    @Test func damagedSchemaThrows() throws {
        _ = try open()
        _ = try Shell.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = try Data(contentsOf: file)
        // The header is intact, but the page of the schema table is not.
        for index in 100..<4096 { bytes[index] = 0xFF }
        try bytes.write(to: file)
        try expectRefusal(.damagedFile)
    }

    @Test func truncatedLogLosesOnlyCompleteSaves() throws {
        let container = try open()
        let context = ModelContext(container)
        for number in 0..<50 {
            context.insert(Trip(name: "trip \(number)", destination: "somewhere"))
            try context.save()
        }
        let copy = directory.file("copy.store")
        let log = try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))
        for length in [0, 31, log.count / 3, log.count - 100] {
            try Data(contentsOf: file).write(to: copy)
            try log.prefix(length).write(to: URL(fileURLWithPath: copy.path + "-wal"))
            let opened = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: copy))
            let read = ModelContext(opened)
            let trips = try read.fetchCount(FetchDescriptor<Trip>())
            let changes = try read.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
            #expect(trips == changes.count)
            #expect(trips < 50)
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 50)
    }

    @Test func readOnlyStoreReadsAndRejectsSaves() throws {
        do {
            let context = ModelContext(try open())
            context.insert(Trip(name: "Rome", destination: "Italy"))
            try context.save()
        }
        let context = ModelContext(try open(allowsSave: false))
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip.name = "Roma"
        #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
        #expect(trip.name == "Roma" && context.hasChanges)
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    }

    @Test func lockedFileIsBusyAndKeepsChanges() throws {
        let configuration = ModelConfiguration(url: file, durability: .relaxed, busyTimeout: .milliseconds(20))
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try ShellSession.holdingWriteLock(file) {
            do {
                try context.save()
                Issue.record("a save succeeded despite another writer")
            } catch let error as SwiftDataError { #expect(error == .storeBusy) }
        }
        #expect(context.insertedModelsArray.count == 1)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func fullDiskThrowsAndKeepsChanges() throws {
        let said = try Mounts.run("\"$worker\" fill \"$store\"", in: directory.url, kilobytes: 1_024)
        #expect(said == "storeFull, kept, agrees\n")
    }

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func readOnlyDiskThrows() throws {
        let script = """
            "$worker" open "$store" && mount -o remount,ro "$directory"
            before=$(cat "$store" | cksum)
            "$worker" refused "$store"
            test "$before" = "$(cat "$store" | cksum)" && ls "$directory"
            """
        let said = try Mounts.run(script, in: directory.url, kilobytes: 4_096)
        #expect(said == "opened 0\nfileReadOnly\nopened 0\ntest.store\ntest.store-events\n")
    }

    @Test func configurationForAModelHasItsSchema() throws {
        let configuration = ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true)
        #expect(configuration.isStoredInMemoryOnly && configuration.schema?.entity(for: Trip.self) != nil)
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test(arguments: [ModelConfiguration.Durability.full, .relaxed])
    func durabilityDeterminesSynchronization(_ durability: ModelConfiguration.Durability) throws {
        let configuration = ModelConfiguration(url: file, durability: durability)
        let store = try DefaultStore(configuration, schema: Schema(Trip.self))
        func value(_ pragma: String) throws -> Int64? {
            try store.database.write { try $0.scalarInt64("PRAGMA \(pragma)") }
        }
        #expect(try value("synchronous") == (durability == .full ? 2 : 1))
        #expect(try value("fullfsync") == (durability == .full ? 1 : 0))
        #expect(try value("checkpoint_fullfsync") == 1)
    }

    /// SQLite has a code for a full disk only for some of its files.
    @Test(arguments: [13, 4874, 1290, 5642, 14, 778] as [Int32], [ENOSPC, EDQUOT])
    func fullDiskIsRecognizedBySystemCodes(_ code: Int32, _ systemCode: Int32) {
        let cause = SQLiteError(extendedCode: code, message: "disk I/O error", systemCode: systemCode)
        let error = SwiftDataError(cause, storeIdentifier: nil)
        #expect(error == .storeFull && error.detail?.contains("failing") == false, "\(error)")
    }

    @Test(arguments: [EMFILE, ENFILE])
    func tooManyOpenFilesAreReported(_ systemCode: Int32) {
        let cause = SQLiteError(extendedCode: 14, message: "unable to open database file", systemCode: systemCode)
        let error = SwiftDataError(cause, storeIdentifier: nil)
        #expect(error == .storeFailure && error.detail?.contains("too many open files") == true, "\(error)")
    }

    /// A reader needs an index of the log, for which there is no space.
    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func fullDiskIsReportedToReaders() throws {
        let script = """
            "$worker" open "$store" && dd if=/dev/zero of="$directory/fill" bs=4k 2> /dev/null
            "$worker" failure "$store"
            """
        let said = try Mounts.run(script, in: directory.url, kilobytes: 1_024)
        #expect(said.hasPrefix("opened 0\nstoreFull"), "\(said)")
    }

    /// Another program left a log, but not its index, and the disk can only be read.
    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func missingIndexOfTheLogIsReported() throws {
        let script = """
            "$worker" open "$store"
            sqlite3 "$store" ".dbconfig no_ckpt_on_close on" "INSERT INTO chronicle_meta VALUES ('other', 1)" > /dev/null
            rm "$store-shm" && mount -o remount,ro "$directory"
            "$worker" failure "$store" read-only
            """
        let said = try Mounts.run(script, in: directory.url, kilobytes: 4_096)
        #expect(said.contains("loadIssueModelContainer") && said.contains("test.store-shm is missing"), "\(said)")
    }

    @Test(arguments: [8458, 266, 778] as [Int32])
    func failingDiskIsNotDamage(_ code: Int32) {
        let cause = SQLiteError(extendedCode: code, message: "disk I/O error")
        let error = SwiftDataError(cause, storeIdentifier: nil)
        #expect(error == .storeFailure && (error.underlying as? DatabaseError)?.extendedResultCode == code)
        #expect(error.detail?.contains("undamaged") == true)
    }
}
