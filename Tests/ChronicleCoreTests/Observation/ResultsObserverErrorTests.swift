import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@MainActor @Suite struct ResultsObserverErrorTests {
    @Test(arguments: StoreKind.allCases)
    func errorsOfTheProgramAreThrownByItsSave(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (context, other) = (store.context(), store.context())
        let observer = try ResultsObserver<Trip, Never>(modelContext: context)
        let foreign = Trip(name: "a", destination: "Rome")
        other.insert(foreign)
        context.insert(foreign)
        context.insert(Trip(name: "b", destination: "Rome"))
        for _ in 1...2 { #expect(observer.results.map(\.name) == ["b"] && observer.error == nil) }
        #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        try context.save()
        #expect(observer.results.map(\.name) == ["b"])
    }

    /// A context evaluates models with unsaved changes in memory, by getters, which cannot throw.
    @Test(arguments: StoreKind.allCases)
    func errorsOfTheEvaluationAreReported(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "walk"), BucketListItem(title: "eat")]
        let writer = store.context()
        writer.insert(trip)
        try writer.save()
        let context = store.context()
        context.autosaveEnabled = false
        let observer = try ResultsObserver<BucketListItem, Never>(
            filterBy: #Predicate { $0.trip?.name == "Rome" }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        let items = Array(observer.results)
        #expect(items.map(\.title) == ["eat", "walk"])
        try store.foreign("UPDATE Trip SET startDate = 'unknown'")
        items[0].title = "run"
        for _ in 1...2 {
            #expect(Array(observer.results) == items)
            #expect((observer.error as? SwiftDataError) == .undecodableValue)
        }
        // The program has read no relationship, so its save succeeds.
        try context.save()
        items[0].title = "sleep"
        #expect(Array(observer.results) == items && observer.error != nil)
        try store.foreign("UPDATE Trip SET startDate = 0")
        #expect(Array(observer.results) == items && observer.error == nil)
        items[0].title = "wait"
        #expect(observer.results.map(\.title) == ["wait", "walk"].sorted())
        try context.save()
        #expect(items[0].trip?.name == "Rome")
    }

    /// That the observer could read a relationship does not change what the program has read before.
    @Test(arguments: StoreKind.allCases)
    func observersDoNotResolveErrorsOfTheProgram(_ kind: StoreKind) throws {
        let store = try UnavailableContainer(kind, Trip.self)
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "walk")]
        try store.save(trip)
        let context = ModelContext(store.container)
        context.autosaveEnabled = false
        let observer = try ResultsObserver<Trip, Never>(
            filterBy: #Predicate { $0.bucketList.contains { $0.title == "walk" } }, modelContext: context)
        let read = try #require(observer.results.first)
        store.outage.begin(1)
        if read.bucketList.isEmpty { read.note = "nothing to do" }
        #expect(observer.results.count == 1 && observer.error == nil)
        for _ in 1...2 { #expect(throws: SwiftDataError.storeBusy) { try context.save() } }
        #expect(throws: SwiftDataError.storeBusy) { try context.fetch(FetchDescriptor<Trip>()) }
        #expect(read.bucketList.count == 1)
        try context.save()
    }
}
