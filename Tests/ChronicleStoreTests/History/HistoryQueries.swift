import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// Random queries on a history, whose results are compared with those of Foundation on all transactions.
struct HistoryQueries {
    private let store: DefaultStore
    private let all: [Transaction]
    private var random: SplitMix
    /// The tokens from which reading can continue.
    private let tokens: [DefaultHistoryToken]

    init(_ store: DefaultStore, _ all: [Transaction], _ random: SplitMix) throws {
        (self.store, self.all, self.random) = (store, all, random)
        tokens = try all.map(\.token).filter { token in
            try failure(of: { try store.fetchHistoryCount(.after(token)) }) == nil
        }
    }

    // MARK: Comparing

    /// Returns a description of a query whose results differ from Foundation's, or `nil` if they are the same.
    mutating func difference() throws -> String? {
        let (name, predicate) = predicate()
        let (order, sortBy) = order()
        var descriptor = Descriptor(predicate: predicate, sortBy: sortBy)
        if random.below(2) == 0 {
            descriptor = descriptor.limited(
                random.pick([0, 1, 2, 7, 1_000]), offset: random.pick([0, 0, 1, 5, 1_000]))
        }
        var expected = try all.filter { try predicate?.evaluate($0) ?? true }
        // Swift's sort is stable.
        if let order { expected.sort(by: order) }
        expected = Array(expected.dropFirst(Int(descriptor.fetchOffset)))
        if descriptor.fetchLimit != 0 { expected = Array(expected.prefix(Int(clamping: descriptor.fetchLimit))) }
        let results = [
            try store.fetchHistory(descriptor).map { "\($0.id) \($0.changes.count) \($0.metadata.count)" },
            try store.fetchHistoryWithoutChanges(descriptor).map { "\($0.id) \($0.author ?? "-") \($0.token)" },
            try store.fetchHistoryIdentifiers(descriptor).map { "\($0)" },
            ["\(try store.fetchHistoryCount(descriptor))"],
        ]
        let wanted = [
            expected.map { "\($0.id) \($0.changes.count) \($0.metadata.count)" },
            expected.map { "\($0.id) \($0.author ?? "-") \($0.token)" },
            expected.map { "\($0.id)" }, ["\(expected.count)"],
        ]
        guard let index = results.indices.first(where: { results[$0] != wanted[$0] }) else { return nil }
        return "\(name), limit \(descriptor.fetchLimit), offset \(descriptor.fetchOffset), sorted by \(sortBy.count) "
            + "keys: \(results[index].prefix(5)) instead of \(wanted[index].prefix(5)) in result \(index)"
    }

    /// Compares headers with complete reads after a position that may be within a transaction.
    mutating func differenceWithinTransactions() throws -> String? {
        let highest = all.last.map { Int($0.id) + 2 } ?? 1
        let token = DefaultHistoryToken(
            storeIdentifier: store.identifier, position: Int64(random.below(highest)), checkValue: nil)
        let descriptor = Descriptor.after(token)
        var identifiers: [Int64] = []
        let expected = try failure(of: { identifiers = try store.fetchHistory(descriptor).map(\.id) })
        var count = 0
        let error = try failure(of: { count = try store.fetchHistoryCount(descriptor) })
        guard error == expected else { return "\(token): \(error as Any) instead of \(expected as Any)" }
        if error != nil { return nil }
        let found = try store.fetchHistoryIdentifiers(descriptor)
        return found == identifiers && count == identifiers.count
            ? nil : "\(token): \(count), \(found.prefix(5)) instead of \(identifiers.prefix(5)) (\(identifiers.count))"
    }

    // MARK: Orders

    private typealias Order = (Transaction, Transaction) -> Bool

    private mutating func order() -> (order: Order?, descriptors: [SortDescriptor<Transaction>]) {
        func author(_ transaction: Transaction) -> String { transaction.author.map { "+\($0)" } ?? "" }
        switch random.below(7) {
        case 0: return ({ $0.id > $1.id }, [SortDescriptor(\.token, order: .reverse)])
        case 1: return (nil, [SortDescriptor(\.token)])
        case 2: return ({ author($0) < author($1) }, [SortDescriptor(\.author)])
        case 3:
            return (
                { (author($0), $1.id) < (author($1), $0.id) },
                [SortDescriptor(\.author), SortDescriptor(\.transactionIdentifier, order: .reverse)]
            )
        case 4: return ({ $0.timestamp > $1.timestamp }, [SortDescriptor(\.timestamp, order: .reverse)])
        default: return (nil, [])
        }
    }

    // MARK: Predicates

    private typealias Condition = Predicate<Transaction>

    private mutating func predicate() -> (name: String, predicate: Condition?) {
        // Changes that no header follows have the time of each read.
        let grouped = all.filter { $0.token.checkValue(in: $0.storeIdentifier) != nil }
        let some = grouped.isEmpty ? nil : random.pick(grouped)
        let author =
            random.below(3) == 0
            ? random.pick(RandomHistory.authors) : random.pick([nil, "", "author 0", some?.author])
        let (other, context) = (random.pick(RandomHistory.authors), random.pick(RandomHistory.contexts))
        let (date, later) = (some?.timestamp ?? .now, (some?.timestamp ?? .now).addingTimeInterval(300))
        let bundle = random.pick(["other", some?.bundleIdentifier ?? "", ""])
        let reason = random.pick(["import", "edit", "none"])
        let model = some?.changes.first?.changedPersistentIdentifier
        let number = random.below(16)
        let name = "predicate \(number) (\(author ?? "-"), \(other ?? "-"), \(context ?? "-"), \(date), \(bundle))"
        let known = random.below(2) == 0
        guard !known || tokens.isEmpty else {
            let token = random.pick(tokens)
            switch number % 6 {
            case 0: return (name + "t", #Predicate { $0.token > token })
            case 1: return (name + "t", #Predicate { $0.token > token && $0.author == author })
            case 2: return (name + "t", #Predicate { $0.token <= token && $0.contextName == context })
            case 3: return (name + "t", #Predicate { $0.token > token && $0.timestamp < later })
            case 4: return (name + "t", #Predicate { $0.token > token && $0.metadata["reason"] == reason })
            default: return (name + "t", #Predicate { $0.token == token || $0.author == author })
            }
        }
        switch number {
        case 0: return (name, nil)
        case 1: return (name, #Predicate { $0.author == author })
        case 2: return (name, #Predicate { $0.author == author || $0.author == other })
        case 3: return (name, #Predicate { $0.author != author && $0.contextName == context })
        case 4: return (name, #Predicate { $0.isExternal })
        case 5: return (name, #Predicate { !$0.isExternal && $0.author == author })
        case 6: return (name, #Predicate { $0.bundleIdentifier == bundle })
        case 7: return (name, #Predicate { $0.timestamp > date })
        case 8: return (name, #Predicate { $0.timestamp >= date && $0.timestamp <= later })
        case 9: return (name, #Predicate { $0.timestamp < date && $0.author == author })
        case 10: return (name, #Predicate { date >= $0.timestamp || $0.author == author })
        case 11: return (name, #Predicate { $0.metadata["reason"] == reason && $0.author == author })
        case 12: return (name, #Predicate { $0.metadata["number"] != nil || $0.isExternal })
        case 13:
            guard let model else { return (name, nil) }
            return (
                name, #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == model } && !$0.isExternal }
            )
        case 14: return (name, #Predicate { $0.changes.isEmpty || $0.contextName == context })
        default: return (name, #Predicate { !($0.author == author) && ($0.contextName ?? "main") == "main" })
        }
    }
}
