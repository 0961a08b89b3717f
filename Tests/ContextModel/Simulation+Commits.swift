import Chronicle
import ChronicleTestSupport

// Comparisons of the history after each commit.
extension Simulation {
    /// Compares the history after a position with the difference of the states before and after.
    ///
    /// - Returns: The changes.
    func checkHistory(
        _ reader: ModelContext, after token: DefaultHistoryToken, _ old: World
    ) throws -> [HistoryChange] {
        var recorded: [Int: World.Change] = [:]
        var values: [Int: RecordedValues] = [:]
        let transactions = try reader.fetchHistory(.after(token))
        for transaction in transactions {
            for change in transaction.changes {
                guard let number = numbers[change.changedPersistentIdentifier] else {
                    throw Difference("the history contains the unknown model \(change.changedPersistentIdentifier)")
                }
                for value in change.preservedValues { values[number, default: RecordedValues()].add(value) }
                switch change {
                case .insert: recorded[number] = .insert
                case .delete: recorded[number] = .delete
                case .update(let update):
                    if case .update(let names) = recorded[number] ?? .update([]) {
                        recorded[number] = .update(names.union(update.updatedAttributeNames))
                    } else {
                        throw Difference("the history contains an update of m\(number) after \(recorded[number]!)")
                    }
                }
            }
        }
        let expected = old.changes(to: world)
        for (number, change) in expected where recorded[number] != nil {
            try check(values[number] ?? RecordedValues(), of: number, change, "the history", old, world)
        }
        for number in Set(recorded.keys).union(expected.keys) where recorded[number] != expected[number] {
            let references = world.rows[number]?.entity.references.filter { $0.rule == .nullify }.map(\.name) ?? []
            // A save may set a reference to a row that a cascade of the same save deletes.
            if expected.values.contains(.delete), case .update(let names) = recorded[number],
                case .update(let changed) = expected[number] ?? .update([]),
                names.subtracting(changed).isSubset(of: references), names.isSuperset(of: changed)
            {
                restored[commits.count, default: [:]][number] = names.subtracting(changed)
                continue
            }
            throw Difference(
                "the history contains \(recorded[number].map { "\($0)" } ?? "no change") of m\(number) instead of "
                    + (expected[number].map { "\($0)" } ?? "none"))
        }
        return transactions.flatMap(\.changes)
    }

    // MARK: Values

    /// The values of a model before and after its changes, as the history has them. A value is `nil` if it is not recorded.
    struct RecordedValues {
        var previous: [String: (any Sendable)?] = [:]
        var current: [String: (any Sendable)?] = [:]
        var added: [PersistentIdentifier] = []
        var removed: [PersistentIdentifier] = []
        /// The properties whose values are not known. Net changes do not have the links of inserted models.
        var missing: Set<String> = []

        /// Adds a value of a later change.
        mutating func add(_ value: PreservedValue) {
            guard !Entity.allCases.contains(where: { $0.links == value.name }) else {
                if let destination = value.value as? PersistentIdentifier { added.append(destination) }
                if let destination = value.previousValue as? PersistentIdentifier { removed.append(destination) }
                return
            }
            if previous[value.name] == nil { previous[value.name] = .some(value.previousValue) }
            current[value.name] = .some(value.value)
        }

        init() {}

        init(_ change: NetChange) {
            for value in change.values {
                if value.isMissing { missing.insert(value.name) }
                added += value.addedDestinations ?? []
                removed += value.removedDestinations ?? []
                if let before = value.previousValue { previous[value.name] = .some(before) }
                if let after = value.value { current[value.name] = .some(after) }
            }
        }
    }

    /// Compares the values of a change with the states before and after.
    func check(
        _ values: RecordedValues, of number: Int, _ change: World.Change, _ source: String, _ old: World, _ new: World
    ) throws {
        let (before, after) = (old.rows[number], new.rows[number])
        guard let entity = (before ?? after)?.entity else { return }
        var properties = Set((before ?? after)?.values.keys.map { $0 } ?? [])
        if case .update(let changed) = change { properties.formIntersection(changed) }
        for name in properties.sorted() {
            for (expected, found, time) in [
                (before?[name], values.previous[name], "before"), (after?[name], values.current[name], "after"),
            ] {
                guard let expected, try found.map(value) != expected else { continue }
                // A row that references another one is deleted after it.
                if change == .delete, let model = expected.model, new.rows[model] == nil,
                    try found.map(value) == .null
                {
                    continue
                }
                throw Difference(
                    "\(source) has \(try found.map(value).map { "\($0)" } ?? "no value") for \(name) of m\(number) "
                        + "\(time) the change instead of \(expected)")
            }
        }
        guard let links = entity.links, Self.includes(links, change) else { return }
        // A delete records the links at their other ends.
        if change == .delete || values.missing.contains(links) { return }
        func destinations(_ world: World) -> Set<Int> {
            Set(world.links.filter { $0.contains(number) }.map { $0.item == number ? $0.tag : $0.item })
        }
        let (were, are) = (destinations(old), destinations(new))
        let (added, removed) = (Set(values.added.map { numbers[$0] }), Set(values.removed.map { numbers[$0] }))
        guard added.subtracting(removed) == are.subtracting(were), removed.subtracting(added) == were.subtracting(are)
        else {
            throw Difference(
                "\(source) adds \(names(added.compactMap(\.self))) to \(links) of m\(number) and removes "
                    + "\(names(removed.compactMap(\.self)))")
        }
    }

    private static func includes(_ name: String, _ change: World.Change) -> Bool {
        if case .update(let names) = change { names.contains(name) } else { true }
    }

    private func value(_ recorded: (any Sendable)?) throws -> Value {
        switch recorded {
        case nil: return .null
        case let text as String: return .text(text)
        case let int as Int: return .int(int)
        case let level as ModelLevel: return .text(level.rawValue)
        case let info as ModelInfo: return .text(info.text)
        case let identifier as PersistentIdentifier:
            guard let number = numbers[identifier] else { throw Difference("the history references \(identifier)") }
            return .model(number)
        case let other?: throw Difference("the history contains the value \(other)")
        }
    }

    // MARK: Everything that the history says about a commit

    /// Compares what the history says about the last commit, and at some commits a replayed copy.
    func checkCommit(_ reader: ModelContext) throws {
        let last = commits.count - 1
        try checkNetChanges(reader, last - 1, last)
        let changed = commits[last - 1].changes(to: world).keys.filter { world.rows[$0] != nil }.sorted()
        // Of many models, two.
        for number in Set([changed.first, changed.last].compactMap(\.self)) {
            guard let row = world.rows[number] else { continue }
            try checkBlame(row.entity.type, number, reader)
        }
        if replays, last % 8 == 0 { try checkReplay() }
    }
}
