#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The row of `chronicle_history`.
    struct HistoryState {
        /// 0 if there never was a transaction.
        let position: Int64
        let checkValue: Int64
        /// The newest deleted position, or 0.
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

        /// Throws ``SwiftDataError/historyDisabled`` if another program opened the store without history.
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

        /// - Parameter known: The check value of the transaction at the position, if there is one.
        func facts(at position: Int64, known: Int64?) -> HistoryPositionFacts {
            // The transaction at which recording resumed does not exist.
            let checkValue = position == gap ? gapCheck : known
            return HistoryPositionFacts(
                newest: self.position, floor: floor, floorCheckValue: floorCheck, gap: gap,
                row: checkValue.map { .header(checkValue: $0) } ?? .change)
        }

        /// Everything before the floor counts as deleted.
        var deletedBeginning: SelectiveDeletions {
            SelectiveDeletions(floor: floor, checkValue: floor == 0 ? nil : floorCheck)
        }

        func gapToken(_ storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: storeIdentifier, position: gap, checkValue: gapCheck)
        }

        func newestToken(_ storeIdentifier: String) -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: position, checkValue: position == 0 ? nil : checkValue)
        }
    }

    /// Looks up tokens in the open transaction of a connection.
    struct HistoryPositions: HistoryTokenChecking {
        static let tokenCheck = HistoryTokenCheck(
            hasHeaders: false, causeOfLoss: "a restored backup or a server that took over")

        let connection: Connection
        let state: HistoryState
        let storeIdentifier: String

        func facts(at position: Int64) throws -> HistoryPositionFacts {
            let found = try connection.run(
                "SELECT check_value FROM \(connection.schema).chronicle_transaction WHERE position = $1",
                Parameters(.int64(position)))
            var facts = state.facts(at: position, known: found.count == 1 ? found.int64(0, 0) : nil)
            if position < state.floor { facts.deletions = try deletions() }
            return facts
        }

        func hasTransactions(through position: Int64) throws -> Bool {
            try connection.run(
                "SELECT EXISTS (SELECT FROM \(connection.schema).chronicle_transaction WHERE position <= $1)",
                Parameters(.int64(position))
            ).bool(0, 0)
        }

        /// `nil` if all transactions before the floor count as deleted.
        func deletions() throws -> SelectiveDeletions? {
            SelectiveDeletions(try MetaTable.text(.deletions, connection), floor: state.floor)
        }

        func error(_ failure: HistoryTokenCheck.Failure, position: Int64?) -> SwiftDataError {
            Self.tokenCheck.error(failure, position: position, state.facts(at: 0, known: nil))
        }
    }
#endif
