import CSQLite

enum Allocator {
    /// Makes the C library keep freed memory.
    ///
    /// It would return tens of megabytes to the kernel after each run of a large row, and the next run would request
    /// them again page by page. The cost of a page differs tenfold between machines, and depends on the layout of the
    /// heap. With this setting, the warm-up round pays for it, and the rows measure the work; separate rows measure
    /// memory.
    static func keepMemory() {
        _ = benchmarks_keep_memory()
    }
}
