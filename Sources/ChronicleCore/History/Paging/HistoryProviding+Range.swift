extension HistoryProviding {
    var storeIdentifier: String { (self as? any DataStore)?.identifier ?? "" }

    /// Calls a closure with each change between two positions, in commit order. The history in between must be complete.
    ///
    /// - Parameter lower: The position before the changes, or `nil` for the beginning of the history.
    func forEachChange(
        after lower: HistoryType.TokenType?, through upper: HistoryType.TokenType,
        _ body: (HistoryType, HistoryChange) throws -> Void
    ) throws {
        // A store checks the tokens after which it reads.
        var check = HistoryDescriptor<HistoryType>.after(upper).complete
        check.fetchLimit = 1
        _ = try fetchHistoryWithoutChanges(check)
        var reader = HistoryReader([self], after: lower, requiresCompleteHistory: true)
        while let transaction = try reader.nextTransaction() {
            guard upper < transaction.token else {
                while let changes = try reader.nextChanges() {
                    for change in changes { try body(transaction, change) }
                }
                continue
            }
            // A position in a transaction of another program, some of whose changes are before it.
            guard let position = upper.positionOfChange(in: storeIdentifier) else { return }
            while let changes = try reader.nextChanges() {
                for change in changes {
                    guard let number = change.integerChangeIdentifier, number <= position else { return }
                    try body(transaction, change)
                }
            }
            return
        }
    }
}

extension HistoryToken {
    /// Returns the position in a default store, if it may be that of a change and not of a transaction.
    fileprivate func positionOfChange(in storeIdentifier: String) -> Int64? {
        guard let token = self as? DefaultHistoryToken, token.checkValue(in: storeIdentifier) == nil else { return nil }
        return token.position(in: storeIdentifier)
    }
}
