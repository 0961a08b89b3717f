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
}
