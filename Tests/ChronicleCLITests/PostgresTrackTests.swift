#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChronicleCLI

    /// The commands on the tables of another program in a PostgreSQL database.
    @Suite(
        .enabled("PostgreSQL is needed: sudo apt-get install postgresql libpq-dev") {
            PostgresCluster.unavailability == nil
        })
    struct PostgresTrackTests {
        private let cluster: PostgresCluster
        private let url: String
        private let schemaName: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            schemaName = try cluster.makeSchema()
            url = "postgresql://\(cluster.user)@/postgres?host=\(cluster.directory.path)&schema=\(schemaName)"
            _ = try psql(
                """
                CREATE TABLE account(id bigint PRIMARY KEY, name text, balance numeric); CREATE TABLE audit(line text);
                CREATE TABLE folder(account int, name text, unread int, PRIMARY KEY (account, name));
                CREATE VIEW unread AS SELECT name FROM folder; INSERT INTO folder VALUES (1, 'inbox', 1)
                """)
        }

        private func psql(_ script: String) throws -> String {
            try cluster.psql("SET search_path = \(schemaName); \(script)")
        }

        private func run(_ arguments: String...) async throws -> CommandRun {
            try await CommandRun(arguments.map { $0 == "*" ? url : $0 })
        }

        @Test func theTablesAreRecorded() async throws {
            let tracked = try await run("track", "*")
            #expect(tracked.status == 0, "\(tracked.errors)")
            #expect(
                tracked.output == """
                    account  recorded from now on
                    audit    cannot be recorded: it has no primary key, so nothing identifies its rows
                    folder   recorded from now on
                    unread   cannot be recorded: it is a view
                    Recording 2 tables from now on.

                    """)
            #expect(try await run("track", "*").output.hasSuffix("Nothing has changed.\n"))
            for command in ["track", "untrack"] {
                let typo = try await run(command, "*", "acount")
                #expect(typo.status == 2 && typo.errors.contains("no table acount; did you mean account?"), "\(typo)")
            }
            for statement in [
                "INSERT INTO account VALUES (7, 'anna', 1.50)", "UPDATE folder SET unread = 0", "DELETE FROM folder",
                "INSERT INTO folder VALUES (2, 'it''s', 4)",
            ] { _ = try psql(statement) }
            let log = try await run("log", "--oneline", "--reverse", "*")
            #expect(log.status == 0 && log.output.split(separator: "\n").count == 4, "\(log.output)\(log.errors)")
            let show = try await run("show", "*", "2")
            #expect(
                show.output.contains("update folder/(1,'inbox')") && show.output.contains("unread: 1 -> 0"),
                "\(show.output)")
            let model = try await run("log", "*", "--model", "folder/(2,'it''s')")
            #expect(model.output.contains("insert folder/(2,'it''s')"), "\(model.output)\(model.errors)")
            #expect(try await run("blame", "*", "account/7").output.contains("1.50"))
            #expect(try await run("at", "*", "start", "folder").output.contains("inbox"))
            #expect(try await run("at", "*", "now", "folder", "--where", "unread > 3").output.contains("it's"))
            #expect(try await run("diff", "*", "start", "now").output.contains("account/7"))
            #expect(try await run("verify", "*").status == 0)
            #expect(try await run("verify", "*").errors.contains("not recorded: audit"))
            let statistics = try await run("stats", "*")
            #expect(
                statistics.output.contains("audit: it has no primary key"), "\(statistics.output)\(statistics.errors)")
            #expect(try await run("schema", "*").output.contains("balance"))
            #expect(try await run("schema", "--swift", "*").status == 2)
            #expect(try await run("tag", "*", "here").status == 0)
            #expect(try await run("purge", "*", "--max-changes", "2").status == 0)
            #expect(try await run("verify", "*").status == 0)
        }

        /// A key that is an integer is in its column, as in a file.
        @Test func messagesOfDebeziumHaveTheKey() async throws {
            #expect(try await run("track", "*").status == 0)
            _ = try psql("INSERT INTO account VALUES (7, 'anna', 1.50); INSERT INTO folder VALUES (2, 'a', 4)")
            let output = try TemporaryDirectory().url.appending(path: "lines")
            let watch = try await run(
                "watch", "--name", "w", "--from", "start", "--format", "debezium", "--once", "*", "--", "sh", "-c",
                "cat > '\(output.path)'")
            #expect(watch.status == 0, "\(watch)")
            let lines = try String(contentsOf: output, encoding: .utf8)
            #expect(lines.contains(#""after":{"id":7,"#) && !lines.contains(#""_id""#), "\(lines)")
            let condition = try await run("at", "*", "now", "account", "--where", "id = 7")
            #expect(condition.status == 0 && condition.output.contains("anna"), "\(condition)")
        }

        /// The server and Swift write the same number in different ways.
        @Test func keysCanBeReals() async throws {
            let keys = ["2", "0.1", "'-0'", "1e+20", "123456789.125", "1e-07", "'Infinity'", "'NaN'"]
            _ = try psql(
                "CREATE TABLE reading(at float8 PRIMARY KEY, small float4, value int); INSERT INTO reading VALUES (-7)")
            _ = try psql("CREATE TABLE pair(at float4, name text, PRIMARY KEY (at, name))")
            _ = try await run("track", "*")
            for key in keys { _ = try psql("INSERT INTO reading VALUES (\(key))") }
            _ = try psql(
                "DELETE FROM reading WHERE at = 0; INSERT INTO reading VALUES (0); INSERT INTO pair VALUES (0.1, 'a')")
            let log = try await run("log", "--entity", "reading", "*")
            let texts = log.output.split(separator: "\n").filter { $0.contains("insert reading/") }
                .map { String($0.trimmingCharacters(in: .whitespaces).dropFirst("insert reading/".count)) }
            #expect(texts.count == keys.count + 1, "\(log.output)")
            for text in texts + ["2", "1e20", "-7"] {
                let model = try await run("log", "--model", "reading/\(text)", "*")
                #expect(model.status == 0, "\(text): \(model.errors)")
                let count = text == "-7" ? 0 : text == "-0.0" ? 2 : 1
                #expect(
                    model.output.split(separator: "\n").count { $0.contains(" reading/") } == count, "\(model.output)")
            }
            #expect(try await run("log", "--model", "reading/'2'", "*").errors.contains("contains no model"))
            #expect(
                try await run("log", "--model", "pair/(0.10000000149011612,'a')", "*").output.contains("insert pair/"))
        }

        @Test func interruptionsAreListed() async throws {
            #expect(
                try await run("track", "*", "folder", "--json").output.contains(
                    #""table":"folder","state":"recorded""#))
            _ = try psql("ALTER TABLE folder ADD COLUMN color int; UPDATE folder SET color = 1")
            let reason = "the column color is not recorded"
            let verification = try await run("verify", "*")
            #expect(verification.status == 1 && verification.output.contains(reason), "\(verification.output)")
            #expect(try await run("stats", "*").output.contains("folder: \(reason); use `chronicle track FILE`"))
            #expect(try await run("track", "*", "folder").output.contains("folder   recorded from now on"))
            _ = try psql("UPDATE folder SET color = 2")
            #expect(try await run("log", "-n", "1", "*").output.contains("color: 1 -> 2"))
        }

        /// A table that was created again has the rows of another one.
        @Test(arguments: [
            (
                "CREATE TABLE folder(account int, name text, unread int, PRIMARY KEY (account, name)); "
                    + "INSERT INTO folder VALUES (9, 'new', 1)", "its triggers were dropped"
            ), ("", "the table does not exist"),
        ])
        func pastStatesOfChangedTablesAreRefused(_ statement: String, _ reason: String) async throws {
            _ = try await run("track", "*")
            _ = try psql("INSERT INTO account VALUES (7, 'anna', 1)")
            #expect(try await run("tag", "*", "p1").status == 0)
            _ = try psql("UPDATE account SET name = 'bea'; DROP VIEW unread; DROP TABLE folder; \(statement)")
            for arguments in [
                ["at", url, "p1", "folder"], ["sql", "--at", "p1", url, "SELECT * FROM folder"],
                ["sql", url, "SELECT * FROM folder_revisions"], ["diff", url, "p1", "now"], ["export", url],
            ] {
                let run = try await CommandRun(arguments)
                #expect(run.status == 3 && run.errors.contains(reason), "\(arguments): \(run)")
                #expect(run.errors.contains("use `chronicle track"), "\(run.errors)")
            }
            #expect(try await run("at", "*", "p1", "account").output.contains("anna"))
            let query = try await run("sql", "--at", "p1", "*", "SELECT name FROM account")
            #expect(query.status == 0 && query.output.contains("anna"), "\(query)")
            #expect(try await run("diff", "--entity", "account", "*", "p1", "now").output.contains("account/7"))
            let log = try await run("log", "*")
            #expect(log.status == 0 && log.errors.contains("has changed tables: folder;"), "\(log.errors)")
            #expect(try await run("track", "*").status == 0)
            #expect(try await !run("log", "*").errors.contains("may be missing"))
        }

        @Test func theRecordingEnds() async throws {
            #expect(try await run("untrack", "*").errors.contains("is not tracked"))
            _ = try await run("track", "*")
            #expect(try await run("untrack", "*", "folder").output == "The recording has ended. The history remains.\n")
            #expect(try await run("log", "*").status == 0)
            #expect(try await run("untrack", "*", "--delete-history", "folder").status == 2)
            #expect(try await run("untrack", "*", "--delete-history").output == "The history was deleted.\n")
            #expect(try await run("log", "*").status != 0)
            #expect(try psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'chronicle_\(schemaName)'") == "0")
            #expect(try await run("track", "*", "--reconcile").status == 2)
            #expect(try await run("track", "*", "--new-tables").status == 2)
            #expect(try await run("track", "*", "missing").errors.contains("has no table missing"))
        }
    }
#endif
