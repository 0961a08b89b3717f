package import Chronicle

/// Random operations on the consumers of a container, compared with a reference of plain values: several instances of
/// consumers that are created, renamed, reset and removed.
package struct ConsumerSimulation {
    package struct Mismatch: Error, CustomStringConvertible { package let description: String }

    /// What the store keeps of a consumer.
    private struct Record {
        /// A consumer that is renamed, or created again, is another one for the instances.
        let number: Int
        var fence: Int
        /// The number of acknowledged transactions.
        var position = 0
        var attempts = 0

        mutating func move(to position: Int) { (self.position, attempts) = (position, 0) }
    }

    /// A batch with what its acknowledgement depends on.
    private struct Delivered {
        let batch: HistoryBatch<DefaultHistoryTransaction>
        let fence: Int
        let start: Int
        let end: Int
    }

    private struct Instance {
        let name: String
        var consumer: HistoryConsumer<DefaultHistoryTransaction>?
        /// The record whose lock the instance holds, and the fence with which it acquired the lock.
        var lease: (number: Int, fence: Int)?
        var delivered: Delivered?
    }

    private static let names = ["a", "b", "c"]

    private let container: ModelContainer
    private var random: SplitMix
    private var records: [String: Record] = [:]
    private var instances: [Instance] = []
    private var commits = 0
    private var count = 0
    private var steps: [String] = []

    /// - Parameter container: A container with the model `Trip` and a history.
    package init(_ container: ModelContainer, _ random: SplitMix) {
        (self.container, self.random) = (container, random)
    }

    /// - Throws: A ``Mismatch`` with the operations so far.
    package mutating func run(steps count: Int) throws {
        for _ in 0..<count { try step() }
    }

    private mutating func step() throws {
        let (name, other) = (random.pick(Self.names), random.pick(Self.names))
        let index = random.below(instances.count)
        switch random.below(instances.isEmpty ? 3 : 18) {
        case 0, 1: try save()
        case 2: try open(name)
        case 3, 4, 5, 6: try next(index)
        case 7, 8, 9: try acknowledge(index)
        case 10: try skip(index)
        case 11, 12: release(index)
        case 13: drop(index)
        case 14: try rename(name, other)
        case 15: try remove(name)
        case 16: try reset(name)
        default: try compareRecords()
        }
    }

    private mutating func save() throws {
        steps.append("save")
        let context = ModelContext(container)
        context.insert(Trip(name: "\(commits)", destination: ""))
        try context.save()
        commits += 1
    }

    // MARK: Instances

    private mutating func open(_ name: String) throws {
        steps.append("open \(name)")
        let consumer = try container.historyConsumer(named: name, startingNewAt: .beginning)
        if records[name] == nil { records[name] = newRecord() }
        instances.append(Instance(name: name, consumer: consumer))
    }

    private mutating func newRecord() -> Record {
        count += 1
        // The fences of different consumers never match.
        return Record(number: count, fence: count * 1_000_000)
    }

    private mutating func next(_ index: Int) throws {
        let instance = instances[index]
        steps.append("next \(index) \(instance.name)")
        let limit = 1 + random.below(3)
        let expected = acquire(index)
        let found = try outcome { try instance.consumer?.nextBatch(limit: limit) }
        switch (expected, found) {
        case (let error?, .failure(let other)) where error == other: return
        case (nil, .success(let batch)):
            guard var record = records[instance.name] else { return }
            let end = min(record.position + limit, commits)
            guard end > record.position else { return try require(batch == nil, "a batch without changes") }
            record.attempts += 1
            let (count, attempt) = (try batch?.changes.count, batch?.attempt)
            try require(
                count == end - record.position && attempt == record.attempts,
                "\(count ?? 0) changes in attempt \(attempt ?? 0)")
            records[instance.name] = record
            if let batch {
                instances[index].delivered = Delivered(
                    batch: batch, fence: record.fence, start: record.position, end: end)
            }
        default: throw mismatch("\(found) instead of \(String(describing: expected))")
        }
    }

    /// Acquires the lock of an instance in the reference, and returns the expected error.
    private mutating func acquire(_ index: Int) -> SwiftDataError? {
        guard let record = records[instances[index].name] else {
            instances[index].lease = nil
            return .historyConsumerNotFound
        }
        if let lease = instances[index].lease, lease == (record.number, record.fence) { return nil }
        instances[index].lease = nil
        if instances.contains(where: { $0.lease?.number == record.number }) { return .historyConsumerInUse }
        records[instances[index].name]?.fence += 1
        instances[index].lease = (record.number, record.fence + 1)
        return nil
    }

    private mutating func acknowledge(_ index: Int) throws {
        guard let delivered = instances[index].delivered else { return }
        steps.append("acknowledge \(index)")
        try acknowledge(index, delivered) { try $0.acknowledge(delivered.batch) }
    }

    private mutating func skip(_ index: Int) throws {
        guard let delivered = instances[index].delivered else { return }
        steps.append("skip \(index)")
        // A reason is not a name.
        try acknowledge(index, delivered) { try $0.skip(delivered.batch, reason: "a\0b \(index)") }
    }

    private mutating func acknowledge(
        _ index: Int, _ delivered: Delivered, _ body: (HistoryConsumer<DefaultHistoryTransaction>) throws -> Void
    ) throws {
        guard let consumer = instances[index].consumer else { return }
        let record = records[instances[index].name]
        var expected: SwiftDataError?
        if record == nil {
            expected = .historyConsumerNotFound
        } else if record?.fence != delivered.fence {
            expected = .historyConsumerEvicted
        } else if record?.position != delivered.start {
            expected = .invalidHistoryAcknowledgement
        }
        try compare(expected) { try body(consumer) }
        guard expected == nil else { return }
        records[instances[index].name]?.move(to: delivered.end)
    }

    private mutating func release(_ index: Int) {
        steps.append("release \(index)")
        instances[index].consumer?.release()
        instances[index].lease = nil
    }

    private mutating func drop(_ index: Int) {
        steps.append("drop \(index)")
        instances.remove(at: index)
    }

    // MARK: Consumers

    private mutating func rename(_ name: String, _ newName: String) throws {
        guard name != newName else { return }
        steps.append("rename \(name) \(newName)")
        let record = records[name]
        let isDuplicate = records[newName] != nil
        try compare(record == nil ? .historyConsumerNotFound : isDuplicate ? .duplicateHistoryConsumer : nil) {
            try container.renameHistoryConsumer(named: name, to: newName)
        }
        guard let record, !isDuplicate else { return }
        count += 1
        records[name] = nil
        records[newName] = Record(
            number: count, fence: record.fence + 1, position: record.position, attempts: record.attempts)
    }

    private mutating func remove(_ name: String) throws {
        steps.append("remove \(name)")
        try compare(records[name] == nil ? .historyConsumerNotFound : nil) {
            try container.removeHistoryConsumer(named: name)
        }
        records[name] = nil
    }

    private mutating func reset(_ name: String) throws {
        steps.append("reset \(name)")
        try compare(records[name] == nil ? .historyConsumerNotFound : nil) {
            try container.resetHistoryConsumer(named: name, to: .beginning)
        }
        records[name]?.fence += 1
        records[name]?.move(to: 0)
    }

    private func compareRecords() throws {
        let found = try container.historyConsumers().map { "\($0.name): \($0.attempts)" }
        let expected = records.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.attempts)" }
        try require(found == expected, "consumers \(found) instead of \(expected)")
    }

    // MARK: Comparing

    private func compare(_ expected: SwiftDataError?, _ body: () throws -> Void) throws {
        switch (expected, try outcome(body)) {
        case (nil, .success): return
        case (let expected?, .failure(let error)) where expected == error: return
        case (_, let found): throw mismatch("\(found) instead of \(String(describing: expected))")
        }
    }

    private func outcome<Value>(_ body: () throws -> Value) throws -> Result<Value, SwiftDataError> {
        do { return .success(try body()) } catch let error as SwiftDataError { return .failure(error) }
    }

    private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw mismatch(message()) }
    }

    private func mismatch(_ message: String) -> Mismatch {
        Mismatch(description: "\(message), after \(steps.joined(separator: ", "))")
    }
}
