#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    extension PostgresStore: HistoryPaging {
        /// Returns the next changes of a transaction.
        ///
        /// - Returns: The changes in the order in which they were made. Fewer than the limit mean that there are no more.
        /// - Throws:
        ///   - `SwiftDataError.historyTokenExpired`, or an error of its family, if the transaction was deleted or is not
        ///     part of the history. Fetch the models again and continue from a current token.
        ///   - `SwiftDataError.invalidTransactionFetchRequest` if the last change does not belong to the transaction.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history.
        ///   - `SwiftDataError.damagedFile` if the history is damaged. Restore the tables from a backup.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: Proportional to the number of returned changes.
        public func fetchHistoryChanges(
            _ request: HistoryChangesRequest<DefaultHistoryTransaction>
        ) throws -> [HistoryChange] {
            try readingHistory { positions in
                let position = request.transaction.transactionIdentifier
                guard request.transaction.storeIdentifier == identifier else {
                    throw positions.error(.ofAnotherStore, position: position)
                }
                let found = try positions.connection.run(
                    "SELECT \(HistoryHeader.columns) FROM \(positions.connection.schema).chronicle_transaction AS h WHERE h.position = $1",
                    Parameters(.int64(position)))
                guard found.count == 1 else {
                    let failure = HistoryTokenCheck.failure(
                        ofMissing: position, positions.state.facts(at: position, known: nil))
                    throw positions.error(failure, position: position)
                }
                let header = try HistoryHeader(found, 0)
                if let checkValue = request.transaction.token.checkValue(in: identifier),
                    checkValue != header.checkValue
                {
                    throw positions.error(.forked, position: position)
                }
                if let token = request.token?.position(in: identifier), token >= position { return [] }
                let last = request.lastChange?.integerChangeIdentifier
                guard request.lastChange == nil || last.map(header.contains) == true else {
                    throw SwiftDataError.invalidTransactionFetchRequest.with(
                        detail: "the last change does not belong to transaction \(position)",
                        storeIdentifier: identifier)
                }
                var reader = ChangeReader(
                    positions.connection, HistoryCatalog(self), returnsStoredValues: request.returnsStoredValues)
                return try reader.changes(of: header, after: last, limit: request.limit)
            }
        }
    }

    extension HistoryHeader {
        /// Returns whether a change with an identifier can belong to the transaction.
        fileprivate func contains(_ number: Int64) -> Bool {
            (firstNumber...firstNumber + (lastChange - firstChange)).contains(number)
        }
    }
#endif
