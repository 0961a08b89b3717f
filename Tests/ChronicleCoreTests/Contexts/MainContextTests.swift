import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

@MainActor @Suite struct MainContextTests {
    @Test func containerHasOneMainContext() throws {
        let container = try ModelContainer(
            for: Schema(Trip.self), configurations: ModelConfiguration("main", isStoredInMemoryOnly: true))
        container.mainContext.insert(Trip(name: "Rome", destination: "Italy"))
        #expect(container.mainContext.hasChanges)
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    // MARK: Automatic merging

    /// Runs other work of the main actor until a condition holds.
    private func wait(until condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreKind.allCases)
    func mainContextTakesInChanges(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        let other = store.context(author: "other")
        let copy = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        copy.name = "Paris"
        try other.save()
        await wait { trip.name == "Paris" }
        if kind == .file {
            try store.foreign("UPDATE Trip SET destination = 'France'")
            await wait { trip.destination == "France" }
        }
        // The own save has no effect on later merges.
        trip.note = "own"
        try context.save()
        other.delete(copy)
        try other.save()
        await wait { trip.isDeleted }
        #expect(trip.modelContext == nil && !context.hasChanges)
    }

    /// A delete rule deletes a row that others inserted after the context had planned the delete.
    @Test(.timeLimit(.minutes(5)), arguments: StoreKind.allCases)
    func mainContextTakesInDeletesOfTheStore(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        context.autosaveEnabled = false
        let (trip, mark) = (Trip(name: "Rome", destination: "Italy"), Trip(name: "Oslo", destination: "Norway"))
        context.insert(trip)
        context.insert(mark)
        try context.save()
        context.delete(trip)
        let other = store.context()
        let item = BucketListItem(title: "late")
        try other.existingModel(for: trip.persistentModelID, as: Trip.self).bucketList.append(item)
        try other.existingModel(for: mark.persistentModelID, as: Trip.self).note = "merged"
        try other.save()
        await wait { mark.note == "merged" }
        let late = try context.existingModel(for: item.persistentModelID, as: BucketListItem.self)
        try context.save()
        await wait { late.isDeleted }
        #expect(late.modelContext == nil && !context.hasChanges)
        #expect(try store.context().fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    }

    /// Triggers of other programs change further rows in the transaction of a save.
    @Test(.timeLimit(.minutes(5))) func mainContextTakesInChangesOfTriggers() async throws {
        let store = try TestStore(.file)
        let context = store.container.mainContext
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        try store.foreign(
            """
            CREATE TRIGGER counting AFTER INSERT ON BucketListItem BEGIN
                UPDATE Trip SET note = ifnull(note, '') || NEW.title WHERE id = NEW.trip;
            END
            """)
        trip.bucketList.append(BucketListItem(title: "a"))
        try context.save()
        await wait { trip.note == "a" }
        trip.note = nil
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map(\.note) == [nil])
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreKind.allCases)
    func mainContextIsRefreshedIfTheHistoryIsDeleted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        // Without a suspension, the main actor reads the history only after it was deleted.
        let other = store.context()
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Paris"
        try other.save()
        try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        await wait { trip.name == "Paris" }
    }

    /// Merging retains the stores until it ends.
    @Test(.timeLimit(.minutes(5)), arguments: StoreKind.allCases)
    func releasingTheContainerEndsMerging(_ kind: StoreKind) async throws {
        weak var released: (any DataStore)?
        do {
            let store = try TestStore(kind)
            let trip = Trip(name: "Rome", destination: "Italy")
            store.container.mainContext.insert(trip)
            try store.container.mainContext.save()
            try store.add("Paris")
            released = store.container.stores.first
            #expect(released != nil)
        }
        await wait { released == nil }
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreKind.allCases)
    func mergingCanBeDisabled(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        store.container.mergesChangesIntoMainContext = false
        let context = store.container.mainContext
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        let observer = try HistoryObserver(modelContainer: store.container)
        let other = store.context()
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Paris"
        try other.save()
        for await count in observer.eventCounts where count == 1 { break }
        for _ in 0..<100 { await Task.yield() }
        #expect(trip.name == "Rome")
        store.container.mergesChangesIntoMainContext = true
        try context.refreshAllModels()
        #expect(trip.name == "Paris")
    }

    /// The main context or one of its models is all that the program keeps.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func mergingContinuesWithoutTheContainer(_ keepsContext: Bool) async throws {
        let directory = try TemporaryDirectory()
        let configuration = ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
        let trip = Trip(name: "Rome", destination: "Italy")
        var context: ModelContext?
        do {
            let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
            container.mainContext.insert(trip)
            try container.mainContext.save()
            if keepsContext { context = container.mainContext }
        }
        let other = ModelContext(try ModelContainer(for: Schema([Trip.self]), configurations: [configuration]))
        for name in ["Paris", "Oslo"] {
            try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = name
            try other.save()
            await wait { trip.name == name }
        }
        // A new container has the same main context.
        let container = try #require(trip.modelContext?.container)
        #expect(container.mainContext === trip.modelContext)
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Rome"
        try other.save()
        await wait { trip.name == "Rome" }
        withExtendedLifetime(context) {}
    }

    /// Containers are released and made again while the main context, or only one of its models, remains.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true], 0..<3)
    func settingAppliesToAllContainersOfAContext(_ keepsContext: Bool, _ number: Int) async throws {
        var random = TestSeed.generator(number)
        let directory = try TemporaryDirectory()
        let configuration = ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
        let trip = Trip(name: "0", destination: "Italy")
        var container: ModelContainer? = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        container?.mainContext.insert(trip)
        try container?.mainContext.save()
        let context = keepsContext ? container?.mainContext : nil
        let other = ModelContext(try ModelContainer(for: Schema([Trip.self]), configurations: [configuration]))
        let copy = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        var merges = true
        for step in 1...30 {
            switch random.below(5) {
            case 0: container = nil
            case 1: container = try #require(trip.modelContext).container
            case 2:
                merges = random.below(2) == 0
                try #require(trip.modelContext).container.mergesChangesIntoMainContext = merges
            default:
                let before = trip.name
                copy.name = "\(step)"
                try other.save()
                if merges {
                    await wait { trip.name == "\(step)" }
                } else {
                    for _ in 0..<20 { await Task.yield() }
                    #expect(trip.name == before, "step \(step), \(TestSeed.description)")
                    try #require(trip.modelContext).refreshAllModels()
                }
                #expect(trip.name == "\(step)", "step \(step), \(TestSeed.description)")
            }
            let present = try #require(trip.modelContext).container
            #expect(present.mergesChangesIntoMainContext == merges, "step \(step), \(TestSeed.description)")
            #expect(present.mainContext === trip.modelContext, "step \(step), \(TestSeed.description)")
        }
        withExtendedLifetime((context, container)) {}
    }

    @Test func disabledMergingIsRememberedByNewContainers() throws {
        func makeContext() throws -> ModelContext {
            let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
            let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
            container.mergesChangesIntoMainContext = false
            return container.mainContext
        }
        let context = try makeContext()
        #expect(!context.container.mergesChangesIntoMainContext)
        #expect(context.container.mainContext === context)
        #expect(context.storage.merging == nil)
        context.container.mergesChangesIntoMainContext = true
        #expect(context.storage.merging != nil)
    }
}
