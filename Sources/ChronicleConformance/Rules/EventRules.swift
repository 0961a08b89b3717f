import Chronicle
import Dispatch
import Foundation
import Synchronization

extension StoreRule {
    /// Rules about commit events (`DataStoreNotifying`). They are skipped for stores that do not report commits.
    public static var events: [StoreRule] {
        [ownEvents, eventsAfterSubscription, sharedEvents, processEvents, cancelledObservations]
    }

    static var ownEvents: StoreRule {
        eventRule("a save of a store is reported to its observers") { harness, store in
            let calls = Calls()
            let observation = try store.observeCommits { calls.add() }
            for number in 1...10 {
                calls.reset()
                try harness.context().add("\(number)")
                try expect(calls.wait(), "a call of the handler after save \(number)")
            }
            observation.cancel()
        }
    }

    static var eventsAfterSubscription: StoreRule {
        eventRule("a save right after the beginning of an observation is reported") { harness, store in
            for number in 1...10 {
                let calls = Calls()
                let observation = try store.observeCommits { calls.add() }
                try harness.context().add("\(number)")
                try expect(calls.wait(), "a call of the handler after the first save of observation \(number)")
                observation.cancel()
            }
        }
    }

    static var sharedEvents: StoreRule {
        eventRule("a save of another store at the location is reported", needs: .sharing) { harness, store in
            let calls = Calls()
            let observation = try store.observeCommits { calls.add() }
            try harness.opening(harness.configuration) { other in
                // Opening the store may be a commit, too.
                for number in 1...10 {
                    calls.reset()
                    try other.context().add("\(number)")
                    try expect(calls.wait(), "a call of the handler after save \(number) of another store")
                }
            }
            observation.cancel()
        }
    }

    static var processEvents: StoreRule {
        eventRule("a save of another process is reported", needs: .sharing, capabilities: [.killing]) {
            harness, store in
            let calls = Calls()
            let observation = try store.observeCommits { calls.add() }
            let worker = try WorkerCommand(.books(writer: 0), on: harness.configuration, harness)
            let saved = try WorkerCommand.run([worker], saves: 15).reduce(0, +)
            // A call can report several saves, so the test reads after each call until it finds the last save.
            while try harness.context().fetchCount(FetchDescriptor<Book>()) < saved {
                try expect(calls.wait(), "a call of the handler after each save of another process")
            }
            try expect(calls.wait(), "a call of the handler after saves of another process")
            observation.cancel()
        }
    }

    static var cancelledObservations: StoreRule {
        eventRule("a cancelled observation receives no further calls") { harness, store in
            let (calls, remaining) = (Calls(), Calls())
            let observation = try store.observeCommits { calls.add() }
            let other = try store.observeCommits { remaining.add() }
            try harness.context().add("a")
            try expect(calls.wait(), "a call of the handler after a save")
            observation.cancel()
            // A call for an earlier save may still be running.
            let isQuiet = try (1...10).contains { number in
                calls.reset()
                remaining.reset()
                try harness.context().add("\(number)")
                try expect(remaining.wait(), "a call of the handler of another observation")
                return calls.isEmpty
            }
            other.cancel()
            try expect(isQuiet, "no call of the handler for saves after the cancellation")
        }
    }

    private static func eventRule(
        _ name: String, needs: StoreFeatures = [], capabilities: Set<StoreFixtureCapability> = [],
        check: @escaping (StoreHarness<Store>, any DataStoreNotifying) throws -> Void
    ) -> StoreRule {
        StoreRule(name, needs: needs, capabilities: capabilities) { harness in
            let store = try require(harness.store as? any DataStoreNotifying, "a store that reports commits")
            try check(harness, store)
        }
        .requiring("DataStoreNotifying", Store.self is any DataStoreNotifying.Type)
    }
}

private final class Calls: Sendable {
    private let isCalled = Mutex(false)
    private let calledSemaphore = DispatchSemaphore(value: 0)

    /// A busy machine must cause no failure.
    private static let timeout = DispatchTimeInterval.seconds(5)

    var isEmpty: Bool { !isCalled.withLock(\.self) }

    func add() {
        isCalled.withLock { $0 = true }
        calledSemaphore.signal()
    }

    func reset() { isCalled.withLock { $0 = false } }

    /// Returns whether there was a call since the last wait or reset.
    func wait() -> Bool {
        let deadline = DispatchTime.now() + Self.timeout
        while true {
            let found = isCalled.withLock { isCalled in
                defer { isCalled = false }
                return isCalled
            }
            if found { return true }
            guard calledSemaphore.wait(timeout: deadline) == .success else { return false }
        }
    }
}
