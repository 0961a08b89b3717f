// SwiftData APIs that Chronicle does not support. The message of each names the alternative.
extension ModelContext {
    #if !canImport(Darwin)
        /// Unavailable; Foundation has no `UndoManager` on this platform. Call ``rollback()`` to discard unsaved changes.
        @available(
            *, unavailable,
            message: "Foundation has no UndoManager on this platform; call `rollback()` to discard unsaved changes"
        )
        public var undoManager: AnyObject? {
            get { nil }
            set {}
        }
    #endif

    /// Unavailable; use ``fetch(_:)``, or ``enumerate(_:batchSize:allowEscapingMutations:block:)`` for large results.
    ///
    /// - Parameters:
    ///   - descriptor: The models to fetch.
    ///   - batchSize: The number of models in a batch.
    /// - Returns: An empty array.
    /// - Throws: Never; both alternatives throw ``SwiftDataError``.
    @available(*, unavailable, message: "use `fetch(_:)`, or `enumerate(_:batchSize:block:)` for large results")
    public func fetch<Model>(_ descriptor: FetchDescriptor<Model>, batchSize: Int) throws -> [Model] { [] }
}

extension ModelContainer {
    /// Unavailable; call ``ModelContext/delete(model:where:includeSubclasses:)`` for each model class.
    @available(*, unavailable, message: "call `context.delete(model:)` for each model class")
    public func deleteAllData() {}

    /// Unavailable; call ``ModelContext/delete(model:where:includeSubclasses:)`` for each model class.
    ///
    /// - Throws: Never; the alternative throws ``SwiftDataError``.
    @available(*, unavailable, message: "call `context.delete(model:)` for each model class")
    public func erase() throws {}
}
