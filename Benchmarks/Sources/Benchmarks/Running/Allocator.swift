import CSQLite

enum Allocator {
    /// Tells the C library to keep what a run frees.
    ///
    /// It would give tens of megabytes back to the kernel after each run of a large row, and the next run would get them
    /// again page by page. A page has a price that differs by ten between machines, and whether a run pays it is a
    /// matter of what else happens to lie at the end of the heap. Here the warm-up round pays, and the rows measure the
    /// work; how much memory that takes stands in rows of its own.
    static func keepMemory() {
        _ = benchmarks_keep_memory()
    }
}
