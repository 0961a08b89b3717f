#if Postgres
    import ChronicleCore

    extension PostgresStore {
        /// Applies the acknowledgement of a consumer in the transaction of a save.
        ///
        /// - Parameter connection: A connection in the transaction, before the changes are written.
        func apply(_ acknowledgement: HistoryAcknowledgement, _ connection: Connection) throws {
            throw SwiftDataError.unsupportedFeature.with(detail: "the store has no consumers")
        }

        /// Notifies observers, of other processes too, after a commit of this store.
        func didCommit() {}
    }
#endif
