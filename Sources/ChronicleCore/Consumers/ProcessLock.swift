import Synchronization

/// A lock of a consumer that other instances in the same process respect.
package final class ProcessLock: Sendable {
    private struct Key: Hashable {
        let storeIdentifier: String
        let name: String
    }

    private static let held = Mutex<Set<Key>>([])
    private let key: Key

    /// Acquires the lock, or returns `nil` if another instance holds it. The lock is released with the object.
    package init?(storeIdentifier: String, name: String) {
        let key = Key(storeIdentifier: storeIdentifier, name: name)
        guard Self.held.withLock({ $0.insert(key).inserted }) else { return nil }
        self.key = key
    }

    deinit {
        let key = key
        Self.held.withLock { _ = $0.remove(key) }
    }
}
