import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Saves with changes of rows that another writer deleted.
@Suite("Dropped changes")
struct DroppedChangeTests {
    private func store(_ kind: StoreKind) throws -> TestStore { try TestStore(kind, UpsertTests.models) }

    @Test("The rest is written, and the dropped values are reported", arguments: StoreKind.allCases)
    func report(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context(author: "app")
        let (gone, kept, cover) = (Folder("gone", note: "old", rank: 1), Folder("kept"), Cover("c"))
        try context.add(gone, kept, cover, Label("x"))
        let identifier = gone.persistentModelID
        try delete(identifier, store)
        gone.note = nil
        gone.rank = 17
        gone.labels = try context.fetch(FetchDescriptor<Label>())
        kept.rank = 18
        try context.add(Folder("new"))
        let change = try #require(context.lastSaveResult.droppedChanges.first)
        #expect(context.lastSaveResult.droppedChanges.count == 1 && change.persistentIdentifier == identifier)
        #expect(change.updatedAttributeNames == ["note", "rank", "labels"])
        #expect(change.value(\Folder.rank) == 17 && change.value(named: "rank") as? Int == 17)
        #expect(change.value(named: "note") == nil && change.value(\Folder.name) == nil)
        #expect((change.value(named: "labels") as? [PersistentIdentifier])?.map(\.entityName) == ["Label"])
        #expect(gone.isDeleted && gone.modelContext == nil && !context.hasChanges && gone.rank == 17)
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map { "\($0.name) \($0.rank)" } == ["kept 18", "new 0"])
        }
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.isEmpty)
    }

    @Test("Values of a subclass are found by its key paths", arguments: StoreKind.allCases)
    func subclass(_ kind: StoreKind) throws {
        let store = try TestStore(kind, vehicleModels)
        let context = store.context()
        let taxi = Taxi("a")
        try context.add(taxi)
        try delete(taxi.persistentModelID, store)
        (taxi.name, taxi.fare) = ("b", 3)
        try context.save()
        let change = try #require(context.lastSaveResult.droppedChanges.first)
        #expect(change.value(\Taxi.name) == "b" && change.value(\Vehicle.name) == "b" && change.value(\Taxi.fare) == 3)
    }

    @Test("A link to a deleted row remains an error", arguments: StoreKind.allCases)
    func links(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let (gone, label) = (Folder("gone"), Label("x"))
        try context.add(gone, label)
        try delete(gone.persistentModelID, store)
        label.folders.append(gone)
        context.insert(Folder("new"))
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try store.context().folders().isEmpty && context.insertedModelsArray.count == 1)
        label.folders = []
        try context.save()
        #expect(try store.context().folders().map(\.name) == ["new"])
    }

    @Test("Nothing else was changed", arguments: StoreKind.allCases)
    func nothingElse(_ kind: StoreKind) throws {
        let (store, context, gone) = try deletedFolder(kind)
        gone.rank = 1
        let count = try store.history().count
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.count == 1 && !context.hasChanges)
        #expect(try store.history().count == count)
    }

    @Test("A model whose row was never loaded", arguments: StoreKind.allCases)
    func unloaded(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = Folder("gone")
        try store.context().add(first)
        let identifier = first.persistentModelID
        try delete(identifier, store)
        let context = store.context()
        let model = try #require(context.model(for: identifier) as? Folder)
        model.note = "note"
        try context.add(Folder("new"))
        let change = try #require(context.lastSaveResult.droppedChanges.first)
        #expect(change.persistentIdentifier == identifier && change.value(named: "note") as? String == "note")
        #expect(model.isDeleted && !context.hasChanges)
    }

    @Test("A deleted row and a unique value in one save", arguments: StoreKind.allCases)
    func both(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let (gone, taken) = (Folder("gone"), Folder("taken"))
        try context.add(gone, taken)
        try delete(gone.persistentModelID, store)
        gone.rank = 1
        let (new, again) = (Folder("taken", rank: 2), Folder("gone", rank: 3))
        try context.add(new, again)
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [gone.persistentModelID])
        #expect(context.lastSaveResult.mergedIdentifiers == [taken.persistentModelID])
        #expect(gone.isDeleted && taken.isDeleted && again.persistentModelID != gone.persistentModelID)
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map { "\($0.name) \($0.rank)" } == ["gone 3", "taken 2"])
        }
    }

    @Test("With the policy of an error, nothing is written", arguments: StoreKind.allCases)
    func errorPolicy(_ kind: StoreKind) throws {
        let (store, context, gone) = try deletedFolder(kind)
        context.mergePolicy = .error
        gone.rank = 1
        context.insert(Folder("new"))
        #expect(throws: SwiftDataError.modelNotFound) { try context.save() }
        #expect(gone.hasChanges && context.insertedModelsArray.count == 1)
        #expect(try store.context().folders().isEmpty)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.count == 1)
    }

    @Test("A reference to a deleted row remains an error", arguments: StoreKind.allCases)
    func reference(_ kind: StoreKind) throws {
        let (store, context, gone) = try deletedFolder(kind)
        let memo = Memo("1", in: gone)
        context.insert(memo)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        memo.folder = nil
        try context.save()
        #expect(try store.context().memos().count == 1)
    }

    /// Returns a context with a folder whose row another context has deleted.
    private func deletedFolder(_ kind: StoreKind) throws -> (TestStore, ModelContext, Folder) {
        let store = try store(kind)
        let context = store.context()
        let gone = Folder("gone")
        try context.add(gone)
        try delete(gone.persistentModelID, store)
        return (store, context, gone)
    }

    private func delete(_ identifier: PersistentIdentifier, _ store: TestStore) throws {
        let context = store.context()
        let model = try context.existingModel(for: identifier)
        context.delete(model)
        try context.save()
    }
}
