public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Writes the rows to a new SQLite database without a history, which any program can open.
    ///
    /// For a store that ``store(asOf:)`` returned, the rows are those as of its position, so the file contains the whole store as
    /// it was. The tables are those of today, with their indexes. A ``TrackedDatabase`` also has its views and triggers, its
    /// `user_version` and its `application_id`. The file is not a store of Chronicle; to copy a store with its history, use
    /// ``backup(to:)``. Apart from its owner, only users who may read the file of the store can read it.
    ///
    /// ```swift
    /// let past = try store.store(asOf: token) as? DefaultStore
    /// try past?.writeDatabase(to: url)
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the new file, in an existing directory.
    ///   - replacesUnknownValues: Whether values that the history does not contain become NULL instead of an error, in columns that
    ///     then allow NULL. Tables that are not recorded are then empty; unknown links, and rows with NULL in the primary key, are
    ///     omitted.
    /// - Throws: ``SwiftDataError/historyValueMissing`` if a value is unknown, with its model and property; use a later position,
    ///   or `replacesUnknownValues`. ``SwiftDataError/storeFailure`` if there is a file at the URL, or if it cannot be created;
    ///   choose another URL. ``SwiftDataError/storeFull`` if the disk is full. ``SwiftDataError/storeBusy`` if the file stays
    ///   locked; try again. ``SwiftDataError/historyDisabled`` if the store has no history. ``SwiftDataError/unsupportedFeature``
    ///   if a table or an index uses a function or collation that only its program has; query the tables instead. No file remains
    ///   after an error.
    /// - Complexity: Proportional to the size of the models and the number of changes after the position.
    public func writeDatabase(to url: URL, replacesUnknownValues: Bool = false) throws {
        let start = DefaultHistoryToken(storeIdentifier: identifier, position: 0)
        let source = try past == nil ? storeAsOf(currentHistoryToken() ?? start) : self
        let file = try attributingErrors { try UnpublishedFile(for: url) }
        defer { file.remove() }
        try source.attributingErrors {
            let target = try Connection(path: file.url.path, mode: .readWriteCreate)
            defer { target.close() }
            try MissingValues.$current.withValue(replacesUnknownValues ? MissingValues() : nil) {
                try source.readingPast { connection, tables in
                    if past != nil { try tables.unknowns.requireAllRecorded() }
                    try DatabaseCopy(
                        connection: connection, tables: tables, target: target, store: source, isPresent: past == nil,
                        replacesUnknownValues: replacesUnknownValues
                    ).run()
                }
            }
        }
        try attributingErrors {
            if !configuration.isStoredInMemoryOnly { try file.restrictPermissions(toThoseOf: database.path) }
            try file.publish()
        }
    }

    /// Returns the SQL statements that turn the rows at one position into those at another one.
    ///
    /// Applied to a database with the rows at the first position, such as one that ``writeDatabase(to:replacesUnknownValues:)`` has
    /// written, they result in the rows at the second one. They are one transaction, in a syntax that any version of SQLite reads,
    /// and contain no control characters except the line breaks and tabs of triggers. If a statement fails or finds no row, the
    /// statement before COMMIT rolls the transaction back, also in a program that continues after an error. If the disk is full,
    /// SQLite rolls it back at once; a program must then not execute the remaining statements. Exchange the positions for
    /// statements that undo the changes.
    ///
    /// The statements drop the triggers that programs have defined for changed tables of a ``TrackedDatabase``, and create them
    /// again, so that these change no further rows. The triggers of Chronicle run, so a tracked database or a store records the
    /// changes. Triggers that programs have added to a store run, too.
    ///
    /// - Parameters:
    ///   - start: The first position.
    ///   - end: The second position, which may be before the first one.
    /// - Returns: The statements, each with a semicolon; empty if the rows are equal.
    /// - Throws: ``SwiftDataError/historyValueMissing`` if a value is unknown at one of the positions, with its model and
    ///   property; use later positions. ``SwiftDataError/historyTokenExpired`` if the history after a position is incomplete.
    ///   ``SwiftDataError/unsupportedFeature`` if a name or the definition of a trigger contains control characters.
    ///   ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    /// - Complexity: Proportional to the changes after the earlier position, also in memory.
    public func sqlStatements(from start: DefaultHistoryToken, to end: DefaultHistoryToken) throws -> [String] {
        let (first, last) = (try storeAsOf(start), try storeAsOf(end))
        let isEmpty = start.position(in: identifier) == end.position(in: identifier)
        return try attributingErrors {
            // Stores in memory share a connection, and a read within another one must have reached its changes.
            try last.readingPast { _, _ in }
            return try first.readingPast { firstConnection, firstTables in
                try last.readingPast { lastConnection, lastTables in
                    if !isEmpty { try lastTables.unknowns.requireAllRecorded() }
                    let before = StateDifference.State(connection: firstConnection, tables: firstTables)
                    let after = StateDifference.State(connection: lastConnection, tables: lastTables)
                    let isForward = (start.position(in: identifier) ?? 0) <= (end.position(in: identifier) ?? 0)
                    return try StateDifference(
                        from: before, to: after, changed: isForward ? before : after, of: last
                    ).statements()
                }
            }
        }
    }

    private func storeAsOf(_ token: DefaultHistoryToken) throws -> DefaultStore {
        let store: any DataStore = try store(asOf: token)
        guard let store = store as? DefaultStore else { throw SwiftDataError.unsupportedFeature }
        return store
    }

    /// Throws for a store with the present rows.
    private func readingPast<Result>(_ body: (Connection, PastTables) throws -> Result) throws -> Result {
        guard let past else { throw SwiftDataError.unsupportedFeature }
        return try past.read(database, body)
    }
}
