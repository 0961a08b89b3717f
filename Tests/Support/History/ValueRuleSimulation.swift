package import Chronicle
import Foundation

/// Random saves, writes of other programs, consumers that are behind, rules for preserved values, and purges that may end early. The
/// history is compared with a list of the changes and their values, from which a purge removes what its rules say.
package struct ValueRuleSimulation {
    package struct Mismatch: Error, CustomStringConvertible { package let description: String }

    /// A change with the texts of its preserved values by name.
    private struct Change: Equatable {
        let entity: String
        let line: String
        var values: [String: [String]]
    }

    private struct Saved {
        let position: Int64
        /// By which the store determines the age.
        let timestamp: Double
        var changes: [Change]
    }

    private let open: () throws -> ModelContainer
    private let writeByOthers: (Int) throws -> Void
    private let recordedTimes: () throws -> [Int64: Double]
    private var container: ModelContainer
    private var random: SplitMix
    private var saved: [Saved] = []
    private var consumers: [HistoryConsumer<DefaultHistoryTransaction>] = []
    /// The positions of the consumers.
    private var positions: [Int64] = []
    private var count = 0
    private var hasDeleted = false
    private var steps: [String] = []
    /// The number of values that the purges erased.
    package private(set) var erased = 0

    private static let names: [(entity: String, attribute: String?)] = [
        ("Trip", "name"), ("Trip", "note"), ("Trip", "tags"), ("Trip", nil), ("BucketListItem", "trip"),
        ("BucketListItem", "title"), ("BucketListItem", nil),
    ]

    /// - Parameters:
    ///   - open: Opens a store with the model `Trip` that preserves values, as another process does.
    ///   - writeByOthers: Changes the rows of the tables `Trip` and `BucketListItem` in one transaction, given a number.
    ///   - recordedTimes: Returns by which timestamps the store determines the ages of transactions, if they differ from those of
    ///     the transactions.
    package init(
        _ random: SplitMix, writeByOthers: @escaping (Int) throws -> Void,
        recordedTimes: @escaping () throws -> [Int64: Double] = { [:] }, _ open: @escaping () throws -> ModelContainer
    ) throws {
        (self.random, self.open, self.writeByOthers, self.recordedTimes) = (random, open, writeByOthers, recordedTimes)
        container = try open()
    }

    /// - Throws: A ``Mismatch`` with the operations so far.
    package mutating func run(steps count: Int) throws {
        for _ in 0..<count { try step() }
        for consumer in consumers { consumer.release() }
    }

    private mutating func step() throws {
        switch random.below(12) {
        case 0..<5: try save()
        case 5, 6: try writeOthers()
        case 7: try consume()
        case 8:
            if consumers.isEmpty { steps.append("reopen") }
            // The instances of consumers belong to a container.
            if consumers.isEmpty { container = try open() }
        default: try purge()
        }
        try compare()
    }

    private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        guard !condition else { return }
        throw Mismatch(description: "\(description()) after: \(steps.joined(separator: "; "))")
    }

    // MARK: Writing

    private mutating func save() throws {
        let context = ModelContext(container)
        // Sometimes more rows than a step of a purge erases.
        for _ in 0..<(random.below(6) == 0 ? 150 : 1 + random.below(3)) {
            count += 1
            let trip = Trip(name: "n\(count)", destination: "d\(count)")
            trip.note = random.below(2) == 0 ? nil : "note \(count)"
            context.insert(trip)
            if random.below(2) == 0 { trip.bucketList = [BucketListItem(title: "t\(count)")] }
        }
        for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name != "" })).prefix(40) {
            switch random.below(12) {
            case 0: trip.note = "changed \(count)"
            case 1: trip.name = "renamed \(count) \(random.below(1_000_000))"
            case 2: trip.tags = ["a\(random.below(100))"]
            case 3: context.delete(trip)
            case 4: for item in trip.bucketList { item.trip = nil }
            default: break
            }
        }
        steps.append("save")
        try context.save()
        try addTransactions()
    }

    private mutating func writeOthers() throws {
        steps.append("other program")
        count += 1
        try writeByOthers(count)
        // Groups the changes, so that their transaction is the same later.
        let context = ModelContext(container)
        context.insert(Trip(name: "after \(count)", destination: ""))
        try context.save()
        try addTransactions()
    }

    private mutating func addTransactions() throws {
        let newest = saved.last?.position ?? 0
        let times = try recordedTimes()
        for transaction in try ModelContext(container).fetchHistory()
        where transaction.transactionIdentifier > newest {
            let position = transaction.transactionIdentifier
            saved.append(
                Saved(
                    position: position,
                    timestamp: times[position] ?? transaction.timestamp.timeIntervalSinceReferenceDate,
                    changes: Self.changes(of: transaction)))
        }
    }

    private static func changes(of transaction: DefaultHistoryTransaction) -> [Change] {
        transaction.changes.map { change in
            var values: [String: [String]] = [:]
            for value in change.preservedValues {
                values[value.name, default: []].append("\(text(value.previousValue)) -> \(text(value.value))")
            }
            let identifier = change.changedPersistentIdentifier
            let line: String =
                switch change {
                case .insert: "insert \(identifier)"
                case .update(let update): "update \(identifier) \(update.updatedAttributeNames.sorted())"
                case .delete: "delete \(identifier)"
                }
            return Change(entity: identifier.entityName, line: line, values: values)
        }
    }

    private static func text(_ value: (any Sendable)?) -> String { value.map { "\($0)" } ?? "nil" }

    // MARK: Consumers

    private mutating func consume() throws {
        // After a deletion, one that starts at the beginning receives a reset, and holds nothing.
        if consumers.count < 2, !hasDeleted, random.below(2) == 0 {
            steps.append("consumer \(consumers.count)")
            consumers.append(try container.historyConsumer(named: "c\(consumers.count)", startingNewAt: .beginning))
            positions.append(try position(ofConsumer: consumers.count - 1))
        }
        for index in consumers.indices where random.below(2) == 0 {
            let limit = 1 + random.below(5)
            guard let batch = try consumers[index].nextBatch(limit: limit) else { continue }
            try consumers[index].acknowledge(batch)
            positions[index] = try position(ofConsumer: index)
            steps.append("consumer \(index) at \(positions[index])")
        }
    }

    private func position(ofConsumer index: Int) throws -> Int64 {
        let status = try container.historyConsumers().first { $0.name == "c\(index)" }
        return status?.position?.position(in: container.stores[0].identifier) ?? 0
    }

    // MARK: Purging

    private mutating func purge() throws {
        guard let newest = saved.last, let store = container.stores.first as? any HistoryValueRetaining else { return }
        let date = Date(timeIntervalSinceReferenceDate: newest.timestamp + 1_000)
        var retention = HistoryRetention()
        for _ in 0..<(1 + random.below(3)) {
            let (entity, attribute) = random.pick(Self.names)
            let age = date.timeIntervalSinceReferenceDate - random.pick(saved).timestamp
            retention.valueRules.append(
                PreservedValueRule(entityName: entity, attributeName: attribute, maximumAge: .seconds(age)))
        }
        switch random.below(6) {
        case 0: (retention.maximumChanges, hasDeleted) = (200, true)
        // Whose transactions remain, because there is no limit for them.
        case 1, 2: retention.maximumSilence = .zero
        default: break
        }
        try purge(store, retention, date, steps: random.below(3) == 0 ? 1 + random.below(2) : .max)
    }

    private mutating func purge<Store: HistoryValueRetaining>(
        _ store: Store, _ retention: HistoryRetention, _ date: Date, steps limit: Int
    ) throws {
        let rules = retention.valueRules.map { "\($0.entityName).\($0.attributeName ?? "*") \($0.maximumAge)" }
        steps.append("purge \(rules), \(retention.maximumSilence == nil ? "waiting" : "not waiting"), \(limit) steps")
        let plan = try store.planHistoryPurge(retention, at: date)
        let counts = try store.preservedValueCounts(plan)
        if let deleted = (plan.newest as? DefaultHistoryToken)?.position(in: store.identifier), limit == .max {
            saved.removeAll { $0.position <= deleted }
        }
        let expected = erasing(retention, date)
        let expectedCount = Self.count(saved) - Self.count(expected)
        // Rules that select the same values count them twice.
        try require(
            retention.valueRules.count > 1 || limit != .max || counts.reduce(0, +) == expectedCount,
            "a plan with \(counts) values instead of \(expectedCount)")
        var (total, isComplete) = (0, false)
        for _ in 0..<min(limit, 10_000) {
            let step = try store.purgeHistory(plan)
            total += step.values
            isComplete = step.isLast
            if isComplete { break }
        }
        erased += total
        if limit == .max {
            try require(isComplete && total == expectedCount, "\(total) instead of \(expectedCount) erased values")
            saved = expected
        } else {
            try adoptPart(expected, total)
        }
    }

    /// The list after the rules have been applied.
    private func erasing(_ retention: HistoryRetention, _ date: Date) -> [Saved] {
        var result = saved
        let held = retention.maximumSilence == nil ? positions.min() ?? .max : .max
        for rule in retention.valueRules {
            let limit = (date - rule.maximumAge / .seconds(1)).timeIntervalSinceReferenceDate
            for index in result.indices {
                guard result[index].timestamp < limit, result[index].position <= held else { break }
                for change in result[index].changes.indices
                where result[index].changes[change].entity == rule.entityName {
                    if let name = rule.attributeName {
                        result[index].changes[change].values[name] = nil
                    } else {
                        result[index].changes[change].values = [:]
                    }
                }
            }
        }
        return result
    }

    private static func count(_ saved: [Saved]) -> Int {
        saved.reduce(0) { $0 + $1.changes.reduce(0) { $0 + $1.values.values.reduce(0) { $0 + $1.count } } }
    }

    /// After some of the steps, each value is there or was to be removed.
    private mutating func adoptPart(_ expected: [Saved], _ total: Int) throws {
        let present = try present()
        let first = present.first?.position ?? .max
        let kept = zip(saved, expected).filter { $0.0.position >= first }
        try require(kept.count == present.count, "\(present.count) transactions instead of \(kept.count)")
        for (before, found) in zip(kept, present) {
            for (change, found) in zip(zip(before.0.changes, before.1.changes), found.changes) {
                for (name, value) in change.0.values where found.values[name] != value {
                    try require(
                        found.values[name] == nil && change.1.values[name] == nil,
                        "\(name) of \(change.0.line) is \(found.values[name] ?? [])")
                }
            }
        }
        try require(
            Self.count(kept.map(\.0)) - Self.count(present) == total,
            "\(Self.count(kept.map(\.0)) - Self.count(present)) missing values, \(total) erased ones")
        saved = zip(kept, present).map { kept, present in
            Saved(position: kept.0.position, timestamp: kept.0.timestamp, changes: present.changes)
        }
    }

    // MARK: Comparing

    private func present() throws -> [(position: Int64, changes: [Change])] {
        try ModelContext(container).fetchHistory().map { ($0.transactionIdentifier, Self.changes(of: $0)) }
    }

    private static func count(_ present: [(position: Int64, changes: [Change])]) -> Int {
        count(present.map { Saved(position: $0.position, timestamp: 0, changes: $0.changes) })
    }

    private func compare() throws {
        let present = try present()
        try require(present.map(\.position) == saved.map(\.position), "other transactions")
        for (found, expected) in zip(present, saved) {
            try require(found.changes.count == expected.changes.count, "other changes in \(expected.position)")
            for (found, expected) in zip(found.changes, expected.changes) {
                try require(found == expected, "\(found) instead of \(expected)")
            }
        }
    }
}
