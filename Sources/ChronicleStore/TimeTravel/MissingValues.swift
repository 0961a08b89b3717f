import Synchronization

/// Values that the history does not contain, collected by a fetch as of a position instead of failing. Inspectors show the
/// other values of such rows. See ``DefaultStore/fetchRows(ofEntity:identifiers:withMissingValues:)``.
final class MissingValues: Sendable {
    /// `nil` if a missing value is an error.
    @TaskLocal static var current: MissingValues?

    private let names = Mutex<[Int64: Set<String>]>([:])

    func insert(_ property: String, key: Int64) { names.withLock { _ = $0[key, default: []].insert(property) } }

    /// Forgets the names.
    func take(key: Int64?) -> Set<String> {
        key.flatMap { key in names.withLock { $0.removeValue(forKey: key) } } ?? []
    }
}
