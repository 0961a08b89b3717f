import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Files that are no stores, damaged or locked, wrong arguments, and small terminals.
@Suite struct BadInputTests {
    private static let reading = [
        ["log"], ["stats"], ["consumers"], ["schema"], ["verify"], ["export"],
        ["purge", "--max-changes", "1"], ["watch", "--name", "x", "--once"],
    ]

    private func run(_ arguments: [String], _ file: URL) async throws -> CommandRun {
        try await CommandRun(arguments + [file.path] + (arguments.first == "watch" ? ["--", "true"] : []))
    }

    @Test(arguments: reading)
    func anotherFileIsRejected(_ arguments: [String]) async throws {
        let file = try TemporaryDirectory().file("text.store")
        try Data("This is not a database, but it is long enough to have a header.".utf8).write(to: file)
        let run = try await run(arguments, file)
        #expect(run.status == 3)
        #expect(run.errors.contains("\(file.path): the file is not an SQLite database"))
        #expect(run.output.isEmpty)
    }

    @Test(arguments: reading)
    func anotherDatabaseIsRejected(_ arguments: [String]) async throws {
        let file = try TemporaryDirectory().file("other.store")
        _ = try Shell.sqlite3(file, "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: file)
        let run = try await run(arguments, file)
        #expect(run.status == 3)
        #expect(run.errors.contains("\(file.path) is an SQLite database of another program"))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(arguments: reading)
    func aMissingFileIsNotCreated(_ arguments: [String]) async throws {
        let file = try TemporaryDirectory().file("missing.store")
        let run = try await run(arguments, file)
        #expect(run.status == 3)
        #expect(run.errors.hasPrefix("chronicle: \(file.path): No such file or directory"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    /// Files that an interrupted program can leave: nothing, or only the header of a store.
    @Test(arguments: reading, ["", "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 2"])
    func aFileWithoutAStoreIsRejected(_ arguments: [String], _ sql: String) async throws {
        let file = try TemporaryDirectory().file("half.store")
        try Data().write(to: file)
        _ = try Shell.sqlite3(file, sql)
        for journal in ["delete", "wal"] where journal == "delete" || !sql.isEmpty {
            _ = try Shell.sqlite3(file, "PRAGMA journal_mode = \(journal)")
            let run = try await run(arguments, file)
            #expect(run.status == 3)
            #expect(run.errors.contains("contains no store"), "\(run.errors)")
        }
    }

    /// A pipe would be read until a program writes to it.
    @Test(arguments: reading)
    func aPipeIsRejected(_ arguments: [String]) async throws {
        let file = try TemporaryDirectory().file("pipe.store")
        #expect(mkfifo(file.path, 0o600) == 0)
        let run = try await run(arguments, file)
        #expect(run.status == 3)
        #expect(run.errors.contains("not a regular file"), "\(run.errors)")
    }

    /// An import that was interrupted while it created the file can be repeated.
    @Test(arguments: [
        "", "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 2",
        "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 2; PRAGMA journal_mode = wal",
    ])
    func anInterruptedImportIsRepeated(_ sql: String) async throws {
        let directory = try TemporaryDirectory()
        let (export, replica) = (directory.file("export.jsonl"), directory.file("replica.store"))
        #expect(try await CommandRun("export", "-o", export.path, GoldenStore.copy().path).status == 0)
        try Data().write(to: replica)
        _ = try Shell.sqlite3(replica, sql)
        let run = try await CommandRun("import", replica.path, export.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try await CommandRun("verify", replica.path).status == 0)
    }

    /// The first page of the file is torn, and the journal contains its previous content.
    @Test func anImportRollsBackAnInterruptedTransaction() async throws {
        let directory = try TemporaryDirectory()
        let (export, replica) = (directory.file("export.jsonl"), directory.file("replica.store"))
        #expect(try await CommandRun("export", "-o", export.path, GoldenStore.copy().path).status == 0)
        try Data(count: 4096).write(to: replica)
        // The header of the journal of a transaction that created the file.
        // https://www.sqlite.org/fileformat.html#the_rollback_journal
        var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        for number in [0, 0x1234, 0, 512, 4096] as [UInt32] {
            withUnsafeBytes(of: number.bigEndian) { journal.append(contentsOf: $0) }
        }
        journal.append(Data(count: 512 - journal.count))
        try journal.write(to: URL(fileURLWithPath: replica.path + "-journal"))
        let run = try await CommandRun("import", replica.path, export.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try await CommandRun("verify", replica.path).status == 0)
    }

    /// What a command cannot complete is refused before it deletes anything.
    @Test(arguments: [[], ["--dry-run"]])
    func aTrackedDatabaseIsNotPurgedAndCompacted(_ options: [String]) async throws {
        let file = try TemporaryDirectory().file("tracked.db")
        _ = try Shell.sqlite3(file, "CREATE TABLE note(id INTEGER PRIMARY KEY, text)")
        #expect(try await CommandRun("track", file.path).status == 0)
        for number in 1...5 { _ = try Shell.sqlite3(file, "INSERT INTO note VALUES (\(number), 'x')") }
        let before = try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_change")
        let run = try await CommandRun(["purge", "--max-changes", "1", "--compact"] + options + [file.path])
        #expect(run.status == 3 && run.errors.contains("run VACUUM with that program"), "\(run.errors)")
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_change") == before)
    }

    @Test func aDirectoryIsRejected() async throws {
        #expect(try await CommandRun("log", TemporaryDirectory().url.path).status == 3)
    }

    @Test func aNewerFormatIsRejected() async throws {
        let file = try GoldenStore.copy()
        _ = try Shell.sqlite3(file, "UPDATE chronicle_meta SET value = 99 WHERE name = 'format'")
        for arguments in Self.reading {
            let run = try await run(arguments, file)
            #expect(run.status == 3)
            #expect(run.errors.contains("\(file.path) has format version 99"))
        }
    }

    @Test(arguments: [
        "UPDATE chronicle_change SET kind = 16001 WHERE kind > 0", "UPDATE chronicle_change SET primary_key = 'x'",
        "DELETE FROM chronicle_source", "DELETE FROM chronicle_entity", "UPDATE chronicle_entity SET definition = '{'",
        "DELETE FROM chronicle_summary", "DROP TABLE chronicle_meta",
    ])
    func damageIsAnErrorAndNotACrash(_ sql: String) async throws {
        let file = try GoldenStore.copy()
        _ = try Shell.sqlite3(file, sql)
        for arguments in Self.reading {
            let run = try await run(arguments, file)
            #expect([0, 1, 3].contains(run.status), "\(arguments) \(run.errors)")
        }
        #expect(try await CommandRun("verify", file.path).status != 0)
    }

    /// A truncated file, and files with overwritten pages.
    @Test(arguments: 0..<20)
    func damagedPagesAreAnErrorAndNotACrash(_ number: Int) async throws {
        let file = try GoldenStore.copy()
        var random = TestSeed.generator(number)
        var data = try Data(contentsOf: file)
        if number % 4 == 0 {
            data = data.prefix(data.count / 2 + random.below(data.count / 2))
        } else {
            for _ in 0..<40 { data[100 + random.below(data.count - 100)] = UInt8(random.below(256)) }
        }
        try data.write(to: file)
        for arguments in Self.reading {
            let run = try await run(arguments, file)
            #expect([0, 1, 2, 3].contains(run.status), "\(TestSeed.description) \(arguments) \(run.errors)")
        }
    }

    @Test func aLockedFileIsReadable() async throws {
        let test = try TestStore(.file)
        let context = test.context(author: "app")
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        try await withLockedFile(test.url) {
            #expect(try await CommandRun("log", "--oneline", test.url.path).status == 0)
            let run = try await CommandRun("watch", "--name", "x", "--once", test.url.path, "--", "true")
            #expect(run.status == 3)
            #expect(run.errors.contains("locked"))
        }
    }

    private func withLockedFile(_ file: URL, _ body: () async throws -> Void) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", file.path]
        process.environment = Shell.environment
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.start()
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
        #expect(try output.fileHandleForReading.read(upToCount: 6) == Data("locked".utf8))
        try await body()
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    /// Each read shows whole transactions, whatever is committed meanwhile.
    @Test func aFileThatIsWrittenAtAHighRateIsReadable() async throws {
        let test = try TestStore(.file, [LinkTag.self, LinkItem.self, LinkPhoto.self])
        let container = test.container
        let writer = Task.detached {
            let context = ModelContext(container)
            context.author = "writer"
            // A limit, because the reads take longer as the history grows.
            for _ in 0..<2_000 where !Task.isCancelled {
                for name in ["a", "b", "c"] { context.insert(LinkTag(name)) }
                try context.save()
            }
        }
        for _ in 0..<5 {
            let run = try await CommandRun("log", "--json", "-n", "50", test.url.path)
            #expect(run.status == 0, "\(run.errors)")
            for line in run.output.split(separator: "\n") {
                #expect(line.components(separatedBy: "\"insert\"").count == 4)
            }
            #expect(try await CommandRun("verify", test.url.path).status == 0)
        }
        writer.cancel()
        try await writer.value
    }

    @Test(arguments: [
        ["log", "--after", "yesterdy", "FILE"], ["log", "--model", "Trip", "FILE"],
        ["log", "--entity", "Trp", "FILE"],
        ["log", "-n", "-1", "FILE"], ["show", "FILE", "999999999999999999999"], ["diff", "FILE", "1"],
        ["at", "FILE", "now", "Trip", "--where", "name"], ["at", "FILE", "now", "Trip", "--where", "nme = 1"],
        ["at", "FILE", "now", "Trip", "--where", "name = \"x"], ["at", "FILE", "now", "Trip", "--where", "name ~ 1"],
        ["at", "FILE", "now", "Trip", "--where", "name = x"],
        ["at", "FILE", "now", "Trip", "--where", "name = 1 or note = 2"],
        ["blame", "FILE", "Trip/x"], ["purge", "FILE"], ["purge", "--max-age", "x", "FILE"],
        ["watch", "FILE", "--", "true"], ["watch", "--name", "x", "FILE"], ["import", "FILE"],
        ["export", "--snapshot", "--after", "1", "FILE"], ["log", "--color", "blue", "FILE"],
        ["completions", "tcsh"], ["log", "--after", "99999", "FILE"], ["log", "--model", "Trip/1/2", "FILE"],
    ])
    func wrongArgumentsAreNamed(_ arguments: [String]) async throws {
        let file = try GoldenStore.copy()
        let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 })
        #expect(run.status == 2, "\(run.output) \(run.errors)")
        #expect(run.errors.hasPrefix("chronicle: "))
        #expect(run.output.isEmpty)
    }

    @Test func anExportThatIsNotOneIsRejected() async throws {
        let directory = try TemporaryDirectory()
        let (export, replica) = (directory.file("x.jsonl"), directory.file("new.store"))
        for text in ["", "{}\n", "[1]\n", "no JSON at all"] {
            try Data(text.utf8).write(to: export)
            #expect(try await CommandRun("import", replica.path, export.path).status == 2)
            #expect(!FileManager.default.fileExists(atPath: replica.path))
        }
    }

    /// The bytes of an export are not escaped, so it is not written to a terminal.
    @Test func anExportIsNotWrittenToATerminal() async throws {
        let run = try await CommandRun(["export", GoldenStore.copy().path]) { $0.isTerminal = true }
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
    }

    @Test func anExistingFileIsNotOverwritten() async throws {
        let file = try GoldenStore.copy()
        let before = try Data(contentsOf: file)
        #expect(try await CommandRun("export", "-o", file.path, file.path).status == 2)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(arguments: [20, 21, 40])
    func aNarrowTerminalIsEnough(_ columns: Int) async throws {
        let file = try GoldenStore.copy()
        for arguments in [
            ["log"], ["log", "--oneline"], ["log", "--stat"], ["schema"], ["stats"], ["consumers"], ["verify"],
            ["log", "--help"],
            ["--help"],
        ] {
            let run = try await CommandRun(arguments + (arguments == ["--help"] ? [] : [file.path])) {
                $0.columns = columns
                $0.isTerminal = true
            }
            #expect(run.status == 0, "\(run.errors)")
            #expect(!run.output.isEmpty)
        }
    }

    /// Values, authors, and names with control characters cannot send commands to a terminal.
    @Test func controlCharactersOfAFileAreEscaped() async throws {
        let file = try GoldenStore.copy()
        _ = try Shell.sqlite3(
            file,
            """
            UPDATE chronicle_source SET author = 'a' || char(27, 91, 50, 74), program = char(7) || char(155) WHERE id > 1;
            UPDATE chronicle_tag SET name = char(27) || 'tag'; UPDATE chronicle_consumer SET name = char(13) || 'c'
            """)
        for arguments in [
            ["log"], ["log", "--oneline"], ["log", "--json"], ["consumers"], ["consumers", "--json"], ["show", "now"],
            ["blame", "Trip/1"],
            ["at", "now", "Trip"], ["diff", "start", "now"], ["log", "--after", "\u{1b}x"],
        ] {
            let operands = Array(arguments.dropFirst())
            let run = try await CommandRun([arguments[0], file.path] + operands)
            let scalars = (run.output + run.errors).unicodeScalars
            #expect(
                !scalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7f...0x9f).contains($0.value) }, "\(arguments)")
        }
    }

    @Test func colorsAreOnlyUsedIfRequested() async throws {
        let file = try GoldenStore.copy()
        #expect(try await !CommandRun("log", file.path).output.contains("\u{1b}"))
        #expect(try await CommandRun("log", "--color", "always", file.path).output.contains("\u{1b}[33m"))
        let run = try await CommandRun(["log", "--color", "never", file.path]) { $0.usesColor = true }
        #expect(!run.output.contains("\u{1b}"))
    }

    @Test func theEnvironmentNamesTheFile() async throws {
        let file = try GoldenStore.copy()
        let run = try await CommandRun(["log", "--oneline"]) { $0.environment["CHRONICLE_FILE"] = file.path }
        #expect(run.status == 0, "\(run.errors)")
    }
}
