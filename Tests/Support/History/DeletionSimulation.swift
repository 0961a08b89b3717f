package import Chronicle
import Foundation

/// Random deletions of history, and reads of every kind after random tokens, compared with a list of the transactions.
package struct DeletionSimulation {
    package struct Mismatch: Error, CustomStringConvertible { package let description: String }

    private struct Saved {
        let transaction: DefaultHistoryTransaction
        var isDeleted = false
        var author: String? { transaction.author }
    }

    private enum Selection: CaseIterable {
        case all, onlyA, exceptA, exceptUnsigned

        func matches(_ author: String?) -> Bool {
            switch self {
            case .all: true
            case .onlyA: author == "a"
            case .exceptA: author != "a"
            case .exceptUnsigned: author != nil
            }
        }

        var filter: HistoryFilter {
            switch self {
            case .all: HistoryFilter()
            case .onlyA: HistoryFilter(authors: .only(["a"]))
            case .exceptA: HistoryFilter(authors: .except(["a"]))
            case .exceptUnsigned: HistoryFilter(authors: .except([], includingAnonymous: false))
            }
        }

        /// A token that is `nil` is no condition.
        func descriptor(after token: DefaultHistoryToken?) -> Descriptor {
            let (a, none): (String?, String?) = ("a", nil)
            guard let token else {
                switch self {
                case .all: return Descriptor()
                case .onlyA: return Descriptor(predicate: #Predicate { $0.author == a })
                case .exceptA: return Descriptor(predicate: #Predicate { $0.author != a })
                case .exceptUnsigned: return Descriptor(predicate: #Predicate { $0.author != none })
                }
            }
            switch self {
            case .all: return .after(token)
            case .onlyA: return Descriptor(predicate: #Predicate { $0.token > token && $0.author == a })
            case .exceptA: return Descriptor(predicate: #Predicate { $0.token > token && $0.author != a })
            case .exceptUnsigned: return Descriptor(predicate: #Predicate { $0.token > token && $0.author != none })
            }
        }
    }

    private struct Reader {
        let selection: Selection
        var consumer: HistoryConsumer<DefaultHistoryTransaction>
        var position = -1
    }

    /// What a read after a token does.
    private enum Expectation { case result, error, either }

    private static let authors: [String?] = [nil, "a", "a", "b", "c"]

    private let open: () throws -> ModelContainer
    private var container: ModelContainer
    private var random: SplitMix
    private let start: DefaultHistoryToken
    private var saved: [Saved] = []
    /// The highest deleted transaction, or -1.
    private var floor = -1
    /// The highest transaction of the deleted beginning, or -1.
    private var beginning = -1
    private var readers: [Reader] = []
    private var count = 0
    private var steps: [String] = []

    /// - Parameter open: Opens a store with the model `Trip` that preserves values, as another process does.
    package init(_ random: SplitMix, _ open: @escaping () throws -> ModelContainer) throws {
        (self.random, self.open) = (random, open)
        container = try open()
        start = try ModelContext(container).currentHistoryToken()
        for selection in Selection.allCases { readers.append(try reader(selection)) }
    }

    /// - Throws: A ``Mismatch`` with the operations so far.
    package mutating func run(steps count: Int) throws {
        for _ in 0..<count { try step() }
    }

    private mutating func step() throws {
        switch random.below(16) {
        case 0..<5: for _ in 0...random.below(4) { try save() }
        case 5..<8: try delete()
        case 8: try deleteBeginning()
        case 9: try purge()
        case 10: try reopen()
        case 11, 12: try drain(random.below(readers.count))
        default: try compareReads()
        }
        try compareReads()
    }

    private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        guard !condition else { return }
        throw Mismatch(description: "\(description()) after: \(steps.joined(separator: "; "))")
    }

    // MARK: Writing

    private mutating func save() throws {
        let context = ModelContext(container)
        context.author = random.pick(Self.authors)
        // More than 32 rows are a range of the summaries.
        for _ in 0..<(random.below(8) == 0 ? 40 : 1) {
            count += 1
            context.insert(Trip(name: "\(count)", destination: ""))
        }
        let before = try context.currentHistoryToken()
        try context.save()
        let new = try context.fetchHistory(.after(before))
        steps.append("save \(context.author ?? "-")")
        try require(new.count == 1, "\(new.count) new transactions")
        try require(!new[0].followsDeletion, "the new transaction follows deleted ones")
        saved.append(Saved(transaction: new[0]))
    }

    private mutating func reopen() throws {
        steps.append("reopen")
        for reader in readers { reader.consumer.release() }
        container = try open()
        for index in readers.indices {
            let selection = readers[index].selection
            readers[index] = try reader(selection)
            let status = try container.historyConsumers().first { $0.name == "\(selection)" }
            let place = status?.position.flatMap { token in saved.firstIndex { $0.transaction.token == token } }
            readers[index].position = place ?? -1
        }
    }

    private func reader(_ selection: Selection) throws -> Reader {
        Reader(
            selection: selection,
            consumer: try container.historyConsumer(
                named: "\(selection)", filter: selection.filter, startingNewAt: .beginning))
    }

    // MARK: Deleting

    /// A transaction from whose token reading can continue.
    private mutating func anyKept() -> Int? {
        let kept = saved.indices.filter { !saved[$0].isDeleted }
        return kept.isEmpty ? nil : random.pick(kept)
    }

    private mutating func delete() throws {
        guard let bound = anyKept() else { return }
        let token = saved[bound].transaction.token
        let author = random.pick(Self.authors)
        var descriptor: Descriptor
        let matches: (Int) -> Bool
        let authors = saved.map(\.author)
        switch random.below(5) {
        case 0:
            descriptor = Descriptor(predicate: #Predicate { $0.author == author })
            matches = { authors[$0] == author }
        case 1:
            descriptor = Descriptor(predicate: #Predicate { $0.author == author && $0.token <= token })
            matches = { authors[$0] == author && $0 <= bound }
        case 2:
            descriptor = Descriptor(predicate: #Predicate { $0.author == author && $0.token > token })
            matches = { authors[$0] == author && $0 > bound }
        case 3:
            descriptor = Descriptor(predicate: #Predicate { $0.token == token })
            matches = { $0 == bound }
        default:
            let (date, dates) = (saved[bound].transaction.timestamp, saved.map(\.transaction.timestamp))
            descriptor = Descriptor(predicate: #Predicate { $0.author != author && $0.timestamp < date })
            matches = { authors[$0] != author && dates[$0] < date }
        }
        var matching = saved.indices.filter { !saved[$0].isDeleted && matches($0) }
        if random.below(4) == 0 {
            let (offset, limit) = (random.below(2), 1 + random.below(3))
            if random.below(2) == 0 {
                descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
                matching.reverse()
            }
            (descriptor.fetchOffset, descriptor.fetchLimit) = (UInt64(offset), UInt64(limit))
            matching = Array(matching.dropFirst(offset).prefix(limit))
        }
        steps.append("delete \(matching)")
        try ModelContext(container).deleteHistory(descriptor)
        didDelete(matching)
    }

    private mutating func deleteBeginning() throws {
        guard let end = anyKept() else { return }
        steps.append("delete through \(end)")
        try ModelContext(container).deleteHistory(.before(saved[end].transaction.token))
        didDelete(saved.indices.filter { $0 <= end && !saved[$0].isDeleted })
    }

    private mutating func purge() throws {
        guard let store = container.stores.first as? any HistoryRetaining else { return }
        guard let newest = try Self.purge(store, random.below(20)) else { return }
        guard let end = saved.firstIndex(where: { $0.transaction.token == newest }) else {
            throw Mismatch(description: "a purge up to \(newest)")
        }
        steps.append("purge through \(end)")
        didDelete(saved.indices.filter { $0 <= end && !saved[$0].isDeleted })
    }

    private static func purge<Store: HistoryRetaining>(_ store: Store, _ changes: Int) throws -> DefaultHistoryToken? {
        let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: changes), at: .now)
        while try !store.purgeHistory(plan).isLast {}
        return plan.newest as? DefaultHistoryToken
    }

    private mutating func didDelete(_ indices: [Int]) {
        for index in indices {
            saved[index].isDeleted = true
            floor = max(floor, index)
        }
        let first = saved.firstIndex { !$0.isDeleted } ?? saved.count
        beginning = max(beginning, indices.filter { $0 < first }.max() ?? -1)
    }

    // MARK: Reading

    private func token(_ index: Int) -> DefaultHistoryToken { index < 0 ? start : saved[index].transaction.token }

    private func expectation(after index: Int, _ selection: Selection, isComplete: Bool) -> Expectation {
        if index >= floor { return .result }
        if index < beginning { return .error }
        let misses = saved.indices.contains { $0 > index && saved[$0].isDeleted && selection.matches(saved[$0].author) }
        if isComplete, misses || selection == .all { return .error }
        // Some stores keep the check values of some deleted transactions.
        return index >= 0 && saved[index].isDeleted && index != beginning ? .either : .result
    }

    /// The indices of the transactions, and whether each follows deleted ones.
    private func expected(after index: Int, _ selection: Selection) -> [(index: Int, followsDeletion: Bool)] {
        var previous = index
        return saved.indices.filter { $0 > index && !saved[$0].isDeleted && selection.matches(saved[$0].author) }.map {
            index in
            defer { previous = index }
            return (index, saved[(previous + 1)..<index].contains(where: \.isDeleted))
        }
    }

    private mutating func compareReads() throws {
        for _ in 0..<2 {
            let index = random.below(saved.count + 1) - 1
            for selection in Selection.allCases {
                for isComplete in [false, true] { try compareRead(index, selection, isComplete: isComplete) }
            }
            try compareStrictReads(index)
        }
        try compareReadsWithoutToken()
    }

    private mutating func compareRead(_ index: Int, _ selection: Selection, isComplete: Bool) throws {
        var descriptor = selection.descriptor(after: token(index))
        descriptor.requiresCompleteHistory = isComplete
        let expectation = expectation(after: index, selection, isComplete: isComplete)
        let place = "reading \(selection) after \(index), \(isComplete ? "complete" : "remaining")"
        do {
            try compare(descriptor, expected(after: index, selection), after: index, place)
            try require(expectation != .error, "\(place) returned a result")
        } catch SwiftDataError.historyTokenExpired {
            try require(expectation != .result, "\(place) threw an error")
        }
    }

    private mutating func compareReadsWithoutToken() throws {
        for selection in Selection.allCases {
            try compare(
                selection.descriptor(after: nil), expected(after: -1, selection), after: -1, "reading \(selection)")
        }
        let index = try earliest()
        let isEmpty = saved.indices.allSatisfy { $0 > floor || saved[$0].isDeleted }
        let expected = isEmpty ? floor : beginning
        try require(index == expected, "the earliest token is that of \(index), not of \(expected)")
    }

    private func earliest() throws -> Int {
        let store = container.stores.first as? any HistoryProviding<DefaultHistoryTransaction>
        let token = try store?.earliestHistoryToken()
        if token == start { return -1 }
        return saved.firstIndex { $0.transaction.token == token } ?? -2
    }

    private mutating func compare(
        _ descriptor: Descriptor, _ expected: [(index: Int, followsDeletion: Bool)], after index: Int, _ place: String
    ) throws {
        let context = ModelContext(container)
        func text(_ transactions: [DefaultHistoryTransaction]) -> [String] {
            transactions.map { "\($0.transactionIdentifier)\($0.followsDeletion ? " after a deletion" : "")" }
        }
        func text(_ list: some Collection<(index: Int, followsDeletion: Bool)>) -> [String] {
            list.map {
                "\(saved[$0.index].transaction.transactionIdentifier)\($0.followsDeletion ? " after a deletion" : "")"
            }
        }
        let found = try context.fetchHistory(descriptor)
        try require(text(found) == text(expected), "\(place): \(text(found)) instead of \(text(expected))")
        try require(
            zip(found, expected).allSatisfy { $0.changes.count == saved[$1.index].transaction.changes.count },
            "\(place): other changes")
        let headers = try context.fetchHistoryWithoutChanges(descriptor)
        try require(text(headers) == text(expected), "\(place), without changes: \(text(headers))")
        let count = try context.fetchHistoryCount(descriptor)
        try require(count == expected.count, "\(place), \(count) instead of \(expected.count)")
        let identifiers = try context.fetchHistoryIdentifiers(descriptor)
        try require(identifiers == found.map(\.transactionIdentifier), "\(place), identifiers: \(identifiers)")

        var page = descriptor
        let (offset, limit) = (random.below(3), 1 + random.below(4))
        (page.fetchOffset, page.fetchLimit) = (UInt64(offset), UInt64(limit))
        var part = Array(expected.dropFirst(offset).prefix(limit))
        if let first = part.first {
            part[0].followsDeletion = saved[(index + 1)..<first.index].contains(where: \.isDeleted)
        }
        let paged = try context.fetchHistory(page)
        try require(
            text(paged) == text(part), "\(place), \(limit) from \(offset): \(text(paged)) instead of \(text(part))")

        var reversed = descriptor
        reversed.sortBy = [SortDescriptor(\.token, order: .reverse)]
        reversed.fetchLimit = UInt64(limit)
        var newest = Array(expected.suffix(limit))
        if let first = newest.first {
            newest[0].followsDeletion = first.index > index + 1 && saved[first.index - 1].isDeleted
        }
        let descending = try context.fetchHistory(reversed)
        try require(
            text(descending) == text(newest.reversed()),
            "\(place), newest \(limit): \(text(descending)) instead of \(text(newest.reversed()))")
    }

    /// Readers that need every change.
    private func compareStrictReads(_ index: Int) throws {
        let (container, position) = (container, token(index))
        let context = ModelContext(container)
        let current = try context.currentHistoryToken()
        let reads: [(String, () throws -> Void)] = [
            ("reading as of", { _ = try ModelContext(container, asOf: position) }),
            ("the net changes after", { _ = try context.changes(between: position, and: current) }),
            ("an export after", { _ = try container.exportHistory(startingAt: .token(position)) { _ in } }),
        ]
        for (name, read) in reads {
            do {
                try read()
                try require(index >= floor, "\(name) \(index) succeeded")
            } catch SwiftDataError.historyTokenExpired {
                try require(index < floor, "\(name) \(index) threw an error")
            }
        }
    }

    private mutating func drain(_ index: Int) throws {
        let reader = readers[index]
        steps.append("drain \(reader.selection) from \(reader.position)")
        let expectation = expectation(after: reader.position, reader.selection, isComplete: true)
        let expected = expected(after: reader.position, reader.selection).map { saved[$0.index].transaction }
        var found: [DefaultHistoryTransaction] = []
        var isReset = false
        while let batch = try reader.consumer.nextBatch(limit: 1 + random.below(50)) {
            switch batch.content {
            case .changes(let transactions): found += transactions
            case .largeTransaction(let transaction): found.append(transaction)
            case .reset: isReset = true
            case .snapshot: break
            }
            try reader.consumer.acknowledge(batch)
        }
        if isReset {
            try require(expectation != .result, "the consumer \(reader.selection) started over")
            readers[index].position = saved.count - 1
            return
        }
        try require(expectation != .error, "the consumer \(reader.selection) did not start over")
        try require(found == expected, "the consumer received \(found.map(\.id)) instead of \(expected.map(\.id))")
        // The position moves past transactions of other authors.
        if reader.selection != .all {
            readers[index].position = saved.count - 1
        } else if let last = expected.last {
            readers[index].position = saved.firstIndex { $0.transaction == last } ?? -1
        }
    }
}
