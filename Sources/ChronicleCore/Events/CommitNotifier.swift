import Synchronization

/// Notifies the listeners of a container after commits of any writer.
///
/// The stores are observed while there are listeners.
final class CommitNotifier: Sendable {
    private let stores: [any DataStore]
    private let signals = Mutex<[ObjectIdentifier: CommitSignal]>([:])
    /// The observations of the stores, empty if there are no listeners. Locked while they are started and cancelled.
    /// Handlers do not use this lock, so a cancellation may wait for them.
    private let observations = Mutex<[CommitObservation]>([])
    private let commitCount = Atomic<UInt64>(0)

    /// A number that increases with each commit of a context of the container, and with each commit that a store reports.
    /// Reading it shows on any thread, without waiting for a signal, whether something was committed.
    var count: UInt64 { commitCount.load(ordering: .acquiring) }

    init(_ stores: [any DataStore]) { self.stores = stores }

    /// Whether stores are observed.
    var isObserving: Bool { observations.withLock { !$0.isEmpty } }

    /// Adds a listener. Every commit after this call signals it.
    ///
    /// - Throws: The error of ``DataStoreNotifying/observeCommits(_:)``.
    func add(_ signal: CommitSignal) throws {
        try observations.withLock { observations in
            if observations.isEmpty { observations = try observeStores() }
            signals.withLock { $0[ObjectIdentifier(signal)] = signal }
        }
    }

    func remove(_ signal: CommitSignal) {
        observations.withLock { observations in
            let isLast = signals.withLock { signals in
                signals[ObjectIdentifier(signal)] = nil
                return signals.isEmpty
            }
            guard isLast else { return }
            for observation in observations { observation.cancel() }
            observations = []
        }
    }

    /// Counts the commit of a context, and signals the listeners if the store does not report commits itself.
    func didSave(to store: any DataStore) {
        commitCount.add(1, ordering: .releasing)
        guard signals.withLock({ !$0.isEmpty }), !(store is any DataStoreNotifying) else { return }
        notify()
    }

    private func notify() {
        commitCount.add(1, ordering: .releasing)
        // Resumed outside of the lock.
        for signal in signals.withLock({ Array($0.values) }) { signal.signal() }
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
