import Foundation

/// A separate directory for each test, removed with its last reference.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "JournalStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // The system cleans up what cannot be removed.
        try? FileManager.default.removeItem(at: url)
    }

    /// The URL of a new file.
    func file(_ name: String = UUID().uuidString) -> URL { url.appending(path: name + ".journal") }
}
