import Chronicle
import Synchronization

@testable import ExampleStore

extension FaultyStore: DataStoreConsuming {
    typealias Record = HistoryConsumerRecord<DefaultHistoryToken>

    var initialHistoryToken: DefaultHistoryToken? { base.initialHistoryToken }

    func consumerRecords() throws -> [Record] {
        let records = try base.consumerRecords()
        let action = didReadConsumers.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        return records
    }

    func updateConsumer<Result: Sendable>(
        named name: String, isDurable: Bool, _ update: (inout Record?) throws -> Result
    ) throws -> Result {
        if fault == .copiesRenamedConsumers {
            let known = memory.contents.consumers[name]
            let result = try base.updateConsumer(named: name, isDurable: isDurable, update)
            try memory.change { contents in
                if known != nil, contents.consumers[name] == nil { contents.consumers[name] = known }
            }
            return result
        }
        return try base.updateConsumer(named: name, isDurable: isDurable) { record in
            let known = record
            let result = try update(&record)
            guard let known, var changed = record else { return result }
            switch fault {
            case .losesAcknowledgements where changed.acknowledged != known.acknowledged: changed = known
            case .losesAttempts: changed.attempts = known.attempts
            case .losesFences where changed.attempts == 0 && known.attempts > 0: changed.fence = known.fence
            default: break
            }
            record = changed
            return result
        }
    }

    func lockConsumer(named name: String) throws -> (any AnyObject & Sendable)? {
        fault == .sharesConsumers ? memory : try base.lockConsumer(named: name)
    }

    func fetchHistoryPage(
        _ descriptor: Descriptor, changeCount: Int
    ) throws -> HistoryPage<DefaultHistoryTransaction> {
        let page = try base.fetchHistoryPage(descriptor, changeCount: changeCount)
        if fault == .losesPages { return HistoryPage(transactions: page.transactions, hasMore: false) }
        let largest = HistoryPage<DefaultHistoryTransaction>.largestTransaction(inPageOf: changeCount)
        guard let index = page.transactions.firstIndex(where: { $0.changes.count > largest }) else { return page }
        if index == 0 || fault == .skipsToLargeTransactions {
            return HistoryPage(largeTransaction: page.transactions[index].with([]))
        }
        return HistoryPage(transactions: Array(page.transactions[..<index]), hasMore: true)
    }

    func identifiers(
        of entity: Schema.Entity, after identifier: PersistentIdentifier?, limit: Int
    ) throws -> [PersistentIdentifier] {
        let found = try base.identifiers(of: entity, after: identifier, limit: limit)
        return fault == .losesModelsOfSnapshots && identifier != nil ? [] : found
    }
}
