#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The release of models that reference each other, without recursion.
///
/// A model that is released releases the models that only its relationships reference, and so on; in a chain, each level would use
/// a part of the stack. Therefore, during the first release on a thread, further models only hand over their destinations, and the
/// first release continues until there are no more.
enum ModelRelease {
    private typealias Pending = [AnyBackingData.Extras?]

    /// Set during the first release; `nil` if the process has no key left.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// - Parameter destinations: The only reference to the object; `nil` afterwards.
    static func release(_ destinations: inout AnyBackingData.Extras?) {
        guard let key else {
            destinations = nil
            return
        }
        if let first = pthread_getspecific(key) {
            first.assumingMemoryBound(to: Pending.self).pointee.append(destinations)
            destinations = nil
            return
        }
        // The array keeps the object until the pointer is set. The optimizer may release a local object earlier.
        var pending: Pending = [destinations]
        destinations = nil
        withUnsafeMutablePointer(to: &pending) { pending in
            // If this fails, the releases are nested.
            let isFirst = pthread_setspecific(key, pending) == 0
            while pending.pointee.popLast() != nil {}
            if isFirst { pthread_setspecific(key, nil) }
        }
    }
}
