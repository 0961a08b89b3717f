import Synchronization

/// The values that the history does not contain, which a fetch of rows as of a position collects instead of failing.
///
/// Inspectors show the other values of such rows. See ``DefaultStore/fetchRows(ofEntity:identifiers:withMissingValues:)``.
final class MissingValues: Sendable {
    /// The collection of the present fetch, or `nil` if a missing value is an error.
    @TaskLocal static var current: MissingValues?

    private let names = Mutex<[Int64: Set<String>]>([:])

    func insert(_ property: String, key: Int64) { names.withLock { _ = $0[key, default: []].insert(property) } }

    /// Returns the names of the properties that are missing in a row, and forgets them.
    func take(key: Int64?) -> Set<String> {
        key.flatMap { key in names.withLock { $0.removeValue(forKey: key) } } ?? []
    }
}
