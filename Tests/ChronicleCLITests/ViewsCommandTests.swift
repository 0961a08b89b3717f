import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `chronicle views`.
@Suite struct ViewsCommandTests {
    @Test func viewsAreInstalledListedAndRemoved() async throws {
        let file = try GoldenStore.copy()
        let list = try await CommandRun("views", file.path)
        #expect(list.output.hasPrefix("VIEW "), "\(list.errors)")
        #expect(list.output.contains(/\nTrip_history +not installed\nTrip_revisions +not installed\n/))
        let install = try await CommandRun("views", file.path, "--install")
        #expect(install.status == 0 && install.output.hasPrefix("Installed ") && install.errors.isEmpty)
        #expect(try await CommandRun("views", file.path).output.contains(/\nTrip_history +installed\n/))
        let line = "position || ' ' || operation || ' ' || ifnull(previous, '') || ' ' || value"
        let select = "SELECT \(line) AS line FROM Trip_history WHERE attribute = 'destination'"
        let found = try await CommandRun("sql", file.path, "--format", "csv", select)
        #expect(try "line\n\(Shell.sqlite3(file, select))\n" == found.output, "\(found.errors)")
        #expect(try await CommandRun("verify", file.path).status == 0)
        try #require(try await CommandRun("views", file.path, "--remove").output == "Removed the views.\n")
        let again = try await CommandRun("views", file.path, "--remove")
        #expect(again.status == 1 && again.errors == "chronicle: the views are not installed\n")
    }

    @Test func theListIsJSON() async throws {
        let file = try GoldenStore.copy()
        let install = try await CommandRun("views", file.path, "--install", "--json")
        #expect(install.output.contains(#"{"view":"Trip_history","entity":"Trip","state":"installed"}"# + "\n"))
        #expect(try await CommandRun("views", file.path, "--json").output == install.output)
        _ = try Shell.sqlite3(file, "DROP VIEW Trip_history")
        let changed = try await CommandRun("views", file.path, "--json")
        #expect(changed.output.contains(#"{"view":"Trip_history","entity":"Trip","state":"changed"}"#))
        let verify = try await CommandRun("verify", file.path)
        #expect(verify.status == 1 && verify.output.contains("chronicle views --install"), "\(verify.output)")
        let remove = try await CommandRun("views", file.path, "--remove", "--json")
        #expect(remove.output.contains(#"{"view":"Trip_history","entity":"Trip","state":"notInstalled"}"#))
    }

    @Test func viewsOfATrackedDatabase() async throws {
        let file = try TrackedFile.make()
        let install = try await CommandRun("views", file.path, "--install")
        #expect(install.output == "Installed 6 views.\n")
        #expect(install.errors.contains("remove the views before the program drops a column or a table"))
        let select = "SELECT key, operation FROM folder_history WHERE operation = 'update'"
        #expect(try Shell.sqlite3(file, select) == "(2, 'inbox')|update")
        // Views of Chronicle are none of the program.
        #expect(try await !CommandRun("stats", file.path).output.contains("folder_history"))
        #expect(try await !CommandRun("track", file.path).output.contains("folder_history"))
        #expect(try await CommandRun("untrack", "--delete-history", file.path).status == 0)
        #expect(try Shell.sqlite3(file, "SELECT name FROM sqlite_schema WHERE type = 'view'") == "unread")
    }

    @Test(
        arguments: [
            (["--install", "--remove"], "", 2, "exclude each other"),
            (["--install"], "CREATE TABLE Trip_history(a)", 3, "already contains the table \"Trip_history\""),
            (
                ["--install"], "CREATE VIEW Trip_revisions AS SELECT 1", 3,
                "already contains the view \"Trip_revisions\""
            ),
        ] as [([String], String, Int32, String)])
    func mistakesAreExplained(
        _ arguments: [String], _ sql: String, _ status: Int32, _ message: String
    ) async throws {
        let file = try GoldenStore.copy()
        _ = try Shell.sqlite3(file, sql)
        let before = try Shell.sqlite3(file, "SELECT name, sql FROM sqlite_schema; SELECT * FROM chronicle_meta")
        let run = try await CommandRun(["views", file.path] + arguments)
        #expect(run.status == status && run.output.isEmpty && run.errors.contains(message), "\(run.errors)")
        let after = try Shell.sqlite3(file, "SELECT name, sql FROM sqlite_schema; SELECT * FROM chronicle_meta")
        // Opening the file for writing notes the program.
        if sql.isEmpty { #expect(after == before) }
        #expect(!after.contains("made by Chronicle"))
    }

    @Test func appleStoresAreNotSupported() async throws {
        let file = try AppleTrips.write(to: TemporaryDirectory())
        let run = try await CommandRun("views", file.path)
        #expect(run.status == 3 && run.errors.contains("does not support permanent views"), "\(run.errors)")
    }
}
