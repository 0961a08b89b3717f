public import Foundation

// SwiftData APIs that Chronicle does not support. The message of each names the alternative.
extension ModelContext {
    /// Unavailable; contexts do not save automatically. Call ``save()``.
    @available(*, unavailable, message: "contexts do not save automatically; call `save()`")
    public var autosaveEnabled: Bool {
        get { false }
        set {}
    }

    /// Unavailable; undo is not supported. Call ``rollback()`` to discard unsaved changes.
    @available(*, unavailable, message: "undo is not supported; call `rollback()` to discard unsaved changes")
    public var undoManager: AnyObject? {
        get { nil }
        set {}
    }

    /// Unavailable; contexts post no notifications. Call ``fetchHistory(_:)`` to find saved changes.
    @available(*, unavailable, message: "contexts post no notifications; call `fetchHistory(_:)` to find saved changes")
    public static var willSave: Notification.Name { Notification.Name("") }

    /// Unavailable; contexts post no notifications. Call ``fetchHistory(_:)`` to find saved changes.
    @available(*, unavailable, message: "contexts post no notifications; call `fetchHistory(_:)` to find saved changes")
    public static var didSave: Notification.Name { Notification.Name("") }

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
