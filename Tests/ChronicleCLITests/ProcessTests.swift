import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

#if Postgres
    import ChroniclePostgres
#endif

/// The program as a process: pipes, signals, terminals, and other processes that write the file.
@Suite struct ProcessTests {
    /// The program is in the same directory as the test bundle, because the test target depends on it.
    private static let program: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return tests.appending(path: "chronicle")
    }()

    private func shell(_ script: String, _ file: URL) throws -> (status: Int32, output: String, errors: String) {
        try Shell.run("/bin/bash", ["-c", script, Self.program.path, file.path])
    }

    /// A running process whose output is read line by line.
    private final class Running {
        private let process = Process()
        private let output = Pipe()
        private var buffer = Data()

        init(_ arguments: [String]) throws {
            process.executableURL = ProcessTests.program
            process.arguments = arguments
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.start()
        }

        func line() throws -> String? {
            while true {
                if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { buffer.removeSubrange(...end) }
                    return String(decoding: buffer[..<end], as: UTF8.self)
                }
                // Not `read(upToCount:)`, which waits until there is as much.
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { return nil }
                buffer.append(data)
            }
        }

        var isRunning: Bool { process.isRunning }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        func interrupt() -> Int32 {
            process.interrupt()
            process.waitUntilExit()
            return process.terminationStatus
        }

        func waitUntilExit() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    @Test(arguments: [
        ("$0 log $1", 0), ("$0 show $1 999", 1), ("$0 diff $1 start now", 1), ("$0 lgo", 2), ("$0", 2),
        ("$0 --help", 0),
        ("$0 log /dev/null/x", 3), ("$0 log $1 > /dev/full", 3),
    ])
    func exitStatuses(_ script: String, _ status: Int32) throws {
        #expect(try shell(script, GoldenStore.copy()).status == status)
    }

    @Test func aClosedPipeEndsTheProcessQuietly() throws {
        let test = try TestStore(.file, [LinkTag.self, LinkItem.self, LinkPhoto.self])
        let context = test.context(author: "app")
        // More output than a pipe holds.
        for number in 0..<5_000 { context.insert(LinkTag("tag \(number)")) }
        try context.save()
        let (status, output, errors) = try shell("$0 log $1 | head -1; echo ${PIPESTATUS[0]}", test.url)
        #expect(status == 0)
        #expect(output.hasPrefix("transaction "))
        #expect(output.hasSuffix("\n0\n"))
        #expect(errors.isEmpty)
    }

    @Test func aClosedPipeKeepsTheStatusOfTheCommand() throws {
        let test = try TestStore(.file)
        let context = test.context(author: "app")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let script = "mkfifo p; (exec 3<p; exec 3<&-) & exec 4>p; wait; $0 diff $1 start >&4; echo status $?"
        let (_, output, errors) = try shell("cd $(dirname $1); \(script)", test.url)
        #expect(output == "status 1\n")
        #expect(errors.isEmpty)
    }

    @Test func followingShowsTransactionsOfOtherProcesses() throws {
        let test = try TestStore(.file)
        let context = test.context(author: "first")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let running = try Running(["log", "--follow", "--after", "start", "--oneline", test.url.path])
        // The process follows when it has shown the first transaction.
        #expect(try running.line()?.hasSuffix("first +1 Trip") == true)
        context.author = "second"
        context.insert(Trip(name: "c", destination: "d"))
        try context.save()
        #expect(try running.line()?.hasSuffix("second +1 Trip") == true)
        try test.shell("UPDATE Trip SET destination = 'e'")
        #expect(try running.line()?.hasSuffix("(other programs) ~2 Trip") == true)
        #expect(running.interrupt() == SIGINT)
        #expect(try running.line() == nil)
    }

    @Test func aQueryIsRepeatedAfterEachCommit() throws {
        let test = try TestStore(.file)
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let running = try Running(["sql", "--watch", "--json", test.url.path, "SELECT count(*) AS n FROM Trip"])
        #expect(try running.line() == #"{"n":1}"#)
        context.insert(Trip(name: "c", destination: "d"))
        try context.save()
        #expect(try running.line() == #"{"n":2}"#)
        try test.shell("DELETE FROM Trip")
        #expect(try running.line() == #"{"n":0}"#)
        #expect(running.interrupt() == SIGINT)
    }

    #if Postgres
        @Test(
            .enabled("PostgreSQL is needed: sudo apt-get install postgresql libpq-dev") {
                PostgresCluster.unavailability == nil
            }) func aQueryOfADatabaseIsRepeated() throws
        {
            let cluster = try PostgresCluster.shared.get()
            let schemaName = try cluster.makeSchema()
            let configuration = PostgresConfiguration(cluster.connectionString(), schemaName: schemaName)
            let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
            let url = "postgresql://\(cluster.user)@/postgres?host=\(cluster.directory.path)&schema=\(schemaName)"
            let running = try Running(["sql", "--watch", "--json", url, #"SELECT count(*) AS n FROM "Trip""#])
            #expect(try running.line() == #"{"n":0}"#)
            context.insert(Trip(name: "a", destination: "b"))
            try context.save()
            #expect(try running.line() == #"{"n":1}"#)
            try cluster.psql(#"DELETE FROM \#(schemaName)."Trip""#)
            #expect(try running.line() == #"{"n":0}"#)
            #expect(running.interrupt() == SIGINT)
        }
    #endif

    /// The newest transactions that were requested are shown first, also if there are none.
    @Test(arguments: [0, 1, 2, 9]) func followingBeginsWithTheNewestTransactions(_ count: Int) throws {
        let test = try TestStore(.file, preservesValues: true)
        let context = test.context(author: "app")
        for number in 1...4 {
            context.insert(Trip(name: "\(number)", destination: "b"))
            try context.save()
        }
        let running = try Running([
            "log", "--follow", "--entity", "Trip", "--json", "-n", "\(count)", test.url.path,
        ])
        for number in (1...4).suffix(count) {
            #expect(try running.line()?.contains("\"model\":\"Trip/\(number)\"") == true)
        }
        // Without a line, it is not known when the process begins to follow.
        let isShown = Atomic(false)
        let container = test.container
        let thread = Thread {
            while !isShown.load(ordering: .relaxed) {
                let context = ModelContext(container)
                context.insert(Trip(name: "new", destination: "b"))
                do { try context.save() } catch { Issue.record(error) }
            }
        }
        thread.start()
        #expect(try running.line()?.contains("\"name\":\"new\"") == true)
        isShown.store(true, ordering: .relaxed)
        #expect(running.interrupt() == SIGINT)
    }

    /// What is committed while the process starts is shown once. The changes of another program are one transaction that grows.
    @Test(arguments: [0, 1, 3], [false, true]) func followingShowsEachChangeOnce(_ count: Int, isForeign: Bool) throws {
        let test = try TestStore(.file, preservesValues: true)
        let isEnded = Atomic(false)
        let (container, url) = (test.container, test.url)
        let ended = DispatchSemaphore(value: 0)
        let thread = Thread {
            do {
                while !isEnded.load(ordering: .relaxed) {
                    if isForeign {
                        _ = try Shell.sqlite3(
                            url,
                            "INSERT INTO Trip(name, destination, startDate, endDate) VALUES (hex(randomblob(8)), '', 0, 0)"
                        )
                    } else {
                        let context = ModelContext(container)
                        context.insert(Trip(name: UUID().uuidString, destination: "b"))
                        try context.save()
                    }
                }
            } catch { Issue.record(error) }
            ended.signal()
        }
        thread.start()
        defer {
            isEnded.store(true, ordering: .relaxed)
            ended.wait()
        }
        for _ in 1...3 {
            let running = try Running(["log", "--follow", "--json", "-n", "\(count)", test.url.path])
            var keys: [Int] = []
            while keys.count < 20 {
                let line = try #require(try running.line())
                keys += line.matches(of: /"model":"Trip\/([0-9]+)"/).compactMap { Int($0.1) }
            }
            #expect(keys == Array(keys[0]..<keys[0] + keys.count))
            #expect(running.interrupt() == SIGINT)
        }
    }

    /// The `sqlite3` program writes the database of another program, with and without a write-ahead log.
    @Test(arguments: ["delete", "wal"]) func followingATrackedDatabase(_ mode: String) throws {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(file, "PRAGMA journal_mode = \(mode); CREATE TABLE label(name TEXT PRIMARY KEY)")
        #expect(try shell("$0 track $1", file).status == 0)
        _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('red')")
        let running = try Running(["log", "--follow", "--after", "start", "--json", file.path])
        #expect(try running.line()?.contains("\"model\":\"label/'red'\"") == true)
        _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('blue')")
        #expect(try running.line()?.contains("\"model\":\"label/'blue'\"") == true)
        #expect(running.interrupt() == SIGINT)
    }

    /// A process that is killed while it numbers keys, or while it begins the recording, leaves the database as it was, with a
    /// table of keys, or recorded.
    ///
    /// - Parameter transaction: The one in which the process is killed. The twenty-second begins the recording.
    @Test(arguments: [1, 2, 10, 22]) func aKilledCallLeavesTheDatabase(_ transaction: Int) throws {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE label(name TEXT PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
            INSERT INTO label SELECT 'label ' || i FROM n
            """)
        let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
        let before = try Shell.sqlite3(file, schema)
        let running = try Running(["track", file.path])
        var (count, isOpen) = (0, false)
        while running.isRunning, count < transaction {
            // The journal exists while a transaction is open.
            let exists = FileManager.default.fileExists(atPath: file.path + "-journal")
            if exists, !isOpen { count += 1 }
            isOpen = exists
        }
        running.kill()
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok")
        let after = try Shell.sqlite3(file, schema)
        if after.contains("chronicle_change") {
            #expect(try shell("$0 verify $1", file).status == 0)
        } else if after != before {
            #expect(after.contains("chronicle_key_1"))
            #expect(try shell("cp $1 $1.copy && $0 untrack $1.copy", file).status == 0)
            #expect(try Shell.sqlite3(URL(filePath: file.path + ".copy"), schema) == before)
        }
        #expect(try shell("$0 track $1 && $0 verify $1", file).status == 0)
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_key_1") == "200000")
    }

    @Test func followingEndsWithAnInterrupt() throws {
        let test = try TestStore(.file)
        let context = test.context(author: "first")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let running = try Running(["log", "--follow", "--after", "start", "--json", test.url.path])
        #expect(try running.line()?.hasPrefix("{\"transaction\":") == true)
        #expect(running.interrupt() == SIGINT)
    }

    @Test func watchingDeliversEachChangeAndKeepsItsPosition() throws {
        let test = try TestStore(.file)
        let context = test.context(author: "app")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let arguments = ["watch", "--name", "mirror", "--from", "beginning", test.url.path, "--", "cat"]
        let running = try Running(arguments)
        #expect(try running.line()?.contains("\"model\":\"Trip/1\"") == true)
        context.insert(Trip(name: "c", destination: "d"))
        try context.save()
        #expect(try running.line()?.contains("\"model\":\"Trip/2\"") == true)
        #expect(running.interrupt() == SIGINT)
        context.insert(Trip(name: "e", destination: "f"))
        try context.save()
        let output = try shell("$0 watch --name mirror --once $1 -- cat", test.url).output
        // The last batch may have been interrupted before it was acknowledged, but no change is missing.
        #expect(output.contains("\"model\":\"Trip/3\""))
        #expect(!output.contains("\"model\":\"Trip/1\""))
        #expect(try shell("$0 watch --name mirror --once $1 -- cat", test.url).output.isEmpty)
    }

    @Test func aCommandThatFailsReceivesTheBatchAgain() throws {
        let file = try GoldenStore.copy()
        let watch = "$0 watch --name shell --from start --once --batch 1 $1 --"
        let failed = try shell("\(watch) sh -c 'cat > /dev/null; exit 5'", file)
        #expect(failed.status == 1)
        #expect(failed.errors.contains("exited with status 5"))
        let again = try shell("\(watch) sh -c 'echo $CHRONICLE_CONSUMER $CHRONICLE_ATTEMPT; cat'", file)
        #expect(again.status == 0)
        #expect(again.output.hasPrefix("shell 2\n{\"transaction\":"))
        #expect(again.output.split(separator: "\n").count { $0.hasPrefix("shell 1") } > 3)
    }

    @Test func aBatchIsSetAside() throws {
        let file = try GoldenStore.copy()
        let watch = "$0 watch --name shell --from start --once --skip-after 2 $1 --"
        for _ in 0..<2 { #expect(try shell("\(watch) false", file).status == 1) }
        #expect(try shell("\(watch) cat", file).output.isEmpty)
        #expect(try shell("$0 consumers --json $1", file).output.contains("\"skipped\":1"))
    }

    @Test func aCommandNeedNotReadItsInput() throws {
        let test = try TestStore(.file, [LinkTag.self, LinkItem.self, LinkPhoto.self])
        let context = test.context(author: "app")
        for number in 0..<5_000 { context.insert(LinkTag("tag \(number)")) }
        try context.save()
        #expect(try shell("$0 watch --name x --from start --once $1 -- true", test.url).status == 0)
    }

    @Test func aCommandThatDoesNotExistIsAnError() throws {
        let run = try shell("$0 watch --name x --from start --once $1 -- /nonexistent/command", GoldenStore.copy())
        #expect(run.status == 3)
        #expect(run.errors.contains("No such file"))
    }

    /// A transaction of any size is delivered in lines of limited length.
    @Test func aLargeTransactionIsDivided() throws {
        let test = try TestStore(.file, [LinkTag.self, LinkItem.self, LinkPhoto.self])
        try test.shell(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12500) "
                + "INSERT INTO LinkTag(name, weight) SELECT 'x', i FROM n")
        let output = test.directory.file("output.jsonl")
        let run = try shell("$0 watch --name x --from start --once $1 -- tee \(output.path) > /dev/null", test.url)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 13)
        #expect(lines.count { $0.hasSuffix("\"isPartial\":true}") } == 12)
        #expect(lines.reduce(0) { $0 + $1.components(separatedBy: "\"insert\"").count - 1 } == 12_500)
    }

    @Test func errorsDoNotGoToTheOutput() throws {
        let run = try shell("$0 log /etc/passwd", GoldenStore.copy())
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("chronicle: /etc/passwd: the file is not an SQLite database"))
    }

    // MARK: Terminals

    /// Runs a command with a terminal, with `script` of util-linux.
    ///
    /// The variables that change the output are set here, because those of the test run may differ: a machine without a
    /// terminal often has `TERM=dumb`.
    private func terminal(_ command: String, _ file: URL) throws -> String? {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else { return nil }
        let command = command.replacing("$0", with: Self.program.path).replacing("$1", with: file.path)
        let variables = "unset NO_COLOR CHRONICLE_PAGER PAGER LESS; export TERM=xterm; "
        return try Shell.run("/usr/bin/script", ["-qec", variables + command, "/dev/null"]).output
    }

    private static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    @Test(.enabled(if: hasTerminals))
    func aTerminalShowsColorsAndAPager() throws {
        let file = try GoldenStore.copy()
        let paged = try #require(try terminal("CHRONICLE_PAGER='sed s/^/PAGED:/' $0 log -n 1 $1", file))
        #expect(paged.hasPrefix("PAGED:\u{1b}[33mtransaction"))
        #expect(try terminal("CHRONICLE_PAGER= PAGER=false $0 log -n 1 $1", file)?.hasPrefix("\u{1b}[33m") == true)
        #expect(
            try terminal("PAGER='sed s/^/PAGED:/' NO_COLOR=1 $0 log -n 1 $1", file)?.hasPrefix("PAGED:transaction")
                == true)
        #expect(
            try terminal("PAGER='sed s/^/PAGED:/' $0 log --no-pager --color never -n 1 $1", file)?.hasPrefix(
                "transaction") == true)
        #expect(try terminal("TERM=dumb CHRONICLE_PAGER= $0 log -n 1 $1", file)?.hasPrefix("transaction") == true)
    }

    /// A pager that the user closes ends the command.
    @Test(.enabled(if: hasTerminals))
    func aClosedPagerEndsTheCommand() throws {
        let file = try GoldenStore.copy()
        let output = try #require(try terminal("CHRONICLE_PAGER='head -1' $0 log $1; echo status $?", file))
        #expect(output.contains("status 0"))
    }
}
