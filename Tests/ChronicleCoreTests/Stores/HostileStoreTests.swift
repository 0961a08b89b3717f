import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Synchronization
import Testing

/// A store whose responses are corrupted at random. Whatever a program does with its models, the process does not
/// crash, and an invalid response is an error that names the store and the violated rule.
@Suite struct HostileStoreTests {
    @Test(arguments: TestSeed.rounds(15)) func invalidResponsesThrow(_ seed: Int) throws {
        let dice = HostileStore.Dice(seed)
        let container = try ModelContainer(
            for: Schema(GraphNode.self), configurations: [HostileStore.Configuration(dice: dice)])
        let context = ModelContext(container)
        let nodes = (0..<8).map { GraphNode("\($0)") }
        let group = GraphGroup("g")
        for (node, next) in zip(nodes, nodes.dropFirst() + nodes.prefix(1)) {
            context.insert(node)
            (node.group, node.next, node.favourite) = (group, next, nodes[0])
            if node !== nodes[0] { node.parent = nodes[0] }
        }
        try context.save()
        dice.startCorruption()
        for context in [context, ModelContext(container)] {
            for step in 0..<30 {
                do {
                    try use(context, step, dice)
                    try context.save()
                } catch let error as SwiftDataError {
                    let isOfTheStore = error == .invalidStoreResponse || error == .undecodableValue
                    let isNamed = error.storeName == "hostile" && error.storeIdentifier != nil && error.detail != nil
                    // Errors that are consequences of earlier corrupted responses, such as a row that another model
                    // has.
                    #expect(isNamed || !isOfTheStore, "\(error)")
                    if dice.roll(2) == 0 { context.rollback() }
                }
            }
        }
    }

    private func use(_ context: ModelContext, _ step: Int, _ dice: HostileStore.Dice) throws {
        switch dice.roll(6) {
        case 0:
            for node in try context.fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])) {
                let others = [node.parent, node.next, node.previous, node.favourite].compactMap { $0 } + node.children
                _ = (node.tags, node.number, node.group?.code, others.map(\.name))
            }
        case 1:
            let groups = try context.fetch(FetchDescriptor<GraphGroup>())
            let nodes = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.number >= 0 }))
            for node in nodes {
                node.number &+= 1
                (node.next, node.parent, node.group) = (nodes.last, nil, groups.first)
            }
        case 2:
            for group in try context.fetch(FetchDescriptor<GraphGroup>()) {
                group.nodes = group.nodes.dropLast() + [GraphNode("new \(step)")]
            }
        case 3: try context.fetch(FetchDescriptor<GraphNode>()).last.map { context.delete($0) }
        case 4: try context.delete(model: GraphNode.self, where: #Predicate { $0.number == 2 })
        default: context.insert(GraphNode("new \(step)"))
        }
    }
}

/// A ``MemoryStore`` whose responses are corrupted.
private final class HostileStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = HostileStore

        let name = "hostile"
        var schema: Schema?
        let dice: Dice
    }

    /// A random generator, and whether corruption is enabled.
    final class Dice: IdentityHashable, Sendable {
        private let state: Mutex<(random: SplitMix, isCorrect: Bool)>

        init(_ seed: Int) { state = Mutex((SplitMix(state: UInt64(seed)), true)) }

        func startCorruption() { state.withLock { $0.isCorrect = false } }
        func roll(_ sides: Int) -> Int { state.withLock { $0.random.below(sides) } }
        /// Returns whether to corrupt a response: once in so many calls, after ``startCorruption()``.
        func corrupts(_ sides: Int) -> Bool { state.withLock { !$0.isCorrect && $0.random.below(sides) == 0 } }
    }

    let configuration: Configuration
    private let base: MemoryStore
    private var dice: Dice { configuration.dice }
    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try MemoryStore(MemoryStoreConfiguration(), schema: schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        var rows = try base.fetch(request).fetchedSnapshots.map(corrupted)
        if dice.corrupts(10), let first = rows.first { rows.append(first) }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: rows)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let result = try base.save(request)
        guard dice.corrupts(2) else { return result }
        var remapped = result.remappedIdentifiers
        for (temporary, identifier) in remapped.sorted(by: { $0.key < $1.key }) where dice.corrupts(4) {
            remapped[temporary] = dice.corrupts(3) ? nil : corrupted(identifier)
        }
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: remapped,
            snapshotsToReregister: keyed(
                (request.updated + request.deleted).filter { _ in dice.corrupts(3) }.map(corrupted)))
    }

    // MARK: Corruption

    private func corrupted(_ row: DefaultSnapshot) -> DefaultSnapshot {
        guard dice.corrupts(8) else { return row }
        let identifier = row.persistentIdentifier
        var values = row.values
        switch dice.roll(8) {
        case 0: values.removeLast()
        case 1: values.append(.null)
        case 2: break
        default:
            let invalid: [PropertyValue] = [
                .null, .integer(.max), .real(.nan), .text("x"), .text("[]"), .blob(Data([0xFF])),
                .references([identifier]),
            ]
            // Half of them, because there are many kinds of invalid references.
            let value = dice.roll(2) == 0 ? .reference(corrupted(identifier)) : invalid[dice.roll(invalid.count)]
            values[dice.roll(values.count)] = value
        }
        return DefaultSnapshot(
            persistentIdentifier: dice.corrupts(4) ? corrupted(identifier) : identifier, values: values,
            changed: PropertySet())
    }

    private func corrupted(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
        func row(_ store: String, _ entity: String) -> PersistentIdentifier {
            PersistentIdentifier.Origin(storeIdentifier: store, entityName: entity).identifier(Int64(dice.roll(3)))
        }
        return switch dice.roll(5) {
        case 0: row("elsewhere", identifier.entityName)
        case 1: row(self.identifier, "GraphGroup")
        case 2: row(self.identifier, "Nobody")
        case 3: GraphNode("new").persistentModelID
        default: row(self.identifier, identifier.entityName)
        }
    }
}
