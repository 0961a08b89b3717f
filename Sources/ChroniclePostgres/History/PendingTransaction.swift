#if Postgres
    import ChronicleCore

    /// The row of `chronicle_pending` that describes a save: its author, its check value, and so on.
    ///
    /// The transaction of a save is one pipeline, or several. ``begin(_:)`` adds statements to the first one, directly
    /// after BEGIN and before any change; ``end(_:)`` adds statements to the last one, directly before COMMIT. Nothing
    /// else may need a round trip.
    struct PendingTransaction {
        /// The random number that identifies the transaction. An unknown commit is resolved by looking for it.
        let checkValue = Int64.random(in: .min ... .max)
        let editingState: EditingState

        /// Adds the statements before the first change.
        func begin(_ pipeline: inout Pipeline) {}

        /// Adds the statements after the last change.
        func end(_ pipeline: inout Pipeline) {}

        /// Returns the keys of the rows that the transaction inserted, in the order of the changes, by the numbers of their
        /// entities; `nil` if no transaction with the check value was committed.
        func committedInserts(_ connection: Connection) throws -> [Int64: [Int64]]? { nil }

        /// Returns the token of the transaction after its commit, or `nil` if it recorded nothing.
        func token(_ connection: Connection) throws -> DefaultHistoryToken? { nil }
    }
#endif
