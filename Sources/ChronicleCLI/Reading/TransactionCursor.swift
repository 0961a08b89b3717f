import Chronicle
import Foundation

/// Reads the transactions of a selection one after the other, in bounded memory: call ``forEachChange(_:)`` after
/// ``next()``.
struct TransactionCursor {
    private let file: StoreFile
    private let selection: TransactionSelection
    private var page: ArraySlice<DefaultHistoryTransaction> = []
    private var pageSize = 20
    private var isComplete = false
    private var reached: DefaultHistoryToken?
    private var remaining: Int
    private var current: DefaultHistoryTransaction?
    /// The matching changes of the current transaction that were read to find out whether there are any.
    private var changes: [HistoryChange]?
    private var model: ModelEntries?

    private static let changesPerPage = 1_000

    init(_ file: StoreFile, _ selection: TransactionSelection) {
        (self.file, self.selection) = (file, selection)
        remaining = selection.limit
        if let identifier = selection.model { model = ModelEntries(file, identifier, selection) }
    }

    init(
        _ file: StoreFile, changesOf transaction: DefaultHistoryTransaction,
        _ selection: TransactionSelection = TransactionSelection()
    ) {
        self.init(file, selection)
        remaining = 0
        current = transaction
    }

    init(_ file: StoreFile, changes: [HistoryChange]) {
        self.init(file, TransactionSelection(limit: 0))
        self.changes = changes
    }

    /// Returns the transaction without its changes. Throws `SwiftDataError.historyTokenExpired`, or an error of its family,
    /// if the history after the position of the selection is not complete.
    mutating func next() throws -> DefaultHistoryTransaction? {
        guard remaining > 0 else { return nil }
        while let transaction = try nextCandidate() {
            guard try matches(transaction) else { continue }
            remaining -= 1
            current = transaction
            return transaction
        }
        current = nil
        return nil
    }

    /// The transaction is the one that ``next()`` returned last.
    func forEachChange(_ body: (HistoryChange) throws -> Void) throws {
        if let changes { return try changes.forEach(body) }
        guard let current else { return }
        var request = HistoryChangesRequest(current, after: selection.after?.token, limit: Self.changesPerPage)
        while true {
            let page = try file.store.fetchHistoryChanges(request)
            for change in page where selection.matches(change, in: file.schema) { try body(change) }
            if page.count < Self.changesPerPage { return }
            request.lastChange = page.last
        }
    }

    // MARK: Candidates

    private mutating func nextCandidate() throws -> DefaultHistoryTransaction? {
        if model != nil {
            guard let (transaction, changes) = try model?.next() else { return nil }
            self.changes = changes
            return transaction
        }
        changes = nil
        if page.isEmpty, !isComplete { try readPage() }
        return page.popFirst()
    }

    private mutating func readPage() throws {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: selection.predicate(beyond: reached))
        if !selection.isAscending { descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)] }
        // The first page is small, so that the first transactions are shown at once.
        pageSize = min(max(pageSize, 1), 1_000)
        if remaining < pageSize, !selection.selectsChanges { pageSize = max(remaining, 1) }
        descriptor.fetchLimit = UInt64(pageSize)
        page = try file.store.fetchHistoryWithoutChanges(descriptor)[...]
        isComplete = page.count < pageSize
        reached = page.last?.token ?? reached
        pageSize *= 4
    }

    /// The store has evaluated the other conditions.
    private mutating func matches(_ transaction: DefaultHistoryTransaction) throws -> Bool {
        if model != nil { return true }
        // The store also finds transactions of other programs whose matching changes are before the token.
        let mayBeDivided = selection.selectsChanges && transaction.isExternal && selection.after?.token != nil
        guard selection.attribute != nil || mayBeDivided else { return true }
        current = transaction
        var hasMatch = false
        struct Found: Error {}
        do { try forEachChange { _ in throw Found() } } catch is Found { hasMatch = true }
        return hasMatch
    }
}

/// The store may find the changes of the model with an index.
private struct ModelEntries {
    private let file: StoreFile
    private let selection: TransactionSelection
    private var request: ModelHistoryRequest<DefaultHistoryTransaction>
    private var entries: ArraySlice<ModelHistoryEntry<DefaultHistoryTransaction>> = []
    private var isComplete = false
    private var lowerBound: DefaultHistoryToken?
    private var isChecked = false

    init(_ file: StoreFile, _ model: PersistentIdentifier, _ selection: TransactionSelection) {
        (self.file, self.selection) = (file, selection)
        request = ModelHistoryRequest(model, order: selection.isAscending ? .forward : .reverse, limit: 100)
    }

    mutating func next() throws -> (DefaultHistoryTransaction, [HistoryChange])? {
        try checkLowerBound()
        var transaction: DefaultHistoryTransaction?
        var changes: [HistoryChange] = []
        while let entry = try nextEntry() {
            if let transaction, transaction != entry.transaction { break }
            entries.removeFirst()
            guard isSelected(entry), selection.matches(entry.change, in: file.schema) else { continue }
            transaction = entry.transaction
            changes.append(entry.change)
        }
        if !selection.isAscending { changes.reverse() }
        return transaction.map { ($0, changes) }
    }

    private mutating func nextEntry() throws -> ModelHistoryEntry<DefaultHistoryTransaction>? {
        while entries.isEmpty, !isComplete {
            let page = try file.store.fetchModelHistory(request)
            entries = page.entries[...]
            request.continuation = page.continuation
            isComplete = page.continuation == nil
        }
        return entries.first
    }

    /// The history after the position of the selection must be complete.
    private mutating func checkLowerBound() throws {
        guard !isChecked else { return }
        isChecked = true
        guard case .token(let token)? = selection.after else { return }
        lowerBound = token
        var check = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        check.fetchLimit = 1
        check.requiresCompleteHistory = true
        _ = try file.store.fetchHistoryIdentifiers(check)
    }

    private func isSelected(_ entry: ModelHistoryEntry<DefaultHistoryTransaction>) -> Bool {
        let transaction = entry.transaction
        if let lowerBound, transaction.token <= lowerBound { return false }
        // A token can be a position within a transaction of another program.
        if let position = lowerBound?.position(in: file.store.identifier),
            let number = entry.change.integerChangeIdentifier,
            number <= position
        {
            return false
        }
        if case .date(let date)? = selection.after, transaction.timestamp <= date { return false }
        if let through = selection.through, through < transaction.token { return false }
        return selection.author.map { $0 == transaction.author ?? "" } ?? true
    }
}
