import Foundation

/// A directory of its own for each test; gone with its last owner.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "JournalStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed is left to the system, which cleans up there.
        try? FileManager.default.removeItem(at: url)
    }

    /// A place for a new file.
    func file(_ name: String = UUID().uuidString) -> URL { url.appending(path: name + ".journal") }
}
