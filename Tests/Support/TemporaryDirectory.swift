package import Foundation

/// A separate directory for each test, removed when the process exits, because a context may outlive the rest of its
/// test.
package struct TemporaryDirectory: Sendable {
    private static let root: URL = {
        let root = FileManager.default.temporaryDirectory.appending(path: "chronicle-\(UUID().uuidString)")
        atexit { try? FileManager.default.removeItem(at: TemporaryDirectory.root) }
        return root
    }()

    package let url: URL

    package init() throws {
        url = Self.root.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func file(_ name: String) -> URL { url.appending(path: name) }
}
