import ChronicleCore
import ChronicleSQLite

extension SwiftDataError {
    init(_ error: SQLiteError, storeIdentifier: String?) {
        let kind: SwiftDataError =
            switch error {
            case _ where error.isBusy: .storeBusy
            case _ where error.isUniqueConstraint: .uniquenessViolation
            case _ where error.isConstraint: .modelValidationFailure
            case _ where error.isFull: .storeFull
            case _ where error.needsRecovery: .loadIssueModelContainer
            case _ where error.isMoved: .storeMoved
            case _ where error.isReadOnly: .storeReadOnly
            case _ where error.isNotADatabase: .notADatabase
            case _ where error.isCorrupt || error.isDenied: .damagedFile
            default: .storeFailure
            }
        let detail =
            switch error {
            // SQLite does not report the row when a save commits; `referenceError(from:on:deleted:)` finds it.
            case _ where error.isForeignKeyConstraint:
                "a relationship references a deleted model; assign another model and save again"
            case _ where error.isUniqueConstraint:
                "another \(error.uniqueProperties ?? "model has the same unique value"); change it and save again"
            case _ where error.isNotADatabase:
                "the file is not an SQLite database; specify another URL, or restore a backup"
            case _ where error.needsRecovery:
                "a program was interrupted while it wrote the file; open the store once with `allowsSave: true` to restore "
                    + "it from its journal"
            case _ where error.isMoved:
                "\(error.message); create a new container to use the file that is at the path now"
            case _ where error.isDenied: "another program replaced a table with a view: \(error.message)"
            case _ where error.isTooManyFiles:
                "\(error.message): the program has too many open files; close some of them or raise the limit, and try "
                    + "again"
            case _ where error.isInputOutput && !error.isFull:
                "\(error.fullMessage); the disk or the connection to it may be failing, and the file may be undamaged"
            default: error.fullMessage
            }
        self = kind.with(
            detail: detail, storeIdentifier: storeIdentifier, underlying: DatabaseError(error))
    }
}

extension SQLiteError {
    /// What a row of the table and another one have in common, such as `Trip has the same name`; `nil` for an index on
    /// expressions.
    fileprivate var uniqueProperties: String? {
        // The message of SQLite is "UNIQUE constraint failed: Trip.name, Trip.date".
        let parts = message.split(separator: ": ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let columns = parts[1].split(separator: ", ").map { $0.split(separator: ".", omittingEmptySubsequences: false) }
        guard let table = columns.first?.first, columns.allSatisfy({ $0.count == 2 && $0[0] == table }) else {
            return nil
        }
        return "\(table) has the same \(columns.map { String($0[1]) }.joined(separator: " and "))"
    }

    fileprivate var fullMessage: String { systemMessage.map { "\(message): \($0)" } ?? message }
}

/// Converts SQLite errors of `body` to `SwiftDataError`, adds the store identifier to errors without one, and throws
/// `CancellationError` if a read was interrupted because its task was canceled.
func attributingErrors<Result>(to storeIdentifier: String?, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
        if error.isInterrupted { throw CancellationError() }
        throw SwiftDataError(error, storeIdentifier: storeIdentifier)
    } catch let error as SwiftDataError where error.storeIdentifier == nil {
        throw error.with(storeIdentifier: storeIdentifier)
    }
}
