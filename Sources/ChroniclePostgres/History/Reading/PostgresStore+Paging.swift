#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    extension PostgresStore: HistoryPaging {
        /// Returns the next changes of a transaction.
        ///
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
        fileprivate func contains(_ number: Int64) -> Bool {
            (firstNumber...firstNumber + (lastChange - firstChange)).contains(number)
        }
    }
#endif
