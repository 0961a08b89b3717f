import Chronicle
import ChronicleTestSupport
import Testing

/// Models that only the unsaved links of a context retain.
@Suite struct LinkedModelTests {
    @Model final class Folder {
        @Relationship(deleteRule: .cascade, inverse: \Item.folder) var items: [Item] = []
        @Relationship(deleteRule: .cascade, inverse: \Photo.folder) var photos: [Photo] = []

        init() {}
    }

    @Model final class Item {
        var folder: Folder?
        /// Photos do not know these items.
        var gallery: [Photo] = []

        init() {}
    }

    @Model final class Photo {
        var folder: Folder?

        init() {}
    }

    @Test(arguments: StoreKind.allCases) func droppedModelsAreReported(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Folder.self, Item.self, Photo.self])
        let other = store.context()
        let (folder, item, photo) = (Folder(), Item(), Photo())
        for model in [folder, item, photo] as [any PersistentModel] { other.insert(model) }
        try other.save()
        let context = store.context()
        let read = try #require(try context.fetch(FetchDescriptor<Item>()).first)
        context.delete(try #require(try context.fetch(FetchDescriptor<Folder>()).first))
        read.gallery.append(try #require(try context.fetch(FetchDescriptor<Photo>()).first))
        (item.folder, photo.folder) = (folder, folder)
        try other.save()
        try context.save()
        let dropped = context.lastSaveResult.droppedChanges.map(\.persistentIdentifier.entityName)
        #expect(dropped.sorted() == ["Item", "Photo"])
        #expect(try store.context().fetchCount(FetchDescriptor<Photo>()) == 0)
    }
}
