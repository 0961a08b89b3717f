import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The same batch delete by SQLite, by the context, on a store without foreign keys, and model by model: the remaining
/// rows and the recorded changes are the same. A context that has all models, some with changes, agrees with its store.
@Suite("Batch deletes: differential tests") struct BatchDifferentialTests {
    @Test(arguments: TestSeed.rounds(16)) func everyKindOfDeleteHasTheSameResult(_ seed: Int) throws {
        let kinds: [BatchKind] = [.inMemory, .unbatched, .memoryStore]
        let runs = try kinds.filter { $0.hasForeignKeys || !BatchRun.hasFavourites(seed) }
            .map { try BatchRun($0, seed: seed) }
        let oneByOne = try BatchRun(.file, seed: seed)
        for run in runs { try run.deleteAtOnce() }
        try oneByOne.deleteOneByOne()
        let (rows, history) = (try oneByOne.rows(), try oneByOne.store.history())
        for run in runs {
            #expect(try run.rows() == rows, "\(run.kind)")
            #expect(try run.store.history() == history, "\(run.kind)")
        }
        for run in runs { try run.saveTheRest() }
    }
}

/// A random graph, and a context that has loaded all of it.
private struct BatchRun {
    let kind: BatchKind
    let store: BatchStore
    let context: ModelContext
    let nodes: [GraphNode]
    let groups: [GraphGroup]
    private let seed: Int

    init(_ kind: BatchKind, seed: Int) throws {
        (self.kind, self.seed) = (kind, seed)
        store = try BatchStore(kind, GraphNode.self)
        context = store.context(author: "app")
        nodes = (0..<16).map { GraphNode("\($0)") }
        groups = (0..<3).map { GraphGroup("\($0)") }
        var random = Random(seed)
        for group in groups { context.insert(group) }
        for (index, node) in nodes.enumerated() {
            node.number = random.below(4)
            context.insert(node)
            // A tree; the others are arbitrary.
            if index > 0, random.below(3) > 0 { node.parent = nodes[random.below(index)] }
            if random.below(2) > 0 { node.next = nodes[random.below(16)] }
            if random.below(2) > 0 { node.group = groups[random.below(3)] }
            if Self.hasFavourites(seed), random.below(2) > 0 { node.favourite = nodes[random.below(16)] }
        }
        try context.save()
    }

    /// Whether there are references without an inverse, which only foreign keys clear.
    static func hasFavourites(_ seed: Int) -> Bool { seed % 16 >= 8 }

    private var what: Int { seed % 8 }

    private var nodePredicate: Predicate<GraphNode>? {
        switch what {
        case 0: return nil
        case 1: return #Predicate { $0.number == 1 }
        case 2: return #Predicate { $0.parent == nil && $0.number > 0 }
        case 3: return #Predicate { $0.parent?.number == 2 || $0.next?.group?.code == "1" }
        case 4: return #Predicate { $0.children.isEmpty }
        case 5: return #Predicate { node in node.children.contains { $0.number == node.number } }
        default: return #Predicate { $0.group?.code == "0" && $0.previous != nil }
        }
    }

    func deleteAtOnce() throws {
        change()
        if what == 7 {
            try context.delete(model: GraphGroup.self, where: #Predicate { $0.nodes.contains { $0.number == 0 } })
        } else {
            try context.delete(model: GraphNode.self, where: nodePredicate)
        }
        try checkModels()
    }

    func deleteOneByOne() throws {
        let context = store.context(author: "app")
        if what == 7 {
            let predicate = #Predicate<GraphGroup> { $0.nodes.contains { $0.number == 0 } }
            for group in try context.fetch(FetchDescriptor(predicate: predicate)) { context.delete(group) }
        } else {
            for node in try context.fetch(FetchDescriptor(predicate: nodePredicate)) { context.delete(node) }
        }
        try context.save()
    }

    /// Unsaved changes: values, references to models that may be deleted, and new models.
    private func change() {
        var random = Random(seed + 1_000)
        for node in nodes where random.below(3) == 0 { node.tags = ["changed"] }
        for node in nodes where random.below(4) == 0 { node.next = nodes[random.below(16)] }
        for node in nodes where random.below(4) == 0 { node.favourite = nodes[random.below(16)] }
        for node in nodes where random.below(4) == 0 { node.group = groups[random.below(3)] }
        for index in 0..<4 {
            let new = GraphNode("new \(index)")
            context.insert(new)
            new.parent = nodes[random.below(16)]
            new.group = groups[random.below(3)]
        }
    }

    /// Expects that models without a row are deleted and not referenced.
    private func checkModels() throws {
        let (left, leftGroups) = try store.read { reader in
            (
                Set(try reader.fetchIdentifiers(FetchDescriptor<GraphNode>())),
                Set(try reader.fetchIdentifiers(FetchDescriptor<GraphGroup>()))
            )
        }
        for node in nodes {
            #expect(node.isDeleted != left.contains(node.persistentModelID), "\(node.name)")
            guard !node.isDeleted else { continue }
            let others = [node.parent, node.next, node.previous, node.favourite].compactMap { $0 } + node.children
            #expect(others.map(\.isDeleted) == others.map { _ in false }, "\(node.name)")
            #expect(node.group?.isDeleted != true)
        }
        for group in groups {
            #expect(group.isDeleted != leftGroups.contains(group.persistentModelID))
            if !group.isDeleted { #expect(group.nodes.map(\.isDeleted) == group.nodes.map { _ in false }) }
        }
    }

    /// Expects that everything else can still be saved, with the values in memory.
    func saveTheRest() throws {
        let before = try texts(context)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try rows() == before, "\(kind)")
    }

    /// The rows that a new context reads.
    func rows() throws -> [String] { try store.read { try texts($0) } }

    private func texts(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<GraphNode>()).map { node in
            let others = [node.parent, node.next, node.previous, node.favourite].map { $0?.name ?? "-" }
            return "\(node.name) \(node.number) \(node.tags) \(others) \(node.group?.code ?? "-")"
        }.sorted() + context.fetch(FetchDescriptor<GraphGroup>()).map { $0.code ?? "-" }
    }
}

/// Returns the same numbers for the same seed (https://prng.di.unimi.it/splitmix64.c).
private struct Random {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
