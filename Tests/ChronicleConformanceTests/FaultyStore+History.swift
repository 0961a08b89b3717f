import Chronicle
import Foundation
import Synchronization

@testable import ExampleStore

extension FaultyStore: HistoryProviding {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    func fetchHistory(_ descriptor: Descriptor) throws -> [DefaultHistoryTransaction] {
        var asked = descriptor
        if fault == .ignoresHistoryOffsets { asked.fetchOffset = 0 }
        let tokens = try HistoryTokenBounds(descriptor).lower.map(\.token)
        var found: [DefaultHistoryTransaction]
        do { found = try base.fetchHistory(asked) } catch {
            let forgets = fault == .forgetsDeletions && !known.withLock(\.deletes)
            let skips = fault == .skipsDeletions && memory.contents.history.earliest == 0
            let isStart = tokens.allSatisfy { $0.tokenValue?.values.allSatisfy { $0 == 0 } ?? true }
            let accepts = fault == .acceptsAnyToken || fault == .acceptsAnyStart && isStart
            guard fault == .losesTheFloor || accepts || forgets || skips else { throw error }
            return try descriptor.apply(to: all())
        }
        found = found.map(withoutErasedValues)
        switch fault {
        case .reversesHistory: found.reverse()
        case .repeatsTheToken: found = all().filter { tokens.contains($0.token) } + found
        case .skipsTheSecondTransaction where !tokens.isEmpty && found.count > 2: found.remove(at: 1)
        case .skipsTheTwelfthTransaction: found.removeAll { $0.transactionIdentifier == 12 }
        case .splitsTransactions where descriptor.fetchLimit == 1:
            found = found.map { $0.with(Array($0.changes.prefix(1))) }
        case .acceptsOnlyTheNewestToken:
            let newest = memory.contents.history.newest
            if tokens.contains(where: { ($0.position(in: identifier) ?? 0) < newest - 1 }) { found = [] }
        case .losesUnsigned where descriptor.predicate != nil && tokens.isEmpty: found.removeAll { $0.author == nil }
        case .skipsOthersHistory where !tokens.isEmpty: found = found.filter(isOwn)
        case .recordsOneEnd:
            found = found.map { transaction in
                transaction.with(transaction.changes.filter { $0.changedPersistentIdentifier.entityName != "Club" })
            }
        case .forgetsTypes, .reportsAllAttributes, .losesTombstones:
            found = found.map { $0.with($0.changes.map(spoiled)) }
        default: break
        }
        return found
    }

    func deleteHistory(_ descriptor: Descriptor) throws {
        do { try base.deleteHistory(descriptor) } catch SwiftDataError.historyTokenStoreMismatch
            where fault == .deletesUpToAnyToken
        {
            try base.deleteHistory(Descriptor())
        }
        known.withLock { $0.deletes = true }
        try memory.change { contents in
            if fault == .deletesModelsToo { contents.tables = contents.tables.mapValues { $0.emptied } }
            if fault == .resetsPositions { contents.history = MemoryHistory() }
        }
    }

    func currentHistoryToken() throws -> DefaultHistoryToken? {
        let token = try base.currentHistoryToken()
        guard fault == .reportsAStalePosition, let position = token?.position(in: identifier) else { return token }
        return DefaultHistoryToken(storeIdentifier: identifier, position: position - 1)
    }

    func earliestHistoryToken() throws -> DefaultHistoryToken? {
        try fault == .beginsAtTheNewestToken ? base.currentHistoryToken() : base.earliestHistoryToken()
    }

    func fetchHistoryCount(_ descriptor: Descriptor) throws -> Int {
        try fetchHistory(descriptor).count + (fault == .countsHistoryWrongly ? 1 : 0)
    }

    private func all() -> [DefaultHistoryTransaction] {
        memory.contents.history.transactions.map { $0.typed(schema) }
    }

    private func spoiled(_ change: HistoryChange) -> HistoryChange {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert where fault == .forgetsTypes:
            return .insert(
                DefaultHistoryInsert<UntypedModel>(
                    changeIdentifier: 1, transactionIdentifier: 1, changedPersistentIdentifier: identifier))
        case .update where fault == .reportsAllAttributes:
            return .update(
                of: identifier,
                updatedAttributeNames: schema.entitiesByName[identifier.entityName]?.storedProperties.map(\.name) ?? [],
                changeIdentifier: 1, transactionIdentifier: 1, schema: schema)
        case .delete where fault == .losesTombstones:
            return .delete(
                of: identifier, kept: [], changeIdentifier: 1, transactionIdentifier: 1, schema: schema)
        default: return change
        }
    }
}
