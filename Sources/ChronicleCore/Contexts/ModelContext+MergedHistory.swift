import Foundation

// The histories of several stores as one.
extension ModelContext {
    /// What the stores answer, merged; the first ones of each are enough to fill the page.
    func collect<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>,
        _ fetch: (any HistoryProviding<Transaction>, HistoryDescriptor<Transaction>) throws -> [Transaction]
    ) throws -> [Transaction] {
        let stores = try providers(of: Transaction.self)
        if stores.count == 1 { return try fetch(stores[0], descriptor) }
        let part = descriptor.unsliced
        let parts = try stores.map { try fetch($0, part) }
        guard descriptor.sortBy.isEmpty else {
            return descriptor.slice(parts.joined().sorted(using: descriptor.sortBy))
        }
        return descriptor.slice(Self.merged(parts))
    }

    /// The streams of several stores as one, in which each keeps its order, whatever its clock did.
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

    /// What each store has of the page that a descriptor asks for: the same page, asked for store by store.
    func parts<Transaction: HistoryTransaction>(
        of descriptor: HistoryDescriptor<Transaction>, in stores: [any HistoryProviding<Transaction>]
    ) throws -> [(store: any HistoryProviding<Transaction>, part: HistoryDescriptor<Transaction>)] {
        guard stores.count > 1, descriptor.isSliced else { return stores.map { ($0, descriptor) } }
        let owners = try fetchHistoryWithoutChanges(descriptor.unsliced).map(\.storeIdentifier)
        let offset = Int(clamping: descriptor.fetchOffset)
        return stores.compactMap { store in
            let isItsOwn = { (owner: String) in owner == (store as? any DataStore)?.identifier }
            let wanted = owners.dropFirst(offset).count(where: isItsOwn)
            // No limit at all would be all.
            guard wanted > 0 else { return nil }
            var part = descriptor
            part.fetchOffset = UInt64(owners.prefix(offset).count(where: isItsOwn))
            part.fetchLimit = UInt64(wanted)
            return (store, part)
        }
    }
}

extension HistoryDescriptor {
    private var hasLimit: Bool { fetchLimit != 0 && fetchLimit != .max }
    /// Whether it asks for a part of what matches.
    var isSliced: Bool { hasLimit || fetchOffset != 0 }

    /// What one of several stores is asked for: as many as the page could need of it.
    fileprivate var unsliced: HistoryDescriptor {
        var descriptor = self
        let (end, isTooMuch) = fetchLimit.addingReportingOverflow(fetchOffset)
        descriptor.fetchLimit = hasLimit && !isTooMuch ? end : 0
        descriptor.fetchOffset = 0
        return descriptor
    }

    func slice(_ transactions: [TransactionType]) -> [TransactionType] {
        let rest = transactions.dropFirst(Int(clamping: fetchOffset))
        return Array(hasLimit ? rest.prefix(Int(clamping: fetchLimit)) : rest)
    }
}
