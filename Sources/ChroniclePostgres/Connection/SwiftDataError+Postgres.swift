#if Postgres
    import ChronicleCore

    extension SwiftDataError {
        init(_ error: PostgresError, storeIdentifier: String?) {
            let kind: SwiftDataError =
                switch error {
                case _ where error.isCommitTimeout: .saveOutcomeUnknown
                case _ where error.endsSession && !error.isRecoveryConflict: .storeUnavailable
                case _ where error.isConflict || error.isCanceled || error.isTooManyConnections: .storeBusy
                case _ where error.isUniqueViolation: .uniquenessViolation
                case _ where error.isConstraintViolation: .modelValidationFailure
                case _ where error.isFull: .storeFull
                case _ where error.isReadOnly || error.isPrivilegeViolation: .storeReadOnly
                case _ where error.isSchemaMismatch: .damagedFile
                default: .storeFailure
                }
            let detail =
                switch error {
                case _ where error.recommendation != nil: "\(error.message); \(error.recommendation ?? "")"
                case _ where error.isCommitTimeout:
                    "\(error.message); what was written can become visible later, so read it before you write it again"
                case _ where error.isRecoveryConflict:
                    "the standby server canceled the read, because it conflicts with changes of the primary server; try "
                        + "again, or set hot_standby_feedback or max_standby_streaming_delay on the standby server"
                case _ where error.isProxied:
                    "\(error.message): a proxy such as PgBouncer seems to assign sessions to transactions; set "
                        + "`usesTransactionPooling` to `true`"
                case _ where error.isReadOnly:
                    "the server is read-only, because it is a standby server or because of "
                        + "default_transaction_read_only (\(error.message)); connect to the primary server, or change "
                        + "the setting"
                case _ where error.isForeignKeyViolation:
                    "a relationship references a deleted model; assign another model and save again"
                case _ where error.isUniqueViolation:
                    "another model has the same unique value; change it and save again"
                case _ where error.isCanceled:
                    "the statement exceeded a time limit or was canceled; try again, or raise the limit"
                case _ where error.isConflict: "\(error.message); nothing was saved, try again"
                case _ where error.isSchemaMismatch:
                    "\(error.message): another program changed the tables of the store; restore them"
                case _ where error.isFull: "\(error.message); free space on the server, and try again"
                case _ where error.isPrivilegeViolation:
                    "\(error.message); grant the privilege, or connect as another role"
                default: error.message
                }
            self = kind.with(detail: detail, storeIdentifier: storeIdentifier, underlying: error)
        }
    }

    /// Converts errors of PostgreSQL that `body` throws, and adds the store identifier to errors without one.
    func attributingErrors<Result>(to storeIdentifier: String?, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PostgresError {
            throw SwiftDataError(error, storeIdentifier: storeIdentifier)
        } catch let error as SwiftDataError where error.storeIdentifier == nil {
            throw error.with(storeIdentifier: storeIdentifier)
        }
    }
#endif
