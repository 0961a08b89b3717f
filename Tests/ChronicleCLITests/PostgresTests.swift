#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Commands that read and write a PostgreSQL database.
    @Suite(
        .enabled("PostgreSQL is needed: sudo apt-get install postgresql libpq-dev") {
            PostgresCluster.unavailability == nil
        })
    struct PostgresTests {
        private let cluster: PostgresCluster
        private let schemaName: String
        private let url: String
        private let file: URL

        /// Makes the same saves in a database and in a file.
        init() throws {
            cluster = try PostgresCluster.shared.get()
            schemaName = try cluster.makeSchema()
            url = "postgresql://\(cluster.user)@/postgres?host=\(cluster.directory.path)&schema=\(schemaName)"
            file = try TemporaryDirectory().file("seats.store")
            for context in [ModelContext(try database()), ModelContext(try files())] {
                context.author = "anna"
                let owner = GraphOwner()
                context.insert(owner)
                try context.save()
                let seats = (1...4).map { GraphSeat($0) }
                for seat in seats { context.insert(seat) }
                seats[0].owner = owner
                try context.save()
                try context.tag("seats")
                context.author = nil
                seats[1].number = 20
                try context.save()
                context.delete(seats[2])
                try context.save()
                try context.tag("end")
            }
        }

        private func database() throws -> ModelContainer {
            try ModelContainer(
                for: GraphSeat.self, GraphOwner.self,
                configurations: PostgresConfiguration(
                    cluster.connectionString(), schemaName: schemaName, preservesValues: true))
        }

        private func files() throws -> ModelContainer {
            try ModelContainer(
                for: GraphSeat.self, GraphOwner.self,
                configurations: ModelConfiguration(url: file, durability: .relaxed, preservesValues: true))
        }

        private func psql(_ script: String) throws -> String {
            try cluster.psql("SET search_path = \(schemaName); \(script)")
        }

        private func run(_ arguments: String...) async throws -> CommandRun { try await CommandRun(arguments) }

        /// Removes what differs between two stores.
        private func comparable(_ output: String) -> [String] {
            output.split(separator: "\n").map { line in
                let pattern = /"(token|transaction|date|process|program|bytes)": ?("[^"]*"|[0-9.]+),? ?/
                return String(line).replacing(pattern, with: "")
            }
        }

        @Test(arguments: [["views"], ["diff", "--sql", "start"], ["at", "now", "-o", "new.db"]])
        func commandsForFilesNameWhatIsNotSupported(_ arguments: [String]) async throws {
            let run = try await CommandRun([arguments[0], url] + arguments.dropFirst())
            #expect(run.status == 3)
            #expect(run.errors.contains("a PostgreSQL store does not support"), "\(run.errors)")
        }

        @Test(arguments: [
            [#"SELECT number, owner FROM "GraphSeat" ORDER BY number"#],
            ["--at", "seats", #"SELECT number, owner FROM "GraphSeat" ORDER BY number"#],
            ["--at", "start", #"SELECT number FROM "GraphSeat" ORDER BY number"#, "--json"],
            [
                "--json",
                #"SELECT position, author, operation, key, attribute, previous FROM "GraphSeat_history" "#
                    + "WHERE attribute = 'number' AND operation <> 'insert' ORDER BY position",
            ],
            [
                "--format", "csv",
                #"SELECT number, "from" IS NULL AS a, "to" IS NULL AS b, unknown FROM "GraphSeat_revisions" ORDER BY 1, 2, 3"#,
            ],
        ])
        func queriesHaveTheResultsOfAFile(_ arguments: [String]) async throws {
            let found = try await CommandRun(["sql", url] + arguments)
            let expected = try await CommandRun(["sql", file.path] + arguments)
            #expect(found.status == 0, "\(found.errors)")
            // A position is a change in a file, and a transaction in a database, whose history has texts.
            func comparable(_ output: String) -> String {
                output.replacing(/"position":[0-9]+,/, with: "").replacing(/"previous":"([0-9]+)"/) {
                    "\"previous\":\($0.1)"
                }
            }
            #expect(comparable(found.output) == comparable(expected.output))
        }

        @Test(
            arguments: [
                (["DELETE FROM x"], 2, "a query is one SELECT"), (["SELECT 1; SELECT 2"], 2, "a query is one SELECT"),
                (["SELECT * FROM GraphSeat"], 2, #"did you mean "GraphSeat"?"#),
                ([#"SELECT * FROM "GraphSeat_histry""#], 2, #"did you mean "GraphSeat_history"?"#),
                ([#"SELECT numbr FROM "GraphSeat""#], 2, "column \"numbr\" does not exist"),
                (["SELECT nextval('chronicle')"], 2, "PostgreSQL rejects the SQL"),
                (["--at", "sets", "SELECT 1"], 2, "did you mean the tag seats?"),
                (["--at", "999", "SELECT 1"], 2, "no transaction 999"),
                (["--unknown", "null", "SELECT 1"], 2, "requires --at"),
            ] as [([String], Int32, String)])
        func mistakesInQueriesAreExplained(_ arguments: [String], _ status: Int32, _ message: String) async throws {
            let run = try await CommandRun(["sql", url] + arguments)
            #expect(run.status == status && run.output.isEmpty, "\(run.output)")
            #expect(run.errors.contains(message), "\(run.errors)")
        }

        @Test func aQueryBeforeTheHistoryIsAnError() async throws {
            #expect(try await run("purge", "--max-changes", "1", url).status == 0)
            let run = try await run("sql", url, "--at", "1", "SELECT 1")
            #expect(run.status == 3 && run.errors.contains("deleted"), "\(run.errors)")
        }

        @Test(arguments: [
            ["log", "*", "--json"], ["log", "*", "--json", "--reverse", "--entity", "GraphSeat"],
            ["log", "*", "--json", "--model", "GraphSeat/2"], ["log", "*", "--json", "--attribute", "number"],
            ["log", "*", "--json", "--author", "anna"], ["log", "*", "--json", "--author", "", "--stat"],
            ["log", "*", "--json", "-n", "2"], ["show", "*", "now", "--json"], ["show", "*", "end", "--json"],
            ["diff", "*", "start", "now", "--json"], ["diff", "*", "end", "now", "--json"],
            ["blame", "*", "GraphSeat/2", "--json"], ["blame", "*", "GraphSeat/3", "--json"],
            ["at", "*", "now", "GraphSeat", "--json"], ["at", "*", "start", "GraphSeat", "--json"],
            ["at", "*", "seats", "GraphSeat", "--json"], ["at", "*", "seats", "GraphOwner"],
            ["at", "*", "seats", "GraphSeat", "--where", "number = 2"], ["at", "*", "2000-01-01", "GraphSeat"],
            ["at", "*", "end", "GraphSeat", "--where", "number > 3", "--json"],
            ["schema", "*"], ["consumers", "*", "--json"],
        ])
        func outputIsThatOfAFile(_ arguments: [String]) async throws {
            let found = try await CommandRun(arguments.map { $0 == "*" ? url : $0 })
            let expected = try await CommandRun(arguments.map { $0 == "*" ? file.path : $0 })
            #expect(found.status == expected.status, "\(found.errors)")
            #expect(comparable(found.output) == comparable(expected.output))
            #expect(found.errors == expected.errors.replacing(file.path, with: "FILE"))
        }

        @Test func statistics() async throws {
            let found = try await run("stats", url)
            #expect(found.status == 0, "\(found.errors)")
            for line in [
                "transactions       4", "changes            7", "models of GraphSeat  3", "tags               2",
            ] {
                let words = line.split(separator: " ").joined(separator: " ")
                let lines = found.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
                #expect(lines.contains(words), "\(found.output)")
            }
        }

        @Test func aGapWithinTheHistory() async throws {
            _ = try psql(#"ALTER TABLE "GraphSeat" DISABLE TRIGGER chronicle_insert"#)
            let gap: DefaultHistoryToken = try ModelContext(try database()).currentHistoryToken()
            let store = try #require(gap.tokenValue?.keys.first)
            let number = try #require(gap.position(in: store))
            _ = try psql(#"UPDATE "GraphSeat" SET number = 40 WHERE number = 4"#)
            let statistics = try await run("stats", url).output
            let row = try Regex("recorded completely since +\(number)-")
            #expect(statistics.contains(row), "\(statistics)")
            #expect(try await run("verify", url).errors.contains("the history has a gap before \(number)-"))
            let log = try await run("log", "--oneline", url).output.split(separator: "\n")
            #expect(log.count == 5 && log.filter { $0.contains("not recorded") } == [log[0]], "\(log)")
            for start in ["start", "beginning", String(number)] {
                let difference = try await run("diff", url, start)
                #expect(difference.status == 1 && difference.output.contains("number: 4 -> 40"), "\(difference)")
                #expect(try await run("at", url, start, "GraphSeat").status == 0)
            }
            let earlier = try await run("at", url, "end", "GraphSeat")
            #expect(earlier.status == 3 && earlier.errors.contains("and position \(number) were not recorded"))
        }

        @Test func compactingIsNotSupported() async throws {
            let compacted = try await run("purge", url, "--max-age", "1d", "--compact")
            #expect(compacted.status == 2 && compacted.errors.contains("--compact is for files"))
        }

        /// From a file to a database, and from there to another one.
        @Test func exportIsReplayedInADatabase() async throws {
            var source = file.path
            for _ in 1...2 {
                let export = try TemporaryDirectory().file("export")
                let exported = try await run("export", source, "-o", export.path)
                #expect(exported.status == 0, "\(exported.errors)")
                let replica = url.replacing(schemaName, with: "\(try cluster.makeSchema())_replica")
                let imported = try await run("import", replica, export.path)
                #expect(imported.status == 0 && imported.output == "Replayed 4 transactions.\n", "\(imported.errors)")
                let again = try await run("import", replica, export.path)
                #expect(again.status == 0 && again.output == "Replayed 0 transactions.\n", "\(again.errors)")
                for entity in ["GraphSeat", "GraphOwner"] {
                    let rows = try await run("at", url, "now", entity, "--json")
                    let replayed = try await run("at", replica, "now", entity, "--json")
                    #expect(rows.output == replayed.output && !rows.output.isEmpty)
                }
                #expect(try await run("verify", replica).output == "The store is valid.\n")
                source = replica
            }
        }

        @Test func exportIsReplayedInAFile() async throws {
            let export = try TemporaryDirectory().file("export")
            let exported = try await run("export", url, "-o", export.path)
            #expect(exported.status == 0, "\(exported.errors)")
            let replica = try TemporaryDirectory().file("replica.store")
            let imported = try await run("import", replica.path, export.path)
            #expect(imported.status == 0 && imported.output == "Replayed 4 transactions.\n", "\(imported.errors)")
            for entity in ["GraphSeat", "GraphOwner"] {
                let rows = try await run("at", url, "now", entity, "--json")
                let replayed = try await run("at", replica.path, "now", entity, "--json")
                #expect(rows.output == replayed.output && !rows.output.isEmpty)
            }
            // With the models instead of the earlier transactions.
            let snapshot = try TemporaryDirectory().file("snapshot")
            let made = try await run("export", url, "--snapshot", "-o", snapshot.path)
            #expect(made.status == 0, "\(made.errors)")
            let copy = try TemporaryDirectory().file("copy.store")
            let copied = try await run("import", copy.path, snapshot.path)
            #expect(copied.status == 0, "\(copied.errors)")
            let rows = try await run("at", url, "now", "GraphSeat", "--json")
            #expect(try await run("at", copy.path, "now", "GraphSeat", "--json").output == rows.output)
        }

        @Test func watchAcknowledges() async throws {
            let output = try TemporaryDirectory().file("changes")
            let found = try await run(
                "watch", "--name", "mirror", "--from", "beginning", "--once", url, "--", "sh", "-c",
                "cat >> \(output.path)")
            #expect(found.status == 0, "\(found.errors)")
            let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 4)
            let consumers = try await run("consumers", url, "--json")
            #expect(consumers.output.contains(#""name":"mirror""#) && consumers.output.contains(#""transactions":0"#))
        }

        @Test func purgeDeletesTheOldest() async throws {
            let planned = try await run("purge", url, "--max-changes", "2", "--dry-run")
            #expect(planned.status == 0 && planned.output.hasPrefix("Would delete 2 transactions"), "\(planned.output)")
            let purged = try await run("purge", url, "--max-changes", "2")
            #expect(purged.status == 0 && purged.output.hasPrefix("Deleted 2 transactions"), "\(purged.output)")
            #expect(try await run("verify", url).output == "The store is valid.\n")
        }

        @Test func timelineHasTheTransactions() async throws {
            let found = try await run("timeline", url, "-o", "-")
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.output.contains("anna") && found.output.contains("postgres.\(schemaName)"))
        }

        /// A role that only reads the tables.
        @Test func privileges() async throws {
            let role = "reader_\(UInt32.random(in: .min ... .max))"
            try cluster.psql("CREATE ROLE \(role) LOGIN")
            let reader = url.replacing("//\(cluster.user)@", with: "//\(role)@")
            let denied = try await run("log", reader)
            #expect(denied.status == 3 && denied.errors.contains("USAGE"), "\(denied.errors)")
            try cluster.psql(
                """
                GRANT USAGE ON SCHEMA \(schemaName) TO \(role); \
                GRANT SELECT ON ALL TABLES IN SCHEMA \(schemaName) TO \(role)
                """)
            let found = try await run("log", reader, "--oneline")
            #expect(found.status == 0 && found.output.split(separator: "\n").count == 4, "\(found.errors)")
            let none = try await run("log", url.replacing(schemaName, with: "missing"))
            #expect(none.status == 3 && none.errors.contains("does not exist"), "\(none.errors)")
        }

        // MARK: verify

        @Test func validStore() async throws {
            let found = try await run("verify", url)
            #expect(found.status == 0 && found.output == "The store is valid.\n", "\(found.output)\(found.errors)")
        }

        @Test(arguments: [
            (#"ALTER TABLE "GraphSeat" DISABLE TRIGGER chronicle_update"#, "trigger", "chronicle_update is disabled"),
            (#"DROP TRIGGER chronicle_row ON "GraphOwner""#, "trigger", "chronicle_row is missing"),
            ("DROP TRIGGER chronicle_order ON chronicle_pending", "trigger", "was changed"),
            ("DELETE FROM chronicle_transaction WHERE position = 2", "position", "no transaction at the position"),
            (
                "UPDATE chronicle_transaction SET position = 9 WHERE position = 4", "position",
                "greater than the newest one, 4"
            ),
            ("UPDATE chronicle_history SET check_value = 1", "position", "check value"),
            ("UPDATE chronicle_transaction SET change_count = 9 WHERE position = 2", "header", "instead of 9"),
            ("UPDATE chronicle_transaction SET first_number = 1 WHERE position = 3", "header", "not greater"),
            ("DELETE FROM chronicle_change WHERE kind = 'u'", "header", "0 changes instead of 1"),
            ("UPDATE chronicle_change SET entity = 77 WHERE kind = 'u'", "change", "entity 77"),
            ("UPDATE chronicle_change SET attributes = '{55}' WHERE kind = 'u'", "change", "attribute 55"),
            ("UPDATE chronicle_tag SET position = 8", "tag", "'end'"),
            ("UPDATE chronicle_tag SET check_value = 8", "tag", "that of another transaction"),
            (
                #"SET session_replication_role = replica; ALTER TABLE "GraphSeat" DISABLE TRIGGER USER; "#
                    + #"DELETE FROM "GraphSeat" WHERE number = 1; INSERT INTO "GraphSeat"(_rowid_, number) VALUES (3, 3)"#,
                "row", "the row exists"
            ),
        ])
        func problemsAreFound(_ script: String, _ kind: String, _ text: String) async throws {
            _ = try psql(script)
            let found = try await run("verify", url)
            #expect(found.status == 1, "\(found.output)\(found.errors)")
            #expect(
                found.output.split(separator: "\n").contains { $0.hasPrefix(kind) && $0.contains(text) },
                "\(found.output)")
            let json = try await run("verify", url, "--json")
            #expect(json.status == 1 && json.output.contains(#""kind":"\#(kind)""#))
        }
    }
#endif
