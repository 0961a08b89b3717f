import Chronicle
import ChronicleTestSupport
import Foundation

/// A checked-in store file with the description of its content and the tokens that readers kept.
///
/// ``write()`` creates all three. The files in the folder `Files` are never written again: they contain what an earlier
/// version of Chronicle wrote.
struct FixtureFile: Sendable, CustomStringConvertible {
    /// The files of all formats, each written by the last version that used the format.
    static let all = ["format-2"].map { FixtureFile(folder.appending(path: $0)) }
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Files")

    /// The environment variable with the path of a new fixture, without a suffix, for example
    /// `Tests/ChronicleStoreTests/Upgrade/Files/format-3`.
    static let variable = "CHRONICLE_WRITE_FIXTURE"

    /// The fixture to write in this run; `nil` in most runs.
    static var requested: FixtureFile? {
        ProcessInfo.processInfo.environment[variable].map { FixtureFile(URL(fileURLWithPath: $0)) }
    }

    let store: URL
    private let content: URL
    private let positions: URL

    var description: String { store.lastPathComponent }

    /// - Parameter path: The path of the files without their suffixes.
    init(_ path: URL) {
        let (folder, name) = (path.deletingLastPathComponent(), path.lastPathComponent)
        store = folder.appending(path: "\(name).store")
        content = folder.appending(path: "\(name).txt")
        positions = folder.appending(path: "\(name)-tokens.json")
    }

    // MARK: Reading

    /// Returns the description of the content.
    func expectedText() throws -> String { try String(contentsOf: content, encoding: .utf8) }

    /// Returns the tokens by name.
    func tokens() throws -> [String: DefaultHistoryToken] {
        try JSONDecoder().decode([String: DefaultHistoryToken].self, from: Data(contentsOf: positions))
    }

    /// Copies the store file into a temporary directory.
    func copy() throws -> URL {
        let copy = try TemporaryDirectory().file(store.lastPathComponent)
        try FileManager.default.copyItem(at: store, to: copy)
        return copy
    }

    /// Opens a copy of the file with the current version of the models.
    static func open(_ file: URL, allowsSave: Bool = true) throws -> ModelContainer {
        try open(file, FixtureModels.types, allowsSave: allowsSave)
    }

    static func open(
        _ file: URL, _ types: [any PersistentModel.Type], allowsSave: Bool = true, recordsHistory: Bool = true
    ) throws -> ModelContainer {
        let configuration = ModelConfiguration(url: file, allowsSave: allowsSave, recordsHistory: recordsHistory)
        return try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    // MARK: Writing

    /// Writes the three files.
    ///
    /// - Throws: ``Shell/Failure`` if the store file already exists.
    func write() throws {
        guard !FileManager.default.fileExists(atPath: store.path) else {
            throw Shell.Failure(description: "\(store.path) exists; checked-in files are never written again")
        }
        let file = try TemporaryDirectory().file(store.lastPathComponent)
        let tokens = try FixtureWriter.write(file)
        // Without a log, the store is one file. It remains in WAL mode.
        _ = try Shell.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(at: file, to: store)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(tokens) + Data("\n".utf8)).write(to: positions)
        try FixtureDescription(Self.open(copy())).text(tokens).write(to: content, atomically: true, encoding: .utf8)
    }
}
