import Synchronization

/// A lock of a ``HistoryConsumer`` that other instances in the same process respect.
///
/// The default of ``DataStoreConsuming/lockConsumer(named:)``. Use it in a store that locks consumers among processes only in some
/// configurations, for example not in memory.
public final class HistoryConsumerLock: Sendable {
    private enum Consumer: Hashable {
        case name(String)
        case number(Int64)
    }

    private struct Key: Hashable {
        let storeIdentifier: String
        let consumer: Consumer
    }

    private struct Locks {
        var held: [Key: Int] = [:]
        var count = 0
    }

    private static let locks = Mutex(Locks())
    private let key: Key
    private let number: Int

    /// Acquires the lock, or returns `nil` if another instance holds it. The lock is released with the object, or when the
    /// container renames or removes the consumer.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store.
    ///   - name: The name of the consumer.
    public convenience init?(storeIdentifier: String, name: String) {
        self.init(Key(storeIdentifier: storeIdentifier, consumer: .name(name)))
    }

    /// Acquires the lock of a consumer to which the store assigns a number, or returns `nil` if another instance holds it. The lock
    /// is released with the object.
    ///
    /// Assign another number to a consumer that is renamed or created again, so that an instance of the earlier one does not
    /// prevent those of the later one from reading.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store.
    ///   - number: The number of the consumer.
    public convenience init?(storeIdentifier: String, number: Int64) {
        self.init(Key(storeIdentifier: storeIdentifier, consumer: .number(number)))
    }

    private init?(_ key: Key) {
        let number: Int? = Self.locks.withLock { locks in
            guard locks.held[key] == nil else { return nil }
            locks.count += 1
            locks.held[key] = locks.count
            return locks.count
        }
        guard let number else { return nil }
        (self.key, self.number) = (key, number)
    }

    deinit {
        let (key, number) = (key, number)
        Self.locks.withLock { if $0.held[key] == number { $0.held[key] = nil } }
    }

    /// For a consumer that was renamed or removed. The instance that holds the lock can no longer read, but need not notice it
    /// soon.
    static func revoke(storeIdentifier: String, name: String) {
        let key = Key(storeIdentifier: storeIdentifier, consumer: .name(name))
        locks.withLock { $0.held[key] = nil }
    }
}
