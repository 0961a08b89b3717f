import ChronicleCore

/// The loops over the rows of a save pass pointers, because a copy of a snapshot retains its values and its identifier,
/// which would take longer than binding them.
typealias SnapshotPointer = UnsafePointer<DefaultSnapshot>

extension UnsafeBufferPointer {
    typealias Pointers = LazyMapCollection<Range<Int>, UnsafePointer<Element>>

    var pointers: Pointers {
        indices.lazy.map { baseAddress.unsafelyUnwrapped + $0 }
    }
}
