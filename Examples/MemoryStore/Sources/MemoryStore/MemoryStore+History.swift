import Chronicle
import Foundation

// History, for a store that has none: what a save did is kept as a transaction, and handed out as typed changes.
extension MemoryStore: HistoryProviding {
    public typealias HistoryType = MemoryTransaction

    public func fetchHistory(_ descriptor: HistoryDescriptor<MemoryTransaction>) throws -> [MemoryTransaction] {
        let history = configuration.memory.contents.history
        // A token that something was deleted after has to be an error: an answer would miss it.
        for bound in try HistoryTokenBounds(descriptor).lower {
            try history.check(bound.token, isWanted: bound.isInclusive, identifier)
        }
        return try descriptor.answer(from: history.transactions.map { try $0.typed(schema) })
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<MemoryTransaction>) throws {
        try configuration.memory.change { contents in
            // "Up to this token" means what its owner has seen, which is not so for a token of another past.
            for bound in try HistoryTokenBounds(descriptor).upper {
                try contents.history.checkPast(bound.token, identifier)
            }
            let all = try contents.history.transactions.map { try $0.typed(schema) }
            contents.history.delete(try descriptor.answer(from: all).map(\.transactionIdentifier))
        }
    }

    public func currentHistoryToken() throws -> MemoryToken? {
        let newest = configuration.memory.contents.history.newest
        return newest == 0 ? nil : MemoryToken(storeIdentifier: identifier, position: newest)
    }
}

// MARK: What is kept

/// One change, before it has the type of its model.
enum MemoryChange: Sendable {
    case insert(PersistentIdentifier)
    case update(PersistentIdentifier, names: [String])
    case delete(PersistentIdentifier, kept: [(String, PropertyValue)])
}

struct MemoryHistory: Sendable {
    struct Transaction: Sendable {
        let position: Int
        let firstChange: Int
        let author: String?
        let storeIdentifier: String
        let timestamp: Date
        let changes: [MemoryChange]
    }

    private(set) var transactions: [Transaction] = []
    /// The position of the newest transaction, deleted or not: positions are never used twice.
    private(set) var newest = 0
    /// The position of the newest transaction that was deleted.
    private var floor = 0
    private var lastChange = 0

    /// - Returns: The position after the new transaction; `nil` when nothing happened.
    mutating func record(
        _ changes: [MemoryChange], _ editingState: EditingState, storeIdentifier: String
    ) -> MemoryToken? {
        guard !changes.isEmpty else { return nil }
        newest += 1
        transactions.append(
            Transaction(
                position: newest, firstChange: lastChange + 1, author: editingState.author,
                storeIdentifier: storeIdentifier, timestamp: .now, changes: changes))
        lastChange += changes.count
        return MemoryToken(storeIdentifier: storeIdentifier, position: newest)
    }

    mutating func delete(_ positions: [Int]) {
        let positions = Set(positions)
        transactions.removeAll { positions.contains($0.position) }
        floor = max(floor, positions.max() ?? 0)
    }

    /// Whether everything after a token is still there; at the token, too, if its own transaction is wanted.
    func check(_ token: MemoryToken, isWanted: Bool, _ storeIdentifier: String) throws {
        try checkPast(token, storeIdentifier)
        guard token.position < floor || isWanted && token.position == floor && floor > 0 else { return }
        throw SwiftDataError.historyTokenExpired.adding(
            detail: "transactions up to \(floor) were deleted, the token is at \(token.position)",
            storeIdentifier: storeIdentifier)
    }

    /// Whether a token is of this store.
    func checkPast(_ token: MemoryToken, _ storeIdentifier: String) throws {
        guard token.storeIdentifier == storeIdentifier else {
            throw SwiftDataError.historyTokenOfAnotherStore.adding(storeIdentifier: storeIdentifier)
        }
        guard token.position <= newest else {
            throw SwiftDataError.historyTokenAhead.adding(storeIdentifier: storeIdentifier)
        }
    }
}

extension MemoryHistory.Transaction {
    /// The transaction with the changes of their models' types.
    func typed(_ schema: Schema) throws -> MemoryTransaction {
        MemoryTransaction(
            author: author,
            changes: try changes.enumerated().map { try typed($1, firstChange + $0, schema) },
            storeIdentifier: storeIdentifier, timestamp: timestamp,
            token: MemoryToken(storeIdentifier: storeIdentifier, position: position), transactionIdentifier: position)
    }

    private func typed(_ change: MemoryChange, _ number: Int, _ schema: Schema) throws -> HistoryChange {
        switch change {
        case .insert(let identifier):
            func insert<Model: PersistentModel>(of model: Model.Type) -> HistoryChange {
                .insert(MemoryInsert<Model>(number, position, identifier))
            }
            // Swift opens the type: the function gets the class itself.
            return insert(of: schema.modelType(named: identifier.entityName))
        case .update(let identifier, let names):
            func update<Model: PersistentModel>(of model: Model.Type) -> HistoryChange {
                .update(MemoryUpdate<Model>(number, position, identifier, names))
            }
            return update(of: schema.modelType(named: identifier.entityName))
        case .delete(let identifier, let kept):
            func delete<Model: PersistentModel>(of model: Model.Type) throws -> HistoryChange {
                .delete(MemoryDelete<Model>(number, position, identifier, try HistoryTombstone(decoding: kept, schema)))
            }
            return try delete(of: schema.modelType(named: identifier.entityName))
        }
    }
}
