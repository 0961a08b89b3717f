package import Chronicle
import Synchronization

/// A logger that keeps the messages.
package final class TestLogger: StoreLogger {
    package struct Entry: Sendable {
        package let level: StoreLogLevel
        package let message: String
        package let metadata: [String: String]

        package var event: String? { metadata["event"] }
    }

    private let state = Mutex<[Entry]>([])

    package init() {}

    package var entries: [Entry] { state.withLock(\.self) }

    package func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
        state.withLock { $0.append(Entry(level: level, message: message, metadata: metadata)) }
    }
}
