import Chronicle
import ChronicleTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import ChronicleCore

/// Handlers of commits, loggers and observers run without locks, so they may use everything, and wait for threads that do.
@Suite("Handlers that call back", .timeLimit(.minutes(5)))
struct CallbackTests {
    typealias Kind = CallbackFixture.Kind

    /// A logger and handler that uses the store, on its own thread and on another one that it waits for.
    private final class Caller: StoreLogger, IdentityHashable {
        struct Subjects: Sendable {
            let container: ModelContainer
            let consumer: HistoryConsumer<DefaultHistoryTransaction>
        }

        private struct State {
            var subjects: Subjects?
            var isRunning = false
            var causes: Set<String> = []
            /// The causes whose calls were not within another call.
            var used: Set<String> = []
            var errors: [String] = []
        }

        private let state = Mutex(State())

        var subjects: Subjects? {
            get { state.withLock(\.subjects) }
            set { state.withLock { $0.subjects = newValue } }
        }
        /// What called this object.
        var causes: Set<String> { state.withLock(\.causes) }
        var used: Set<String> { state.withLock(\.used) }
        var errors: [String] { state.withLock(\.errors) }

        func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
            call(metadata["event"] ?? "")
        }

        func call(_ cause: String) {
            let subjects = state.withLock { state -> Subjects? in
                state.causes.insert(cause)
                guard !state.isRunning, let subjects = state.subjects else { return nil }
                state.isRunning = true
                state.used.insert(cause)
                return subjects
            }
            guard let subjects else { return }
            defer { state.withLock { $0.isRunning = false } }
            use(subjects, cause)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                self.use(subjects, cause)
                isDone.signal()
            }
            if !isDone.waitForSignal() { add("\(cause): another thread waits for this one") }
        }

        private func add(_ error: String) { state.withLock { $0.errors.append(error) } }

        private func use(_ subjects: Subjects, _ cause: String) {
            do {
                let context = ModelContext(subjects.container)
                context.author = "callback"
                context.insert(Trip(name: cause, destination: ""))
                try context.save()
                try context.update(model: Trip.self, set: [PropertyUpdate(\.note, to: cause)])
                _ = try context.fetch(FetchDescriptor<Trip>())
                _ = try context.fetchHistory(Descriptor())
                _ = try subjects.container.historyConsumers()
                subjects.consumer.release()
                _ = try subjects.consumer.nextBatch()
                subjects.consumer.release()
                let events = try subjects.container.commitEvents()
                events.cancel()
                _ = try (subjects.container.stores.first as? any DataStoreNotifying)?.observeCommits {}
            } catch { add("\(cause): \(error)") }
        }
    }

    @Test(arguments: Kind.available)
    func callbacksMayUseEverything(_ kind: Kind) throws {
        let caller = Caller()
        let fixture = try CallbackFixture(kind, logger: caller)
        let container = fixture.container
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        caller.subjects = Caller.Subjects(container: container, consumer: consumer)

        let observation = try fixture.store.observeCommits { caller.call("commit") }
        let context = fixture.context()
        for name in ["a", "b"] {
            context.insert(Trip(name: name, destination: ""))
            try context.save()
        }
        try context.update(model: Trip.self, set: [PropertyUpdate(\.note, to: "x")])
        _ = try context.tag("tag")
        _ = try consumer.nextBatch()
        try consumer.seek(to: .snapshot)
        _ = try consumer.nextBatch()
        try context.delete(model: Trip.self)
        observation.cancel()
        caller.subjects = nil
        #expect(caller.errors == [])
        #expect(caller.causes.isSuperset(of: ["commit", "consumerReset"]))
    }

    /// Observers of models, of results and of saves, which are called on the thread of their context.
    @Test(arguments: Kind.available)
    func observersOfAContextMayUseEverything(_ kind: Kind) throws {
        let caller = Caller()
        let fixture = try CallbackFixture(kind)
        let context = fixture.context()
        let trip = Trip(name: "a", destination: "")
        context.insert(trip)
        try context.save()
        let consumer = try fixture.container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        caller.subjects = Caller.Subjects(container: fixture.container, consumer: consumer)
        let results = try ResultsObserver<Trip, Never>(sortBy: [SortDescriptor(\.name)], modelContext: context)
        let notifications = [ModelContext.willSave, ModelContext.didSave].map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
                caller.call(name.rawValue)
            }
        }
        defer { notifications.forEach(NotificationCenter.default.removeObserver) }

        /// Expects that a change calls an observer of what `read` reads.
        func expectCall(_ cause: String, _ read: () -> Void, by change: () throws -> Void) rethrows {
            withObservationTracking(read) { caller.call(cause) }
            try change()
            #expect(caller.used.contains(cause))
        }
        expectCall("results") {
            _ = results.results.count
        } by: {
            context.insert(Trip(name: "b", destination: ""))
            // Without an actor, the observer fetches again when it is read.
            _ = results.results
        }
        expectCall("property") {
            _ = trip.destination
        } by: {
            trip.destination = "changed"
        }
        try context.save()
        let names = [ModelContext.willSave, ModelContext.didSave].map(\.rawValue)
        #expect(caller.used.isSuperset(of: names))

        // Others change the row, and the context reads it.
        func changeElsewhere(_ text: String) throws -> [DefaultHistoryTransaction] {
            let other = fixture.context("other")
            let token = try other.currentHistoryToken()
            for trip in try other.fetch(FetchDescriptor<Trip>()) { trip.note = text }
            try other.save()
            return try other.fetchHistory(.after(token))
        }
        let transactions = try changeElsewhere("merged")
        try expectCall("merge") {
            _ = trip.note
        } by: {
            try context.merge(transactions)
        }
        _ = try changeElsewhere("fetched")
        try expectCall("fetch") {
            _ = trip.note
        } by: {
            _ = try context.fetch(FetchDescriptor<Trip>())
        }
        _ = try changeElsewhere("refreshed")
        try expectCall("refresh") {
            _ = trip.note
        } by: {
            try context.refreshAllModels()
        }
        trip.note = "edited"
        expectCall("rollback") {
            _ = trip.note
        } by: {
            context.rollback()
        }
        try expectCall("batch update") {
            _ = trip.note
        } by: {
            try context.update(model: Trip.self, set: [PropertyUpdate(\.note, to: "batch")])
        }
        caller.subjects = nil
        #expect(caller.errors == [])
    }

    /// The observers of a history observer, which are called on a thread of their own.
    @Test(arguments: Kind.available)
    func observersOfTheHistoryMayUseEverything(_ kind: Kind) async throws {
        let caller = Caller()
        let fixture = try CallbackFixture(kind)
        let consumer = try fixture.container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        caller.subjects = Caller.Subjects(container: fixture.container, consumer: consumer)
        let observer = try HistoryObserver(authors: ["app"], modelContainer: fixture.container)
        for number in 0..<3 {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = observer.eventCounter
                } onChange: {
                    caller.call("history \(number)")
                    _ = (observer.eventCounter, observer.historyTokens, observer.error?.localizedDescription)
                    _ = observer.eventCounts
                    continuation.resume()
                }
                let context = fixture.context("app")
                context.insert(Trip(name: "\(number)", destination: ""))
                do { try context.save() } catch { Issue.record(error) }
            }
        }
        caller.subjects = nil
        #expect(caller.errors == [])
        #expect(caller.used == ["history 0", "history 1", "history 2"])
        for await count in observer.eventCounts where count >= 3 {
            // The transactions of the callbacks have another author.
            #expect(count == 3)
            break
        }
    }

    /// The handler of a save runs when the save is complete, so it sees a saved context.
    @Test(arguments: Kind.available) func handlersRunAfterTheSave(_ kind: Kind) throws {
        let fixture = try CallbackFixture(kind)
        let context = fixture.context()
        nonisolated(unsafe) let saved = context
        let thread = ObjectIdentifier(Thread.current)
        let states = Mutex<[Bool]>([])
        let observation = try fixture.store.observeCommits {
            // Other threads report the commit as well.
            if ObjectIdentifier(Thread.current) == thread { states.withLock { $0.append(saved.hasChanges) } }
        }
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        #expect(states.withLock(\.self) == [false])
        observation.cancel()
    }
}
