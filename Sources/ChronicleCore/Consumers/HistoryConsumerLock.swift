import Synchronization

/// A lock of a ``HistoryConsumer`` that other instances in the same process respect.
///
/// ``DataStoreConsuming/lockConsumer(named:)`` returns it by default. Use it in a store whose implementation locks
/// consumers among processes only for some configurations, for example not for a store in memory.
public final class HistoryConsumerLock: Sendable {
    private struct Key: Hashable {
        let storeIdentifier: String
        let name: String
    }

    private static let held = Mutex<Set<Key>>([])
    private let key: Key

    /// Acquires the lock, or returns `nil` if another instance holds it. The lock is released with the object.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store.
    ///   - name: The name of the consumer.
    public init?(storeIdentifier: String, name: String) {
        let key = Key(storeIdentifier: storeIdentifier, name: name)
        guard Self.held.withLock({ $0.insert(key).inserted }) else { return nil }
        self.key = key
    }

    deinit {
        let key = key
        Self.held.withLock { _ = $0.remove(key) }
    }
}
