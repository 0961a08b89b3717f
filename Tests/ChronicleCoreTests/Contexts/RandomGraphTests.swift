import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random sequences of changes, compared with a simple representation of the models in dictionaries.
///
/// After every step, both sides of every relationship must match it; after every save, so must the rows that another
/// context reads, and the history, which must contain exactly the differences from the previous save.
@Suite struct RandomGraphTests {
    @Test(arguments: TestSeed.rounds(4)) func randomStepsMatchAPlainGraph(_ seed: Int) throws {
        let store = try TestStore(.inMemory, [GraphNode.self])
        var run = GraphRun(store, seed: UInt64(seed))
        for step in 0..<250 {
            let what = try run.step()
            try run.check("seed \(seed), step \(step): \(what)")
        }
        try run.save()
    }
}

/// A node as a plain value.
private struct PlainNode: Equatable {
    var number = 0
    var tags: [String] = []
    var parent: Int?
    var next: Int?
    var favourite: Int?
    var group: Int?
}

/// Nodes by the number in their name, and groups.
private struct PlainGraph: Equatable {
    var nodes: [Int: PlainNode] = [:]
    var groups: Set<Int> = []

    /// Returns the properties that differ from those of another node.
    func differences(of key: Int, from old: PlainGraph) -> Set<String> {
        guard let now = nodes[key], let before = old.nodes[key] else { return [] }
        let differences = [
            "number": now.number != before.number, "tags": now.tags != before.tags,
            "parent": now.parent != before.parent, "next": now.next != before.next,
            "previous": previous(key) != old.previous(key), "favourite": now.favourite != before.favourite,
            "group": now.group != before.group,
        ]
        return Set(differences.filter(\.value).keys)
    }

    func previous(_ node: Int) -> Int? { nodes.first { $0.value.next == node }?.key }

    func subtree(_ node: Int) -> Set<Int> {
        var found: Set<Int> = [node]
        while true {
            let more = nodes.filter { $0.value.parent.map(found.contains) == true }.map(\.key)
            guard !found.isSuperset(of: more) else { return found }
            found.formUnion(more)
        }
    }

    mutating func delete(_ node: Int) {
        let gone = subtree(node)
        for key in gone { nodes[key] = nil }
        for key in nodes.keys {
            if let next = nodes[key]?.next, gone.contains(next) { nodes[key]?.next = nil }
            if let favourite = nodes[key]?.favourite, gone.contains(favourite) { nodes[key]?.favourite = nil }
        }
    }

    mutating func delete(group: Int) {
        groups.remove(group)
        for key in nodes.keys where nodes[key]?.group == group { nodes[key]?.group = nil }
    }

    mutating func link(_ node: Int, to next: Int?) {
        if let next, let other = previous(next) { nodes[other]?.next = nil }
        nodes[node]?.next = next
    }
}

private struct GraphRun {
    let store: TestStore
    let context: ModelContext
    var random: SplitMix
    var plain = PlainGraph()
    var saved = PlainGraph()
    var nodes: [Int: GraphNode] = [:]
    var groups: [Int: GraphGroup] = [:]
    var savedIdentifiers: [Int: PersistentIdentifier] = [:]
    /// The nodes whose number changed since the last save.
    var touched: Set<Int> = []
    var counter = 0

    init(_ store: TestStore, seed: UInt64) {
        self.store = store
        context = store.context(author: "random")
        random = SplitMix(state: seed)
    }

    private mutating func anyNode() -> Int? { element(of: plain.nodes.keys.sorted()) }
    private mutating func anyGroup() -> Int? { element(of: plain.groups.sorted()) }
    private mutating func element(of keys: [Int]) -> Int? { keys.isEmpty ? nil : keys[random.below(keys.count)] }
    private mutating func maybe(_ value: Int?) -> Int? { random.below(4) == 0 ? nil : value }

    // MARK: Steps

    mutating func step() throws -> String {
        let kind = random.below(100)
        switch kind {
        case ..<18: return addNode()
        case ..<22: return addGroup()
        case ..<26: return addTree()
        case ..<66: return anyNode().map { change($0, kind) } ?? addNode()
        case ..<70: return anyGroup().map { fill($0) } ?? addGroup()
        case ..<76: return anyNode().map { delete($0) } ?? addNode()
        case ..<78: return anyGroup().map { delete(group: $0) } ?? addGroup()
        case ..<82: return rollback()
        case ..<86: return try fetch()
        case ..<88: return forget()
        case ..<90: return try anyNode().map { try takeBack($0) } ?? addNode()
        case ..<92: return try anyNode().map { try changeElsewhere($0) } ?? addNode()
        case ..<94: return try fail()
        default: return try save()
        }
    }

    private mutating func addNode() -> String {
        counter += 1
        let node = GraphNode("\(counter)")
        nodes[counter] = node
        var made = PlainNode()
        // Sets relationships before the insert.
        if let parent = maybe(anyNode()) {
            node.parent = nodes[parent]
            made.parent = parent
        }
        if let group = maybe(anyGroup()) {
            node.group = groups[group]
            made.group = group
        }
        context.insert(node)
        plain.nodes[counter] = made
        return "add \(counter)"
    }

    private mutating func addGroup() -> String {
        counter += 1
        let group = GraphGroup("\(counter)")
        groups[counter] = group
        context.insert(group)
        plain.groups.insert(counter)
        return "add group \(counter)"
    }

    /// A parent and the children that are inserted with it, one of them from another parent.
    private mutating func addTree() -> String {
        let other = anyNode()
        counter += 1
        let root = counter
        let made = GraphNode("\(root)")
        nodes[root] = made
        plain.nodes[root] = PlainNode()
        for _ in 0..<2 {
            counter += 1
            let child = GraphNode("\(counter)")
            nodes[counter] = child
            plain.nodes[counter] = PlainNode(parent: root)
            made.children.append(child)
        }
        if let other {
            made.children.append(nodes[other]!)
            plain.nodes[other]?.parent = root
        }
        context.insert(made)
        return "add tree \(root) with \(other ?? -1)"
    }

    private mutating func change(_ node: Int, _ kind: Int) -> String {
        let model = nodes[node]!
        switch kind % 8 {
        case 0:
            let parent = maybe(anyNode())
            // A cycle of cascades has no owner.
            if let parent, plain.subtree(node).contains(parent) { return "nothing" }
            model.parent = parent.flatMap { nodes[$0] }
            plain.nodes[node]?.parent = parent
            return "\(node).parent = \(parent ?? -1)"
        case 1:
            let next = maybe(anyNode())
            model.next = next.flatMap { nodes[$0] }
            plain.link(node, to: next)
            return "\(node).next = \(next ?? -1)"
        case 2:
            let previous = maybe(anyNode())
            model.previous = previous.flatMap { nodes[$0] }
            if let old = plain.previous(node) { plain.nodes[old]?.next = nil }
            if let previous { plain.link(previous, to: node) }
            return "\(node).previous = \(previous ?? -1)"
        case 3:
            let favourite = maybe(anyNode())
            model.favourite = favourite.flatMap { nodes[$0] }
            plain.nodes[node]?.favourite = favourite
            return "\(node).favourite = \(favourite ?? -1)"
        case 4:
            let group = maybe(anyGroup())
            model.group = group.flatMap { groups[$0] }
            plain.nodes[node]?.group = group
            return "\(node).group = \(group ?? -1)"
        case 5:
            let number = random.below(4)
            model.number = number
            plain.nodes[node]?.number = number
            touched.insert(node)
            return "\(node).number = \(number)"
        case 6:
            model.tags.append("x")
            plain.nodes[node]?.tags.append("x")
            return "\(node).tags.append"
        default:
            if !model.children.isEmpty {
                let child = Int(model.children.removeFirst().name)!
                plain.nodes[child]?.parent = nil
                return "\(node).children.removeFirst"
            }
            return "nothing"
        }
    }

    private mutating func fill(_ group: Int) -> String {
        let members = Set((0..<3).compactMap { _ in anyNode() })
        groups[group]!.nodes = members.sorted().map { nodes[$0]! }
        for key in plain.nodes.keys {
            if members.contains(key) {
                plain.nodes[key]?.group = group
            } else if plain.nodes[key]?.group == group {
                plain.nodes[key]?.group = nil
            }
        }
        return "\(group).nodes = \(members.sorted())"
    }

    private mutating func delete(_ node: Int) -> String {
        context.delete(nodes[node]!)
        plain.delete(node)
        return "delete \(node)"
    }

    private mutating func delete(group: Int) -> String {
        context.delete(groups[group]!)
        plain.delete(group: group)
        return "delete group \(group)"
    }

    /// Undoes a delete before the save: models that it deleted through cascades remain deleted.
    private mutating func takeBack(_ node: Int) throws -> String {
        guard saved.nodes[node] != nil else { return "nothing" }
        context.delete(nodes[node]!)
        nodes[node]!.tags.append("y")
        plain.nodes[node]?.tags.append("y")
        context.insert(nodes[node]!)
        for child in plain.nodes.filter({ $0.value.parent == node }).keys { plain.delete(child) }
        return "take back the delete of \(node)"
    }

    /// Another context changes a row. A fetch refreshes the model, except for properties that were changed here.
    private mutating func changeElsewhere(_ node: Int) throws -> String {
        guard saved.nodes[node] != nil else { return "nothing" }
        let other = store.context(author: "other")
        let number = random.below(4)
        try #require(other.existingModel(for: nodes[node]!.persistentModelID) as? GraphNode).number = number
        try other.save()
        saved.nodes[node]?.number = number
        if !touched.contains(node) { plain.nodes[node]?.number = number }
        _ = try context.fetch(FetchDescriptor<GraphNode>())
        return "\(node).number = \(number) elsewhere"
    }

    /// A save that fails and changes nothing.
    private func fail() throws -> String {
        guard let group = plain.groups.min() else { return "nothing" }
        let twin = GraphGroup("\(group)")
        context.insert(twin)
        context.mergePolicy = .error
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.delete(twin)
        return "fail"
    }

    private mutating func rollback() -> String {
        context.rollback()
        plain = saved
        touched = []
        nodes = nodes.filter { plain.nodes[$0.key] != nil }
        groups = groups.filter { plain.groups.contains($0.key) }
        return "rollback"
    }

    /// A fetch with pending changes, sorted and paged.
    private func fetch() throws -> String {
        var descriptor = FetchDescriptor<GraphNode>(
            predicate: #Predicate { $0.number > 0 && $0.parent == nil },
            sortBy: [SortDescriptor(\.number, order: .reverse), SortDescriptor(\.name)])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 3
        let expected = plain.nodes.filter { $0.value.number > 0 && $0.value.parent == nil }
            .sorted { ($1.value.number, "\($0.key)") < ($0.value.number, "\($1.key)") }
        #expect(try context.fetch(descriptor).map(\.name) == expected.dropFirst().prefix(3).map { "\($0.key)" })
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == plain.nodes.count)
        return "fetch"
    }

    /// Releases all models and fetches them again.
    private mutating func forget() -> String {
        guard plain == saved, !context.hasChanges else { return "nothing" }
        nodes = [:]
        groups = [:]
        do {
            for node in try context.fetch(FetchDescriptor<GraphNode>()) { nodes[Int(node.name)!] = node }
            for group in try context.fetch(FetchDescriptor<GraphGroup>()) { groups[Int(group.code!)!] = group }
        } catch { Issue.record(error) }
        return "forget"
    }

    @discardableResult
    mutating func save() throws -> String {
        let token = try context.currentHistoryToken()
        try context.save()
        #expect(!context.hasChanges)
        nodes = nodes.filter { plain.nodes[$0.key] != nil }
        groups = groups.filter { plain.groups.contains($0.key) }
        let identifiers = nodes.mapValues(\.persistentModelID).merging(groups.mapValues(\.persistentModelID)) { $1 }
        let transactions = try context.fetchHistory(.after(token))
        try #require(transactions.count == (plain == saved ? 0 : 1))
        for transaction in transactions { try checkChanges(transaction.changes, identifiers) }
        savedIdentifiers = identifiers
        saved = plain
        touched = []
        try checkRows("save")
        return "save"
    }

    // MARK: Checks

    /// The changes are the difference between the saved graph and the previous one.
    private func checkChanges(_ changes: [HistoryChange], _ identifiers: [Int: PersistentIdentifier]) throws {
        var inserted: [PersistentIdentifier] = []
        var deleted: [PersistentIdentifier] = []
        var updated: [PersistentIdentifier: Set<String>] = [:]
        for change in changes {
            let identifier = change.changedPersistentIdentifier
            switch change {
            case .insert: inserted.append(identifier)
            case .delete: deleted.append(identifier)
            case .update(let update as DefaultHistoryUpdate<GraphNode>):
                updated[identifier, default: []].formUnion(update.updatedAttributeNames)
            case .update: Issue.record("an update of a model that was not changed")
            }
        }
        // SQLite clears the references of a row that the same save deletes.
        for identifier in deleted { updated[identifier] = nil }
        let new = identifiers.filter { savedIdentifiers[$0.key] == nil }.values
        let gone = savedIdentifiers.filter { identifiers[$0.key] == nil }.values
        try #require(inserted.sorted() == new.sorted() && deleted.sorted() == gone.sorted())
        var expected: [PersistentIdentifier: Set<String>] = [:]
        for (key, identifier) in identifiers where savedIdentifiers[key] != nil && plain.nodes[key] != nil {
            let names = plain.differences(of: key, from: saved)
            if !names.isEmpty { expected[identifier] = names }
        }
        try #require(updated == expected)
    }

    func check(_ what: String) throws {
        try #require(graph(nodes.filter { plain.nodes[$0.key] != nil }, plain.groups) == plain, "\(what)")
        for (key, node) in nodes where plain.nodes[key] != nil {
            let children = plain.nodes.filter { $0.value.parent == key }.map { "\($0.key)" }
            try #require(node.children.map(\.name).sorted() == children.sorted(), "\(what): children of \(key)")
            try #require(node.previous?.name == plain.previous(key).map { "\($0)" }, "\(what): previous of \(key)")
            if let parent = node.parent { try #require(parent === nodes[Int(parent.name)!], "\(what): one instance") }
        }
        for key in plain.groups {
            let members = plain.nodes.filter { $0.value.group == key }.map { "\($0.key)" }
            try #require(groups[key]!.nodes.map(\.name).sorted() == members.sorted(), "\(what): nodes of \(key)")
        }
    }

    /// What a new context reads from the store.
    func checkRows(_ what: String) throws {
        let other = store.context()
        var read: [Int: GraphNode] = [:]
        for node in try other.fetch(FetchDescriptor<GraphNode>()) { read[Int(node.name)!] = node }
        let groups = try other.fetch(FetchDescriptor<GraphGroup>()).map { Int($0.code!)! }
        try #require(graph(read, Set(groups)) == saved, "\(what): rows")
        for (key, node) in read {
            try #require(node.previous?.name == saved.previous(key).map { "\($0)" }, "\(what): row of \(key)")
        }
    }

    private func graph(_ models: [Int: GraphNode], _ groups: Set<Int>) -> PlainGraph {
        func key(_ node: GraphNode?) -> Int? { node.map { Int($0.name)! } }
        return PlainGraph(
            nodes: models.mapValues { model in
                PlainNode(
                    number: model.number, tags: model.tags, parent: key(model.parent), next: key(model.next),
                    favourite: key(model.favourite), group: model.group.map { Int($0.code!)! })
            }, groups: groups)
    }
}
