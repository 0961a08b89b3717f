import Foundation

// Merges the histories of several stores.
extension ModelContext {
    /// Returns one page of the merged transactions. Each store returns at most as many transactions as the page could need.
    func collect<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>,
        _ fetch: (any HistoryProviding<Transaction>, HistoryDescriptor<Transaction>) throws -> [Transaction]
    ) throws -> [Transaction] {
        let stores = try providers(of: Transaction.self)
        if stores.count == 1 { return try fetch(stores[0], descriptor) }
        let part = descriptor.unsliced
        guard descriptor.sortBy.isEmpty else {
            return descriptor.slice(try stores.flatMap { try fetch($0, part) }.sorted(using: descriptor.sortBy))
        }
        // The positions are read before the transactions, which may be deleted in the meantime.
        var reached = ReachedPositions<Transaction>(try startTokens(of: descriptor, in: stores))
        let transactions = Self.merged(try stores.map { try fetch($0, part) })
        return descriptor.slice(transactions.map { reached.advance(past: $0) })
    }

    /// The positions in all stores are unknown if the predicate has a token in a condition that a transaction need not meet, or one
    /// whose own transaction matches.
    private func startTokens<Transaction: HistoryTransaction>(
        of descriptor: HistoryDescriptor<Transaction>, in stores: [any HistoryProviding<Transaction>]
    ) throws -> [Transaction.TokenType] {
        let bounds: [HistoryTokenBound<Transaction.TokenType>]
        do { bounds = try HistoryTokenBounds(descriptor).lower } catch SwiftDataError.unsupportedPredicate {
            // The store decides whether it supports the predicate.
            return []
        }
        guard bounds.isEmpty else { return bounds.filter { $0.isRequired && !$0.isInclusive }.map(\.token) }
        return try stores.earliestTokens()
    }

    /// Each store's commit order is kept, even if its clock was changed.
    private static func merged<Transaction: HistoryTransaction>(_ parts: [[Transaction]]) -> [Transaction] {
        var rest = parts.filter { !$0.isEmpty }.map { $0[...] }
        var merged: [Transaction] = []
        merged.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        func place(_ index: Int) -> (Date, String) {
            let next = rest[index][rest[index].startIndex]
            return (next.timestamp, next.storeIdentifier)
        }
        while let first = rest.indices.min(by: { place($0) < place($1) }) {
            merged.append(rest[first].removeFirst())
            if rest[first].isEmpty { rest.remove(at: first) }
        }
        return merged
    }

    /// Returns a descriptor for each store that selects its share of the page that a descriptor selects.
    func parts<Transaction: HistoryTransaction>(
        of descriptor: HistoryDescriptor<Transaction>, in stores: [any HistoryProviding<Transaction>]
    ) throws -> [(store: any HistoryProviding<Transaction>, part: HistoryDescriptor<Transaction>)] {
        guard stores.count > 1, descriptor.isSliced else { return stores.map { ($0, descriptor) } }
        let storeIdentifiers = try fetchHistoryWithoutChanges(descriptor.unsliced).map(\.storeIdentifier)
        let offset = Int(clamping: descriptor.fetchOffset)
        return stores.compactMap { store in
            let isFromStore = { (identifier: String) in identifier == (store as? any DataStore)?.identifier }
            let wanted = storeIdentifiers.dropFirst(offset).count(where: isFromStore)
            // A limit of 0 means no limit.
            guard wanted > 0 else { return nil }
            var part = descriptor
            part.fetchOffset = UInt64(storeIdentifiers.prefix(offset).count(where: isFromStore))
            part.fetchLimit = UInt64(wanted)
            return (store, part)
        }
    }
}

extension HistoryDescriptor {
    private var hasLimit: Bool { fetchLimit != 0 && fetchLimit != .max }
    var isSliced: Bool { hasLimit || fetchOffset != 0 }

    /// Selects as many transactions of one of several stores as the page could need.
    fileprivate var unsliced: HistoryDescriptor {
        var descriptor = self
        let (end, overflow) = fetchLimit.addingReportingOverflow(fetchOffset)
        descriptor.fetchLimit = hasLimit && !overflow ? end : 0
        descriptor.fetchOffset = 0
        return descriptor
    }

    func slice(_ transactions: [TransactionType]) -> [TransactionType] {
        let rest = transactions.dropFirst(Int(clamping: fetchOffset))
        return Array(hasLimit ? rest.prefix(Int(clamping: fetchLimit)) : rest)
    }
}
