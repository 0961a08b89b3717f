import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleSQLite
@testable import ChronicleStore

/// A store is identified by its file, whatever the path.
@Suite struct SymbolicLinkTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("data/test.store") }
    private var link: URL { directory.file("link.store") }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("data"), withIntermediateDirectories: false)
        try makeLink(link.path, to: "data/test.store")
    }

    private func makeLink(_ path: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
    }

    private func open(_ url: URL, allowsSave: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave, durability: .relaxed))
    }

    private func add(_ count: Int, _ container: ModelContainer) throws {
        let context = ModelContext(container)
        for number in 0..<count { context.insert(Trip(name: "trip \(number)", destination: "somewhere")) }
        try context.save()
    }

    @Test func fileIsCreatedAtTheTargetOfALink() throws {
        // A link to a link, by an absolute path through a directory that is a link.
        try makeLink(directory.file("elsewhere").path, to: "data")
        try makeLink(directory.file("second.store").path, to: directory.file("elsewhere/../link.store").path)
        let container = try open(directory.file("second.store"))
        try add(3, container)
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType == .typeRegular)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count == 4)
        for url in [file, link, directory.file("elsewhere/test.store")] {
            #expect(try ModelContext(try open(url)).fetchCount(FetchDescriptor<Trip>()) == 3)
        }
    }

    @Test func logIsNextToTheTargetOfTheLink() throws {
        _ = try open(file)
        let path = try FileInspection(url: link).readOnlyPath
        #expect(try path == FileInspection(url: file).readOnlyPath)
    }

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func linkOnAReadOnlyDiskReadsTheLatestSave() throws {
        #expect(try Worker("open", file.path).finish() == "opened 0\n")
        // The log exists as long as the store is open.
        let writer = try Connection(path: file.path, mode: .readWrite)
        try writer.execute("INSERT INTO Note(text, number) VALUES ('note', 1)")
        let disk = directory.file("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
        let script = """
            ln -s ../data/test.store "$store" && mount -o remount,ro "$directory"
            "$worker" read-only "$store"
            """
        #expect(try Mounts.run(script, in: disk, kilobytes: 64) == "opened 1\n")
        writer.close()
    }

    @Test(.enabled(if: Mounts.arePossible, "needs a file system of its own, by `unshare`"))
    func linkToAReadOnlyDiskIsReadOnly() throws {
        let script = """
            "$worker" open "$store" && mount -o remount,ro "$directory"
            ln -s "$store" "$directory/../outside.store"
            "$worker" refused "$directory/../outside.store"
            """
        let disk = directory.file("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
        #expect(try Mounts.run(script, in: disk, kilobytes: 4_096) == "opened 0\nfileReadOnly\nopened 0\n")
    }

    @Test func fileAndLinkAreOneStore() throws {
        let error = try #require(
            try failure(of: {
                try ModelContainer(
                    for: Schema([Trip.self, Other.self]),
                    configurations: [
                        ModelConfiguration("a", schema: Schema([Trip.self]), url: file),
                        ModelConfiguration("b", schema: Schema([Other.self]), url: link),
                    ])
            }))
        #expect(error == .duplicateConfiguration && error.storeName == "b")
    }

    @Test(arguments: [true, false])
    func danglingLinkThrows(_ allowsSave: Bool) throws {
        let loop = directory.file("loop.store")
        try makeLink(loop.path, to: "loop.store")
        #expect(try failure(of: { try open(loop, allowsSave: allowsSave) }) == .loadIssueModelContainer)
        let lost = directory.file("lost.store")
        try makeLink(lost.path, to: "missing/test.store")
        let error = try #require(try failure(of: { try open(lost, allowsSave: allowsSave) }))
        #expect(error == .missingDirectory && error.detail?.contains("missing") == true)
        #expect(try failure(of: { try open(link, allowsSave: false) }) == .loadIssueModelContainer)
    }
}

private final class Other: PersistentModel {
    static let properties: PropertyMap<Other> = [:]
    let persistentBackingData: any BackingData<Other> = Other.createBackingData()
    init(backingData: any BackingData<Other>) { persistentBackingData.adopt(backingData) }
}
