extension ModelContext {
    /// Returns what differs between two positions of the history: one change for each model.
    ///
    /// If the second position is the earlier one, the changes are reversed: a model that was inserted between the positions is a
    /// delete.
    ///
    /// ```swift
    /// let changes = try context.changes(between: start, and: end)
    /// for change in changes.changes(of: Trip.self) where change.kind == .update { … }
    /// ```
    ///
    /// A value that the history does not preserve is missing, and an update whose net effect is not known for this reason is
    /// included; see ``NetValue/isMissing``. The default store preserves all values if its file has that setting, see
    /// ``PreservedValue``. Stores in which neither token has a position are not compared. Unsaved changes have no effect.
    ///
    /// - Parameters:
    ///   - first: The position of the previous values.
    ///   - second: The position of the values, before or after the first one.
    ///   - type: The type of the transactions, which selects the stores.
    /// - Returns: The changes, one for each model that differs.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` (also for the four more specific token errors) if the history between the
    ///   positions is incomplete, or a position is not part of it; compare the models instead. ``SwiftDataError/historyDisabled``
    ///   if no store records history. ``SwiftDataError/invalidTransactionFetchRequest`` if no store provides transactions of the
    ///   type. ``SwiftDataError/damagedFile``, ``SwiftDataError/storeBusy`` or another error of the store.
    /// - Complexity: O(*n*) in the number of changes between the positions. The memory is proportional to the number of models that
    ///   changed.
    public func changes<Transaction: HistoryTransaction>(
        between first: Transaction.TokenType, and second: Transaction.TokenType,
        of type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> NetChanges {
        try netChanges(between: first, and: second, of: type, isForward: false)
    }

    /// Returns what differs between a position of the history and the present: one change for each model.
    ///
    /// See ``changes(between:and:of:)``. Stores in which the token has no position are not compared.
    ///
    /// - Parameter token: The position of the previous values.
    /// - Returns: The changes, one for each model that differs.
    /// - Throws: The errors of ``changes(between:and:of:)``, such as ``SwiftDataError/historyTokenExpired``.
    /// - Complexity: That of ``changes(between:and:of:)``.
    public func changes(since token: DefaultHistoryToken) throws -> NetChanges {
        let newest = try currentHistoryToken()
        let others = (newest.tokenValue ?? [:]).keys.filter { token.position(in: $0) == nil }
        return try changes(between: token, and: others.reduce(newest) { $0.removingPosition(in: $1) })
    }

    /// - Parameter isForward: Whether the changes are those from the earlier position to the later one, in each store.
    func netChanges<Transaction: HistoryTransaction>(
        between first: Transaction.TokenType, and second: Transaction.TokenType, of type: Transaction.Type,
        isForward: Bool
    ) throws -> NetChanges {
        let stores = try providers(of: type).filter { store in
            [first, second].contains { $0.hasPosition(in: store.storeIdentifier) }
        }
        guard !stores.isEmpty else {
            throw SwiftDataError.historyTokenStoreMismatch.with(
                detail: "the tokens have no position in a store of the container; use tokens of one of the stores")
        }
        let changes = try stores.flatMap { store in
            let isReversed = second.isBefore(first, in: store.storeIdentifier)
            var collector = NetChangeCollector(coordinator.schema)
            try attributingErrors(to: store) {
                let (lower, upper) = isReversed ? (second, first) : (first, second)
                try store.forEachChange(after: lower, through: upper) { _, change in collector.add(change) }
            }
            return collector.changes(isReversed: isReversed && !isForward)
        }
        return NetChanges(changes, coordinator.schema)
    }
}

extension HistoryToken {
    /// Only a ``DefaultHistoryToken`` may have no position in a store.
    fileprivate func hasPosition(in storeIdentifier: String) -> Bool {
        (self as? DefaultHistoryToken).map { $0.position(in: storeIdentifier) != nil } ?? true
    }

    fileprivate func isBefore(_ other: Self, in storeIdentifier: String) -> Bool {
        guard let token = self as? DefaultHistoryToken, let other = other as? DefaultHistoryToken else {
            return self < other
        }
        guard let position = token.position(in: storeIdentifier), let last = other.position(in: storeIdentifier) else {
            // The store throws an error for the token without a position.
            return false
        }
        return position < last
    }
}
