public import Observation
import Synchronization

/// An observable object that counts the transactions that contexts, processes and other programs commit to the stores of a
/// container:
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
/// for await count in observer.eventCounts where count > 0 {
///     // Fetch the trips again, or the history after a token.
/// }
/// ```
///
/// A custom store reports the commits of other store objects and processes if it adopts ``DataStoreNotifying``.
///
/// The observer reads the history after its ``historyTokens``, on a thread other than that of the observing actor, and counts each
/// transaction once. When it cannot continue from a token, because history was deleted or a backup was restored, it increases the
/// counter by one, reports the ``error``, and continues from the current position. The observation ends when the observer is
/// released. It keeps the container, and so its stores, open.
public final class HistoryObserver: Observable, Sendable {
    /// The container whose stores the observer observes.
    public let modelContainer: ModelContainer
    /// The models of which a transaction must change at least one. If empty, every transaction counts.
    public let observedModels: [any PersistentModel.Type]
    /// The authors whose transactions count. If empty, all transactions count, also those without an author.
    public let authors: Set<String>

    private let registrar = ObservationRegistrar()
    private let state: Mutex<State>
    private let events: CommitEvents

    private struct State {
        var eventCounter = 0
        var historyTokens: [String: any HistoryToken]
        var error: (any Error)?
        var streams: [Int: AsyncStream<Int>.Continuation] = [:]
        var nextStream = 0
    }

    /// The number of matching transactions since the observer was created, including those after the initial tokens. Observers are
    /// notified on the actor that the observer was created with.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return state.withLock(\.eventCounter)
    }

    /// The positions up to which transactions are counted, by store identifier. A store without a token for the position before its
    /// first transaction is missing until it has one.
    public var historyTokens: [String: any HistoryToken] {
        registrar.access(self, keyPath: \.historyTokens)
        return state.withLock(\.historyTokens)
    }

    /// The error of the latest read of the history, or `nil` if it succeeded.
    ///
    /// ``SwiftDataError/historyTokenExpired`` means that transactions may be missing from the counter: fetch the models again.
    /// After any other error, the observer reads again after a second.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return state.withLock(\.error)
    }

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - historyTokens: The positions after which transactions count, by store identifier. A store without a token is observed
    ///     from its current position.
    ///   - observedModels: The models of which a transaction must change at least one, or an empty array for all.
    ///   - authors: The authors whose transactions count, or an empty set for all transactions.
    ///   - modelContainer: The container of the stores.
    ///   - isolation: The actor on which the properties change; by default, that of the caller.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store of the container has a history, or a token is not of
    ///   the type of its store. ``SwiftDataError/historyDisabled`` if no store records its history; enable it in the configuration.
    ///   ``SwiftDataError/unknownSchema`` if the container does not contain an observed model. Also the error of a store that
    ///   cannot be read or observed, such as ``SwiftDataError/storeBusy``; try again.
    /// - Complexity: O(1) for each store, if its current token is.
    public init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
        authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        for model in observedModels { _ = try modelContainer.coordinator.stores(for: model) }
        self.modelContainer = modelContainer
        self.observedModels = observedModels
        self.authors = authors
        // Subscribed first, so that each transaction is either before the position or announced by an event.
        let events = try modelContainer.commitEvents()
        let names = observedModels.flatMap { modelContainer.schema.kinds(of: $0.entityName) }
        let filter = HistoryFollower.Filter(entityNames: Set(names), authors: authors)
        let follower = try HistoryFollower(modelContainer.stores, from: historyTokens ?? [:], filter)
        self.events = events
        state = Mutex(State(historyTokens: follower.tokens))
        let actor = isolation.map(ObservingActor.init)
        let update: @Sendable (Read) async -> Void = { [weak self] read in await self?.update(read, on: actor?.value) }
        Task { await Self.follow(follower, events, update) }
    }

    deinit {
        events.cancel()
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
    }

    /// The values of ``eventCounter`` as an asynchronous sequence: the current one, and then each new one.
    ///
    /// A slow task receives the latest value only. The sequence ends when the observer is released. Each call returns a separate
    /// one.
    public var eventCounts: AsyncStream<Int> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                defer { state.nextStream += 1 }
                state.streams[state.nextStream] = continuation
                continuation.yield(state.eventCounter)
                return state.nextStream
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
            }
        }
    }
}

extension HistoryObserver {
    private struct Read: Sendable {
        var count = 0
        var tokens: [String: any HistoryToken] = [:]
        var error: (any Error)?
    }

    /// Does not retain the observer.
    private static func follow(
        _ follower: HistoryFollower, _ events: CommitEvents, _ update: @Sendable (Read) async -> Void
    ) async {
        var follower = follower
        while true {
            var read = Read()
            do { try follower.read(&read.count) } catch { read.error = error }
            let isExpired = read.error.map { SwiftDataError.historyTokenExpired ~= $0 } ?? false
            read.tokens = follower.tokens
            await update(read)
            if read.error == nil || isExpired {
                guard await events.next() != nil else { return }
            } else {
                // No commit tells when an error such as a locked file has ended.
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                guard !events.isCancelled else { return }
            }
        }
    }

    private func update(_ read: Read, on isolation: isolated (any Actor)?) {
        let hadError = state.withLock { $0.error != nil }
        if read.error != nil || hadError {
            registrar.withMutation(of: self, keyPath: \.error) { state.withLock { $0.error = read.error } }
        }
        let known = state.withLock(\.historyTokens).mapValues { AnyHashable($0) }
        if read.tokens.mapValues({ AnyHashable($0) }) != known {
            registrar.withMutation(of: self, keyPath: \.historyTokens) {
                state.withLock { $0.historyTokens = read.tokens }
            }
        }
        guard read.count > 0 else { return }
        registrar.withMutation(of: self, keyPath: \.eventCounter) {
            state.withLock { state in
                state.eventCounter += read.count
                for stream in state.streams.values { stream.yield(state.eventCounter) }
            }
        }
    }
}
