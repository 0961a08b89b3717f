import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Single cases that random graphs found or do not reach.
@Suite struct GraphTests {
    private func context(_ types: any PersistentModel.Type...) throws -> (TestStore, ModelContext) {
        let store = try TestStore(.inMemory, types)
        return (store, store.context())
    }

    // MARK: Undoing deletes

    @Test func rollbackDiscardsListsOfReleasedModels() throws {
        let (store, context) = try context(GraphNode.self)
        let parent = GraphNode("parent")
        parent.children = (0..<500).map { GraphNode("\($0)") }
        context.insert(parent)
        try context.save()
        let other = store.context()
        let read = try #require(
            try other.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "parent" })).first)
        for _ in 0..<5 {
            #expect(read.children.count == 500)
            other.rollback()
        }
    }

    @Test func undoneDeleteRestoresBothSides() throws {
        let (_, context) = try context(GraphNode.self)
        let (parent, child, friend) = (GraphNode("parent"), GraphNode("child"), GraphNode("friend"))
        child.parent = parent
        child.next = friend
        context.insert(child)
        try context.save()
        #expect(parent.children == [child])
        context.delete(child)
        #expect(parent.children.isEmpty && friend.previous == nil)
        context.insert(child)
        #expect(child.parent === parent && parent.children == [child])
        #expect(child.next === friend && friend.previous === child)
    }

    @Test func undoneDeleteKeepsNullifiedReferences() throws {
        let (_, context) = try context(GraphNode.self)
        let (group, node) = (GraphGroup(), GraphNode("node"))
        group.nodes = [node]
        context.insert(group)
        try context.save()
        context.delete(group)
        context.insert(group)
        #expect(node.group == nil && group.nodes.isEmpty)
        try context.save()
        #expect(node.group == nil && group.nodes.isEmpty)
    }

    @Test func undoneDeleteKeepsReassignedDestinations() throws {
        let (_, context) = try context(GraphNode.self)
        let (first, second, partner) = (GraphNode("first"), GraphNode("second"), GraphNode("partner"))
        first.next = partner
        context.insert(first)
        context.insert(second)
        try context.save()
        context.delete(first)
        second.next = partner
        context.insert(first)
        #expect(first.next == nil && second.next === partner && partner.previous === second)
    }

    @Test func changesOfADeletedModelAreSavedIfTheDeleteIsUndone() throws {
        let (store, context) = try context(GraphNode.self)
        let (node, parent) = (GraphNode("old"), GraphNode("parent"))
        context.insert(node)
        context.insert(parent)
        try context.save()
        context.delete(node)
        node.name = "new"
        node.parent = parent
        #expect(parent.children.isEmpty)
        context.insert(node)
        #expect(parent.children == [node])
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphNode>()).map(\.name) == ["new", "parent"])
    }

    @Test func deleteSavedByOneStoreIsNotUndone() throws {
        let configurations = [
            ModelConfiguration("nodes", schema: Schema(GraphNode.self), isStoredInMemoryOnly: true),
            ModelConfiguration("seats", schema: Schema(GraphSeat.self), isStoredInMemoryOnly: true),
        ]
        let container = try ModelContainer(
            for: Schema(GraphNode.self, GraphSeat.self), configurations: configurations)
        let context = ModelContext(container)
        let node = GraphNode("node")
        context.insert(node)
        context.insert(GraphSeat(1))
        try context.save()
        context.delete(node)
        context.insert(GraphSeat(1))
        context.mergePolicy = .error
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        context.rollback()
        #expect(node.isDeleted)
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
    }

    // MARK: Missing destinations

    @Test func referenceToAModelDeletedInTheSameSaveIsNil() throws {
        let (store, context) = try context(GraphNode.self)
        let (gone, saved) = (GraphNode("gone"), GraphNode("saved"))
        context.insert(gone)
        context.insert(saved)
        try context.save()
        let (new, dropped) = (GraphNode("new"), GraphNode("dropped"))
        context.insert(new)
        context.insert(dropped)
        new.favourite = gone
        saved.favourite = dropped
        context.delete(gone)
        context.delete(dropped)
        #expect(new.favourite == nil && saved.favourite == nil)
        try context.save()
        #expect(try store.number("SELECT count(*) FROM GraphNode WHERE favourite IS NULL") == 2)
    }

    // MARK: Other writers

    @Test func listContainsARowThatAFetchAdded() throws {
        let (store, context) = try context(GraphNode.self)
        let parent = GraphNode("parent")
        context.insert(parent)
        try context.save()
        #expect(parent.children.isEmpty)
        let other = store.context()
        let child = GraphNode("child")
        child.parent = try other.fetch(FetchDescriptor<GraphNode>()).first
        other.insert(child)
        try other.save()
        let found = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "child" }))
        #expect(found.first?.parent === parent && parent.children == found)
    }

    @Test func refreshKeepsUnsavedValuesOfEveryType() throws {
        let (store, context) = try context(GraphNode.self)
        let node = GraphNode("node")
        context.insert(node)
        try context.save()
        node.tags.append("mine")
        let other = store.context()
        try #require(try other.fetch(FetchDescriptor<GraphNode>()).first).number = 7
        try other.save()
        _ = try context.fetch(FetchDescriptor<GraphNode>())
        #expect(node.number == 7 && node.tags == ["mine"])
        node.tags.append("too")
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphNode>()).map(\.tags) == [["mine", "too"]])
    }

    @Test func rowWithAReusedKeyKeepsItsInstance() throws {
        let (store, context) = try context(GraphOwner.self)
        var deleted: GraphOwner? = GraphOwner()
        context.insert(deleted!)
        try context.save()
        context.delete(deleted!)
        try context.save()
        try store.foreign("INSERT INTO GraphOwner(id) VALUES (1)")
        let found = try context.fetch(FetchDescriptor<GraphOwner>())
        #expect(found.count == 1 && found.first !== deleted)
        deleted = nil
        #expect(try context.fetch(FetchDescriptor<GraphOwner>()) == found)
    }

    @Test func savingAReferenceToADeletedRowThrows() throws {
        let (store, context) = try context(GraphNode.self)
        let parent = GraphNode("parent")
        context.insert(parent)
        try context.save()
        try store.foreign("DELETE FROM GraphNode")
        let child = GraphNode("child")
        child.parent = parent
        context.insert(child)
        let error = try failure { try context.save() }
        #expect(error == .modelValidationFailure)
        #expect(error?.detail == "the relationship references a deleted model; assign another model and save again")
        #expect(error?.entityName == "GraphNode" && error?.propertyName == "parent")
        child.parent = nil
        try context.save()
        #expect(try store.number("SELECT count(*) FROM GraphNode") == 1)
    }

    // MARK: Unique values

    @Test func uniqueValuesCanBeShiftedInAnyOrder() throws {
        let (store, context) = try context(GraphSeat.self)
        let seats = (0..<50).map { GraphSeat($0) }
        for seat in seats { context.insert(seat) }
        try context.save()
        for seat in seats { seat.number += 1 }
        try context.save()
        for seat in seats.reversed() { seat.number -= 1 }
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphSeat>()).map(\.number) == Array(0..<50))
    }

    @Test func uniqueValuesCanBeShiftedInARandomOrder() throws {
        var random = TestSeed.generator(0)
        let (store, context) = try context(GraphSeat.self)
        let seats = (0..<2_000).map { GraphSeat($0) }
        for seat in seats { context.insert(seat) }
        try context.save()
        for seat in seats.shuffled(using: &random) { seat.number += 1 }
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<GraphSeat>()).map(\.number) == Array(1...2_000))
    }

    @Test func updateMayReuseTheUniqueValueOfADeletedModel() throws {
        let (store, context) = try context(GraphSeat.self)
        let (old, new, seat, taken) = (GraphOwner(), GraphOwner(), GraphSeat(1), GraphSeat(2))
        old.seats = [seat]
        for model in [old, new] { context.insert(model) }
        context.insert(taken)
        try context.save()
        seat.owner = new
        seat.number = 2
        context.delete(taken)
        context.delete(old)
        try context.save()
        let other = store.context()
        let stored = try other.fetch(FetchDescriptor<GraphSeat>())
        #expect(stored.map(\.number) == [2] && stored.first?.owner?.persistentModelID == new.persistentModelID)
        // Two statements update the row, and the save merges their changes.
        let identifier = seat.persistentModelID
        let changes = try store.history().last?.changes.filter { $0.changedPersistentIdentifier == identifier }
        guard case .update(let update) = changes?.first else { throw SwiftDataError.modelNotFound }
        #expect(changes?.count == 1 && update.updatedAttributeNames == ["number", "owner"])
    }

    @Test func uniqueValuesCanBeSwappedInOneSave() throws {
        let (store, context) = try context(GraphSeat.self)
        let (a, b) = (GraphSeat(1), GraphSeat(2))
        context.insert(a)
        context.insert(b)
        try context.save()
        swap(&a.number, &b.number)
        try context.save()
        #expect(try store.history().count == 2)
        #expect(try store.context().fetch(FetchDescriptor<GraphSeat>()).map(\.number) == [2, 1])
        // Two models cannot have the same value.
        a.number = 1
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        #expect(a.hasChanges && !b.hasChanges)
    }

    // MARK: Sizes

    @Test func cascadesMayExceedTheStackDepth() throws {
        let (_, context) = try context(GraphNode.self)
        let nodes = (0..<10_000).map { GraphNode("\($0)") }
        for (node, parent) in zip(nodes.dropFirst(), nodes) { node.parent = parent }
        context.insert(nodes[nodes.count - 1])
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == nodes.count)
        context.delete(nodes[0])
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
    }

    @Test func exhaustedKeysThrow() throws {
        let (store, context) = try context(GraphOwner.self)
        try store.foreign("INSERT INTO GraphOwner(id) VALUES (9223372036854775807)")
        for _ in 0..<10 { context.insert(GraphOwner()) }
        #expect(throws: SwiftDataError.storeFull) { try context.save() }
        #expect(context.insertedModelsArray.count == 10)
    }
}
