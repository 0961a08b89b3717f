import Chronicle
import Foundation

// A history for a store whose backend has none: the changes of a save are stored as a transaction, and returned as
// typed changes.
extension MemoryStore: HistoryProviding {
    public typealias HistoryType = DefaultHistoryTransaction

    public func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws
        -> [DefaultHistoryTransaction]
    {
        let history = configuration.memory.contents.history
        // A token before a deleted transaction must throw, because the result would be incomplete.
        for bound in try HistoryTokenBounds(descriptor).lower {
            try history.validate(bound.token, isInclusive: bound.isInclusive, identifier)
        }
        return try descriptor.apply(to: history.transactions.map { $0.typed(schema) })
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try configuration.memory.change { contents in
            // Deleting up to a token deletes the transactions that its owner has read. The token of a lost transaction
            // does not identify them.
            for bound in try HistoryTokenBounds(descriptor).upper {
                try contents.history.validatePosition(bound.token, identifier)
            }
            let all = contents.history.transactions.map { $0.typed(schema) }
            contents.history.delete(try descriptor.apply(to: all).map(\.transactionIdentifier))
        }
    }

    public func currentHistoryToken() throws -> DefaultHistoryToken? {
        DefaultHistoryToken(storeIdentifier: identifier, position: configuration.memory.contents.history.newest)
    }

    public func earliestHistoryToken() throws -> DefaultHistoryToken? {
        let position = configuration.memory.contents.history.earliest
        return DefaultHistoryToken(storeIdentifier: identifier, position: position)
    }
}

// MARK: Stored history

/// One change, without the type of its model.
enum MemoryChange: Sendable {
    case insert(PersistentIdentifier)
    case update(PersistentIdentifier, names: [String])
    case delete(PersistentIdentifier, kept: [(name: String, value: PropertyValue)])
}

extension MemoryChange {
    var model: PersistentIdentifier {
        switch self {
        case .insert(let model), .update(let model, _), .delete(let model, _): model
        }
    }
}

struct MemoryHistory: Sendable {
    struct Transaction: Sendable {
        let position: Int64
        let firstChange: Int64
        let author: String?
        let contextName: String?
        let metadata: [String: String]
        let storeIdentifier: String
        let timestamp: Date
        let changes: [MemoryChange]
    }

    private(set) var transactions: [Transaction] = []
    /// The position of the newest transaction, deleted or not: positions are never reused.
    private(set) var newest: Int64 = 0
    /// The position of the newest transaction that was deleted.
    private var floor: Int64 = 0
    private var lastChange: Int64 = 0

    /// Records a transaction and returns its token, or `nil` if nothing changed.
    mutating func record(
        _ changes: [MemoryChange], _ editingState: EditingState, storeIdentifier: String
    ) -> DefaultHistoryToken? {
        guard !changes.isEmpty else { return nil }
        newest += 1
        transactions.append(
            Transaction(
                position: newest, firstChange: lastChange + 1, author: editingState.author,
                contextName: editingState.contextName, metadata: editingState.metadata,
                storeIdentifier: storeIdentifier, timestamp: .now, changes: changes))
        lastChange += Int64(changes.count)
        return DefaultHistoryToken(storeIdentifier: storeIdentifier, position: newest)
    }

    mutating func delete(_ positions: [Int64]) {
        let positions = Set(positions)
        transactions.removeAll { positions.contains($0.position) }
        floor = max(floor, positions.max() ?? 0)
    }

    /// The position from which the history is complete, or 0 if transactions before a deleted one remain.
    var earliest: Int64 { transactions.contains { $0.position <= floor } ? 0 : floor }

    /// Deletes all transactions. A position is used up, so that all earlier tokens expire.
    mutating func erase() {
        newest += 1
        floor = newest
        transactions = []
    }

    /// Throws an error unless the history contains everything after a token, and the token's own transaction if
    /// `isInclusive` is `true`.
    func validate(_ token: DefaultHistoryToken, isInclusive: Bool, _ storeIdentifier: String) throws {
        let position = try validatePosition(token, storeIdentifier)
        guard position < floor || isInclusive && position == floor && floor > 0 else { return }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "transactions up to \(floor) were deleted, the token is at \(position)")
    }

    /// Returns the position of a token, or throws an error if it does not belong to this store's history.
    @discardableResult
    func validatePosition(_ token: DefaultHistoryToken, _ storeIdentifier: String) throws -> Int64 {
        guard let position = token.position(in: storeIdentifier) else {
            throw SwiftDataError.historyTokenStoreMismatch
        }
        guard position <= newest else {
            throw SwiftDataError.historyTokenAhead.with(detail: "the store is at \(newest), the token at \(position)")
        }
        return position
    }
}

extension MemoryHistory.Transaction {
    /// Returns the transaction with typed changes. The memory is used by one process; a store for several processes
    /// would save the process of each transaction, like its author.
    func typed(_ schema: Schema) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: position, storeIdentifier: storeIdentifier,
            token: DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position), timestamp: timestamp,
            author: author, contextName: contextName, bundleIdentifier: ProcessInfo.processInfo.processName,
            processIdentifier: String(ProcessInfo.processInfo.processIdentifier), metadata: metadata,
            changes: changes.enumerated().map { typed($1, firstChange + Int64($0), schema) })
    }

    private func typed(_ change: MemoryChange, _ number: Int64, _ schema: Schema) -> HistoryChange {
        switch change {
        case .insert(let model):
            .insert(of: model, changeIdentifier: number, transactionIdentifier: position, schema: schema)
        case .update(let model, let names):
            .update(
                of: model, updatedAttributeNames: names, changeIdentifier: number, transactionIdentifier: position,
                schema: schema)
        case .delete(let model, let kept):
            .delete(
                of: model, kept: kept, changeIdentifier: number, transactionIdentifier: position, schema: schema)
        }
    }
}
