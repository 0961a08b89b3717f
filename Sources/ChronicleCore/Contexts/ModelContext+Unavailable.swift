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
}
