import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Fetches that ignore pending changes do not discard them.
///
/// https://github.com/feedback-assistant/reports/issues/658
@Suite struct StoredStateFetchTests {
    /// A way to read the stored state of nodes.
    enum Read: CaseIterable {
        case parents, children, prefetched, byRelationship, batched, enumerated, count, identifiers

        func callAsFunction(_ context: ModelContext) throws {
            var descriptor = FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])
            descriptor.includePendingChanges = false
            switch self {
            case .parents: descriptor.predicate = #Predicate { $0.parent == nil }
            case .children: descriptor.predicate = #Predicate { $0.parent != nil }
            case .prefetched: descriptor.relationshipKeyPathsForPrefetching = [\.children, \.parent]
            case .byRelationship:
                descriptor.predicate = #Predicate { !$0.children.isEmpty || $0.parent?.name == "parent" }
            case .batched:
                for node in try context.fetch(descriptor, batchSize: 1) { _ = node.name }
                return
            case .enumerated: return try context.enumerate(descriptor, allowEscapingMutations: true) { _ = $0.name }
            case .count: return _ = try context.fetchCount(descriptor)
            case .identifiers: return _ = try context.fetchIdentifiers(descriptor)
            }
            _ = try context.fetch(descriptor)
        }
    }

    /// A side from which a child is connected with its parent.
    enum Side: CaseIterable {
        case child, insertedChild, appended, assigned
    }

    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [GraphNode.self, GraphGroup.self, LinkItem.self], preservesValues: true)
        let context = store.context()
        let (parent, child, item) = (GraphNode("parent"), GraphNode("child"), LinkItem("item"))
        parent.children = [child]
        child.group = GraphGroup("group")
        item.tags = [LinkTag("tag")]
        context.insert(parent)
        context.insert(item)
        try context.save()
        return store
    }

    private func node(_ name: String, _ context: ModelContext) throws -> GraphNode {
        try #require(try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == name })).first)
    }

    @Test(arguments: Read.allCases) func newChildKeepsItsParent(_ read: Read) throws {
        for side in Side.allCases {
            for isParentNew in [false, true] {
                for wasListRead in [false, true] {
                    let store = try store(.inMemory)
                    let context = store.context()
                    let parent = try isParentNew ? GraphNode("new parent") : node("parent", context)
                    if isParentNew { context.insert(parent) }
                    if wasListRead { #expect(parent.children.count == (isParentNew ? 0 : 1)) }
                    let child = GraphNode("new")
                    switch side {
                    case .child:
                        child.parent = parent
                        context.insert(child)
                    case .insertedChild:
                        context.insert(child)
                        child.parent = parent
                    case .appended: parent.children.append(child)
                    case .assigned: parent.children = parent.children + [child]
                    }
                    let message: Comment = "\(side), new parent: \(isParentNew), read: \(wasListRead)"
                    for _ in 0..<2 {
                        try read(context)
                        #expect(child.parent === parent && parent.children.contains(child), message)
                        #expect(context.insertedModelsArray.contains { $0 === child }, message)
                    }
                    try context.save()
                    #expect(child.parent === parent && parent.children.contains(child), message)
                    let names = try node(parent.name, store.context()).children.map(\.name).sorted()
                    #expect(names == (isParentNew ? ["new"] : ["child", "new"]), message)
                    let inserted = try #require(try store.history().last).changes.filter { change in
                        change.changedPersistentIdentifier == child.persistentModelID
                    }
                    #expect(inserted.map(\.text) == ["insert \(child.persistentModelID)"], message)
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases, Read.allCases) func movedChildKeepsItsParent(
        _ kind: StoreKind, _ read: Read
    ) throws {
        let store = try store(kind)
        let context = store.context()
        let (parent, child) = (try node("parent", context), try node("child", context))
        #expect(parent.children == [child])
        let other = GraphNode("other")
        context.insert(other)
        child.parent = other
        try read(context)
        #expect(child.parent === other && parent.children.isEmpty && other.children == [child])
        try context.save()
        #expect(try node("child", store.context()).parent?.name == "other")
        #expect(try node("parent", store.context()).children.isEmpty)
    }

    // MARK: Changes of every kind

    /// A change of the child or the item, and what describes it.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var deletes = false
        let make: @Sendable (GraphNode, LinkItem, ModelContext) -> Void
        let value: @Sendable (GraphNode, LinkItem) -> String
    }

    static let changes = [
        Change(
            testDescription: "scalar", make: { node, _, _ in node.number = 7 }, value: { node, _ in "\(node.number)" }),
        Change(
            testDescription: "Codable", make: { node, _, _ in node.tags = ["a"] }, value: { node, _ in "\(node.tags)" }),
        Change(
            testDescription: "optional", make: { node, _, _ in node.group?.code = nil },
            value: { node, _ in node.group?.code ?? "nil" }),
        Change(
            testDescription: "to-one", make: { node, _, _ in node.favourite = node.parent },
            value: { node, _ in node.favourite?.name ?? "nil" }),
        Change(
            testDescription: "to-one set to nil", make: { node, _, _ in node.parent = nil },
            value: { node, _ in node.parent?.name ?? "nil" }),
        Change(
            testDescription: "to-many", make: { node, _, _ in node.children.append(GraphNode("grandchild")) },
            value: { node, _ in "\(node.children.map(\.name))" }),
        Change(
            testDescription: "links", make: { _, item, _ in item.tags.append(LinkTag("new")) },
            value: { _, item in "\(item.tags.names)" }),
        Change(
            testDescription: "removed links", make: { _, item, _ in item.tags = [] },
            value: { _, item in "\(item.tags.names)" }),
        Change(
            testDescription: "delete", deletes: true, make: { node, _, context in context.delete(node) },
            value: { node, _ in "\(node.isDeleted)" }),
    ]

    @Test(arguments: StoreKind.allCases, changes) func changesAreKept(_ kind: StoreKind, _ change: Change) throws {
        for isBesideOthers in [false, true] {
            let store = try store(kind)
            let context = store.context()
            let (child, item) = (try node("child", context), try #require(try context.items().first))
            change.make(child, item, context)
            let value = change.value(child, item)
            if isBesideOthers {
                // Another writer changes other properties of the same rows.
                let other = store.context()
                try node("child", other).name = "renamed"
                try other.items().first?.number = 3
                try other.save()
            }
            for _ in 0..<2 {
                for read in Read.allCases { try read(context) }
                var items = FetchDescriptor<LinkItem>()
                items.includePendingChanges = false
                #expect(try context.fetch(items).first === item)
                #expect(change.value(child, item) == value && context.hasChanges)
                #expect(child.isDeleted == change.deletes)
                #expect(context.deletedModelsArray.contains { $0 === child } == change.deletes)
                if !change.deletes {
                    #expect(!context.changedModelsArray.isEmpty || !context.insertedModelsArray.isEmpty)
                }
            }
            if isBesideOthers, !change.deletes { #expect(child.name == "renamed" && item.number == 3) }
            try context.save()
            let reader = store.context()
            let name = isBesideOthers ? "renamed" : "child"
            let saved = try reader.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == name })).first
            #expect((saved == nil) == change.deletes)
            let savedItem = try #require(try reader.items().first)
            if let saved { #expect(change.value(saved, savedItem) == value) }
        }
    }
}
