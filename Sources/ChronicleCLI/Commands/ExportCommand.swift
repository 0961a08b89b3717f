import Chronicle
import Foundation

enum ExportCommand {
    static let command = Command(
        name: "export", summary: "write the history as JSON Lines, for import or other programs",
        discussion: """
            Writes the transactions with their changes and values to standard output or a file. A replica can be made from \
            it with chronicle import. The export begins with all models if --snapshot is given, or if the history is not \
            complete from the beginning.

            With --sealed, it writes the sealed history with its seals, from the first seal that remains to the newest one. \
            Such an export cannot be imported. chronicle verify checks it without the store, and with the option --archive, it \
            proves what was purged later. --without-values proves the same to others without the preserved values and the \
            descriptions of the transactions.
            """,
        options: [
            .init(name: "after", value: "POSITION", summary: "only transactions after a token, date or tag"),
            .init(name: "through", value: "POSITION", summary: "only transactions up to a token, date or tag"),
            .init(name: "snapshot", summary: "begin with all models, without earlier transactions"),
            .init(name: "sealed", summary: "write the sealed history, for chronicle verify"),
            .init(
                name: "without-values",
                summary: "with --sealed: without values, and without the authors and metadata of transactions"),
            .init(
                name: "output", letter: "o", value: "PATH", values: .files,
                summary: "write to a new file; - for standard output"),
            .modelFile,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let isSealed = arguments.has("sealed")
        if isSealed {
            try StoreFile.requireSeals()
            for name in ["after", "through", "snapshot"] where arguments.has(name) {
                throw UsageError("--sealed and --\(name) exclude each other; the sealed history is exported as a whole")
            }
        } else if arguments.has("without-values") {
            throw UsageError("--without-values requires --sealed")
        }
        let file = try StoreFile.read(arguments, console)
        if !isSealed { try file.requireRecorded() }
        func token(_ name: String) throws -> DefaultHistoryToken? {
            try arguments.value(name).map { try Position($0, in: file.store, console.settings).bound(in: file.store) }
        }
        var start = HistoryStart<DefaultHistoryToken>.beginning
        if let after = try token("after") { start = .token(after) }
        if arguments.has("snapshot") {
            guard !arguments.has("after") else { throw UsageError("--snapshot and --after exclude each other") }
            start = .snapshot
        }
        // The lines of an export are too long to be read in a terminal.
        let path = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
        guard path != nil || !console.settings.isTerminal else {
            throw UsageError("the output is a terminal; redirect it, or write to a file with -o")
        }
        if isSealed {
            try writeSealed(file, includesValues: !arguments.has("without-values"), path, console)
        } else {
            try write(file, start, through: token("through"), path, console)
        }
        return .success
    }

    private static func write(
        _ file: StoreFile, _ start: HistoryStart<DefaultHistoryToken>, through end: DefaultHistoryToken?,
        _ path: String?,
        _ console: Console
    ) throws {
        var beginsWithSnapshot: Bool?
        let reached = try withOutput(path, console) { write in
            try file.container.exportHistory(startingAt: start, through: end) { line in
                if beginsWithSnapshot == nil { beginsWithSnapshot = try ExportHeader.hasSnapshot(line) }
                try write(line)
            }
        }
        if start == .beginning, beginsWithSnapshot == true {
            console.message(
                "chronicle: the history is not complete from the beginning, or lacks a value: the export is a snapshot at "
                    + "\(reached.text(in: file.store.identifier)), without earlier transactions")
        }
    }

    private static func writeSealed(
        _ file: StoreFile, includesValues: Bool, _ path: String?, _ console: Console
    ) throws {
        let head = try withOutput(path, console) { write in
            guard let head = try file.exportSealedHistory(includesValues: includesValues, write) else {
                throw UsageError("the history is not sealed; `chronicle seal FILE` seals it")
            }
            return head
        }
        console.message("Exported the history up to \(head).")
    }

    /// Calls a closure with one that writes a line to standard output or a file. After an error, the file is removed.
    private static func withOutput<Result>(
        _ path: String?, _ console: Console, _ body: ((Data) throws -> Void) throws -> Result
    ) throws -> Result {
        let progress = Progress(console)
        var lines = 0
        let output = try path.map(ExportFile.init)
        defer { output?.close() }
        do {
            let result = try body { line in
                lines += 1
                progress.show("\(NumberText.grouped(lines)) lines written")
                if let output {
                    try output.write(line)
                } else {
                    try console.write(line)
                }
            }
            try output?.finish()
            progress.finish()
            return result
        } catch {
            output?.remove()
            throw error
        }
    }
}

/// What the first line of an export says about the next ones.
private struct ExportHeader: Decodable {
    struct Content: Decodable {
        let hasSnapshot: Bool
    }

    let header: Content

    static func hasSnapshot(_ line: Data) throws -> Bool {
        try JSONDecoder().decode(ExportHeader.self, from: line).header.hasSnapshot
    }
}

private final class ExportFile {
    private let path: String
    private let handle: FileHandle
    private var buffer = Data()

    init(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw UsageError("\(path.escaped) exists; choose another path, or delete the file") }
            throw FileFailure(path)
        }
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ line: Data) throws {
        buffer.append(line)
        if buffer.count >= 1 << 16 { try finish() }
    }

    func finish() throws {
        try handle.write(contentsOf: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    func close() {
        // Everything was written, or the error of the write is thrown.
        try? handle.close()
    }

    func remove() {
        // The error that made the export incomplete is the one to report.
        try? FileManager.default.removeItem(atPath: path)
    }
}
