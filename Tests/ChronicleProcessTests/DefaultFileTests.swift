import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The files of configurations without a URL.
@Suite("Files of configurations without a URL", .timeLimit(.minutes(5)))
struct DefaultFileTests {
    private let directory: TemporaryDirectory
    /// The user's application support directory.
    private let data: URL

    init() throws {
        directory = try TemporaryDirectory()
        data = directory.file("data")
    }

    private struct Outcome: Equatable {
        let path: String
        let notes: String
        let events: [String]
    }

    /// Runs a program that saves a note in its store.
    private func run(_ program: URL = Worker.program, _ name: String = "default", mode: String = "") throws -> Outcome {
        let text = try Worker(
            "default", name, mode, program: program, environment: ["XDG_DATA_HOME": data.path]
        ).finish()
        let lines = text.components(separatedBy: "\n") + ["", ""]
        return Outcome(path: lines[0], notes: lines[1], events: lines[2].split(separator: " ").map(String.init))
    }

    /// Returns a copy of the worker, which is another program.
    private func program(_ name: String) throws -> URL {
        let copy = directory.file(name)
        try FileManager.default.copyItem(at: Worker.program, to: copy)
        return copy
    }

    private func path(_ program: String, _ name: String = "default") -> String {
        data.appending(path: "\(program)/\(name).store").path
    }

    /// The file that earlier versions used.
    private func sharedFile(_ name: String = "default") throws -> URL {
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        return data.appending(path: "\(name).store")
    }

    @Test(arguments: ["default", "Notes"]) func programsHaveFilesOfTheirOwn(_ name: String) throws {
        let (first, second) = (try program("first"), try program("second"))
        #expect(try run(first, name) == Outcome(path: path("first", name), notes: "1", events: []))
        #expect(try run(second, name) == Outcome(path: path("second", name), notes: "1", events: []))
        #expect(try run(first, name) == Outcome(path: path("first", name), notes: "2", events: []))
        #expect(try run(first, name, mode: "read-only").notes == "2")
    }

    /// The name of the executable is that at the start, although Linux marks one that was replaced.
    @Test func fileOfTheProgramIsUsedIfModelsAreInBothPlaces() throws {
        let own = try run()
        let shared = try sharedFile()
        _ = try Worker("open", shared.path).finish()
        #expect(try run() == Outcome(path: own.path, notes: "2", events: []))
    }

    // MARK: Files of earlier versions

    /// The file remains where it is until somebody moves it.
    @Test(arguments: ["default", "Notes"]) func fileOfAnEarlierVersionIsUsed(_ name: String) throws {
        let shared = try sharedFile(name)
        _ = try Worker("write", shared.path, "earlier", "1").finish()
        #expect(try run(Worker.program, name, mode: "read-only").notes == "1")
        for number in 2...3 {
            let expected = Outcome(path: shared.path, notes: "\(number)", events: ["sharedFile"])
            #expect(try run(Worker.program, name) == expected)
        }
        #expect(try run(Worker.program, name, mode: "steps").path == "[]")
        let own = path("ChronicleTestWorker", name)
        #expect(!FileManager.default.fileExists(atPath: own))
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: own).deletingLastPathComponent(), withIntermediateDirectories: true)
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: shared.path + suffix) {
            try FileManager.default.moveItem(atPath: shared.path + suffix, toPath: own + suffix)
        }
        #expect(try run(Worker.program, name) == Outcome(path: own, notes: "4", events: []))
    }

    /// Earlier versions did not record which programs use a file.
    @Test func fileWithoutProgramsIsUsed() throws {
        let shared = try sharedFile()
        _ = try Worker("write", shared.path, "earlier", "1").finish()
        _ = try Shell.sqlite3(
            shared, "DELETE FROM chronicle_meta WHERE name LIKE 'known:%'; UPDATE chronicle_source SET program = NULL")
        #expect(try run() == Outcome(path: shared.path, notes: "2", events: ["sharedFile"]))
    }

    /// The models in such a file may be those of another program.
    @Test func fileWithoutProgramsAndModelsIsReported() throws {
        let shared = try sharedFile()
        _ = try Worker("upsert", shared.path, "earlier", "1").finish()
        _ = try Shell.sqlite3(
            shared, "DELETE FROM chronicle_meta WHERE name LIKE 'known:%'; UPDATE chronicle_source SET program = NULL")
        let own = path("ChronicleTestWorker")
        #expect(try run() == Outcome(path: own, notes: "1", events: ["sharedFileIgnored"]))
        #expect(try run() == Outcome(path: own, notes: "2", events: []))
    }

    /// All containers of a program use the same file.
    @Test func fileWithOtherModelsOfTheProgramIsUsed() throws {
        let shared = try sharedFile()
        _ = try Worker("upsert", shared.path, "earlier", "1").finish()
        #expect(try run() == Outcome(path: shared.path, notes: "1", events: ["sharedFile"]))
    }

    /// Programs that only read a file are not recorded in it.
    @Test func readersUseTheFileOfAnotherProgram() throws {
        let shared = try sharedFile()
        _ = try Worker("write", shared.path, "other", "1", program: program("other")).finish()
        #expect(try run(mode: "read-only").notes == "1")
    }

    private enum OtherFile: CaseIterable {
        case otherProgram, otherDatabase, text, empty
    }

    /// A file in the shared directory that belongs to another program.
    @Test(arguments: OtherFile.allCases) private func filesOfOtherProgramsAreNotUsed(_ other: OtherFile) throws {
        let shared = try sharedFile()
        switch other {
        case .otherProgram:
            let program = try program("other")
            _ = try Worker("write", shared.path, "other", "1", program: program).finish()
        case .otherDatabase: _ = try Shell.sqlite3(shared, "CREATE TABLE Note(text)")
        case .text: try Data("Note".utf8).write(to: shared)
        case .empty: try Data().write(to: shared)
        }
        let before = try Data(contentsOf: shared)
        #expect(try run(mode: "steps").path.hasPrefix("[\"createStore\""))
        #expect(try run() == Outcome(path: path("ChronicleTestWorker"), notes: "1", events: []))
        #expect(try Data(contentsOf: shared) == before)
    }

    /// Another file would conceal the models of a file that cannot be read.
    @Test func damagedFileIsReported() throws {
        let shared = try sharedFile()
        _ = try Worker("write", shared.path, "earlier", "1").finish()
        var content = try Data(contentsOf: shared)
        content.replaceSubrange(100..<4_096, with: Data(repeating: 0xff, count: 3_996))
        try content.write(to: shared)
        let message = try run().path
        #expect(message.hasPrefix("damagedFile") && message.contains(shared.path) && message.contains("move this file"))
        #expect(!FileManager.default.fileExists(atPath: path("ChronicleTestWorker")))
    }
}
