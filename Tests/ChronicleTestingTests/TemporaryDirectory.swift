import Foundation

/// A directory of its own for each test; gone with its last owner.
final class TemporaryDirectory: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ChronicleTestingTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed is left to the system, which cleans up there.
        try? FileManager.default.removeItem(at: url)
    }

    /// A place for a new file.
    func file() -> URL { url.appending(path: "\(UUID().uuidString).store") }
}
