import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// How a batch delete affects the models of contexts and their unsaved changes.
@Suite("Batch deletes and contexts") struct BatchContextTests {
    private func graph(_ kind: BatchKind) throws -> (BatchStore, ModelContext, [GraphNode]) {
        let store = try BatchStore(kind, GraphNode.self)
        let context = store.context(author: "app")
        let nodes = (0..<4).map { GraphNode("\($0)") }
        for node in nodes { context.insert(node) }
        (nodes[1].parent, nodes[3].next) = (nodes[0], nodes[0])
        nodes[0].group = GraphGroup("g")
        try context.save()
        return (store, context, nodes)
    }

    @Test(arguments: BatchKind.allCases) func contextMarksDeletedRowsAsDeleted(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let group = try #require(nodes[0].group)
        #expect(nodes[0].children.count == 1 && group.nodes.count == 1 && nodes[0].previous === nodes[3])
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "0" })
        #expect(nodes.map(\.isDeleted) == [true, true, false, false])
        #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
        #expect(nodes[3].next == nil && group.nodes.isEmpty)
        let known: GraphNode? = context.registeredModel(for: nodes[0].persistentModelID)
        #expect(known == nil)
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: nodes[0].persistentModelID) }
        #expect(try context.fetch(FetchDescriptor<GraphNode>()) == [nodes[2], nodes[3]])
        // Values that were read remain readable.
        #expect(nodes[0].name == "0")

        context.rollback()
        #expect(nodes.map(\.isDeleted) == [true, true, false, false])
        #expect(try store.count(GraphNode.self) == 2)
    }

    @Test(arguments: BatchKind.allCases) func predicateAppliesToStoredValues(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        nodes[2].number = 5
        let new = GraphNode("new")
        new.number = 5
        context.insert(new)
        context.delete(nodes[3])
        try context.delete(model: GraphNode.self, where: #Predicate { $0.number == 5 })
        #expect(!nodes[2].isDeleted && nodes[3].isDeleted && context.insertedModelsArray.count == 1)
        // The other one is the first node, which the third one referenced.
        #expect(context.changedModelsArray.count == 2)
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "2" })
        #expect(nodes[2].isDeleted && context.changedModelsArray.count == 1 && context.deletedModelsArray.count == 1)
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphNode>()).map(\.name) == ["0", "1", "new"])
    }

    @Test(arguments: BatchKind.allCases) func pendingDeleteOfADeletedRowIsDropped(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        context.delete(nodes[2])
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "2" })
        #expect(nodes[2].isDeleted && !context.hasChanges)
        try context.save()
        #expect(try store.history().count == 2)
    }

    @Test(arguments: BatchKind.allCases) func unsavedReferencesToDeletedRowsAreCleared(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let new = GraphNode("new")
        new.parent = nodes[0]
        context.insert(new)
        (nodes[2].favourite, nodes[2].next, nodes[3].group) = (nodes[1], nodes[1], nodes[0].group)
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "0" })
        #expect(new.parent == nil && nodes[2].favourite == nil && nodes[2].next == nil)
        #expect(nodes[3].group?.nodes == [nodes[3]])
        try context.save()
        try store.read { reader in
            let read = try reader.fetch(FetchDescriptor<GraphNode>())
            #expect(read.map(\.name) == ["2", "3", "new"])
            #expect(read.map(\.group?.code) == [nil, "g", nil])
            #expect(read.flatMap { [$0.parent, $0.favourite, $0.next] } == Array(repeating: nil, count: 9))
        }
    }

    @Test(arguments: BatchKind.allCases) func unsavedReferencesToUnloadedRowsAreCleared(_ kind: BatchKind) throws {
        let (store, _, _) = try graph(kind)
        let context = store.context()
        let new = GraphNode("new")
        context.insert(new)
        new.favourite = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "2" })).first
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "2" })
        try context.save()
        let saved = FetchDescriptor<GraphNode>(predicate: #Predicate { $0.favourite != nil || $0.name == "new" })
        #expect(try store.context().fetch(saved).map(\.name) == ["new"])
        #expect(try store.history().last?.inserted == ["\(new.persistentModelID)"])
        try store.read { reader in
            let read = try #require(try reader.fetch(saved).first)
            #expect(read.favourite == nil)
        }
    }

    @Test(arguments: BatchKind.allCases) func otherContextsSeeTheDeleteAsAnExternalChange(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        try store.context().delete(model: GraphNode.self, where: #Predicate { $0.name == "2" })
        #expect(!nodes[2].isDeleted && nodes[2].name == "2")
        nodes[2].number = 1
        #expect(throws: SwiftDataError.modelNotFound) { try context.save() }
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 3)
    }

    @Test(arguments: BatchKind.allCases) func otherModelsAreRefreshed(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let other = store.context()
        try #require(try other.fetch(FetchDescriptor<GraphNode>()).last).tags = ["seen"]
        try other.save()
        nodes[3].number = 9
        try context.delete(model: GraphNode.self, where: #Predicate { $0.name == "0" })
        #expect(nodes[3].tags == ["seen"] && nodes[3].number == 9)
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphNode>()).map(\.number) == [0, 9])
    }

    @Test(arguments: BatchKind.allCases) func failedBatchDeletesNothing(_ kind: BatchKind) throws {
        let (store, context, nodes) = try graph(kind)
        let storeIdentifier = try #require(store.container.stores.first).identifier
        let error = #expect(throws: SwiftDataError.self) { try context.delete(model: Trip.self) }
        #expect(error == .unknownSchema)
        if kind != .memoryStore {
            let refused = #expect(throws: SwiftDataError.self) {
                try context.delete(model: GraphNode.self, where: #Predicate { $0.tags[0] == "x" })
            }
            #expect(refused == .unsupportedPredicate && refused?.storeIdentifier == storeIdentifier)
        }
        #expect(nodes.map(\.isDeleted) == [false, false, false, false])
        #expect(try store.count(GraphNode.self) == 4 && store.history().count == 1)
    }

    @Test func busyStoreDeletesNothing() throws {
        let directory = try TemporaryDirectory()
        var configuration = ModelConfiguration(url: directory.file("test.store"))
        configuration.busyTimeout = .milliseconds(10)
        let container = try ModelContainer(for: GraphNode.self, configurations: configuration)
        let context = ModelContext(container)
        let node = GraphNode("0")
        context.insert(node)
        try context.save()
        try ShellSession.holdingWriteLock(directory.file("test.store")) {
            let error = #expect(throws: SwiftDataError.self) { try context.delete(model: GraphNode.self) }
            #expect(error == .storeBusy && error?.storeIdentifier == container.stores[0].identifier)
            #expect(!node.isDeleted)
        }
        try context.delete(model: GraphNode.self)
        #expect(node.isDeleted)
    }

    @Test func readOnlyStoreDeletesNothing() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("test.store")
        let writer = ModelContext(try ModelContainer(for: GraphNode.self, configurations: ModelConfiguration(url: url)))
        writer.insert(GraphNode("0"))
        try writer.save()
        let reader = try ModelContainer(
            for: GraphNode.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        #expect(throws: SwiftDataError.storeReadOnly) { try ModelContext(reader).delete(model: GraphNode.self) }
        #expect(try writer.fetchCount(FetchDescriptor<GraphNode>()) == 1)
    }
}
