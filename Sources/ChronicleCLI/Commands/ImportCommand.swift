import Chronicle
import Foundation

enum ImportCommand {
    static let command = Command(
        name: "import", summary: "replay an exported history in a store (changes the file)",
        discussion: """
            Replays an export in a store, which becomes a replica of the exported one with the same models and transactions. \
            A file that does not exist is created with the models of the export. Transactions that the replica has are \
            skipped, so an import that was interrupted can be repeated.
            """,
        operands: [
            .init(name: "FILE", summary: "the replica, which is created if it does not exist"),
            .init(name: "EXPORT", summary: "the export; - for standard input"),
        ],
        options: [.json], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try arguments.required("FILE")
        let export = try arguments.required("EXPORT")
        var source = try ExportInput(export == "-" ? FileHandle.standardInput : .reading(export))
        let file = try StoreFile.replica(path, console) { try source.schema(export) }
        // Also if the replica exists, so that another file is named.
        _ = try source.schema(export)
        let progress = Progress(console)
        var bytes: Int64 = 0
        let (models, count) = try file.container.replayedCounts {
            let part = try source.nextPart()
            bytes += Int64(part?.count ?? 0)
            progress.show("\(NumberText.bytes(bytes)) read")
            return part
        }
        progress.finish()
        if arguments.has("json") {
            try console.line(.members(["transactions": .count(count), "snapshotModels": models.map(JSON.count)]))
        } else {
            let transactions = NumberText.counted(count, "transaction")
            try console.line(
                models.map {
                    "Imported a snapshot of \(NumberText.counted($0, "model")) and replayed \(transactions)."
                } ?? "Replayed \(transactions).")
        }
        return .success
    }
}

/// The first line describes the models, and is read before the export is replayed.
private struct ExportInput {
    private let input: FileHandle
    /// The beginning of the export, up to the first line break or later.
    private var beginning: Data?

    init(_ input: FileHandle) throws {
        self.input = input
        var data = Data()
        while !data.contains(UInt8(ascii: "\n")), data.count < Self.longestHeader {
            guard let part = try input.read(upToCount: 1 << 16), !part.isEmpty else { break }
            data.append(part)
        }
        beginning = data
    }

    /// A file without line breaks is not an export.
    private static let longestHeader = 1 << 26

    /// Throws ``UsageError`` if the first line is not that of an export.
    func schema(_ path: String) throws -> Schema {
        struct Line: Decodable { let header: Schema }
        let line = (beginning ?? Data()).prefix { $0 != UInt8(ascii: "\n") }
        let name = path == "-" ? "the input" : path.escaped
        guard !line.starts(with: Data("{\"sealed\":".utf8)) else {
            throw UsageError("\(name) is a sealed export, which cannot be replayed; use one without seals")
        }
        do { return try JSONDecoder().decode(Line.self, from: line).header } catch is DecodingError {
            throw UsageError("\(name) is not an export; use a file of `chronicle export`")
        }
    }

    mutating func nextPart() throws -> Data? {
        if let beginning, !beginning.isEmpty {
            self.beginning = nil
            return beginning
        }
        let part = try input.read(upToCount: 1 << 16)
        return part?.isEmpty == false ? part : nil
    }
}
