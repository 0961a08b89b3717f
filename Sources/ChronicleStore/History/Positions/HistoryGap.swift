import ChronicleSQLite
import Foundation

/// Records the position at which recording resumed. Changes before it, while the history was disabled or its triggers
/// were changed, are unknown.
enum HistoryGap {
    static func record(_ connection: Connection) throws {
        // Seals changes by other programs from before the gap. A void header must not follow changes.
        if let unsealed = try HistoryFacts(connection).unsealed(after: 0) {
            try insertHeader(connection, what: -RecorderStatements.externalSource) { statement in
                try statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
                try statement.bind(unsealed.lowerBound, at: 4)
            }
        }
        // A void header that occupies the next position, so that all earlier tokens are before the gap.
        try insertHeader(connection, what: 0)
        try MetaTable.set(.gap, connection.lastInsertRowID, connection)
    }

    private static func insertHeader(
        _ connection: Connection, what: Int64, _ bind: (Statement) throws -> Void = { _ in }
    ) throws {
        let statement = try connection.cached(RecorderStatements.insertHeader)
        try statement.bind(what, at: 1)
        try statement.bind(Int64.random(in: .min ... .max), at: 3)
        try bind(statement)
        try statement.run()
    }
}
