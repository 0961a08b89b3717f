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
