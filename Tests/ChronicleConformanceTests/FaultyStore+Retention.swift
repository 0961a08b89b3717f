import Chronicle
import Foundation
import Synchronization

@testable import ChronicleConformance
@testable import ExampleStore

extension FaultyStore: HistoryValueRetaining {
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
        guard let maximum = retention.maximumChanges else {
            return HistoryPurgePlan(newest: nil, erasures: try erasures(retention, at: date))
        }
        var changes = 0
        let excess = try base.fetchHistory(Descriptor()).reversed().first { transaction in
            changes += transaction.changes.count
            return changes > maximum
        }
        return HistoryPurgePlan(newest: excess?.token)
    }

    func purgeHistory(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep {
        guard let token = plan.newest else {
            let values = try preservedValueCounts(plan).reduce(0, +)
            for erasure in plan.erasures where fault != .keepsValuesOfRules {
                let position = erasure.newest.position(in: identifier) ?? 0
                known.withLock { $0.erased[erasure.rule.attributeName ?? ""] = position }
            }
            return HistoryPurgeStep(values: values, isLast: true)
        }
        let count = try base.fetchHistoryCount(.before(token))
        try base.deleteHistory(fault == .purgesEverything ? Descriptor() : .before(token))
        return HistoryPurgeStep(transactions: count, changes: count, isLast: true)
    }
}

// The values of deleted books, by rules with attributes.
extension FaultyStore {
    private func erasures(
        _ retention: HistoryRetention, at date: Date
    ) throws -> [HistoryPurgePlan<DefaultHistoryToken>.Erasure] {
        try retention.valueRules.compactMap { rule in
            guard let name = rule.attributeName,
                schema.entitiesByName[rule.entityName]?.property(named: name) != nil
            else { throw SwiftDataError.unknownSchema }
            let limit = date - rule.maximumAge / .seconds(1)
            let last = try base.fetchHistory(Descriptor()).last { $0.timestamp < limit }
            return last.map { .init(rule: rule, newest: $0.token) }
        }
    }

    func preservedValueCounts(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> [Int] {
        try plan.erasures.map { erasure in
            try fetchHistory(.before(erasure.newest)).flatMap(\.changes).count { change in
                guard case .delete(let delete as DefaultHistoryDelete<Book>) = change else { return false }
                return delete.tombstone[erasure.rule.attributeName ?? ""] != nil
            }
        }
    }

    func withoutErasedValues(_ transaction: DefaultHistoryTransaction) -> DefaultHistoryTransaction {
        let erased = known.withLock(\.erased).filter { transaction.transactionIdentifier <= $0.value }
        if erased.isEmpty { return transaction }
        return transaction.with(
            transaction.changes.map { change in
                guard case .delete(let delete as DefaultHistoryDelete<Book>) = change else { return change }
                return .delete(
                    DefaultHistoryDelete<Book>(
                        changeIdentifier: delete.changeIdentifier,
                        transactionIdentifier: delete.transactionIdentifier,
                        changedPersistentIdentifier: delete.changedPersistentIdentifier,
                        tombstone: HistoryTombstone(
                            delete.tombstone.namedValues.filter { erased[$0.name] == nil })))
            })
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
