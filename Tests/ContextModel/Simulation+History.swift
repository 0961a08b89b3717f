import Chronicle
import ChronicleTestSupport
import Foundation

// Comparisons of the rows and of the history.
extension Simulation {
    /// Compares the stored rows and links.
    func checkRows(_ reader: ModelContext) throws {
        var found = World()
        for entity in environment.entities { try readRows(entity.type, reader, &found) }
        guard found != world else { return }
        for number in Set(found.rows.keys).union(world.rows.keys).sorted()
        where found.rows[number] != world.rows[number] {
            let (stored, expected) = (found.rows[number]?.values, world.rows[number]?.values)
            throw Difference(
                "the row of m\(number) is \(stored.map(Self.text) ?? "missing") instead of "
                    + (expected.map(Self.text) ?? "deleted"))
        }
        throw Difference(
            "the links are \(Self.text(found.links)) instead of \(Self.text(world.links))")
    }

    private static func text(_ links: Set<Link>) -> String {
        links.map { "m\($0.item)-m\($0.tag)" }.sorted().joined(separator: ", ")
    }

    func readRows<Model: TestModel>(
        _: Model.Type, _ reader: ModelContext, _ found: inout World,
        _ number: ((any TestModel) throws -> Int)? = nil
    ) throws {
        let number = number ?? { try self.number(of: $0) }
        for model in try reader.fetch(FetchDescriptor<Model>()) {
            if numbers[model.persistentModelID] == nil, let number = Int(model.key), identifiers[number] == nil {
                // A batch insert does not return the identifiers.
                try add(number, model.persistentModelID)
            }
            let index = try number(model)
            var row = Row(Model.entity, key: model.key)
            for name in Model.entity.attributes { row[name] = model.attribute(name) }
            if Model.entity == .tag { row["code"] = model.attribute("code") }
            for reference in Model.entity.references {
                row[reference.name] = try model.destination(reference.name).map { .model(try number($0)) } ?? .null
            }
            found.rows[index] = row
            if Model.entity == .item {
                for tag in model.list("tags") { found.links.insert(Link(item: index, tag: try number(tag))) }
            }
        }
    }

    // MARK: The end of a sequence

    /// Compares blame, net changes and a replayed copy with the committed states.
    ///
    /// - Parameter random: Chooses what is compared; `nil` to compare everything, which takes long.
    func checkHistoryOfSequence(_ random: SplitMix?) throws {
        let reader = ModelContext(environment.container(0))
        guard var random else {
            for (number, row) in world.rows { try checkBlame(row.entity.type, number, reader) }
            for first in commits.indices {
                for second in first..<commits.count { try checkNetChanges(reader, first, second) }
            }
            if environment.canReplay { try checkReplay() }
            return
        }
        if let number = world.rows.keys.sorted().randomElement(using: &random), let entity = world.rows[number]?.entity
        {
            try checkBlame(entity.type, number, reader)
        }
        let (first, second) = (random.below(commits.count), random.below(commits.count))
        try checkNetChanges(reader, min(first, second), max(first, second))
        if random.below(16) == 0, environment.canReplay { try checkReplay() }
    }

    func checkBlame<Model: TestModel>(_: Model.Type, _ number: Int, _ reader: ModelContext) throws {
        guard let identifier = identifiers[number], let model = try reader.existingModel(for: identifier) as? Model
        else {
            return
        }
        let blame = try reader.blame(model)
        func value(_ name: String, _ world: World) -> Set<Int>? {
            world.rows[number].map { row in
                name == row.entity.links
                    ? Set(world.links.filter { $0.contains(number) }.map { $0.item == number ? $0.tag : $0.item })
                    : [row[name].hashValue]
            }
        }
        for name in blame.attributeNames {
            let last = commits.indices.dropFirst().last {
                value(name, commits[$0]) != value(name, commits[$0 - 1])
                    || restored[$0]?[number]?.contains(name) == true
            }
            let store = environment.store(of: Model.entity).identifier
            guard let last, let position = blame[name]?.token.position(in: store) else {
                throw Difference("there is no blame for \(name) of m\(number)")
            }
            let positions = tokens.map { $0.position(in: store) ?? 0 }
            var (first, end) = (last, last)
            if foreignCommits.contains(last) {
                // Commits of other stores do not end the transaction.
                func continues(_ commit: Int) -> Bool {
                    foreignCommits.contains(commit) || positions[commit] == positions[commit - 1]
                }
                while first > 1, continues(first - 1) { first -= 1 }
                while end + 1 < commits.count, continues(end + 1) { end += 1 }
            }
            guard position > positions[first - 1], position <= positions[end] + (foreignCommits.contains(last) ? 1 : 0)
            else {
                throw Difference("the blame for \(name) of m\(number) is not commit \(last)")
            }
        }
    }

    func checkNetChanges(_ reader: ModelContext, _ first: Int, _ second: Int) throws {
        let changes = try reader.changes(
            between: tokens[first], and: tokens[second], of: DefaultHistoryTransaction.self)
        var found: [Int: World.Change] = [:]
        for change in changes {
            guard let number = numbers[change.persistentIdentifier] else {
                throw Difference("unknown model in net changes")
            }
            found[number] =
                switch change.kind {
                case .insert: .insert
                case .delete: .delete
                case .update: .update(Set(change.values.map(\.name)))
                }
        }
        let expected = commits[first].changes(to: commits[second])
        for number in Set(found.keys).union(expected.keys) where found[number] != expected[number] {
            throw Difference(
                "the net changes from commit \(first) to \(second) contain "
                    + "\(found[number].map { "\($0)" } ?? "no change") of m\(number) instead of "
                    + (expected[number].map { "\($0)" } ?? "none"))
        }
        for change in changes {
            guard let number = numbers[change.persistentIdentifier], let expected = expected[number] else { continue }
            try check(
                RecordedValues(change), of: number, expected, "the net change", commits[first], commits[second])
        }
    }

    func checkReplay() throws {
        let replica = try environment.replica()
        var data = Data()
        try environment.containers[0].exportHistory(startingAt: .beginning) { data.append($0) }
        var rest = data
        try replica.replayHistory {
            defer { rest = Data() }
            return rest.isEmpty ? nil : rest
        }
        let reader = ModelContext(replica)
        let keys = Dictionary(world.rows.map { ($1["key"], $0) }, uniquingKeysWith: { first, _ in first })
        var found = World()
        for entity in environment.entities {
            try readRows(entity.type, reader, &found) { model in
                guard let number = keys[.text(model.key)] else { throw Difference("the replica has m\(model.key)") }
                return number
            }
        }
        guard found == world else { throw Difference("the replica differs") }
    }
}
