public import ChronicleCore
import ChronicleSQLite
import Foundation

/// The tags of the history, which are kept in the file.
extension DefaultStore: HistoryTagging {
    /// Returns all tags, ordered by name.
    ///
    /// - Complexity: O(*n*), where *n* is the number of tags.
    public func historyTags() throws -> [HistoryTag<DefaultHistoryToken>] {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead {
                    try TagTable.exists(connection)
                        ? TagTable(connection: connection, storeIdentifier: identifier).tags() : []
                }
            }
        }
    }

    /// Names the newest position of the history. Changes by other programs become a transaction first.
    ///
    /// - Complexity: O(log *n*) in the length of the history, and proportional to the changes by other programs.
    public func tagHistory(_ name: String, replacing: Bool) throws -> HistoryTag<DefaultHistoryToken> {
        try writingTags { connection in
            // Checked first: throws if the history is disabled.
            _ = try HistoryPositions(connection).facts(at: 0)
            try recorder.groupExternalChanges(connection)
            if try !TagTable.exists(connection) { try TagTable.create(connection) }
            let tag = HistoryTag(
                name: name, token: try HistoryPositions(connection).newestToken(of: identifier), date: Date())
            try TagTable(connection: connection, storeIdentifier: identifier).insert(tag, replacing: replacing)
            return tag
        }
    }

    public func deleteHistoryTag(_ name: String) throws -> Bool {
        try writingTags { connection in
            try TagTable.exists(connection)
                && TagTable(connection: connection, storeIdentifier: identifier).delete(name)
        }
    }

    private func writingTags<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try requireWriteAccess()
        try requireHistory()
        return try attributingErrors {
            try database.write { connection in try connection.immediate { try body(connection) } }
        }
    }
}
