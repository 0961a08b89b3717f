import Chronicle
import Foundation

@testable import ExampleStore

extension FaultyStore: HistoryProviding {
    typealias Descriptor = HistoryDescriptor<MemoryTransaction>

    func fetchHistory(_ descriptor: Descriptor) throws -> [MemoryTransaction] {
        var asked = descriptor
        if fault == .ignoresHistoryOffsets { asked.fetchOffset = 0 }
        var found: [MemoryTransaction]
        do { found = try base.fetchHistory(asked) } catch {
            guard fault == .forgetsTheFloor || fault == .takesAnyToken else { throw error }
            return try descriptor.answer(from: all())
        }
        let tokens = try HistoryTokenBounds(descriptor).lower.map(\.token)
        switch fault {
        case .reversesHistory: found.reverse()
        case .repeatsTheToken: found = try all().filter { tokens.contains($0.token) } + found
        case .leavesOutTheSecond where !tokens.isEmpty && found.count > 2: found.remove(at: 1)
        case .leavesOutTheTwelfth: found.removeAll { $0.transactionIdentifier == 12 }
        case .splitsTransactions where descriptor.fetchLimit == 1:
            found = found.map { $0.with(Array($0.changes.prefix(1))) }
        case .knowsOnlyTheNewestToken:
            let newest = memory.contents.history.newest
            if tokens.contains(where: { $0.position < newest - 1 }) { found = [] }
        case .losesUnsigned where descriptor.predicate != nil && tokens.isEmpty: found.removeAll { $0.author == nil }
        case .skipsOthersHistory where !tokens.isEmpty: found = found.filter(isOwn)
        case .forgetsTypes, .namesEverything, .losesTombstones: found = found.map { $0.with($0.changes.map(spoiled)) }
        default: break
        }
        return found
    }

    func deleteHistory(_ descriptor: Descriptor) throws {
        do { try base.deleteHistory(descriptor) } catch SwiftDataError.historyTokenOfAnotherStore
            where fault == .deletesUpToAnyToken
        {
            try base.deleteHistory(Descriptor())
        }
        try memory.change { contents in
            if fault == .deletesModelsToo { contents.tables = contents.tables.mapValues { $0.emptied } }
            if fault == .resetsPositions { contents.history = MemoryHistory() }
        }
    }

    func currentHistoryToken() throws -> MemoryToken? {
        let token = try base.currentHistoryToken()
        guard fault == .hasAStalePosition, let token else { return token }
        return MemoryToken(storeIdentifier: identifier, position: token.position - 1)
    }

    func fetchHistoryCount(_ descriptor: Descriptor) throws -> Int {
        try fetchHistory(descriptor).count + (fault == .countsHistoryWrongly ? 1 : 0)
    }

    private func all() throws -> [MemoryTransaction] {
        try memory.contents.history.transactions.map { try $0.typed(schema) }
    }

    private func spoiled(_ change: HistoryChange) -> HistoryChange {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert where fault == .forgetsTypes: return .insert(MemoryInsert<RemovedModel>(1, 1, identifier))
        case .update where fault == .namesEverything:
            let names = schema.entitiesByName[identifier.entityName]?.storedProperties.map(\.name) ?? []
            func update<Model: PersistentModel>(_ model: Model.Type) -> HistoryChange {
                .update(MemoryUpdate<Model>(1, 1, identifier, names))
            }
            return update(schema.modelType(named: identifier.entityName))
        case .delete where fault == .losesTombstones:
            func delete<Model: PersistentModel>(_ model: Model.Type) -> HistoryChange {
                .delete(MemoryDelete<Model>(1, 1, identifier, HistoryTombstone()))
            }
            return delete(schema.modelType(named: identifier.entityName))
        default: return change
        }
    }
}
