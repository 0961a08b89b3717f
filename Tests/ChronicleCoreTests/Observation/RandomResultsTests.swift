import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random operations on contexts whose results are observed. After each of them, the results are those of a fetch.
@Suite("Random results", .timeLimit(.minutes(5)))
@MainActor struct RandomResultsTests {
    private let models: [any PersistentModel.Type] = [Trip.self, BucketListItem.self, LivingAccommodation.self]
    private let names = ["a", "b", "c", "d"]

    private struct Observed {
        let observer: ResultsObserver<Trip, String>
        let descriptor: FetchDescriptor<Trip>
    }

    /// Observers with and without conditions and limits.
    private func observed(_ context: ModelContext) throws -> [Observed] {
        let predicates: [Predicate<Trip>?] = [
            nil, #Predicate { $0.name < "c" }, #Predicate { $0.note != nil },
            #Predicate { $0.bucketList.contains { $0.isDone } },
        ]
        return try predicates.flatMap { predicate in
            try [0, 2].map { limit in
                var descriptor = FetchDescriptor(
                    predicate: predicate, sortBy: [SortDescriptor(\.name), SortDescriptor(\.destination)])
                if limit > 0 { descriptor.fetchLimit = limit }
                return Observed(
                    observer: try ResultsObserver(
                        fetchDescriptor: descriptor, sectionBy: \.name, modelContext: context),
                    descriptor: descriptor)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func resultsAreThoseOfAFetch(_ kind: StoreKind, _ number: Int) throws {
        var random = TestSeed.generator(number)
        let store = try TestStore(kind, models)
        let context = store.context()
        context.autosaveEnabled = false
        let observed = try observed(context)
        var steps: [String] = []
        for _ in 0..<80 {
            let step = try change(context, store.container, &random)
            steps.append(step)
            for (index, observed) in observed.enumerated() {
                let expected = try context.fetch(observed.descriptor).map(\.persistentModelID)
                let message: Comment = "observer \(index) after \(steps)"
                #expect(observed.observer.results.map(\.persistentModelID) == expected, message)
                #expect(observed.observer.error == nil, message)
                let sections = observed.observer.sections?.flatMap { $0.map(\.persistentModelID) }
                #expect(sections == expected, message)
            }
        }
    }

    /// While reads fail, the results are those of a fetch, or there is an error and they are the earlier ones.
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2))
    func resultsSurviveFailedReads(_ kind: StoreKind, _ number: Int) throws {
        var random = TestSeed.generator(number + 100)
        let store = try UnavailableContainer(kind, Trip.self)
        let context = ModelContext(store.container)
        context.autosaveEnabled = false
        let observed = try observed(context)
        var steps: [String] = []
        for _ in 0..<60 {
            let earlier = observed.map { Array($0.observer.results) }
            steps.append(try change(context, store.container, &random))
            var found: [[PersistentIdentifier]?] = []
            for (observed, earlier) in zip(observed, earlier) {
                let failures = (count: 1 + random.below(3), skipped: random.below(6))
                steps.append("\(failures.count) failures after \(failures.skipped) reads")
                store.outage.begin(failures.count, after: failures.skipped)
                let results = Array(observed.observer.results)
                store.outage.end()
                let isFetched = observed.observer.error == nil
                found.append(isFetched ? results.map(\.persistentModelID) : nil)
                // A save has replaced the identifiers of new models.
                if !isFetched { #expect(results.elementsEqual(earlier) { $0 === $1 }, "after \(steps)") }
            }
            for (index, observed) in observed.enumerated() {
                let expected = try context.fetch(observed.descriptor).map(\.persistentModelID)
                #expect(found[index] ?? expected == expected, "observer \(index) after \(steps)")
                #expect(observed.observer.results.map(\.persistentModelID) == expected, "after \(steps)")
                #expect(observed.observer.error == nil)
            }
            if random.below(3) == 0 {
                // Another context may have deleted a model with unsaved changes.
                do { try context.save() } catch let error as SwiftDataError {
                    #expect(error != .storeBusy, "after \(steps)")
                    context.rollback()
                }
                steps.append("save")
            }
        }
    }

    /// Changes the context, or the store with another one.
    private func change(
        _ context: ModelContext, _ container: ModelContainer, _ random: inout SplitMix
    ) throws -> String {
        let (name, other) = (random.pick(names), random.pick(names))
        let identity = "\(random.next())"
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.destination)]))
        switch random.below(trips.isEmpty ? 2 : 14) {
        case 0, 1:
            context.insert(Trip(name: name, destination: identity))
            return "insert \(name)"
        case 2:
            random.pick(trips).name = name
            return "rename to \(name)"
        case 3:
            let trip = random.pick(trips)
            trip.note = trip.note == nil ? "note" : nil
            return "note"
        case 4:
            let item = BucketListItem(title: identity)
            item.isDone = random.below(2) == 0
            random.pick(trips).bucketList.append(item)
            return "item"
        case 5:
            context.delete(random.pick(trips))
            return "delete"
        case 6:
            context.rollback()
            return "rollback"
        case 7, 8:
            // Another context may have deleted a model with unsaved changes.
            do { try context.save() } catch is SwiftDataError { context.rollback() }
            return "save"
        case 9:
            try context.delete(model: Trip.self, where: #Predicate { $0.name == name })
            return "batch delete \(name)"
        case 10:
            try context.update(model: Trip.self, where: #Predicate { $0.name == name }, set: \.name, to: other)
            return "batch update \(name) \(other)"
        case 11:
            try context.insert(model: Trip.self, from: [Trip(name: name, destination: identity)])
            return "batch insert \(name)"
        case 12:
            let writer = ModelContext(container)
            writer.insert(Trip(name: name, destination: identity))
            for trip in try writer.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == other })) {
                trip.note = "other"
            }
            try writer.save()
            return "other save \(name) \(other)"
        default:
            let writer = ModelContext(container)
            for trip in try writer.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })) {
                writer.delete(trip)
            }
            try writer.save()
            return "other delete \(name)"
        }
    }
}
