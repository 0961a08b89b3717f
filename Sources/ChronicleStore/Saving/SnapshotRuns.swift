import ChronicleCore

/// The ranges of consecutive snapshots with the same entity and store.
struct SnapshotRuns: Sequence, IteratorProtocol {
    private let snapshots: [DefaultSnapshot]
    private var start = 0

    init(_ snapshots: [DefaultSnapshot]) { self.snapshots = snapshots }

    mutating func next() -> Range<Int>? {
        guard start < snapshots.count else { return nil }
        let first = start
        // Without copies of the identifiers.
        start = snapshots.withUnsafeBufferPointer { snapshots in
            snapshots.indices[(first + 1)...].first {
                !snapshots[$0].persistentIdentifier.sharesOrigin(with: snapshots[first].persistentIdentifier)
            } ?? snapshots.count
        }
        return first..<start
    }
}
