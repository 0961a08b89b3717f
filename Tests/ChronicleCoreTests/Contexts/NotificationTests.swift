import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// The notifications of one context.
private final class NotificationRecorder {
    private(set) var names: [Notification.Name] = []
    private(set) var saved: [[AnyHashable: Any]] = []
    private var observers: [any NSObjectProtocol] = []

    init(_ context: ModelContext, onWillSave: @escaping () -> Void = {}) {
        nonisolated(unsafe) weak let recorder = self
        nonisolated(unsafe) let onWillSave = onWillSave
        for name in [ModelContext.willSave, ModelContext.didSave] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
                    recorder?.names.append(notification.name)
                    if name == ModelContext.willSave {
                        #expect(notification.userInfo?.isEmpty ?? true)
                        onWillSave()
                    } else {
                        recorder?.saved.append(notification.userInfo ?? [:])
                    }
                })
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
        saved.last?[key.rawValue] as? [PersistentIdentifier]
    }

    var token: DefaultHistoryToken? {
        let tokens = saved.last?[ModelContext.NotificationKey.historyTokens.rawValue] as? [String: any HistoryToken]
        return tokens?.count == 1 ? tokens?.values.first as? DefaultHistoryToken : nil
    }
}

@Suite("Notifications of saves") struct NotificationTests {
    @Test(arguments: StoreKind.allCases) func savesPostWhatTheyWrote(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let recorder = NotificationRecorder(context)
        let (rome, paris) = (Trip(name: "Rome", destination: ""), Trip(name: "Paris", destination: ""))
        context.insert(rome)
        context.insert(paris)
        try context.save()
        #expect(recorder.names == [ModelContext.willSave, ModelContext.didSave])
        #expect(recorder.identifiers(.insertedIdentifiers) == [rome.persistentModelID, paris.persistentModelID])
        #expect(recorder.identifiers(.updatedIdentifiers) == [] && recorder.identifiers(.deletedIdentifiers) == [])
        #expect(recorder.token == (try context.currentHistoryToken()))
        // Setting the stored value is not an update.
        rome.note = "changed"
        paris.name = "Paris"
        try context.save()
        #expect(recorder.identifiers(.updatedIdentifiers) == [rome.persistentModelID])
        #expect(recorder.identifiers(.insertedIdentifiers) == [])
        let identifier = paris.persistentModelID
        context.delete(paris)
        try context.save()
        #expect(recorder.identifiers(.deletedIdentifiers) == [identifier])
        #expect(recorder.names.count == 6)
    }

    @Test(arguments: StoreKind.allCases) func changesOfLinksAreUpdates(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (item, tag, other) = (LinkItem("item"), LinkTag("tag"), LinkTag("other"))
        for model in [tag, other] { context.insert(model) }
        context.insert(item)
        try context.save()
        let recorder = NotificationRecorder(context)
        item.tags = [tag]
        other.name = "other"
        try context.save()
        #expect(
            Set(recorder.identifiers(.updatedIdentifiers) ?? []) == [item.persistentModelID, tag.persistentModelID])
    }

    @Test(arguments: StoreKind.allCases) func savesWithoutChangesPostNothing(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        context.insert(trip)
        try context.save()
        let recorder = NotificationRecorder(context)
        try context.save()
        #expect(recorder.names.isEmpty)
        trip.name = "Rome"
        try context.save()
        #expect(recorder.names == [ModelContext.willSave])
        // Another context is not the object of the notifications.
        let other = store.context()
        other.insert(Trip(name: "Paris", destination: ""))
        try other.save()
        #expect(recorder.names.count == 1)
    }

    /// An observer of `willSave` may save more than once.
    @Test(arguments: StoreKind.allCases) func theResultIncludesSavesOfObservers(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let trips = try store.add("Rome", "Paris", "Oslo")
        let context = store.context()
        let edited = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        let other = try #require(trips[0].modelContext)
        for trip in trips.dropLast() { other.delete(trip) }
        try other.save()
        edited[1].note = "lost"
        let recorder = NotificationRecorder(context) {
            do {
                try context.save()
                edited[2].note = "lost"
                try context.save()
            } catch { Issue.record(error) }
        }
        edited[0].note = "saved"
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.count == 2)
        // Each is in the notification of its save only.
        let reported = recorder.saved.compactMap { saved in
            saved[ModelContext.NotificationKey.droppedChanges.rawValue] as? [ModelContext.DroppedChange]
        }
        #expect(reported.map(\.count) == [1, 1])
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.isEmpty)
        withExtendedLifetime(recorder) {}
    }

    @Test(arguments: StoreKind.allCases) func changesBeforeASaveBelongToIt(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        let recorder = NotificationRecorder(context) {
            trip.note = "stamped"
            // Saves inside of the notification do not post it again.
            do { try context.save() } catch { Issue.record(error) }
            trip.destination = "Italy"
        }
        context.insert(trip)
        try context.save()
        #expect(!context.hasChanges && trip.note == "stamped")
        #expect(recorder.names.filter { $0 == ModelContext.willSave }.count == 1)
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map(\.destination) == ["Italy"])
    }

    @Test(arguments: StoreKind.allCases) func failedSavesPostNoDidSave(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        context.mergePolicy = .error
        let recorder = NotificationRecorder(context)
        for _ in 0..<2 {
            context.insert(Trip(name: "Rome", destination: "", startDate: .distantPast))
        }
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        #expect(recorder.names == [ModelContext.willSave])
    }

    @Test(arguments: StoreKind.allCases) func resultsOfASaveSurviveThoseOfItsObservers(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let (gone, kept) = (Trip(name: "Rome", destination: ""), Trip(name: "Paris", destination: ""))
        context.insert(gone)
        context.insert(kept)
        try context.save()
        let other = store.context()
        other.delete(try other.existingModel(for: gone.persistentModelID) as! Trip)
        try other.save()
        nonisolated(unsafe) let observed = context
        let count = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { _ in
            guard
                count.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return }
            observed.insert(Trip(name: "audit", destination: ""))
            do { try observed.save() } catch { Issue.record(error) }
            #expect(observed.lastSaveResult.droppedChanges.isEmpty)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        gone.note = "lost"
        kept.note = "kept"
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [gone.persistentModelID])
        #expect(count.withLock(\.self) == 2 && !context.hasChanges)
    }

    @Test func keysHaveStableNames() {
        #expect(
            ModelContext.NotificationKey.allCases.map(\.rawValue).sorted() == [
                "deleted", "droppedChanges", "historyTokens", "inserted", "invalidatedAllIdentifiers",
                "queryGeneration", "updated",
            ])
    }
}
