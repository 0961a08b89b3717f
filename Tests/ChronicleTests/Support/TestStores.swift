import Chronicle
import Foundation
import Testing

/// Where a test's store lives: most behaviour has to be the same in both.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inMemory, file

    var testDescription: String { rawValue }
}

/// A directory of its own for each test, gone when the test process ends: a context may outlive everything else of its
/// test.
struct TemporaryDirectory: Sendable {
    private static let root: URL = {
        let root = FileManager.default.temporaryDirectory.appending(path: "chronicle-\(UUID().uuidString)")
        atexit { try? FileManager.default.removeItem(at: TemporaryDirectory.root) }
        return root
    }()

    let url: URL

    init() throws {
        url = Self.root.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> URL { url.appending(path: name) }
}

/// A store for one test, with the models of the tests.
struct TestStore {
    let directory: TemporaryDirectory
    let kind: StoreKind
    let container: ModelContainer

    var url: URL { directory.file("test.store") }

    init(_ kind: StoreKind, _ types: [any PersistentModel.Type] = [Trip.self]) throws {
        directory = try TemporaryDirectory()
        self.kind = kind
        container = try Self.open(kind, directory.file("test.store"), types)
    }

    private static func open(
        _ kind: StoreKind, _ url: URL, _ types: [any PersistentModel.Type]
    ) throws -> ModelContainer {
        let configuration =
            kind == .file
            ? ModelConfiguration(url: url, durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true)
        return try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    /// A second container on the same file, as another process would have it.
    func reopened(_ types: [any PersistentModel.Type] = [Trip.self]) throws -> ModelContainer {
        try Self.open(.file, url, types)
    }

    func context(author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    /// Runs the `sqlite3` program on the file: a writer that knows nothing of us.
    @discardableResult
    func shell(_ sql: String) throws -> String {
        try Shell.sqlite3(url, sql)
    }
}

enum Shell {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func sqlite3(_ file: URL, _ sql: String) throws -> String {
        let (status, output, errors) = try run("/usr/bin/env", ["sqlite3", "-bail", file.path, sql])
        guard status == 0 else { throw Failure(description: "sqlite3 ended with \(status): \(errors)") }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, errorText)
    }
}

/// A `sqlite3` program that holds a lock while a test does something.
enum ShellSession {
    static func holdingWriteLock(_ file: URL, _ body: () throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", file.path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
        // The answer comes when the lock is held.
        guard try output.fileHandleForReading.read(upToCount: 6) == Data("locked".utf8) else {
            throw Shell.Failure(description: "sqlite3 did not get the lock")
        }
        try body()
    }
}
