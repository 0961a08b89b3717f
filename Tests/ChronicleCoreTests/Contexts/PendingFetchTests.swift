import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Fetches in a context with pending changes.
@Suite struct PendingFetchTests {
    private let store: TestStore
    private let context: ModelContext
    private let nodes: [GraphNode]

    init() throws {
        store = try TestStore(.inMemory, [GraphNode.self])
        context = store.context()
        nodes = (0..<6).map { GraphNode("\($0)") }
        for node in nodes { context.insert(node) }
        try context.save()
    }

    @Test func pagesMatchWithAndWithoutPendingChanges() throws {
        nodes[4].tags = ["changed"]
        context.delete(nodes[0])
        context.insert(GraphNode("3a"))
        let all = ["1", "2", "3", "3a", "4", "5"]
        for offset in [-1, 0, 2, 5, 9] {
            for limit in [-1, 0, 1, 3, 100, Int.max] {
                var descriptor = FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])
                descriptor.fetchOffset = offset
                descriptor.fetchLimit = limit
                let expected = Array(all.dropFirst(max(offset, 0)).prefix(max(limit, 0)))
                #expect(try context.fetch(descriptor).map(\.name) == expected, "\(offset), \(limit)")
                #expect(try context.fetchCount(descriptor) == expected.count)
            }
        }
    }

    @Test func fetchRefreshesDeletedModels() throws {
        let names = ["a", "b"].map { String(repeating: $0, count: 20) }
        nodes[0].name = names[0]
        try context.save()
        let reader = store.context()
        var all = FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])
        let node = try #require(try reader.fetch(all).last)
        // The model keeps a long string that is read often.
        #expect((0..<500).allSatisfy { _ in node.name == names[0] })
        reader.delete(node)
        nodes[0].name = names[1]
        nodes[0].number = 7
        try context.save()
        all.includePendingChanges = false
        #expect(try reader.fetch(all).last === node)
        #expect(node.name == names[1] && node.number == 7)
        // Values that were set after the delete remain.
        node.number = 8
        nodes[0].name = names[0]
        try context.save()
        #expect(try reader.fetch(all).last === node)
        #expect(node.number == 8)
        reader.rollback()
        #expect(node.name == names[0] && node.number == 7)
    }

    @Test func equalModelsAreOrderedByKey() throws {
        nodes[2].tags = ["changed"]
        let sorted = FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.number)])
        #expect(try context.fetch(sorted).map(\.name) == ["0", "1", "2", "3", "4", "5"])
        nodes[1].number = 1
        context.insert(GraphNode("new"))
        #expect(try context.fetch(sorted).map(\.name) == ["0", "2", "3", "4", "5", "new", "1"])
    }

    /// With any changes, a fetch returns what it returns after the save, whether the store can exclude rows or not.
    @Test(arguments: TestSeed.rounds(3), [false, true]) func pagesMatchThoseAfterTheSave(_ seed: Int, excludes: Bool)
        throws
    {
        var random = SplitMix(state: UInt64(seed))
        let excluding = try TestStore(.inMemory, [GraphNode.self])
        let container = try excludes ? excluding.container : UnavailableContainer(.inMemory, GraphNode.self).container
        let context = ModelContext(container)
        let nodes = (0..<12).map { GraphNode("\($0)") }
        for node in nodes {
            node.number = random.below(4)
            context.insert(node)
        }
        try context.save()
        for node in nodes {
            switch random.below(5) {
            case 0: node.number = random.below(4)
            case 1: node.tags = ["changed"]
            case 2: context.delete(node)
            default: break
            }
        }
        for index in 0..<random.below(4) {
            let node = GraphNode("new \(index)")
            node.number = random.below(4)
            context.insert(node)
        }

        var descriptors: [FetchDescriptor<GraphNode>] = []
        for predicate in [nil, #Predicate<GraphNode> { $0.number > 1 }, #Predicate { $0.tags == ["changed"] }] {
            for sort in [[], [SortDescriptor(\GraphNode.number, order: .reverse)]] {
                for (offset, limit) in [(nil, nil), (nil, 1), (nil, 5), (1, nil), (3, 4), (9, 9), (40, 1)]
                    as [(Int?, Int?)]
                {
                    var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
                    (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
                    descriptors.append(descriptor)
                }
            }
        }
        var found: [[String]] = []
        for descriptor in descriptors {
            let identifiers = try context.fetchIdentifiers(descriptor)
            let models = try context.fetch(descriptor)
            #expect(identifiers == models.map(\.persistentModelID), "seed \(seed)")
            #expect(try context.fetchCount(descriptor) == models.count, "seed \(seed)")
            found.append(models.map(\.name))
        }
        try context.save()
        for (descriptor, found) in zip(descriptors, found) {
            let saved = try ModelContext(container).fetch(descriptor).map(\.name)
            let (offset, limit) = (descriptor.fetchOffset, descriptor.fetchLimit)
            #expect(found == saved, "seed \(seed), offset \(offset ?? 0), limit \(limit ?? -1)")
        }
    }

    @Test func deletedNewModelIsFoundAfterReinsertion() throws {
        let node = GraphNode("new")
        context.insert(node)
        context.delete(node)
        let descriptor = FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "new" })
        #expect(try context.fetchCount(descriptor) == 0)
        context.insert(node)
        #expect(try context.fetch(descriptor).map { $0 === node } == [true])
    }

    @Test func fetchingAModelWithoutAValueThrows() throws {
        context.insert(GraphNode(backingData: GraphNode.createBackingData()))
        let error = try failure {
            _ = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "1" }))
        }
        #expect(error == .modelValidationFailure && error?.propertyName == "name")
    }
}
