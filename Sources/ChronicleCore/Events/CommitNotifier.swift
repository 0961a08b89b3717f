import Synchronization

/// Notifies the listeners of a container after commits of any writer.
///
/// The stores are observed while there are listeners.
final class CommitNotifier: Sendable {
    private let stores: [any DataStore]
    /// Starting and cancelling observations may call other code, so this is not locked meanwhile.
    private let state = Mutex(State())
    private let commitCount = Atomic<UInt64>(0)

    private struct State {
        var signals: [ObjectIdentifier: CommitSignal] = [:]
        /// The observations of the stores, empty if there are no listeners.
        var observations: [CommitObservation] = []
    }

    /// Increases with each commit of a context of the container, and with each commit that a store reports, and can be read on any
    /// thread without waiting for a signal.
    var count: UInt64 { commitCount.load(ordering: .acquiring) }

    init(_ stores: [any DataStore]) { self.stores = stores }

    var isObserving: Bool { state.withLock { !$0.observations.isEmpty } }

    /// Every commit after this call signals the listener. Throws the error of ``DataStoreNotifying/observeCommits(_:)``.
    func add(_ signal: CommitSignal) throws {
        let isObserving = state.withLock { state in
            state.signals[ObjectIdentifier(signal)] = signal
            return !state.observations.isEmpty
        }
        guard !isObserving else { return }
        let started: [CommitObservation]
        do { started = try observeStores() } catch {
            remove(signal)
            throw error
        }
        // Another thread may have started the same observations meanwhile.
        let unused = state.withLock { state in
            guard state.observations.isEmpty, !state.signals.isEmpty else { return started }
            state.observations = started
            return []
        }
        for observation in unused { observation.cancel() }
    }

    func remove(_ signal: CommitSignal) {
        let ended = state.withLock { state -> [CommitObservation] in
            state.signals[ObjectIdentifier(signal)] = nil
            guard state.signals.isEmpty else { return [] }
            defer { state.observations = [] }
            return state.observations
        }
        for observation in ended { observation.cancel() }
    }

    /// Counts the commit of a context, and signals the listeners if the store does not report commits itself.
    func didSave(to store: any DataStore) {
        commitCount.add(1, ordering: .releasing)
        guard state.withLock({ !$0.signals.isEmpty }), !(store is any DataStoreNotifying) else { return }
        notify()
    }

    private func notify() {
        commitCount.add(1, ordering: .releasing)
        // Resumed outside of the lock.
        for signal in state.withLock({ Array($0.signals.values) }) { signal.signal() }
    }

    private func observeStores() throws -> [CommitObservation] {
        try stores.compactMap { store in
            guard let notifying = store as? any DataStoreNotifying else { return nil }
            do { return try notifying.observeCommits { [weak self] in self?.notify() } } catch {
                throw store.attributed(error)
            }
        }
    }
}
