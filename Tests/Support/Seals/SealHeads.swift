package import Chronicle
package import Foundation

/// The heads of a sealed store, in a file beside it that several processes append to.
package struct SealHeads: Sendable {
    package let url: URL

    package init(besideStoreAt store: URL) {
        url = store.deletingLastPathComponent().appending(path: "heads")
    }

    /// Appends a head with one call of the system, which a kill does not divide.
    package func append(_ head: HistorySeal) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Shell.Failure(description: "\(url.path) cannot be opened: \(errno)") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data("\(head)\n".utf8))
    }

    /// The heads in the order in which they were returned.
    package func all() throws -> [HistorySeal] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            guard let head = HistorySeal(String(line)) else {
                throw Shell.Failure(description: "“\(line)” is no head")
            }
            return head
        }
    }
}
