import Chronicle
import Foundation
import Testing

/// Fetches while the context has changes.
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

    @Test func pagesAreTheSameWithAndWithoutChanges() throws {
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

    @Test func equalModelsKeepTheOrderOfTheirKeys() throws {
        nodes[2].tags = ["changed"]
        let sorted = FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.number)])
        #expect(try context.fetch(sorted).map(\.name) == ["0", "1", "2", "3", "4", "5"])
        nodes[1].number = 1
        context.insert(GraphNode("new"))
        #expect(try context.fetch(sorted).map(\.name) == ["0", "2", "3", "4", "5", "new", "1"])
    }

    @Test func aModelWithoutAValueIsAnErrorAndNoTrap() throws {
        context.insert(GraphNode(backingData: BackingData()))
        let error = try failure {
            _ = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "1" }))
        }
        #expect(error == .modelValidationFailure && error?.propertyName == "name")
    }
}
