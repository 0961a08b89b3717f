import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

extension DefaultStore {
    /// A view of the history that any SQLite program can query; see ``installHistoryViews()``.
    public struct HistoryView: Hashable, Sendable {
        /// Whether the file contains a view.
        public enum State: String, Hashable, Sendable {
            /// The file contains the view.
            case installed
            /// The file does not contain the view.
            case notInstalled
            /// Another program has dropped or changed the view. ``DefaultStore/installHistoryViews()`` creates it again, unless
            /// another view has its name.
            case changed
        }

        /// The name of the view, such as `Trip_history`.
        public let name: String
        /// The name of the entity whose history it contains.
        public let entityName: String
        /// Whether the file contains the view.
        public let state: State
    }

    /// Returns the views that ``installHistoryViews()`` creates, two for each entity.
    ///
    /// - Returns: The views, with whether the file contains them, in the order of their entities.
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again. ``SwiftDataError/damagedFile`` if a
    ///   description in the file is invalid; restore it from a backup.
    /// - Complexity: Proportional to the number of entities and attributes.
    public func historyViews() throws -> [HistoryView] {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead { try PermanentViews(connection).states() }
            }
        }
    }

    /// Creates the views `Trip_history` and `Trip_revisions`, for each entity `Trip`, as permanent views of the file.
    ///
    /// They have the rows that ``query(_:replacesUnknownValues:columns:row:)`` finds under these names, so the `sqlite3` shell and
    /// other programs see the history without Chronicle. They need SQLite 3.28 or later. Writers are not slowed.
    ///
    /// ```swift
    /// try store.installHistoryViews()
    /// ```
    ///
    /// The views belong to the file. Opening it with another schema creates those of the new schema in the same transaction; so does
    /// ``TrackedDatabase/followSchemaChanges()`` for a tracked database. ``TrackedDatabase/untrack()`` removes them. Calling the method
    /// again creates views that another program has dropped.
    ///
    /// While the views exist, SQLite refuses some changes of the schema by other programs: to drop a column that a view reads, to replace
    /// a table with a renamed one, and, after a table was dropped, to rename any table or column until Chronicle has followed the
    /// change. Call ``removeHistoryViews()`` before a program does so.
    ///
    /// - Throws: One of the following errors. Nothing was changed in that case.
    ///   - ``SwiftDataError/unsupportedFeature`` if the file contains a table, view or index with such a name. The detail names it;
    ///     rename it.
    ///   - ``SwiftDataError/storeReadOnly`` or ``SwiftDataError/historyDisabled`` if the configuration requires it.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and try again.
    /// - Complexity: Proportional to the number of entities and attributes. A query of a view takes time proportional to the length
    ///   of the history and the number of the models.
    public func installHistoryViews() throws {
        try changingViews { views, connection in
            // For a tracked database, the views are part of the schema that is followed.
            if isTracked { try SchemaFollowing(connection).run() }
            try views.install()
            if isTracked { try SchemaFollowing(connection).finish() }
        }
    }

    /// Drops the views of ``installHistoryViews()``.
    ///
    /// - Returns: Whether the views were installed.
    /// - Throws: ``SwiftDataError/storeBusy``, or another error of ``installHistoryViews()`` about the file or the configuration.
    /// - Complexity: Proportional to the number of entities.
    @discardableResult
    public func removeHistoryViews() throws -> Bool {
        try changingViews { views, connection in
            // First, so that a view that cannot be created for the present schema can be removed.
            let result = try views.remove()
            if isTracked { try SchemaFollowing(connection).run() }
            return result
        }
    }

    private func changingViews<Result>(_ body: (PermanentViews, Connection) throws -> Result) throws -> Result {
        try requireHistory()
        try requireWriteAccess()
        return try attributingErrors {
            try database.write { connection in
                try connection.immediate { try body(PermanentViews(connection), connection) }
            }
        }
    }
}
