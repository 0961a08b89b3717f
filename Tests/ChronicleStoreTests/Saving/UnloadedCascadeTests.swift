import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Cascades reach models that the context has not loaded.
///
/// https://github.com/p0deje/Maccy/issues/1496
@Suite struct UnloadedCascadeTests {
    private typealias Store = PredicateFixture.OpenStore

    private func store(_ fixture: PredicateFixture) throws -> Store {
        let store = try fixture.open(Schema([GraphNode.self, GraphGroup.self]))
        let context = store.context()
        for name in ["a", "b"] {
            let parent = GraphNode(name)
            parent.children = (0..<3).map { GraphNode("\(name)\($0)") }
            parent.children[0].children = [GraphNode("\(name)00")]
            context.insert(parent)
        }
        try context.save()
        return store
    }

    private func node(_ name: String, _ context: ModelContext) throws -> GraphNode {
        try #require(try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == name })).first)
    }

    private func names(_ store: Store) throws -> [String] {
        try store.read { try $0.fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)])).map(\.name) }
    }

    /// The nodes without a parent, and those whose parent has no row.
    private func roots(_ store: Store) throws -> [String] {
        try store.read { context in
            let nodes = try context.fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)]))
            return nodes.filter { node in !nodes.contains { $0 === node.parent } }.map(\.name)
        }
    }

    @Test(arguments: PredicateFixture.all) func childrenThatWereNotFetchedAreDeleted(_ fixture: PredicateFixture) throws
    {
        let store = try store(fixture)
        let context = store.context()
        context.delete(try node("a", context))
        try context.save()
        #expect(try names(store) == ["b", "b0", "b00", "b1", "b2"])
        #expect(try roots(store) == ["b"])
    }

    @Test(arguments: PredicateFixture.all, [false, true])
    func childrenThatWereMovedToTheParentAreDeleted(_ fixture: PredicateFixture, isListRead: Bool) throws {
        let store = try store(fixture)
        let context = store.context()
        let (parent, child) = (try node("a", context), try node("b0", context))
        if isListRead { #expect(parent.children.count == 3) }
        child.parent = parent
        let new = GraphNode("new")
        context.insert(new)
        new.parent = parent
        context.delete(parent)
        try context.save()
        #expect(try names(store) == ["b", "b1", "b2"])
        #expect(new.modelContext == nil && child.isDeleted)
    }

    /// Children that another context adds after the delete was made, and before it is saved.
    @Test(arguments: PredicateFixture.all, [false, true])
    func childrenThatOthersAddAreDeletedOrKeepNoReference(_ fixture: PredicateFixture, isListRead: Bool) throws {
        let store = try store(fixture)
        let (context, other) = (store.context(), store.context())
        let parent = try node("a", context)
        if isListRead { #expect(parent.children.count == 3) }
        context.delete(parent)
        let new = GraphNode("new")
        other.insert(new)
        new.parent = try node("a", other)
        try node("b1", other).parent = new
        try other.save()
        do { try context.save() } catch {
            // A save that fails deletes nothing.
            #expect(try names(store).count == 11)
            return
        }
        // Children are not left without a parent: the rule is to delete them.
        #expect(try names(store) == ["b", "b0", "b00", "b2"])
        #expect(try roots(store) == ["b"])
    }

    /// Another context adds a child to a parent whose delete was saved.
    @Test(arguments: PredicateFixture.all) func childrenOfADeletedParentAreNotSaved(_ fixture: PredicateFixture) throws
    {
        let store = try store(fixture)
        let (context, other) = (store.context(), store.context())
        let parent = try node("a", other)
        let new = GraphNode("new")
        other.insert(new)
        new.parent = parent
        context.delete(try node("a", context))
        try context.save()
        let error = try failure { try other.save() }
        if error == nil { #expect(new.parent == nil) }
        #expect(try roots(store) == (error == nil ? ["b", "new"] : ["b"]))
        #expect(try store.read { try node("b", $0).parent == nil })
    }

    @Test(arguments: PredicateFixture.all) func batchDeletesReachChildrenOfAllLevels(_ fixture: PredicateFixture) throws
    {
        let store = try store(fixture)
        let (context, other) = (store.context(), store.context())
        let loaded = try node("b00", other)
        try context.delete(model: GraphNode.self, where: #Predicate { $0.parent == nil })
        #expect(try names(store) == [])
        try other.refreshAllModels()
        #expect(loaded.isDeleted)
    }
}
