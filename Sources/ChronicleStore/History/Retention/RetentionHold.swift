import ChronicleSQLite
import Foundation

/// A consumer whose unread transactions a purge keeps.
struct RetentionHold: Hashable, Sendable {
    /// The name of the consumer.
    let name: String
    /// The position up to which the consumer has acknowledged the history.
    let position: Int64
    /// When the consumer was seen last.
    let lastSeen: Date

    /// Whether a purge keeps transactions for the consumer.
    func isLive(_ evictsBefore: Date?) -> Bool { evictsBefore.map { lastSeen >= $0 } ?? true }

    /// Returns the consumers of a file that need a part of the history.
    static func all(_ connection: Connection) throws -> [RetentionHold] {
        try ConsumerTable.positions(connection).map { name, position, lastSeen in
            RetentionHold(name: name, position: position, lastSeen: lastSeen)
        }
    }
}
