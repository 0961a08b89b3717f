import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Models that a revert restores, before they are saved.
@Suite struct RestoredModelTests {
    /// A restored model is deleted before it was saved. A new instance, which has read no row, does not bring it back.
    @Test(arguments: StoreKind.allCases) func referencesToADeletedRestoredModelAreNil(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self], preservesValues: true)
        let context = store.context()
        let (base, leaf) = (GraphNode("base"), GraphNode("leaf"))
        for node in [base, leaf] { context.insert(node) }
        try context.save()
        let identifier = leaf.persistentModelID
        context.delete(leaf)
        try context.save()
        try context.revert(#require(store.history().last))
        let restored = try #require(context.model(for: identifier) as? GraphNode)
        base.favourite = restored
        context.delete(restored)
        let unloaded = context.model(for: identifier)
        #expect(base.favourite == nil)
        try context.save()
        #expect(unloaded.persistentModelID == identifier && base.favourite == nil)
        #expect(try store.context().fetch(FetchDescriptor<GraphNode>()).map(\.name) == ["base"])
    }

    /// A restored model is deleted before it was saved, and then restored again by another revert.
    @Test(arguments: StoreKind.allCases) func referencesToAModelThatIsRestoredAgainRemain(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self], preservesValues: true)
        let context = store.context()
        let (leaf, twig) = (GraphNode("leaf"), GraphNode("twig"))
        twig.favourite = leaf
        context.insert(twig)
        try context.save()
        let token = try context.currentHistoryToken()
        let identifier = leaf.persistentModelID
        for node in [twig, leaf] { context.delete(node) }
        try context.save()
        try context.revert(leaf, to: token)
        context.delete(try #require(context.model(for: identifier) as? GraphNode))
        #expect(!context.hasChanges)
        try context.revert(#require(store.history().last))
        try context.save()
        let saved = try store.context().fetch(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.name)]))
        #expect(saved.map(\.name) == ["leaf", "twig"])
        #expect(saved[0].persistentModelID == identifier && saved[1].favourite === saved[0])
    }
}
