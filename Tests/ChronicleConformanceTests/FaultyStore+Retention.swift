import Chronicle
import Foundation

@testable import ExampleStore

extension FaultyStore: HistoryRetaining {
    var historyRetention: HistoryRetention { .unlimited }

    func historyStatistics() throws -> HistoryStatistics {
        let transactions = try base.fetchHistory(Descriptor())
        let changes = transactions.reduce(0) { $0 + $1.changes.count }
        return HistoryStatistics(
            storeIdentifier: identifier, transactions: transactions.count,
            changes: changes + (fault == .countsTooManyChanges ? 1 : 0), bytes: changes * 16,
            oldest: transactions.first?.timestamp, newest: transactions.last?.timestamp)
    }

    func planHistoryPurge(
        _ retention: HistoryRetention, at date: Date
    ) throws -> HistoryPurgePlan<DefaultHistoryToken> {
        guard let maximum = retention.maximumChanges else { return HistoryPurgePlan(newest: nil) }
        var changes = 0
        let excess = try base.fetchHistory(Descriptor()).reversed().first { transaction in
            changes += transaction.changes.count
            return changes > maximum
        }
        return HistoryPurgePlan(newest: excess?.token)
    }

    func purgeHistory(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep {
        guard let token = plan.newest else { return HistoryPurgeStep(isLast: true) }
        let count = try base.fetchHistoryCount(.before(token))
        try base.deleteHistory(fault == .purgesEverything ? Descriptor() : .before(token))
        return HistoryPurgeStep(transactions: count, changes: count, isLast: true)
    }
}

extension FaultyStore: HistoryPaging {
    func fetchHistoryChanges(
        _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] {
        let identifier = request.transaction.transactionIdentifier
        let transactions = try base.fetchHistory(
            Descriptor(predicate: #Predicate { $0.transactionIdentifier == identifier }))
        let changes = transactions.first?.changes ?? []
        let last = request.lastChange?.changedPersistentIdentifier
        var next = changes.firstIndex { $0.changedPersistentIdentifier == last }.map { $0 + 1 } ?? 0
        if fault == .repeatsChangesOfPages, request.limit > 1, next > 0 { next -= 1 }
        return Array(changes.dropFirst(next).prefix(request.limit))
    }
}
