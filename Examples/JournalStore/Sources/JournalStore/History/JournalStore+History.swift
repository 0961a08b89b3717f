import Chronicle

// The journal is the history: a transaction is a record, and the index has the position of each record.
extension JournalStore: HistoryProviding {
    public typealias HistoryType = JournalTransaction

    /// Reads the transactions after the tokens of the predicate, up to the limit.
    public func fetchHistory(_ descriptor: HistoryDescriptor<JournalTransaction>) throws -> [JournalTransaction] {
        let bounds = try HistoryTokenBounds(descriptor)
        return try withJournal { journal in
            try journal.read { journal in
                for bound in bounds.lower {
                    try journal.state.history.validate(bound.token, isInclusive: bound.isInclusive, identifier)
                }
                return try Self.matching(descriptor, bounds, &journal)
            }
        }
    }

    /// Deletes the oldest transactions. Their space is reclaimed at once if it is the greater part of the file, and
    /// otherwise by ``compact()``; until then their content is still in the file.
    ///
    /// - Throws: `SwiftDataError.unsupportedFeature` for a descriptor that matches a transaction and not all older
    ///   ones, because only the beginning of a journal can be deleted.
    public func deleteHistory(_ descriptor: HistoryDescriptor<JournalTransaction>) throws {
        let bounds = try HistoryTokenBounds(descriptor)
        try withJournal { journal in
            try journal.write { journal in
                // A delete up to a token means the transactions that its owner has read, which a token of a lost
                // transaction does not identify.
                for bound in bounds.upper { try journal.state.history.validatePosition(bound.token, identifier) }
                let oldest = journal.state.history.numbers.lowerBound
                let numbers = try Self.matching(descriptor, bounds, &journal).map(\.transactionIdentifier).sorted()
                guard let last = numbers.last else { return }
                guard last - oldest == numbers.count - 1 else {
                    throw DataStoreError.unsupportedFeature.with(detail: "deleting other than the oldest history")
                }
                try journal.raiseFloor(to: last)
                guard journal.wastesSpace else { return }
                // Without space for a second file, the history is deleted nevertheless, and its space is reclaimed
                // later.
                do { try journal.compact() } catch SwiftDataError.storeFull {}
            }
        }
    }

    public func currentHistoryToken() throws -> JournalToken? {
        JournalToken(storeIdentifier: identifier, try withJournal { try $0.read { $0.state.history.newest } })
    }

    public func earliestHistoryToken() throws -> JournalToken? {
        JournalToken(storeIdentifier: identifier, try withJournal { try $0.read { $0.state.history.floor } })
    }

    private static func matching(
        _ descriptor: HistoryDescriptor<JournalTransaction>, _ bounds: HistoryTokenBounds<JournalToken>,
        _ journal: inout Journal
    ) throws -> [JournalTransaction] {
        // Without a sort, reading can stop at the limit.
        let isLimited = descriptor.sortBy.isEmpty && descriptor.fetchLimit > 0
        let (wanted, isAll) = descriptor.fetchOffset.addingReportingOverflow(descriptor.fetchLimit)
        var rest = descriptor
        rest.predicate = nil
        var found: [JournalTransaction] = []
        for number in journal.state.history.numbers.clamped(to: bounds.numbers) {
            if isLimited, !isAll, found.count >= wanted { break }
            let transaction = try journal.transaction(number)
            if try descriptor.predicate?.evaluate(transaction) ?? true { found.append(transaction) }
        }
        return try rest.apply(to: found)
    }
}

extension HistoryTokenBounds<JournalToken> {
    /// The range of transactions that can match.
    fileprivate var numbers: Range<Int> {
        var (first, end) = (0, Int.max)
        for bound in lower where bound.isRequired { first = max(first, bound.token.position) }
        // The predicate decides whether the transaction at an upper bound is included.
        for bound in upper where bound.isRequired && bound.token.position < .max - 1 {
            end = min(end, bound.token.position + 1)
        }
        return first..<max(first, end)
    }
}

extension Journal {
    /// Whether more than half of the file consists of deleted transactions.
    fileprivate var wastesSpace: Bool {
        state.history.deletedBytes(until: state.end) > state.end / 2
    }
}
