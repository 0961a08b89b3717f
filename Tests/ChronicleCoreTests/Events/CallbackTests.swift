import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleCore

/// Handlers of commits and loggers run without locks, so they may use everything, and wait for threads that do.
@Suite("Handlers that call back", .timeLimit(.minutes(5)))
struct CallbackTests {
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
            var errors: [String] = []
        }

        private let state = Mutex(State())

        var subjects: Subjects? {
            get { state.withLock(\.subjects) }
            set { state.withLock { $0.subjects = newValue } }
        }
        /// What called this object.
        var causes: Set<String> { state.withLock(\.causes) }
        var errors: [String] { state.withLock(\.errors) }

        func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
            call(metadata["event"] ?? "")
        }

        func call(_ cause: String) {
            let subjects = state.withLock { state -> Subjects? in
                state.causes.insert(cause)
                guard !state.isRunning, let subjects = state.subjects else { return nil }
                state.isRunning = true
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
            if isDone.wait(timeout: .now() + 60) == .timedOut { add("\(cause): another thread waits for this one") }
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
                (subjects.container.stores.first as? any DataStoreNotifying).map { store in
                    _ = try? store.observeCommits {}
                }
            } catch { add("\(cause): \(error)") }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func callbacksMayUseEverything(_ kind: StoreKind) throws {
        let directory = try TemporaryDirectory()
        let caller = Caller()
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.logger = caller
        configuration.logLevel = .debug
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .snapshot)
        let store = try #require(container.stores.first as? any DataStoreNotifying)
        caller.subjects = Caller.Subjects(container: container, consumer: consumer)

        let observation = try store.observeCommits { caller.call("commit") }
        let context = ModelContext(container)
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

    /// The handler of a save runs when the save is complete, so it sees a saved context.
    @Test func handlersRunAfterTheSave() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        nonisolated(unsafe) let saved = context
        let states = Mutex<[Bool]>([])
        let observation = try store.store.observeCommits { states.withLock { $0.append(saved.hasChanges) } }
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        #expect(states.withLock(\.self) == [false])
        observation.cancel()
    }

    /// A handler that runs on the thread that watches the file does not delay the cancellation.
    @Test func cancellationDoesNotWaitForAHandler() throws {
        let store = try TestStore(.file)
        let (isCalled, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = try store.store.observeCommits {
            isCalled.signal()
            mayReturn.wait()
        }
        try store.foreign("INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('a', 'b', 0, 0, '[]')")
        isCalled.wait()
        let isCancelled = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            observation.cancel()
            isCancelled.signal()
        }
        #expect(isCancelled.wait(timeout: .now() + 60) == .success)
        mayReturn.signal()
    }
}
