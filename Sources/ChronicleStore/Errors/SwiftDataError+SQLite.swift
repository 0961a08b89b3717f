import ChronicleCore
import ChronicleSQLite

extension SwiftDataError {
    /// What an SQLite error means to a caller; the code and the statement stay with it.
    init(_ error: SQLiteError, storeIdentifier: String?) {
        let kind: SwiftDataError =
            switch error {
            case _ where error.isBusy: .storeBusy
            case _ where error.isUniqueConstraint: .uniquenessViolation
            case _ where error.isConstraint: .modelValidationFailure
            case _ where error.isFull: .storeFull
            case _ where error.needsRecovery: .loadIssueModelContainer
            case _ where error.isReadOnly: .storeReadOnly
            case _ where error.isNotADatabase: .notADatabase
            case _ where error.isCorrupt || error.isDenied: .damagedFile
            default: .storeFailure
            }
        let detail =
            switch error {
            // SQLite checks references when a save commits, and does not say which row it was: `explain` finds out.
            case _ where error.isForeignKeyConstraint: "a relationship leads to a model that another writer deleted"
            case _ where error.needsRecovery:
                "a program that wrote the file was interrupted; open the store once with `allowsSave: true`, and SQLite "
                    + "restores the file from the journal beside it"
            case _ where error.isDenied: "another program put a view in the place of a table: \(error.message)"
            case _ where error.isInputOutput:
                "\(error.message); the disk, or the connection to it, may be failing, and the file itself be undamaged"
            default: error.message
            }
        self = kind.with(
            detail: detail, storeIdentifier: storeIdentifier, sqliteCode: error.extendedCode, sql: error.sql,
            underlying: error)
    }
}

/// Runs `body`, and says what SQLite's errors mean.
///
/// - Throws: `CancellationError` for a read that ended because its task was cancelled.
func translatingErrors<Result>(storeIdentifier: String?, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
        if error.isInterrupted { throw CancellationError() }
        throw SwiftDataError(error, storeIdentifier: storeIdentifier)
    }
}
