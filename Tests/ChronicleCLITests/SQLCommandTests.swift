import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `chronicle sql`.
@Suite struct SQLCommandTests {
    private func run(_ arguments: String..., file: URL? = nil) async throws -> CommandRun {
        let file = try file ?? GoldenStore.copy()
        return try await CommandRun(["sql", file.path] + arguments)
    }

    private static let query = "SELECT name, note, startDate, x'00ff' AS bytes FROM Trip"

    @Test(arguments: [
        (
            "table",
            """
            name       note                                                       startDate    bytes
            ----       ----                                                       ---------    -----
            Honeymoon  Bring an \\u{1b}[31mumbrella\\u{1b}[0m\\n"two" <b>nights</b>  800000000.0  x'00ff'

            """
        ),
        (
            "csv",
            """
            name,note,startDate,bytes
            Honeymoon,"Bring an \u{1b}[31mumbrella\u{1b}[0m
            ""two"" <b>nights</b>",800000000.0,x'00ff'

            """
        ),
        (
            "json",
            #"{"name":"Honeymoon","note":"Bring an \u001b[31mumbrella\u001b[0m\n\"two\" <b>nights</b>","#
                + #""startDate":800000000.0,"bytes":{"base64":"AP8="}}"# + "\n"
        ),
        (
            "markdown",
            """
            | name | note | startDate | bytes |
            | --- | --- | --- | --- |
            | Honeymoon | Bring an \\u{1b}[31mumbrella\\u{1b}[0m\\n"two" <b>nights</b> | 800000000.0 | x'00ff' |

            """
        ),
    ])
    func formats(_ format: String, _ expected: String) async throws {
        let run = try await run("--format", format, Self.query)
        #expect(run.output == expected, "\(run.errors)")
        #expect(run.status == 0)
        if format == "json" { #expect(try await self.run("--json", Self.query).output == expected) }
    }

    @Test func nullAndEmptyTextsDiffer() async throws {
        let sql = "SELECT NULL AS a, '' AS b, 'x|y' AS c, 'p,q' AS \"d,e\""
        #expect(try await run("--format", "csv", sql).output == "a,b,c,\"d,e\"\n,\"\",x|y,\"p,q\"\n")
        #expect(try await run("--format", "markdown", sql).output.hasSuffix("| NULL |  | x\\|y | p,q |\n"))
        #expect(try await run("--format", "csv", "SELECT 1 AS a WHERE 0").output == "a\n")
        #expect(try await run("SELECT 1 AS a WHERE 0").output == "a\n-\n")
    }

    @Test func textsInCSVAreUnchangedExceptOnATerminal() async throws {
        let file = try GoldenStore.copy()
        let sql = "SELECT 'a' || CAST(x'0d0a' AS TEXT) || 'b' AS a, 'c' || CAST(x'1b' AS TEXT) AS c, 'd\\r' AS d"
        let output = try await run("--format", "csv", sql, file: file).output
        #expect(output == "a,c,d\n\"a\r\nb\",c\u{1b},d\\r\n")
        let terminal = try await CommandRun(["sql", file.path, "--format", "csv", sql]) { $0.isTerminal = true }
        #expect(terminal.output == "a,c,d\n\"a\\r\nb\",c\\u{1b},d\\r\n")
    }

    @Test func thePastIsQueried() async throws {
        let past = try await run("--at", "planned", "--format", "csv", "SELECT destination, note FROM Trip")
        #expect(past.output == "destination,note\nRome,\n")
        let links = "SELECT name FROM LinkItem JOIN \"LinkItem.tags\" ON owner = LinkItem.id JOIN LinkTag USING (name)"
        #expect(try await run("--at", "planned", "--format", "csv", links).status == 0)
        let compared = "SELECT t.destination, m.destination FROM Trip AS t JOIN main.Trip AS m USING (id)"
        #expect(try await run("--at", "planned", "--format", "csv", compared).output.hasSuffix("\nRome,Oslo\n"))
    }

    @Test func theHistoryIsQueried() async throws {
        let sql = """
            SELECT position, date, author, operation, key, previous, value, unknown FROM Trip_history
            WHERE attribute = 'destination' AND operation <> 'insert'
            """
        let lines = try await run("--format", "csv", sql).output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.contains("Z,,update,1,Rome,Oslo,0") == true, "\(lines)")
        let revisions = try await run(
            "--format", "csv",
            "SELECT destination, note IS NULL, \"to\" IS NULL, unknown FROM Trip_revisions ORDER BY \"from\"")
        #expect(
            revisions.output.split(separator: "\n").dropFirst() == ["Rome,1,0,", "Rome,0,0,", "Oslo,0,1,"],
            "\(revisions.errors)")
    }

    @Test(arguments: ["SELECT * FROM label", "SELECT * FROM folder_history", "SELECT * FROM account_revisions"])
    func aTrackedDatabaseIsQueried(_ sql: String) async throws {
        let file = try TrackedFile.make()
        let run = try await run(sql, file: file)
        #expect(run.status == 0 && run.output.split(separator: "\n").count > 2, "\(run.errors)")
        let past = try await self.run("--at", "start", "--format", "csv", "SELECT name, color FROM label", file: file)
        #expect(past.output == "name,color\nred,1\n")
        let key = "SELECT key FROM folder_history WHERE operation = 'update'"
        #expect(try await self.run("--format", "csv", key, file: file).output == "key\n\"(2, 'inbox')\"\n")
    }

    @Test(
        arguments: [
            (["DELETE FROM Trip"], 2, "cannot modify Trip"), (["DELETE FROM main.Trip"], 2, "may only read"),
            (["ATTACH 'x' AS y"], 2, "may only read"),
            (["PRAGMA user_version"], 2, "may only read"), (["SELECT * FROM Tripp"], 2, "did you mean Trip?"),
            (["SELECT nme FROM Trip"], 2, "no such column: nme"),
            (["SELECT 1; SELECT 2"], 2, "more than one statement"),
            (["SELECT :a"], 2, "contains the parameter :a"), (["SELECT ?, ?2"], 2, "contains the parameter ?2"),
            (["SELECT ?"], 2, "contains the parameter ?,"),
            (["--at", "planed", "SELECT 1"], 2, "did you mean the tag planned?"),
            (["--at", "999", "SELECT 1"], 2, "no transaction 999"),
            (["--unknown", "null", "SELECT 1"], 2, "requires --at"),
            (["--format", "xml", "SELECT 1"], 2, "--format cannot be xml"),
            (["--json", "--format", "csv", "SELECT 1"], 2, "--json and --format csv exclude each other"),
        ] as [([String], Int32, String)])
    func mistakesAreExplained(_ arguments: [String], _ status: Int32, _ message: String) async throws {
        let file = try GoldenStore.copy()
        let before = try Data(contentsOf: file)
        let run = try await CommandRun(["sql", file.path] + arguments)
        #expect(run.status == status && run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func aPositionBeforeTheHistoryIsAnError() async throws {
        let file = try GoldenStore.copy()
        #expect(try await CommandRun("purge", "--max-changes", "5", file.path).status == 0)
        let run = try await run("--at", "1", "SELECT 1", file: file)
        #expect(run.status == 3 && run.errors.contains("deleted"), "\(run.errors)")
    }

    /// Values of more than 65,536 bytes are not preserved by default.
    @Test func anUnknownValueSaysWhatToEnable() async throws {
        let test = try TestStore(.file)
        let context = test.context()
        let trip = Trip(name: "a", destination: String(repeating: "x", count: 100_000))
        context.insert(trip)
        try context.save()
        try context.tag("large")
        trip.destination = "Oslo"
        try context.save()
        let sql = "SELECT destination FROM Trip"
        let refused = try await run("--at", "large", sql, file: test.url)
        #expect(refused.status == 3 && refused.errors.contains("enable preserving values"), "\(refused.errors)")
        let replaced = try await run("--at", "large", "--unknown", "null", "--format", "csv", sql, file: test.url)
        #expect(replaced.output == "destination\n\n", "\(replaced.errors)")
    }

    @Test func appleStoresAreNotSupported() async throws {
        let file = try AppleTrips.write(to: TemporaryDirectory())
        let run = try await run("SELECT 1", file: file)
        #expect(run.status == 3 && run.errors.contains("does not support queries in SQL"), "\(run.errors)")
    }
}
