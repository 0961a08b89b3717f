import Chronicle
import ChronicleAppleStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Commands that read a store of SwiftData or Core Data.
@Suite struct AppleStoreTests {
    let directory: TemporaryDirectory
    let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = try AppleTrips.write(to: directory)
    }

    private func run(_ arguments: String...) async throws -> CommandRun {
        try await CommandRun(arguments.map { $0 == "FILE" ? url.path : $0 })
    }

    @Test func listsTransactions() async throws {
        let log = try await run("log", "-n", "2", "FILE")
        #expect(log.status == 0, "\(log.errors)")
        #expect(
            log.output == """
                transaction 6-41c62b8e77800000
                Author:  sync
                Date:    2024-07-29 02:42:23 +0200
                Program: org.example.app (TripApp)

                    insert Stop/2
                    delete Person/4
                        name: "Dora"

                transaction 5-41c62b8e77000000
                Date:    2024-07-29 02:42:22 +0200
                Program: org.example.app (TripApp)

                    update Trip/1
                        friends
                        stops

                """)
        let widget = try await run("log", "--author", "widget", "--oneline", "FILE")
        #expect(widget.output.split(separator: "\n").count == 2)
        let stop = try await run("log", "--entity", "Trip", "--oneline", "FILE")
        #expect(stop.output.split(separator: "\n").count == 5)
        let attribute = try await run("log", "--attribute", "perDiem", "--oneline", "FILE")
        // The insert and the update of the business trip.
        #expect(attribute.output.split(separator: "\n").count == 2)
        let model = try await run("log", "--model", "Trip/1", "--oneline", "FILE")
        #expect(model.output.split(separator: "\n").count == 3)
        let after = try await run("log", "--after", "4", "--oneline", "FILE")
        #expect(after.output.split(separator: "\n").count == 2)
    }

    @Test func showsTransactionsAndModels() async throws {
        let show = try await run("show", "FILE", "2")
        #expect(show.output.contains("update Trip/1\n        name\n        rating\n"))
        #expect(try await run("show", "FILE", "7").status == 1)
        let rows = try await run("at", "FILE", "now", "Trip", "--where", "name = \"Rome\"")
        #expect(rows.output.contains("budget: 10.11"))
        #expect(try await run("at", "FILE", "now", "Trip", "--json").output.split(separator: "\n").count == 3)
        #expect(try await run("blame", "FILE", "Trip/1").output.contains("widget"))
        #expect(try await run("diff", "--stat", "FILE", "3", "now").output.contains("BusinessTrip"))
        let earlier = try await run("at", "FILE", "2", "Trip")
        #expect(earlier.status == 3)
        #expect(earlier.errors.contains("does not support reading an earlier position"))
    }

    @Test func describesTheFile() async throws {
        let stats = try await run("stats", "FILE")
        #expect(stats.output.contains("transactions            6\n"), "\(stats.output)")
        #expect(stats.output.contains("models of BusinessTrip  1\n"))
        let json = try await run("stats", "--json", "FILE")
        #expect(json.output.contains(#""transactions":6,"changes":9"#))
        let schema = try await run("schema", "FILE")
        #expect(schema.output.contains("    name     String      unique, preserved on deletion\n"), "\(schema.output)")
    }

    @Test func writesATimeline() async throws {
        let page = directory.file("timeline.html")
        let timeline = try await run("timeline", "-o", page.path, "FILE")
        #expect(timeline.status == 0, "\(timeline.errors)")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains(#""name":"BusinessTrip""#))
        #expect(text.contains("org.example.app (TripApp)"))
    }

    @Test func showsModelsWithoutHistory() async throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) {
            $0.hasHistory = false
            $0.statements = AppleTrips.rows
        }
        let log = try await CommandRun("log", url.path)
        #expect(log.status == 0)
        #expect(log.errors.contains("has no history"))
        #expect(log.output.contains("models of Stop          4\n"))
        #expect(try await CommandRun("stats", url.path).output.contains("history                 none\n"))
        #expect(try await CommandRun("at", url.path, "now", "Stop").status == 0)
    }

    @Test func marksDerivedNames() async throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) { $0.hasModel = false }
        let schema = try await CommandRun("schema", url.path)
        #expect(schema.errors.contains("derived from the tables"))
        #expect(try await CommandRun("show", url.path, "2").output.contains("property 6\n"))
        #expect(try await CommandRun("stats", url.path).output.contains("derived from the tables"))
    }

    @Test func takesNamesFromACompiledModel() async throws {
        let folder = try TemporaryDirectory()
        let url = try AppleTrips.write(to: folder) { $0.hasModel = false }
        let model = folder.file("Trips.mom")
        try Data(AppleTrips.model.archive).write(to: model)
        func run(_ arguments: String...) async throws -> CommandRun {
            let names = ["FILE": url.path, "MODEL": model.path]
            let run = try await CommandRun(arguments.map { names[$0] ?? $0 })
            #expect(run.status == 0, "\(run.errors)")
            #expect(!run.errors.contains("derived from the tables"), "\(arguments)")
            #expect(!run.output.contains("derived from the tables"), "\(arguments)")
            return run
        }
        #expect(
            try await run("show", "FILE", "2", "--model", "MODEL").output.contains("        name\n        rating\n"))
        #expect(try await run("schema", "--model", "MODEL", "FILE").output.contains("    isDone   Bool"))
        #expect(try await run("stats", "--model", "MODEL", "FILE").output.contains("models of BusinessTrip  1\n"))
        #expect(try await run("at", "--model", "MODEL", "FILE", "now", "Trip").output.contains("budget: 10.11"))
        #expect(try await run("blame", "--model", "MODEL", "FILE", "Trip/1").output.contains("rating"))
        #expect(try await run("log", "--model", "MODEL", "FILE").output.contains("        rating\n"))
        let key = try await run("log", "--model", "MODEL", "--model", "Trip/1", "--oneline", "FILE")
        #expect(key.output.split(separator: "\n").count == 3)
        let page = folder.file("timeline.html")
        _ = try await run("timeline", "--model", "MODEL", "-o", page.path, "FILE")
        #expect(try String(contentsOf: page, encoding: .utf8).contains("perDiem"))
        #expect(try await run("export", "--model", "MODEL", "FILE", "-o", "-").output.contains("perDiem"))
        let new = folder.file("new.store")
        #expect(!(try await run("convert", "--model", "MODEL", "FILE", new.path).output.contains("names:")))
        #expect(try await CommandRun("schema", new.path).output.contains("perDiem"))
    }

    @Test func rejectsOtherModels() async throws {
        let folder = try TemporaryDirectory()
        let model = folder.file("Trips.mom")
        try Data(AppleStoreModel([.init("Book", [])]).archive).write(to: model)
        let other = try await run("log", "--model", model.path, "FILE")
        #expect(other.status == 3 && other.errors.contains("it has no entity BusinessTrip"), "\(other.errors)")
        let key = try await run("show", "FILE", "2", "--model", "Trip/1")
        #expect(key.status == 2 && key.errors.contains("Trip/1 is not a .mom or .momd"), "\(key.errors)")
        let chronicle = try await CommandRun("log", "--model", model.path, GoldenStore.copy().path)
        #expect(chronicle.status == 2 && chronicle.errors.contains("for stores of SwiftData and Core Data"))
    }

    // MARK: Long histories

    /// Without most pages of the history, the newest transactions are the same: no statement scans a table.
    @Test func listsTheNewestTransactionsOfALongHistory() async throws {
        let count = 20_000
        let url = try AppleTrips.write(to: TemporaryDirectory()) { script in
            func numbers(_ count: Int) -> String {
                "WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
            }
            script.statements += [
                """
                \(numbers(count)) INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) \
                SELECT i, 16002, 3, 1, 2, 743906550 + i FROM n
                """,
                """
                \(numbers(2 * count)) INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) \
                SELECT i + 3, 16001, 1, 3, 1, i / 2, x'0480' FROM n WHERE i > 13
                """,
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = 16002",
            ]
        }
        let log = try await CommandRun("log", "-n", "10", url.path)
        #expect(log.status == 0 && log.output.split(separator: "\n").count { $0.hasPrefix("transaction ") } == 10)
        try BTreeLeaves.destroyMost(ofTablesIn: ["ACHANGE", "ATRANSACTION"], url)
        for options in [["-n", "10"], ["-n", "10", "--oneline"], ["-n", "10", "--json"]] {
            let run = try await CommandRun(["log"] + options + [url.path])
            #expect(run.status == 0, "\(options): \(run.errors)")
            if options.count == 2 { #expect(run.output == log.output) }
        }
        // Other pages cannot be read.
        #expect(try await CommandRun("log", url.path).status == 3)
    }

    @Test(arguments: [
        ["purge", "--max-changes", "1"], ["watch", "--name", "a", "--once"], ["serve"],
        ["log", "--follow"],
    ])
    func rejectsCommandsThatNeedAStoreOfChronicle(_ arguments: [String]) async throws {
        let before = try Data(contentsOf: url)
        let trailing = arguments[0] == "watch" ? ["--", "cat"] : []
        let run = try await CommandRun(arguments + [url.path] + trailing)
        #expect(run.status > 1, "\(run.output)")
        #expect(!run.errors.isEmpty)
        #expect(try Data(contentsOf: url) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["default.store"])
    }

    /// `Documentation/Timeline/draw` draws the picture of the documentation from this script.
    @Test func theScriptOfThePictureIsCurrent() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/Timeline/AppleTrips.sql").standardizedFileURL
        if ProcessInfo.processInfo.environment["CHRONICLE_WRITE_GOLDEN"] != nil {
            try Data(AppleTrips.script.sql.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == AppleTrips.script.sql)
    }

    /// The printed classes are compiled as a part of the tests, and open the file.
    @Test func printsClassesThatOpenTheFile() async throws {
        let run = try await run("schema", "FILE", "--swift", "--version", "1.0.0")
        #expect(run.status == 0, "\(run.errors)")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Generated/AppleTripsSchema.swift")
        if ProcessInfo.processInfo.environment["CHRONICLE_WRITE_GOLDEN"] != nil {
            try Data(run.output.utf8).write(to: source)
        }
        #expect(try run.output == String(contentsOf: source, encoding: .utf8))
        let container = try ModelContainer(
            for: Schema(versionedSchema: SchemaV1.self), configurations: AppleStoreConfiguration(url: url))
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<SchemaV1.Trip>()) == 3)
        let names = try context.fetch(FetchDescriptor<SchemaV1.BusinessTrip>()).map(\.client?.name)
        #expect(names == ["Cleo"])
        // The classes describe what the file describes.
        let described = try AppleStore.schema(ofFileAt: url)
        for entity in Schema(versionedSchema: SchemaV1.self).entities {
            let known = try #require(described.entitiesByName[entity.name])
            #expect(try entity.json() == known.json())
        }
    }

    @Test(arguments: [["--version", "1.0.0"], ["--swift", "--version", "one"], ["--swift", "--json"]])
    func rejectsOptionsOfSchemas(_ options: [String]) async throws {
        #expect(try await CommandRun(["schema", url.path] + options).status == 2)
    }

    /// A name of a file could contain code.
    @Test func rejectsNamesThatAreNoIdentifiers() async throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) {
            $0.hasModel = false
            $0.statements.append("ALTER TABLE ZSTOP ADD COLUMN \"ZX: Int = exit(1); var y\" INTEGER")
        }
        let run = try await CommandRun("schema", "--swift", url.path)
        #expect(run.status == 3)
        #expect(run.output.isEmpty)
    }

    /// Classes of a store of Chronicle, too.
    @Test func printsClassesOfAStoreOfChronicle() async throws {
        let file = try GoldenStore.copy()
        let run = try await CommandRun("schema", "--swift", "--version", "2.1.0", file.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("enum SchemaV2_1_0: VersionedSchema {"))
        #expect(run.output.contains("@Model\n    final class Trip {"))
    }

    /// A copy of a file that is in use has a log.
    @Test(arguments: ["", "-wal", "-journal"]) func createsNoFiles(_ suffix: String) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("default.store")
        let export = folder.file("export.jsonl")
        try Data("{}\n".utf8).write(to: export)
        let connection = try Connection(path: url.path, mode: .readWrite)
        _ = try connection.scalarText("PRAGMA journal_mode = \(suffix == "-wal" ? "WAL" : "DELETE")")
        if !suffix.isEmpty {
            try connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try connection.execute("UPDATE ZPERSON SET ZNAME = 'Lost' || hex(zeroblob(20000))")
            if suffix == "-wal" { try connection.execute("COMMIT") }
        }
        for suffix in Set(["", suffix]) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: file.path + suffix)
        }
        connection.close()
        func contents() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            return Dictionary(uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: folder.file($0))) })
        }
        let before = try contents()
        for arguments in [["verify", file.path], ["import", file.path, export.path]] {
            let run = try await CommandRun(arguments)
            #expect(run.status == 2, "\(run.errors)")
            #expect(run.errors.contains("a store of SwiftData or Core Data"), "\(run.errors)")
            #expect(try contents() == before)
        }
    }

    /// A file of Core Data whose changes Chronicle records is a tracked database.
    @Test func prefersTrackedDatabases() async throws {
        let track = try await run("track", "FILE", "ZPERSON")
        #expect(track.status == 0, "\(track.errors)")
        #expect(try !AppleStore.isAppleStore(fileAt: url))
        #expect(try await run("schema", "FILE").output.contains("ZPERSON"))
    }

    // MARK: Conversion

    @Test func convertsAFile() async throws {
        let new = try TemporaryDirectory().file("new.store")
        let convert = try await run("convert", "FILE", new.path)
        #expect(convert.status == 0, "\(convert.errors)")
        let lines = convert.output.split(separator: "\n")
        #expect(lines[0] == "Converted 10 models and 6 transactions with 9 changes.")
        #expect(lines[1].contains(#/^    BusinessTrip  1  [0-9a-f]{16}$/#), "\(convert.output)")
        #expect(convert.output.contains("    Trip.tags: the value is an archive"))
        let log = try await CommandRun("log", "-n", "1", new.path)
        #expect(log.output.contains("Author:  sync"))
        #expect(log.output.contains("Program: org.example.app (TripApp)"))
        #expect(log.output.contains("    delete Person/4\n        name: \"Dora\"\n"), "\(log.output)")
        // No transaction was deleted.
        #expect(!(try await CommandRun("log", new.path).output.contains("deleted")))
        #expect(!(try await CommandRun("log", "--oneline", "--reverse", new.path).output.contains("deleted")))
        #expect(try await CommandRun("verify", new.path).status == 0)
        // The printed classes open the new file.
        let container = try ModelContainer(
            for: Schema(versionedSchema: SchemaV1.self), configurations: ModelConfiguration(url: new))
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<SchemaV1.Trip>()) == 3)
        #expect(try context.fetch(FetchDescriptor<SchemaV1.BusinessTrip>()).map(\.client?.name) == ["Cleo"])
    }

    @Test func countsOneOfEach() async throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) { script in
            script.statements = [
                "INSERT INTO ZPERSON(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Anna')",
                "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 743906532)",
                "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (1, 16001, 0, 1, 1, 1)",
            ]
        }
        let run = try await CommandRun("convert", url.path, TemporaryDirectory().file("new.store").path)
        #expect(
            run.output.hasPrefix("Converted 1 model and 1 transaction with 1 change.\n"), "\(run.output)\(run.errors)")
    }

    @Test func describesAConversionAsJSON() async throws {
        let new = try TemporaryDirectory().file("new.store")
        let run = try await run("convert", "--json", "FILE", new.path)
        #expect(run.status == 0, "\(run.errors)")
        struct Output: Decodable {
            struct Table: Decodable { let name: String, count: Int, checksum: String }
            struct Omission: Decodable { let subject: String, count: Int?, detail: String }
            let transactions: Int, changes: Int, historyChecksum: String, tables: [Table], omissions: [Omission]
        }
        let output = try JSONDecoder().decode(Output.self, from: Data(run.output.utf8))
        #expect(output.transactions == 6)
        #expect(output.changes == 9)
        #expect(output.tables.contains { $0.name == "Person.trips" && $0.count == 3 && $0.checksum.count == 16 })
        #expect(output.omissions.map(\.subject).sorted() == ["Trip.place", "Trip.tags"])
    }

    @Test func rejectsWhatCannotBeConverted() async throws {
        let folder = try TemporaryDirectory()
        let new = folder.file("new.store")
        #expect(try await run("convert", "FILE").status == 2)
        #expect(try await CommandRun("convert", folder.file("missing").path, new.path).status == 3)
        let chronicle = try await CommandRun("convert", GoldenStore.copy().path, new.path)
        #expect(chronicle.status == 2)
        #expect(chronicle.errors.contains("is not a store of SwiftData or Core Data"), "\(chronicle.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        try Data("other".utf8).write(to: new)
        let existing = try await run("convert", "FILE", new.path)
        #expect(existing.status == 2)
        #expect(existing.errors.contains("exists; choose another path"), "\(existing.errors)")
        #expect(try Data(contentsOf: new) == Data("other".utf8))
    }

    /// The names in the new file are those of the tables.
    @Test func marksConvertedNames() async throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) { $0.hasModel = false }
        let run = try await CommandRun("convert", url.path, TemporaryDirectory().file("new.store").path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("    names: the file does not contain its model"), "\(run.output)")
    }

    @Test func exportsModels() async throws {
        let export = try await run("export", "FILE", "-o", "-")
        #expect(export.status == 0, "\(export.errors)")
        #expect(export.output.contains(#""hasSnapshot":true"#))
        #expect(try await run("export", "--after", "2", "FILE").status == 3)
    }
}
