import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The undo of an insert is a delete with an identifier and the preserved values.
///
/// https://github.com/mentrena/SyncKit/issues/94
@Suite struct UndoneInsertTests {
    private func identifiers(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws -> Set<PersistentIdentifier> {
        try Set(batch.changes.map(\.changedPersistentIdentifier))
    }

    @Test(arguments: StoreKind.allCases) func readersSeeTheSameModels(_ kind: StoreKind) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        let context = store.context(author: "editor")
        let consumer = try store.consumer()
        let trip = Trip(name: "Rome", destination: "Italy", startDate: .distantPast)
        trip.bucketList = [BucketListItem(title: "walk"), BucketListItem(title: "eat")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        let item = LinkItem("item", tags: [LinkTag("red"), LinkTag("blue")])
        item.friends = [item]
        context.insert(trip)
        context.insert(item)
        try context.save()
        let before = try StoreContent(store.container)
        #expect(before.models.count == 7)
        let inserted = try #require(try consumer.nextBatch())
        #expect(try identifiers(inserted) == Set(before.models.keys))
        try consumer.acknowledge(inserted)

        for _ in 0..<2 {
            try context.undoHistory.undo()
            #expect(try StoreContent(store.container).models.isEmpty)
            let deleted = try #require(try consumer.nextBatch())
            #expect(try identifiers(deleted) == Set(before.models.keys))
            let deletes = try deleted.changes.filter { if case .delete = $0 { true } else { false } }
            #expect(Set(deletes.map(\.changedPersistentIdentifier)) == Set(before.models.keys))
            let tombstone = try deleted.changes.lazy.compactMap { change -> HistoryTombstone<Trip>? in
                guard case .delete(let delete as DefaultHistoryDelete<Trip>) = change else { return nil }
                return delete.tombstone
            }.first
            #expect(tombstone?[\.name] == "Rome" && tombstone?[\.startDate] == .distantPast)
            #expect(tombstone?[\.destination] == "Italy")
            try consumer.acknowledge(deleted)

            try context.undoHistory.redo()
            #expect(try StoreContent(store.container) == before)
            let restored = try #require(try consumer.nextBatch())
            #expect(try identifiers(restored) == Set(before.models.keys))
            #expect(try restored.changes.count { if case .insert = $0 { true } else { false } } == 7)
            try consumer.acknowledge(restored)
        }
        #expect(try consumer.nextBatch() == nil)
    }

    /// The identifier is a value, and not a reference to a row.
    @Test(arguments: StoreKind.allCases) func identifiersInAttributesAreRestored(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Bookmark.self, LinkPhoto.self], preservesValues: true)
        let context = store.context(author: "editor")
        let photo = LinkPhoto("photo")
        context.insert(photo)
        try context.save()
        let target = photo.persistentModelID
        let (first, second) = (Bookmark(target), Bookmark(target))
        context.insert(first)
        context.insert(second)
        try context.save()
        first.target = target
        try context.save()
        context.delete(first)
        context.delete(second)
        try context.save()
        try context.undoHistory.undo()
        try context.undoHistory.undo()
        try context.undoHistory.redo()
        let restored = try store.context().fetch(FetchDescriptor<Bookmark>())
        #expect(restored.map(\.target) == [target, nil] && restored.map(\.other) == [target, target])
    }

    @Test(arguments: StoreKind.allCases) func aModelThatOthersDeletedIsAConflictOrRemainsDeleted(
        _ kind: StoreKind
    ) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        let (editor, other) = (store.context(author: "editor"), store.context(author: "other"))
        try store.add("Rome", in: editor)
        other.delete(try #require(try other.fetch(FetchDescriptor<Trip>()).first))
        try other.save()
        let count = try store.history().count
        do { try editor.undoHistory.undo() } catch { #expect((error as? SwiftDataError) == .revertConflict) }
        #expect(try StoreContent(store.container).models.isEmpty)
        // No second delete is recorded.
        #expect(try store.history().dropFirst(count).flatMap(\.changes).isEmpty)
    }
}

@Model private final class Bookmark {
    var target: PersistentIdentifier?
    var other: PersistentIdentifier
    init(_ other: PersistentIdentifier) { self.other = other }
}
