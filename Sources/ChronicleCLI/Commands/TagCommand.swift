import Chronicle
import Foundation

/// `chronicle tag`.
enum TagCommand {
    static let command = Command(
        name: "tag", summary: "list the tags of the history, or name the present position (changes the file)",
        discussion: """
            Without NAME, lists the tags with their positions. With NAME, the present position of the history gets a name, which \
            other commands accept as a position. A tag does not prevent a purge from deleting its transaction.

            A name cannot be another form of a position, such as now, a number or a date. \
            A single argument is the store if it is an existing file or a connection string, otherwise NAME.
            """,
        operands: [.file, .init(name: "NAME", summary: "the name of a tag", isOptional: true)],
        options: [
            .init(name: "move", summary: "move an existing tag to the present position"),
            .init(name: "delete", letter: "d", summary: "delete the tag"), .json,
        ], negativeResult: "there is no such tag to delete, or the tag exists already", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        guard let name = arguments.operands["NAME"] else {
            for option in ["move", "delete"] where arguments.has(option) {
                throw UsageError("--\(option) requires NAME")
            }
            return try list(StoreFile.read(arguments, console), arguments, console)
        }
        guard !arguments.has("move") || !arguments.has("delete") else {
            throw UsageError("--move and --delete exclude each other")
        }
        if arguments.operands["FILE"] == nil { try requireNoPath(name) }
        let file = try StoreFile.write(arguments.operands["FILE"], console)
        let store = try file.chronicleStore("tags")
        if arguments.has("delete") {
            guard try store.deleteHistoryTag(name) else { return try missing(name, file, console) }
            try write(.members(["deleted": .string(name)]), "Deleted the tag \(name.escaped).", arguments, console)
            return .success
        }
        try requireName(name, file, console)
        do {
            let tag = try store.tagHistory(name, replacing: arguments.has("move"))
            let position = tag.token.text(in: store.identifier)
            try write(json(tag, file), "Tagged \(position) as \(name.escaped).", arguments, console)
        } catch SwiftDataError.duplicateHistoryTag {
            console.message("chronicle: there is a tag \(name.escaped) already; move it with --move")
            return .negative
        }
        return .success
    }

    /// The name of a file that does not exist is rather a mistake than a tag.
    private static func requireNoPath(_ name: String) throws {
        let extensions = [".store", ".db", ".sqlite", ".sqlite3"]
        var hint = ""
        if !name.contains("/"), !extensions.contains(where: name.hasSuffix) {
            guard name.contains(".") else { return }
            let files = try FileManager.default.contentsOfDirectory(atPath: ".").sorted()
                .filter { file in extensions.contains(where: file.hasSuffix) }
            guard let nearest = NearestName.nearest(to: name, in: files) else { return }
            hint = ", but \(nearest.escaped) is one"
        }
        throw UsageError("\(name.escaped) is no file\(hint); to name a position so, write FILE, too")
    }

    /// Commands would not find the tag, or another position. Programs can have such tags, which `tag:NAME` finds.
    private static func requireName(_ name: String, _ file: StoreFile, _ console: Console) throws {
        if name.isEmpty { throw UsageError("the name of the tag is empty; choose one") }
        guard Position.isOther(thanTag: name, in: file.store, console.settings) else { return }
        throw UsageError("\(name.escaped) is another form of a position; choose another name for the tag")
    }

    private static func list(_ file: StoreFile, _ arguments: Arguments, _ console: Console) throws -> ExitStatus {
        let tags = try file.store.historyTags().sorted { ($0.token, $0.name) < ($1.token, $1.name) }
        if arguments.has("json") {
            for tag in tags { try console.line(json(tag, file)) }
        } else if tags.isEmpty {
            try console.line("The store has no tags.")
        } else {
            let rows = tags.map { tag in
                [tag.token.text(in: file.store.identifier), console.text(tag.date), tag.name.escaped]
            }
            for line in TextLayout.table([["POSITION", "CREATED", "NAME"]] + rows) { try console.line(line) }
        }
        return .success
    }

    private static func missing(_ name: String, _ file: StoreFile, _ console: Console) throws -> ExitStatus {
        let nearest = NearestName.nearest(to: name, in: try file.store.historyTags().map(\.name))
        let hint = nearest.map { "; did you mean \($0.escaped)?" } ?? ""
        console.message("chronicle: there is no tag \(name.escaped)\(hint)")
        return .negative
    }

    private static func write(
        _ json: JSON, _ text: String, _ arguments: Arguments, _ console: Console
    ) throws {
        if arguments.has("json") { try console.line(json) } else { try console.line(text) }
    }

    private static func json(_ tag: HistoryTag<DefaultHistoryToken>, _ file: StoreFile) -> JSON {
        .members([
            "name": .string(tag.name), "token": .string(tag.token.text(in: file.store.identifier)),
            "date": .string(DateText.iso8601(tag.date)),
        ])
    }
}
