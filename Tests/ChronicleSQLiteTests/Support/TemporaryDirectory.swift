import Foundation

/// A directory of a test's own, removed with the last reference to it.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "chronicle-sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing is left to tell of a failure here.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String = "store.sqlite") -> String { url.appending(path: name).path }

    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url.appending(path: name)) }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }
}
