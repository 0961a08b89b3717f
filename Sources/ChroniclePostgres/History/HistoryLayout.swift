#if Postgres
    import ChronicleCore

    /// The tables, functions and triggers of the history.
    enum HistoryLayout {
        /// Creates what is missing, and replaces the triggers of tables whose columns changed.
        ///
        /// Called in the transaction that opens a store, under its lock, when the tables of the models and the catalog
        /// are complete. It may be called again at any time: what is complete stays as it is. With `recordsHistory`
        /// `false`, it removes the triggers and records a gap.
        ///
        /// - Parameters:
        ///   - connection: A connection with an open transaction, whose search path begins with the schema.
        ///   - schemaName: The schema of the tables.
        ///   - entities: The catalog: entities with their columns, in the order of their numbers.
        ///   - links: The link tables, which have the columns `owner` and `destination`.
        ///   - recordsHistory: Whether the history is recorded.
        static func install(
            _ connection: Connection, schemaName: String, entities: [RecordedEntity], links: [Schema.Links],
            recordsHistory: Bool
        ) throws {}

        /// Deletes all transactions, so that earlier tokens expire, in the transaction that deletes all models.
        ///
        /// - Parameter connection: A connection with an open transaction, after the rows of the models were deleted.
        static func erase(_ connection: Connection) throws {}
    }
#endif
