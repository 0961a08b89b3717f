import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Long chains of models are released, walked, saved and deleted without recursion.
///
/// The stack has 5 bytes for each model of the deepest chains, 52 for each model in memory, and 104 for each saved one. A recursion
/// needs more.
@Suite struct DeepChainTests {
    private static let deepest = isSanitized ? 1_000 : 100_000
    private static let depth = isSanitized ? 1_000 : 10_000
    private static let savedDepth = isSanitized ? 1_000 : 5_000
    private static let stackSize = 512 << 10

    /// A relationship that connects each model of a chain with the next one.
    enum Chain: String, CaseIterable {
        case children, appendedChildren, parent, next, favourite

        func connect(_ node: GraphNode, to other: GraphNode) {
            switch self {
            case .children: node.children = [other]
            case .appendedChildren: node.children.append(other)
            case .parent: node.parent = other
            case .next: node.next = other
            case .favourite: node.favourite = other
            }
        }

        func following(_ node: GraphNode) -> GraphNode? {
            switch self {
            case .children, .appendedChildren: node.children.first
            case .parent: node.parent
            case .next: node.next
            case .favourite: node.favourite
            }
        }

        /// Creates a chain, from its end to its beginning.
        func make(_ depth: Int) -> (head: GraphNode, tail: WeakNode) {
            var head = GraphNode("0")
            let tail = WeakNode(model: head)
            for number in 1..<depth {
                let node = GraphNode("\(number)")
                connect(node, to: head)
                head = node
            }
            return (head, tail)
        }

        /// Returns the number of models from a model to the end of its chain.
        func count(from head: GraphNode) -> Int {
            var (node, count) = (head, 1)
            while let next = following(node) { (node, count) = (next, count + 1) }
            return count
        }
    }

    struct WeakNode {
        weak var model: GraphNode?
    }

    /// When the models are released.
    enum Order: CaseIterable {
        case beforeTheContext, afterTheContext, afterRollback, afterDelete
    }

    private func saved(_ chain: Chain, _ depth: Int = savedDepth) throws -> TestStore {
        let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self], preservesValues: true)
        let context = store.context()
        context.insert(chain.make(depth).head)
        try context.save()
        return store
    }

    private func head(_ depth: Int = savedDepth, in context: ModelContext) throws -> GraphNode {
        let name = "\(depth - 1)"
        return try #require(
            try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == name })).first)
    }

    private func expectWhole(_ chain: Chain, in context: ModelContext) throws {
        let head = try head(in: context)
        #expect(chain.count(from: head) == Self.savedDepth)
    }

    // MARK: Models in memory

    @Test(arguments: Chain.allCases) func chainWithoutAContextIsReleased(_ chain: Chain) async throws {
        let tail = try await onThread(stackSize: Self.stackSize) {
            let (head, tail) = chain.make(Self.deepest)
            #expect(tail.model != nil && chain.count(from: head) == Self.deepest)
            return tail
        }
        #expect(tail.model == nil)
    }

    @Test(arguments: Chain.allCases) func shortenedChainIsReleased(_ chain: Chain) async throws {
        try await onThread(stackSize: Self.stackSize) {
            let (head, tail) = chain.make(Self.depth)
            chain.connect(head, to: GraphNode("other"))
            if chain == .appendedChildren { head.children.removeFirst() }
            #expect(tail.model == nil && chain.count(from: head) == 2)
        }
    }

    @Test(arguments: Chain.allCases, Order.allCases) func unsavedChainIsReleased(
        _ chain: Chain, _ order: Order
    ) async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self])
            var context: ModelContext? = store.context()
            var (head, tail): (GraphNode?, WeakNode) = chain.make(Self.depth)
            context?.insert(head!)
            #expect(context?.insertedModelsArray.count == Self.depth)
            switch order {
            case .beforeTheContext: break
            case .afterTheContext: context = nil
            case .afterRollback: context?.rollback()
            case .afterDelete:
                context?.delete(head!)
                if chain == .children || chain == .appendedChildren { #expect(context?.hasChanges == false) }
            }
            head = nil
            context = nil
            #expect(tail.model == nil)
        }
    }

    // MARK: Saved models

    @Test(arguments: Chain.allCases) func chainIsSaved(_ chain: Chain) async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self])
            let context = store.context()
            var (head, tail): (GraphNode?, WeakNode) = chain.make(Self.depth)
            context.insert(head!)
            try context.save()
            head = nil
            #expect(tail.model == nil)
            #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == Self.depth)
        }
    }

    @Test(arguments: Chain.allCases) func fetchedChainIsWalked(_ chain: Chain) async throws {
        try await onThread(stackSize: Self.stackSize) {
            try expectWhole(chain, in: saved(chain).context())
        }
    }

    @Test(arguments: [Chain.children, .parent]) func chainIsDeletedAndRestored(_ chain: Chain) async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try saved(chain)
            let context = store.context(author: "editor")
            // The delete rule of the children is to delete them as well.
            let root = try chain == .children ? head(in: context) : head(1, in: context)
            context.delete(root)
            #expect(context.deletedModelsArray.count == Self.savedDepth)
            context.rollback()
            #expect(context.deletedModelsArray.isEmpty && !root.isDeleted)
            context.delete(root)
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
            let undone = try #require(try context.undoHistory.undo())
            #expect(undone.conflicts.isEmpty)
            try expectWhole(chain, in: store.context())
            try context.undoHistory.redo()
            #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
            let deletion = try #require(
                try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            try context.revert(deletion)
            try context.save()
            try expectWhole(chain, in: store.context())
        }
    }

    // MARK: The deepest chains

    /// A folder tree of 100,000 levels, from either end of the relationship.
    @Test(arguments: [Chain.children, .parent]) func deepestChainIsSavedWalkedAndDeleted(_ chain: Chain) async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self])
            let context = store.context()
            var (head, tail): (GraphNode?, WeakNode) = chain.make(Self.deepest)
            context.insert(head!)
            #expect(context.insertedModelsArray.count == Self.deepest)
            context.rollback()
            head = nil
            #expect(tail.model == nil)

            (head, tail) = chain.make(Self.deepest)
            context.insert(head!)
            try context.save()
            head = nil
            #expect(tail.model == nil)

            let other = store.context()
            let first = try self.head(Self.deepest, in: other)
            #expect(chain.count(from: first) == Self.deepest)
            // The delete rule of the children is to delete them as well.
            other.delete(try chain == .children ? first : self.head(1, in: other))
            #expect(other.deletedModelsArray.count == Self.deepest)
            try other.save()
            #expect(try other.fetchCount(FetchDescriptor<GraphNode>()) == 0)
        }
    }

    // MARK: Other graphs

    @Test func ringIsDeleted() async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self])
            let context = store.context()
            let nodes = (0..<10_000).map { GraphNode("\($0)") }
            for (index, node) in nodes.enumerated() { node.parent = nodes[(index + 1) % nodes.count] }
            context.insert(nodes[0])
            try context.save()
            let other = store.context()
            other.delete(try head(1, in: other))
            #expect(other.deletedModelsArray.count == nodes.count)
            try other.save()
            #expect(try other.fetchCount(FetchDescriptor<GraphNode>()) == 0)
            try context.refreshAllModels()
            #expect(nodes.allSatisfy { $0.isDeleted })
        }
    }

    @Test func modelThatIsItsOwnParentIsDeleted() throws {
        let store = try TestStore(.inMemory, [GraphNode.self, GraphGroup.self], preservesValues: true)
        let context = store.context(author: "editor")
        let node = GraphNode("0")
        node.parent = node
        context.insert(node)
        #expect(node.children == [node])
        try context.save()
        context.delete(node)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
        try context.undoHistory.undo()
        let restored = try #require(try store.context().fetch(FetchDescriptor<GraphNode>()).first)
        #expect(restored.parent === restored && restored.children == [restored])
    }

    @Test func denseGraphIsDeleted() async throws {
        try await onThread(stackSize: Self.stackSize) {
            let store = try TestStore(.inMemory, [LinkItem.self])
            let context = store.context()
            let items = (0..<1000).map { LinkItem("\($0)") }
            for (index, item) in items.enumerated() {
                item.friends = (1...50).map { items[(index + $0) % items.count] }
                item.idols = (1...50).map { items[(index + $0 * 7) % items.count] }
            }
            context.insert(items[0])
            #expect(context.insertedModelsArray.count == items.count)
            try context.save()
            let other = store.context()
            let all = try other.items()
            #expect(all.allSatisfy { $0.friends.count == 100 && $0.idols.count == 50 })
            for item in all { other.delete(item) }
            try other.save()
            #expect(try other.fetchCount(FetchDescriptor<LinkItem>()) == 0)
        }
    }
}
