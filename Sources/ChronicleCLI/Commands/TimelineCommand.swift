import Chronicle
import Foundation

enum TimelineCommand {
    static let command = Command(
        name: "timeline", summary: "write the history as a page for a browser",
        discussion: """
            Writes one HTML file that needs no network and no other file: lanes by entity or author, a list of transactions \
            with the values before and after each change, the state of each model and entity at any point, tags, search and \
            filters. Open it with any browser.

            The title of a model is the value of its first text attribute, or of another attribute with --title.

            The page contains the newest transactions, up to its maximum size. Texts are shortened to \
            \(TimelineValues.maximumLength) characters, of data only the size is shown, and of a transaction at most \
            \(TimelineBlock.maximumChanges) changes. If earlier transactions do not fit, a message says so; write them to a \
            page of their own with --before, or choose others with the options.

            A position (TOKEN|DATE|TAG) is written as in chronicle log.
            """,
        options: [
            .init(
                name: "output", letter: "o", value: "PATH", values: .files,
                summary: "the file to write; timeline.html if omitted, - for standard output"),
            .init(name: "after", value: "POSITION", summary: "only transactions after a token, date or tag"),
            .init(name: "before", value: "POSITION", summary: "only transactions up to a token, date or tag"),
            .init(name: "author", value: "A", summary: "only transactions of an author; empty for those without one"),
            .init(
                name: "entity", value: "E", values: .names,
                summary: "only changes of an entity and those that inherit from it"),
            .init(name: "number", letter: "n", value: "N", summary: "at most N transactions, the newest ones"),
            .init(name: "size", value: "MB", summary: "the maximum size of the page; 20 MB if omitted"),
            titleOption,
            .init(name: "force", letter: "f", summary: "replace an existing file"),
            .json, .modelFile,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        console.settings.usesPager = false
        let file = try StoreFile.read(arguments, console)
        let path = arguments.value("output") ?? "timeline.html"
        if path == "-" { return try writeToOutput(file, arguments, console) }
        try requireOther(path, than: file)
        if !arguments.has("force"), AtomicFile.replaces(path) {
            throw UsageError("\(path.escaped) exists; replace it with --force, or choose another path with -o")
        }
        var writer = try writer(file, arguments, console)
        let output = try AtomicFile(path)
        let progress = Progress(console)
        var size = 0
        let content = try writer.write { part in
            try output.write(part)
            size += part.count
            progress.show("\(path): \(megabytes(size)) MB written")
        }
        try output.finish()
        progress.finish()
        try report(content, path, arguments, console)
        return .success
    }

    private static func writer(
        _ file: StoreFile, _ arguments: Arguments, _ console: Console
    ) throws -> TimelineWriter {
        var writer = TimelineWriter(file)
        writer.selection = try LogCommand.selection(arguments, file, console)
        writer.selection.through = try arguments.value("before").map {
            try Position($0, in: file.store, console.settings).bound(in: file.store)
        }
        writer.maximumSize = try maximumSize(arguments)
        writer.titles = try titles(arguments, file)
        try file.printNoteOnInterruptions(console)
        let notes = try [note(arguments), file.noteOnInterruptions()].compactMap(\.self)
        writer.note = notes.isEmpty ? nil : notes.joined(separator: " ")
        return writer
    }

    private static func writeToOutput(
        _ file: StoreFile, _ arguments: Arguments, _ console: Console
    ) throws -> ExitStatus {
        guard !arguments.has("json") else { throw UsageError("--json and -o - exclude each other") }
        var writer = try writer(file, arguments, console)
        _ = try writer.write { try console.write(String(decoding: $0, as: UTF8.self)) }
        return .success
    }

    private static func report(
        _ content: TimelineWriter.Content, _ path: String, _ arguments: Arguments, _ console: Console
    ) throws {
        if arguments.has("json") {
            try console.line(
                .members([
                    "output": .string(path), "transactions": .count(content.transactionCount),
                    "changes": .count(content.changeCount), "bytes": .count(content.size),
                    "complete": .bool(!content.isLimited),
                ]))
        } else {
            try console.line(
                "\(path.escaped): \(NumberText.counted(content.transactionCount, "transaction")) with "
                    + "\(NumberText.counted(content.changeCount, "change")), \(megabytes(content.size)) MB")
        }
        if content.isLimited {
            console.message(
                "chronicle: the page contains the newest transactions only, because all would have more than "
                    + "\(arguments.value("size") ?? "20") MB; choose some with --before, --author, --entity or -n, or "
                    + "another limit with --size")
        }
    }

    /// The output must not replace the store or one of the files beside it.
    private static func requireOther(_ path: String, than file: StoreFile) throws {
        var output = stat()
        guard let url = file.location.url, stat(path, &output) == 0 else { return }
        for suffix in ["", "-wal", "-shm", "-journal", "-events", "-consumers"] {
            var status = stat()
            guard stat(url.path + suffix, &status) == 0 else { continue }
            guard status.st_dev != output.st_dev || status.st_ino != output.st_ino else {
                throw UsageError("\(path.escaped) is a file of the store; choose another path with -o")
            }
        }
    }

    /// Returns the value of `--size` in bytes.
    static func maximumSize(_ arguments: Arguments) throws -> Int {
        guard let count = try arguments.count("size") else { return TimelineWriter.defaultSize }
        guard (1...1_000).contains(count) else { throw UsageError("--size requires a number from 1 to 1000") }
        return count * 1_000_000
    }

    /// `--title`, also of `chronicle serve`.
    static let titleOption = Command.Option(
        name: "title", value: "ATTRIBUTE",
        summary: "the attribute that is the title of models; repeat it for other entities")

    /// Returns the values of `--title`.
    ///
    /// - Throws: ``UsageError`` if no entity has the attribute.
    static func titles(_ arguments: Arguments, _ file: StoreFile) throws -> [String] {
        let titles = arguments.values["title"] ?? []
        let known = Set(file.schema.entities.flatMap(\.properties).filter { $0.slot >= 0 }.map(\.name))
        for title in titles where !known.contains(title) {
            let hint = NearestName.nearest(to: title, in: known.sorted()).map { "; did you mean \($0.escaped)?" } ?? ""
            throw UsageError("no entity has an attribute \(title.escaped)\(hint)")
        }
        return titles
    }

    /// Returns the remark of the page about the options that select transactions.
    private static func note(_ arguments: Arguments) -> String? {
        let names = ["after", "before", "author", "entity", "number"]
        let parts = names.compactMap { name in arguments.value(name).map { "--\(name) \($0)" } }
        return parts.isEmpty ? nil : "The page contains a part of the history: \(parts.joined(separator: " "))."
    }

    private static func megabytes(_ size: Int) -> String {
        let tenths = (size + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
