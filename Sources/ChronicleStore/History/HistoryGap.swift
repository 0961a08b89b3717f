import ChronicleSQLite
import Foundation

/// Marks the place where recording began again: what happened before it, while it was off or while another program had
/// changed the triggers, nobody knows.
enum HistoryGap {
    static func record(_ connection: Connection) throws {
        // What other programs wrote while history was on ends before the gap. A void header says nothing of changes.
        if let unsealed = try HistoryFacts(connection).unsealed(after: 0) {
            try insertHeader(connection, what: -RecorderStatements.externalSource) { statement in
                try statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
                try statement.bind(unsealed.lowerBound, at: 4)
            }
        }
        // A void header: it takes the next position, so that no token from before stands at or after it.
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
