import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// What the tool says about wrong arguments and unexpected states.
@Suite struct AdviceTests {
    /// Asserts that a command fails with a message.
    private func expectError(_ arguments: [String], _ text: String, status: Int32 = 2) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == status && run.errors.contains(text), "\(arguments): \(run.output)\(run.errors)")
    }

    @Test func argumentsInAnotherOrder() async throws {
        let file = try GoldenStore.copy().path
        try await expectError(["at", file, "Trip", "now"], "POSITION comes before ENTITY")
        try await expectError(["blame", "Trip/1", file], "is a file, and FILE comes first\nUsage: chronicle blame")
        try await expectError(["show", file], "TRANSACTION is missing\nUsage: chronicle show")
        try await expectError(["diff", file], "FROM is missing\nUsage: chronicle diff")
        try await expectError(["log", "--since", "start", file], "did you mean --after?")
    }

    /// Other commands would read the names as another position.
    @Test(arguments: [
        "", "start", "beginning", "now", "56", "3h", "2026-01-01", "yesterday", "tag:x", "{", "4-00c0ffee00c0ffee",
    ])
    func namesThatAreNoTags(_ name: String) async throws {
        let file = try GoldenStore.copy().path
        try await expectError(["tag", file, name], name.isEmpty ? "is empty" : "choose another name for the tag")
        #expect(try await CommandRun("tag", file, "v1.0").status == 0)
    }

    @Test func tagsOfProgramsCanBeDeleted() async throws {
        let file = try GoldenStore.copy()
        _ = try Shell.sqlite3(file, "UPDATE chronicle_tag SET name = 'now'")
        #expect(try await CommandRun("tag", "--delete", file.path, "now").status == 0)
    }

    /// The store returns the time of the read for changes that no save has grouped yet.
    @Test func datesThatAreNotKnown() async throws {
        let file = try GoldenStore.copy()
        let trip = try await CommandRun("blame", "--json", file.path, "Trip/1").output
        #expect(!trip.contains("\"date\":null"))
        _ = try Shell.sqlite3(file, "UPDATE Trip SET name = 'x'")
        let blame = try await CommandRun("blame", "--json", file.path, "Trip/1").output
        #expect(blame.split(separator: "\n").contains { $0.contains("\"name\"") && $0.contains("\"date\":null") })
        let text = try await CommandRun("blame", file.path, "Trip/1").output
        #expect(text.contains("not known until a program that uses Chronicle saves"))
        let statistics = try await CommandRun("stats", "--json", file.path).output
        #expect(statistics.contains("\"newest\":null") && !statistics.contains("\"oldest\":null"), "\(statistics)")
    }

    /// The changes of a transaction take numbers, too.
    @Test func numbersWithoutATransaction() async throws {
        let file = try GoldenStore.copy().path
        let texts = [("3", "the nearest is 11"), ("12", "the nearest are 11 and 14"), ("99", "the newest is 42")]
        for (number, text) in texts {
            let message = "there is no transaction \(number); \(text)"
            try await expectError(["show", file, number], message, status: 1)
            try await expectError(["at", file, number, "Trip"], message)
            try await expectError(["diff", file, number], message)
            try await expectError(["log", "--after", number, file], message)
        }
    }

    @Test func wordsThatAreNoPositions() async throws {
        let file = try GoldenStore.copy().path
        try await expectError(["diff", file, "begining"], "a transaction, a date, a tag, start or now")
        try await expectError(
            ["watch", "--name", "x", "--from", "begining", "--once", file, "--", "true"],
            "a transaction, a date, a tag, start, now, beginning or snapshot")
        for start in ["start", "beginning"] {
            let run = try await CommandRun(
                "watch", "--name", start, "--from", start, "--once", file, "--", "sh", "-c", "cat > /dev/null")
            #expect(run.status == 0, "\(run.errors)")
        }
        try await expectError(["revert", file, "42"], "the tool does not write models; see ModelContext/revert(_:)")
    }

    @Test(arguments: [
        ["show", "*", "11"], ["at", "*", "11", "Trip"], ["diff", "*", "11"], ["log", "*", "--after", "11"],
    ])
    func deletedPositions(_ arguments: [String]) async throws {
        let file = try GoldenStore.copy().path
        #expect(try await CommandRun("purge", "--max-changes", "3", "--max-silence", "1s", file).status == 0)
        let run = try await CommandRun(arguments.map { $0 == "*" ? file : $0 })
        #expect(run.status == 3 && run.errors.hasPrefix("chronicle: \(file): "), "\(run)")
        #expect(
            run.errors.hasSuffix("; use a later position (`chronicle log --reverse -n 1` shows the first)\n"), "\(run)")
    }

    @Test func deletedModels() async throws {
        let file = try GoldenStore.copy().path
        let text = "LinkTag/1 was deleted; see `chronicle log --model LinkTag/1 \(file)`"
        try await expectError(["blame", file, "LinkTag/1"], text, status: 1)
        try await expectError(["blame", file, "LinkTag/99"], "there is no model LinkTag/99", status: 1)
        let tracked = try TrackedFile.make().path
        try await expectError(["blame", tracked, "account/2"], "account/2 was deleted; see", status: 1)
    }

    @Test func anUnreadableFile() throws {
        let file = try GoldenStore.copy()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: file.deletingLastPathComponent().path)
        // The superuser can read every file.
        let user = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "chronicle")
        for command in [["log"], ["verify"], ["tag", file.path, "x"]] {
            let arguments = command.count == 1 ? command + [file.path] : command
            let (status, _, errors) = try Shell.run("/usr/bin/env", user + [tool.path] + arguments)
            #expect(
                status == 3 && errors == "chronicle: \(file.path) is not readable; change its permissions\n",
                "\(errors)")
        }
    }

    @Test func anEmptyHistory() async throws {
        let file = try TemporaryDirectory().file("empty.store")
        _ = try ModelContainer(for: Schema(GoldenStore.types), configurations: [ModelConfiguration(url: file)])
        let run = try await CommandRun("log", file.path)
        #expect(run.status == 0 && run.output.isEmpty && run.errors == "The history is empty.\n", "\(run)")
        #expect(try await CommandRun("log", "-n", "0", GoldenStore.copy().path).errors.isEmpty)
    }

    @Test func filtersThatMatchNothing() async throws {
        let file = try GoldenStore.copy().path
        let run = try await CommandRun("log", "--author", "nobody", file)
        #expect(run.status == 0 && run.output.isEmpty && run.errors == "No transaction matches.\n")
        #expect(try await CommandRun("log", file).errors.isEmpty)
    }

    @Test func anotherFileIsNoExport() async throws {
        let directory = try TemporaryDirectory()
        let (file, replica) = (directory.file("page.html"), try GoldenStore.copy())
        try Data("<!doctype html>\n".utf8).write(to: file)
        for target in [replica.path, directory.file("new.store").path] {
            try await expectError(["import", target, file.path], "page.html is not an export; use a file of")
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("new.store").path))
    }

    /// The existing rows of a tracked database are not in its history, so an export begins with a snapshot.
    @Test func anExportOfATrackedDatabase() async throws {
        let file = try TrackedFile.make()
        let folder = file.deletingLastPathComponent()
        let (part, whole) = (folder.appending(path: "part").path, folder.appending(path: "whole").path)
        let replica = folder.appending(path: "replica.store").path
        #expect(try await CommandRun("export", "--after", "start", "-o", part, file.path).errors.isEmpty)
        try await expectError(
            ["import", replica, part], "the replica is empty; replay an export that begins with a snapshot", status: 3)
        let export = try await CommandRun("export", "-o", whole, file.path)
        #expect(export.status == 0 && export.errors.contains("the export is a snapshot at "), "\(export.errors)")
        let imported = try await CommandRun("import", replica, whole)
        #expect(imported.output == "Imported a snapshot of 3 models and replayed 0 transactions.\n", "\(imported)")
        #expect(try await CommandRun("import", replica, whole).output == "Replayed 0 transactions.\n")
        _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('new', 1)")
        let position = try #require(export.errors.split(separator: " ").last { $0.hasSuffix(",") }?.dropLast())
        let later = folder.appending(path: "later").path
        #expect(try await CommandRun("export", "--after", "\(position)", "-o", later, file.path).errors.isEmpty)
        #expect(try await CommandRun("import", replica, later).status == 0)
        #expect(try await CommandRun("at", replica, "now", "label").output.contains("new"))
    }

    @Test func tablesAndKeysOfATrackedDatabase() async throws {
        let file = try TrackedFile.make().path
        try await expectError(["track", file, "acount"], "no table acount; did you mean account?")
        try await expectError(
            ["log", "--model", "label/red", file], "a text key needs quotation marks: \"label/'red'\"")
        let track = try await CommandRun("track", file).output
        #expect(track.contains("notes") && !track.contains("notes_"), "\(track)")
        #expect(try await CommandRun("track", "--json", file).output.contains("notes_data"))
    }

    /// Errors have advice for programs, which is another one for the tool.
    @Test func filesWithoutAStore() async throws {
        let directory = try TemporaryDirectory()
        let (other, empty) = (directory.file("plain.db"), directory.file("empty.store"))
        _ = try Shell.sqlite3(other, "CREATE TABLE t(a)")
        try await expectError(
            ["log", other.path], "of another program; record its changes with `chronicle track \(other.path)`",
            status: 3)
        try Data().write(to: empty)
        let log = try await CommandRun("log", empty.path)
        #expect(log.errors.contains("without its log") && log.errors.contains("run its program once"), "\(log.errors)")
        #expect(!log.errors.contains("allowsSave"))
        try await expectError(["log", directory.url.path], "is a directory; name a file in it", status: 3)
    }

    /// Errors omit names of Swift types and SQL statements.
    @Test func causes() async throws {
        struct OtherError: Error {}
        let export = SwiftDataError.invalidHistoryExport.with(detail: "line 5 is not a line", underlying: OtherError())
        #expect(ErrorText.describe(export, file: "a").message == "line 5 is not a line")
        let busy = SwiftDataError.storeBusy.with(
            detail: "try again (cause: SQLite error 5: locked while running: SELECT a(b))")
        #expect(ErrorText.describe(busy, file: "a").message == "try again (cause: SQLite error 5: locked)")
        let missing = SwiftDataError.historyValueMissing.with(
            detail: "use a later position, or enable preserving values for later changes")
        #expect(
            ErrorText.describe(missing, file: "a").message.hasSuffix(
                "tracked database), or use --unknown null with `chronicle sql` and `chronicle at -o`"))
    }

    @Test func smallErrors() async throws {
        let file = try TrackedFile.make()
        let folder = file.deletingLastPathComponent()
        try await expectError(["at", file.path, "now", "-o", "-"], "cannot be written to standard output")
        #expect(try await CommandRun("schema", "--version").output == CommandRun("log", "--version").output)
        try await expectError(["schema", "--version", "2.0.0", file.path], "--version requires --swift")
        #expect(try await CommandRun("untrack", file.path, "label").status == 0)
        #expect(try await CommandRun("track", file.path).status == 0)
        let statistics = try await CommandRun("stats", file.path).output
        #expect(statistics.contains("with the first recorded table") && !statistics.contains("at the start"))
        let plain = folder.appending(path: "plain.db").path
        _ = try Shell.sqlite3(URL(fileURLWithPath: plain), "CREATE TABLE a(x); CREATE VIEW b AS SELECT 1")
        try await expectError(["track", plain], "no table that can be recorded: a (it has no primary key", status: 3)
        try await expectError(["track", plain], "b (it is a view)", status: 3)
        try await expectError(["untrack", plain], "is not tracked; use `chronicle track \(plain)`", status: 3)
        try await expectError(["log", file.path + "/x"], "Not a directory", status: 3)
        #expect(try await CommandRun("purge", "--max-age", "0s", file.path).status == 0)
        for position in ["now", "start"] {
            try await expectError(["show", file.path, position], "there is no transaction \(position)", status: 1)
        }
    }

    @Test func aBusyFileIsNamed() {
        let error = SwiftDataError.storeBusy.with(detail: "try again", storeIdentifier: "5E1F")
        #expect(ErrorText.describe(error, file: "Trips.store").message == "Trips.store: try again")
        #expect(ErrorText.describe(error, file: "postgresql://db").message == "store 5E1F: try again")
    }

    @Test(arguments: [
        (SwiftDataError.storeMoved, "or start the command again"),
        (.historyTagNotFound.with(detail: "use a name that `tags()` returns"), "`chronicle tag` lists the names"),
        (.invalidHistoryExport.with(detail: "text is not a value of type Int64"), "text is not an integer"),
        (.invalidHistoryExport.with(detail: "null is not a value of type UUID"), "null is not a value of type UUID"),
    ])
    func adviceForProgramsIsReplaced(_ error: SwiftDataError, _ text: String) {
        let message = ErrorText.describe(error, file: "Trips.store").message
        #expect(message.hasSuffix(text), "\(message)")
    }

    @Test func aDisabledHistory() async throws {
        let file = try TemporaryDirectory().file("plain.store")
        let configuration = ModelConfiguration(url: file, recordsHistory: false)
        _ = try ModelContainer(for: Schema(GoldenStore.types), configurations: [configuration])
        let run = try await CommandRun("log", file.path)
        #expect(run.status == 3 && run.errors.contains("by a program that disables its history"), "\(run)")
        #expect(!run.errors.contains("recordsHistory"))
    }
}
