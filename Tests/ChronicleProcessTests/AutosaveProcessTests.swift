import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Autosaves of processes that end without calling `save()`.
@Suite("Autosaves of ending processes", .timeLimit(.minutes(5))) struct AutosaveProcessTests {
    /// Returns the texts of the saved notes.
    private func notes(after end: String) throws -> String {
        let directory = try TemporaryDirectory()
        let file = directory.file("test.store")
        // The worker exits while tasks run.
        let worker = try Worker("autosave", file.path, end, detectsLeaks: false)
        if end == "killed" {
            worker.waitUntilExit()
        } else {
            _ = try worker.finish()
        }
        return try Shell.sqlite3(file, "SELECT text FROM Note")
    }

    /// `main` returns, `exit()` is called on the main actor and elsewhere, and after a suspension of the main actor.
    @Test(arguments: ["return", "exit", "elsewhere", "later", "later exit"])
    func changesAreSaved(_ end: String) throws {
        #expect(try notes(after: end) == end)
    }

    /// A copy or a renamed file lacks the log, which the process copies to the file when it ends with an open store.
    @Test(arguments: ["return", "exit", "elsewhere", "later"])
    func filesAreComplete(_ end: String) throws {
        let directory = try TemporaryDirectory()
        let (file, copy) = (directory.file("test.store"), directory.file("copy.store"))
        _ = try Worker("autosave", file.path, end, detectsLeaks: false).finish()
        try FileManager.default.copyItem(at: file, to: copy)
        #expect(try Shell.sqlite3(copy, "SELECT text FROM Note; PRAGMA integrity_check") == "\(end)\nok")
    }

    @Test func signalsDoNotSave() throws {
        #expect(try notes(after: "killed") == "")
    }
}
