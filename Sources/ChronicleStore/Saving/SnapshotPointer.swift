import ChronicleCore

/// A snapshot of a request.
///
/// The loops over the rows of a save pass pointers, because a copy of a snapshot retains its values and its identifier.
/// That would take longer than binding them.
typealias SnapshotPointer = UnsafePointer<DefaultSnapshot>

extension UnsafeBufferPointer {
    typealias Pointers = LazyMapCollection<Range<Int>, UnsafePointer<Element>>

    /// The addresses of the elements.
    var pointers: Pointers {
        indices.lazy.map { baseAddress.unsafelyUnwrapped + $0 }
    }
}

extension [DefaultSnapshot] {
    /// The ranges of consecutive snapshots with the same entity and store.
    var runs: [Range<Int>] {
        withUnsafeBufferPointer { snapshots in
            var runs: [Range<Int>] = []
            var start = 0
            for index in snapshots.indices.dropFirst()
            where !snapshots[index].persistentIdentifier.sharesOrigin(with: snapshots[start].persistentIdentifier) {
                runs.append(start..<index)
                start = index
            }
            if start < snapshots.count { runs.append(start..<snapshots.count) }
            return runs
        }
    }
}
