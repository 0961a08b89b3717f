package import Chronicle
import Synchronization

/// A logger that keeps the messages, except that about the version of SQLite, which one of the tests receives.
package final class TestLogger: StoreLogger {
    package struct Entry: Sendable {
        package let level: StoreLogLevel
        package let message: String
        package let metadata: [String: String]

        package var event: String? { metadata["event"] }
    }

    private let state = Mutex<[Entry]>([])

    private let keepsLibraryNotice: Bool

    package init(keepsLibraryNotice: Bool = false) { self.keepsLibraryNotice = keepsLibraryNotice }

    package var entries: [Entry] { state.withLock(\.self) }

    package func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
        if metadata["event"] == "libraryDefect", !keepsLibraryNotice { return }
        state.withLock { $0.append(Entry(level: level, message: message, metadata: metadata)) }
    }
}
