import Chronicle
import Foundation

#if Seals
    import ChronicleSeals
#endif

/// What `verify` compares seals with.
struct SealArguments {
    let heads: [HistorySeal]
    let archives: [URL]
    let publicKey: SealPublicKey?

    static let options: [Command.Option] = [
        .init(
            name: "seal", value: "HEAD",
            summary:
                "say what a head of `chronicle seal` proves; @PATH or - reads one in each line; repeat it for others"),
        .init(
            name: "archive", value: "EXPORT", values: .files,
            summary: "a sealed export from before a purge; repeat it for others, the oldest one first"),
        .init(
            name: "signed-by", value: "PUBLICKEY",
            summary: "require a seal that a key has signed; the newest of them is a head"),
    ]

    var isEmpty: Bool { heads.isEmpty && archives.isEmpty && publicKey == nil }

    /// Throws ``UsageError`` for a text that is no head or key, and if the tool cannot verify seals.
    init(_ arguments: Arguments) throws {
        if Self.options.contains(where: { arguments.has($0.name) }) { try StoreFile.requireSeals() }
        heads = try (arguments.values["seal"] ?? []).flatMap(Self.heads)
        archives = try (arguments.values["archive"] ?? []).map { path in
            try StoreFile.requireFile(path)
            return URL(fileURLWithPath: path)
        }
        #if Seals
            let keys = arguments.values["signed-by"] ?? []
            guard keys.count <= 1 else { throw UsageError("--signed-by can be given once") }
            publicKey = try keys.first.map { text in
                guard let key = SealPublicKey(text) else {
                    throw UsageError(
                        "\(text.escaped) is not a public key; `chronicle seal --generate-key KEYFILE` prints one")
                }
                return key
            }
        #else
            publicKey = nil
        #endif
    }

    private static func heads(_ argument: String) throws -> [HistorySeal] {
        guard argument == "-" || argument.hasPrefix("@") else { return [try head(argument)] }
        let path = String(argument.dropFirst())
        let (input, name) =
            argument == "-" ? (FileHandle.standardInput, "the input") : (try FileHandle.reading(path), path.escaped)
        let data: Data?
        do { data = try input.readToEnd() } catch {
            throw UsageError("\(name) cannot be read; use a file with a head in each line")
        }
        let lines = String(decoding: data ?? Data(), as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let heads = try lines.enumerated().compactMap { index, line -> HistorySeal? in
            let text = line.trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : try head(text, in: "\(name), line \(index + 1): ")
        }
        // Otherwise everything would be proven for an empty file.
        guard !heads.isEmpty else { throw UsageError("\(name) contains no head; write one in each line") }
        return heads
    }

    private static func head(_ text: String, in place: String = "") throws -> HistorySeal {
        guard let head = HistorySeal(text) else {
            throw UsageError(
                "\(place)\(text.escaped) is not a head; write a position, a colon and a hash as `chronicle seal` prints them"
            )
        }
        return head
    }
}

/// A file of `chronicle export --sealed`.
enum SealedExport {
    /// Whether a file begins like a sealed export.
    static func isSealedExport(_ path: String) throws -> Bool {
        // The beginning of a pipe can be read once.
        guard AtomicFile.replaces(path) else { return false }
        let start = Data(#"{"sealed":"#.utf8)
        return try FileHandle.reading(path).read(upToCount: start.count) == start
    }
}
