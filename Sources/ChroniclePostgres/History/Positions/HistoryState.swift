#if Postgres
    import ChronicleCore

    /// The row of `chronicle_history`, and what it means for tokens.
    struct HistoryState {
        /// The newest position, or 0 if there never was a transaction.
        let position: Int64
        let checkValue: Int64
        /// The newest deleted position, or 0 if nothing was deleted.
        let floor: Int64
        let floorCheck: Int64
        /// The position at which recording resumed, or 0 if it was never interrupted.
        let gap: Int64
        let gapCheck: Int64
        let isRecording: Bool

        static func select(_ connection: Connection) -> String {
            """
            SELECT position, check_value, floor, floor_check, gap, gap_check, is_recording FROM \(connection.schema).chronicle_history
            """
        }

        /// Reads the row.
        ///
        /// - Throws: ``SwiftDataError/historyDisabled`` if another program opened the store without history.
        init(_ result: QueryResult) throws {
            guard result.count == 1 else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row of chronicle_history is missing; restore it from a backup")
            }
            (position, checkValue) = (result.int64(0, 0), result.int64(0, 1))
            (floor, floorCheck) = (result.int64(0, 2), result.int64(0, 3))
            (gap, gapCheck) = (result.int64(0, 4), result.int64(0, 5))
            isRecording = result.bool(0, 6)
            guard isRecording else {
                throw SwiftDataError.historyDisabled.with(
                    detail:
                        "the store was last opened with `recordsHistory: false`; open it with `recordsHistory: true` to "
                        + "record it again")
            }
        }

        /// The reasons for which reading cannot continue from a token.
        enum Failure: Hashable, Sendable {
            case ofAnotherStore, ahead, expired, gap, forked
        }

        /// Returns why reading cannot continue from a position, or `nil` if it can. A pure function of its arguments.
        ///
        /// - Parameters:
        ///   - position: The position of the token in this store, if it has one.
        ///   - checkValue: The check value of the token.
        ///   - isInclusive: Whether the transaction at the position is requested too.
        ///   - known: The check value of the transaction at the position, or `nil` if there is none.
        func failure(
            position: Int64?, checkValue: Int64?, isInclusive: Bool = false, known: Int64?
        ) -> Failure? {
            guard let position else { return .ofAnotherStore }
            // Stores do not assign negative positions.
            guard position >= 0 else { return .forked }
            if position > self.position { return .ahead }
            if position < floor || isInclusive && position <= floor && floor > 0 { return .expired }
            if position < gap { return .gap }
            // Transactions at these positions do not exist any more.
            let expected = position == floor ? floorCheck : position == gap ? gapCheck : known
            guard let checkValue else { return nil }
            return checkValue == expected ? nil : .forked
        }

        /// Returns the error with a description and a recommendation.
        func error(_ failure: Failure, position: Int64?) -> SwiftDataError {
            let place = position.map { "position \($0)" } ?? "a token without a position"
            let again = "fetch the models again and continue from a current token"
            switch failure {
            case .ofAnotherStore:
                return .historyTokenStoreMismatch.with(
                    detail: "the token has no position in this store; merge it with a token of this store, or \(again)")
            case .ahead:
                return .historyTokenAhead.with(
                    detail:
                        "\(place) is after the newest position \(self.position): a restored backup or a server that "
                        + "took over undid the transaction; \(again)")
            case .expired:
                return .historyTokenExpired.with(
                    detail: "\(place) is before position \(floor), up to which the history was deleted; \(again)")
            case .gap:
                return .historyTokenGap.with(
                    detail: "changes after \(place) were not recorded because the history was disabled or its triggers "
                        + "were changed; recording resumed at position \(gap); \(again)")
            case .forked:
                return .historyTokenForked.with(
                    detail:
                        "\(place) belongs to another transaction now: a restored backup or a server that took over undid "
                        + "the token's transaction, and the store recorded others since; \(again)")
            }
        }

        func newestToken(_ storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: position, checkValue: position == 0 ? nil : checkValue)
        }

        func floorToken(_ storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: floor, checkValue: floor == 0 ? nil : floorCheck)
        }
    }

    /// Looks up tokens in the open transaction of a connection.
    struct HistoryPositions {
        let connection: Connection
        let state: HistoryState
        let storeIdentifier: String

        /// Returns the position of a token from which reading continues.
        ///
        /// - Parameter isInclusive: Whether the transaction at the position is requested too.
        /// - Throws: The error that describes why reading cannot continue from the token.
        func lowerBound(_ token: DefaultHistoryToken, isInclusive: Bool = false) throws -> Int64 {
            let position = token.position(in: storeIdentifier)
            if let position, try failure(token, isInclusive: isInclusive) == nil { return position }
            throw state.error(try failure(token, isInclusive: isInclusive) ?? .ofAnotherStore, position: position)
        }

        /// Returns the position of a token that is an upper bound. It may have been deleted, but has to be of this store's
        /// past: deleting up to a token must delete only transactions that its owner has seen.
        ///
        /// - Throws: ``SwiftDataError/historyTokenStoreMismatch``, ``SwiftDataError/historyTokenAhead``, or
        ///   ``SwiftDataError/historyTokenForked``.
        func upperBound(_ token: DefaultHistoryToken) throws -> Int64 {
            let position = token.position(in: storeIdentifier)
            let failure = try failure(token, isInclusive: false)
            if let position, failure == nil || failure == .expired || failure == .gap { return position }
            throw state.error(failure ?? .ofAnotherStore, position: position)
        }

        func failure(_ token: DefaultHistoryToken, isInclusive: Bool) throws -> HistoryState.Failure? {
            let position = token.position(in: storeIdentifier)
            let found = try connection.run(
                "SELECT check_value FROM \(connection.schema).chronicle_transaction WHERE position = $1",
                Parameters(.int64(position ?? 0)))
            return state.failure(
                position: position, checkValue: token.checkValue(in: storeIdentifier), isInclusive: isInclusive,
                known: found.count == 1 ? found.int64(0, 0) : nil)
        }
    }
#endif
