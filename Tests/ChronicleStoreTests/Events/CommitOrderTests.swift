import Chronicle
import ChronicleTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@testable import ChronicleCore

/// When the handlers of commits are called, and the end of their observation.
@Suite("Order and end of commit handlers", .timeLimit(.minutes(5)))
struct CommitOrderTests {
    typealias Kind = CallbackFixture.Kind

    // MARK: Order

    /// What a handler reads: the transactions after those that it has read before.
    private final class Reader: Sendable {
        private struct State {
            var token: DefaultHistoryToken?
            var names: [String] = []
            var errors: [String] = []
        }

        private let container: ModelContainer
        private let state: Mutex<State>

        init(_ container: ModelContainer) throws {
            self.container = container
            state = Mutex(State(token: try ModelContext(container).currentHistoryToken()))
        }

        /// The context names of the transactions, in the order in which the handler has read them.
        var names: [String] { state.withLock(\.names) }
        var errors: [String] { state.withLock(\.errors) }

        func read() {
            state.withLock { state in
                do {
                    guard let token = state.token else { return }
                    for transaction in try ModelContext(container).fetchHistory(.after(token)) {
                        state.names.append(transaction.contextName ?? "")
                        state.token = transaction.token
                    }
                } catch { state.errors.append("\(error)") }
            }
        }
    }

    private static func insert(_ name: String, into container: ModelContainer) throws {
        let context = ModelContext(container)
        context.name = name
        context.insert(Trip(name: name, destination: ""))
        try context.save()
    }

    /// Several threads save. When a save returns, the handler has read its transaction and all earlier ones, each once and in
    /// the order of the commits.
    @Test(arguments: Kind.available) func handlersFollowTheOrderOfTheCommits(_ kind: Kind) throws {
        let fixture = try CallbackFixture(kind)
        let container = fixture.container
        let reader = try Reader(container)
        let start = try fixture.context().currentHistoryToken()
        let observation = try fixture.store.observeCommits { reader.read() }
        let problems = Mutex<[String]>([])
        let threads = 4
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<15 {
                let name = "\(thread) \(number)"
                do {
                    try Self.insert(name, into: container)
                    if !reader.names.contains(name) { problems.withLock { $0.append("\(name) is not reported") } }
                } catch { problems.withLock { $0.append("\(name): \(error)") } }
            }
        }
        observation.cancel()
        #expect(problems.withLock(\.self) == [] && reader.errors == [])
        let committed = try fixture.context().fetchHistory(.after(start)).map { $0.contextName ?? "" }
        #expect(committed.count == threads * 15 && reader.names == committed)
        for thread in 0..<threads {
            let names = committed.filter { $0.hasPrefix("\(thread) ") }
            #expect(names == (0..<15).map { "\(thread) \($0)" })
        }
    }

    /// A handler saves, which calls the handlers again, before the first save returns.
    @Test(arguments: Kind.available) func commitsOfHandlersFollowThatOfTheSave(_ kind: Kind) throws {
        let fixture = try CallbackFixture(kind)
        let container = fixture.container
        let reader = try Reader(container)
        let thread = ObjectIdentifier(Thread.current)
        let waiting = Mutex(["second", "third", "fourth"])
        let problems = Mutex<[String]>([])
        let observations = try (0..<2).map { _ in
            try fixture.store.observeCommits {
                // Other threads report the commits as well.
                guard ObjectIdentifier(Thread.current) == thread else { return }
                reader.read()
                guard let name = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                do { try Self.insert(name, into: container) } catch { problems.withLock { $0.append("\(error)") } }
                if !reader.names.contains(name) { problems.withLock { $0.append("\(name) is not reported") } }
            }
        }
        try Self.insert("first", into: container)
        for observation in observations { observation.cancel() }
        #expect(problems.withLock(\.self) == [] && reader.errors == [])
        #expect(reader.names == ["first", "second", "third", "fourth"])
    }

    // MARK: Cancellation

    /// Whose commit calls the handler, and thereby on which thread.
    enum Writer: String, CaseIterable { case context, program }

    private static let cases: [(Kind, Writer)] = Kind.available.flatMap { kind in
        Writer.allCases.filter { $0 == .context || kind.isShared }.map { (kind, $0) }
    }

    private func write(_ writer: Writer, _ fixture: CallbackFixture) throws {
        switch writer {
        case .context: try Self.insert("second", into: fixture.container)
        case .program: try fixture.changeTrips()
        }
    }

    /// A handler that waits does not delay the cancellation by another thread.
    @Test(arguments: cases) func cancellationDoesNotWaitForAHandler(_ kind: Kind, _ writer: Writer) throws {
        let fixture = try CallbackFixture(kind)
        try Self.insert("first", into: fixture.container)
        let (isCalled, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = try fixture.store.observeCommits {
            isCalled.signal()
            mayReturn.pass()
        }
        let (isWritten, isCancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        nonisolated(unsafe) let test = (self, fixture)
        Thread.detachNewThread {
            do { try test.0.write(writer, test.1) } catch { Issue.record(error) }
            isWritten.signal()
        }
        #expect(isCalled.waitForSignal())
        Thread.detachNewThread {
            observation.cancel()
            isCancelled.signal()
        }
        #expect(isCancelled.waitForSignal())
        // The store is usable while the handler waits.
        #expect(try fixture.context().fetchCount(FetchDescriptor<Trip>()) > 0)
        try Self.insert("third", into: fixture.container)
        mayReturn.signal()
        #expect(isWritten.waitForSignal())
    }

    /// A handler cancels its own observation, after which it is not called for later commits.
    @Test(arguments: cases) func aHandlerMayCancelItsObservation(_ kind: Kind, _ writer: Writer) throws {
        let fixture = try CallbackFixture(kind)
        try Self.insert("first", into: fixture.container)
        let observed = Mutex<CommitObservation?>(nil)
        let isCancelled = DispatchSemaphore(value: 0)
        let calls = Atomic(0)
        let observation = try fixture.store.observeCommits {
            calls.add(1, ordering: .sequentiallyConsistent)
            observed.withLock(\.self)?.cancel()
            isCancelled.signal()
        }
        observed.withLock { $0 = observation }
        try write(writer, fixture)
        #expect(isCancelled.waitForSignal())
        try Self.insert("third", into: fixture.container)
        // Another thread may also have begun to report the first commit.
        let most = kind.isShared ? 2 : 1
        #expect((1...most).contains(calls.load(ordering: .sequentiallyConsistent)))
        observed.withLock { $0 = nil }
    }

    /// Observers are released by their own callbacks.
    @Test(arguments: Kind.available) func aCallbackMayReleaseAHistoryObserver(_ kind: Kind) async throws {
        let fixture = try CallbackFixture(kind)
        let observed = Mutex<HistoryObserver?>(try HistoryObserver(modelContainer: fixture.container))
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = observed.withLock { $0?.eventCounter }
            } onChange: {
                observed.withLock { $0 = nil }
                continuation.resume()
            }
            do { try Self.insert("first", into: fixture.container) } catch { Issue.record(error) }
        }
        try Self.insert("second", into: fixture.container)
        #expect(observed.withLock { $0 == nil })
    }
}
