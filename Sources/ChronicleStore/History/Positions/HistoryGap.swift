import ChronicleSQLStore
import ChronicleSQLite

/// The position at which recording resumed. Changes before it, while the history was disabled or its triggers were changed,
/// are unknown.
enum HistoryGap {
    static func record(_ connection: Connection) throws {
        // Groups changes by other programs from before the gap. A void header must not follow changes.
        if let ungrouped = try HistoryPositions(connection).ungrouped(after: 0) {
            _ = try HeaderWriter.groupExternalChanges(from: ungrouped.lowerBound, connection)
        } else {
            try PendingTransaction.discard(connection)
        }
        // A void header that occupies the next position, so that all earlier tokens are before the gap.
        let gap = try HeaderWriter.insertVoid(connection)
        try MetaTable.set(.gap, gap, connection)
        try MetaTable(connection).setRecordedSince(gap: gap)
    }
}
