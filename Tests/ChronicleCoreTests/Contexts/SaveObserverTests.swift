import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Observers of a save that change, save or roll back its context.
///
/// https://github.com/GetStream/stream-chat-swift/issues/2156
@Suite(.timeLimit(.minutes(5))) struct SaveObserverTests {
    /// Calls a closure for the first notification of a context.
    private final class Observer {
        private let observer: any NSObjectProtocol

        init(_ name: Notification.Name, _ context: ModelContext, _ body: @escaping () throws -> Void) {
            nonisolated(unsafe) var first: (() throws -> Void)? = body
            observer = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
                let body = first
                first = nil
                do { try body?() } catch { Issue.record(error) }
            }
        }

        deinit { NotificationCenter.default.removeObserver(observer) }
    }

    private func store(_ kind: StoreKind) throws -> (TestStore, ModelContext, Trip) {
        let store = try TestStore(kind)
        let context = store.context(author: "app")
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "walk")]
        context.insert(trip)
        try context.save()
        return (store, context, trip)
    }

    private func names(_ store: TestStore) throws -> [String] {
        try store.context().fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
            .map { "\($0.name) \($0.note ?? "-")" }
    }

    // MARK: Before the save

    @Test(arguments: StoreKind.allCases) func insertedAndChangedModelsArePartOfTheSave(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let observer = Observer(ModelContext.willSave, context) {
            context.insert(Trip(name: "Paris", destination: ""))
            trip.note = "observed"
            trip.bucketList.append(BucketListItem(title: "eat"))
            context.author = "observer"
        }
        trip.destination = "IT"
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(!context.hasChanges)
        #expect(try names(store) == ["Paris -", "Rome observed"])
        let history = try store.history()
        #expect(history.count == 2 && history[1].author == "observer" && history[1].changes.count == 3)
    }

    /// The changes and the acknowledgement are one transaction.
    @Test(arguments: StoreKind.allCases) func aSaveOfAnObserverAcknowledges(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let consumer = try store.container.historyConsumer(named: "reader", startingNewAt: .beginning)
        let batch = try #require(try consumer.nextBatch())
        var remaining: Int?
        let observer = Observer(ModelContext.willSave, context) {
            try context.save()
            remaining = try store.container.historyConsumers().first?.lag?.transactions
        }
        trip.destination = "IT"
        try context.save(acknowledging: batch)
        withExtendedLifetime(observer) {}
        #expect(try store.history().count == 2)
        #expect(remaining == 1)
        let next = try #require(try consumer.nextBatch())
        #expect(try next.changes.count == 1)
    }

    @Test(arguments: StoreKind.allCases) func aModelOfTheSaveIsDeleted(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let new = Trip(name: "Paris", destination: "")
        let observer = Observer(ModelContext.willSave, context) {
            context.delete(trip)
            context.delete(new)
        }
        trip.note = "changed"
        context.insert(new)
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == [] && store.history().count == 2)
        #expect(trip.isDeleted && new.modelContext == nil && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases) func aRollbackLeavesNothingToSave(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let observer = Observer(ModelContext.willSave, context) {
            context.rollback()
            #expect(trip.note == nil)
        }
        trip.note = "changed"
        context.insert(Trip(name: "Paris", destination: ""))
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == ["Rome -"] && store.history().count == 1)
        trip.note = "again"
        try context.save()
        #expect(try names(store) == ["Rome again"])
    }

    @Test(arguments: StoreKind.allCases) func fetchesBeforeASaveSeeItsChanges(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let observer = Observer(ModelContext.willSave, context) { () throws in
            #expect(try context.fetch(FetchDescriptor<Trip>()).first?.note == "changed")
            #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.note == "changed" })) == 1)
            #expect(try context.refreshAllModels().deleted.isEmpty)
        }
        trip.note = "changed"
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == ["Rome changed"] && store.history().count == 2)
    }

    @Test(arguments: StoreKind.allCases) func anotherContextSavesBeforeTheSave(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let other = store.context(author: "other")
        let observer = Observer(ModelContext.willSave, context) {
            let copy = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
            copy.destination = "other"
            other.insert(Trip(name: "Paris", destination: ""))
            try other.save()
            try other.delete(model: Trip.self, where: #Predicate { $0.name == "Paris" })
            try other.update(model: BucketListItem.self, set: \.isDone, to: true)
        }
        trip.note = "changed"
        try context.save()
        withExtendedLifetime(observer) {}
        let read = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first)
        #expect(read.note == "changed" && read.destination == "other" && read.bucketList.first?.isDone == true)
        #expect(try store.history().map(\.author) == ["app", "other", "other", "other", "app"])
    }

    @Test(arguments: StoreKind.allCases) func batchOperationsBeforeTheSave(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let observer = Observer(ModelContext.willSave, context) {
            try context.update(model: Trip.self, set: \.destination, to: "updated")
            try context.delete(model: BucketListItem.self)
        }
        trip.note = "changed"
        try context.save()
        withExtendedLifetime(observer) {}
        let read = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first)
        #expect(read.note == "changed" && read.destination == "updated" && read.bucketList.isEmpty)
        #expect(!context.hasChanges && trip.destination == "updated" && trip.bucketList.isEmpty)
    }

    // MARK: After the save

    @Test(arguments: StoreKind.allCases) func aSaveAfterTheSaveIsAnotherTransaction(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let observer = Observer(ModelContext.didSave, context) {
            #expect(!context.hasChanges)
            trip.note = "second"
            try context.save()
        }
        trip.note = "first"
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == ["Rome second"] && store.history().count == 3 && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aModelThatWasJustSavedIsDeleted(_ kind: StoreKind, isBatch: Bool) throws {
        let (store, context, _) = try store(kind)
        let new = Trip(name: "Paris", destination: "")
        let observer = Observer(ModelContext.didSave, context) {
            if isBatch {
                try context.delete(model: Trip.self, where: #Predicate { $0.name == "Paris" })
            } else {
                context.delete(new)
                try context.save()
            }
        }
        context.insert(new)
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == ["Rome -"] && new.isDeleted && !context.hasChanges)
        #expect(try store.history().count == 3)
    }

    @Test(arguments: StoreKind.allCases) func aRollbackAfterTheSaveChangesNothing(_ kind: StoreKind) throws {
        let (store, context, trip) = try store(kind)
        let new = Trip(name: "Paris", destination: "")
        let observer = Observer(ModelContext.didSave, context) {
            context.rollback()
            #expect(trip.note == "changed" && new.modelContext === context)
        }
        trip.note = "changed"
        context.insert(new)
        try context.save()
        withExtendedLifetime(observer) {}
        #expect(try names(store) == ["Paris -", "Rome changed"] && new.note == nil)
    }
}
