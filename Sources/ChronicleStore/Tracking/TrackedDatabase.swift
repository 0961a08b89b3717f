public import ChronicleCore
import ChronicleSQLite
public import Foundation

/// An SQLite database that another program made, and whose changes Chronicle records.
///
/// Use it to add a history to the database of an app in any language, which keeps working without changes; its
/// tables, its `application_id`, its `user_version` and its journal mode remain as they are. Added tables and
/// triggers, whose names begin with `chronicle_`, record every insert, update and delete of the chosen tables,
/// whichever program makes it.
///
/// ```swift
/// for table in try TrackedDatabase(url: url).track() { print(table.name, table.state) }
/// let container = ModelContainer(forHistoryOf: try DefaultStore(readingHistoryAt: url))
/// ```
///
/// The history has no model classes: each table is an entity with its name, and each column an attribute whose values
/// are those that SQLite stores, of the types `Int64`, `Double`, `String` and `Data`. See
/// ``ModelContainer/init(forHistoryOf:)``. A container with model classes cannot open the file.
/// `Documentation/Design/0040-tracked-databases.md` has the reasons.
public struct TrackedDatabase: Sendable {
    /// The URL of the file.
    public let url: URL
    /// How long a method waits for another connection's lock before it throws ``SwiftDataError/storeBusy``.
    public var busyTimeout: Duration
    /// A closure that receives the part, from 0 to 1, of what
    /// ``track(_:preservesValues:reconciles:recordsNewTables:)`` does for large tables while other connections can write.
    public var progress: (@Sendable (Double) -> Void)?

    /// A table of the database.
    public struct Table: Hashable, Sendable {
        /// Whether the changes of a table are recorded.
        public enum State: Hashable, Sendable {
            /// All changes are recorded.
            case recorded
            /// Changes may be missing, for the given reason.
            /// ``TrackedDatabase/track(_:preservesValues:reconciles:recordsNewTables:)`` resumes recording.
            case interrupted(reason: String)
            /// The table is not recorded, but could be.
            case notRecorded
            /// The table cannot be recorded, for the given reason.
            case unsupported(reason: String)
        }

        /// The name of the table.
        public let name: String
        /// Whether the changes are recorded.
        public let state: State
        /// Changes of a recorded table that the history does not contain; usually empty.
        public let limitations: [String]
        /// Whether the last call of ``TrackedDatabase/track(_:preservesValues:reconciles:recordsNewTables:)`` began
        /// or resumed the recording.
        public internal(set) var isNew = false
        /// The number of changes that the last call of
        /// ``TrackedDatabase/track(_:preservesValues:reconciles:recordsNewTables:)`` recorded because a program had
        /// made them without triggers.
        public internal(set) var reconciledChangeCount = 0
        /// The changes of the schema that the last call of
        /// ``TrackedDatabase/track(_:preservesValues:reconciles:recordsNewTables:)`` recorded, such as
        /// `column added: account.name`.
        public internal(set) var schemaChanges: [String] = []
        /// `false` for a view, a virtual table, and a part of a virtual table.
        var isOrdinary = true
        /// `true` for a part of a virtual table.
        var isPart = false
    }

    /// Creates a value that refers to a file, without accessing it.
    ///
    /// - Parameters:
    ///   - url: The URL of an SQLite database.
    ///   - busyTimeout: How long a method waits for another connection's lock.
    public init(url: URL, busyTimeout: Duration = .seconds(5)) {
        (self.url, self.busyTimeout) = (url, busyTimeout)
    }

    /// Records the changes of tables from now on.
    ///
    /// Calling the method again records tables that were added since, and follows the changes of the schema; see
    /// ``followSchemaChanges()``. A gap begins when the first table, or a further one, is recorded, because the
    /// history does not contain the existing rows. Readers then continue from a new token.
    ///
    /// The recording begins in one transaction, which is on disk when the method returns. Other connections may be open.
    /// Before it, the changes of the schema are followed in another transaction, and the primary keys of large tables
    /// that are not integers are numbered in many short ones. If the process ends meanwhile, call the method again to
    /// continue, or ``untrack()`` to remove what it has added.
    ///
    /// - Parameters:
    ///   - names: The names of tables, or `nil` for all tables that can be recorded.
    ///   - preservesValues: Whether the history contains the values before and after each change, of up to 65,536
    ///     bytes; `nil` for the setting of the file, which is `true` initially.
    ///   - reconciles: Whether to record what programs changed without triggers, such as those that disable them:
    ///     rows that were inserted or deleted, and values that differ from the recorded ones. The changes are one
    ///     transaction with the metadata `reconciled`; the values of deleted rows, and changes of rows without
    ///     recorded values, are not known.
    ///   - recordsNewTables: Whether ``followSchemaChanges()`` records tables that the program creates later, with
    ///     their rows as inserts and without a gap; `nil` for the setting of the file, which is `false` initially.
    /// - Returns: All tables and views of the file.
    /// - Throws: One of the following errors. In that case, no further table is recorded.
    ///   - ``SwiftDataError/unsupportedFeature`` if a named table does not exist or cannot be recorded, if no table
    ///     can, or if the file is a Chronicle store, which records its history anyway. The detail contains the
    ///     reason.
    ///   - ``SwiftDataError/loadIssueModelContainer`` if the file does not exist.
    ///   - ``SwiftDataError/notADatabase`` if it is not an SQLite database, or is encrypted.
    ///   - ``SwiftDataError/fileReadOnly`` if it cannot be written. Change its permissions.
    ///   - ``SwiftDataError/storeBusy`` if it stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and try again.
    ///   - ``SwiftDataError/damagedFile`` if the file is damaged. Restore it from a backup.
    /// - Complexity: Proportional to the number of tables, and to the number of rows of the tables whose primary key
    ///   is not an integer.
    @discardableResult
    public func track(
        _ names: [String]? = nil, preservesValues: Bool? = nil, reconciles: Bool = false, recordsNewTables: Bool? = nil
    ) throws -> [Table] {
        let followed = try followAndNumberKeys(names)
        return try writing { connection in
            let counts = try (reconciles ? TableTracking(connection).reconcile() : [:])
                .merging(followed.counts) { $0 + $1 }
            return try TableTracking(connection)
                .track(names, preservesValues: preservesValues, recordsNewTables: recordsNewTables, followed)
                .map { table in
                    var table = table
                    table.reconciledChangeCount = counts[table.name] ?? 0
                    return table
                }
        }
    }

    /// Adapts the recording to changes that the program has made to its schema: added, renamed and removed columns,
    /// renamed, rebuilt and dropped tables, other primary keys, and new tables if they are recorded.
    ///
    /// The changes are one transaction with the metadata `schema`, such as `column added: account.name`. It also
    /// contains what was not recorded since the program made them. Changes are missing, and readers notice a gap,
    /// only if a table was rebuilt whose values the history does not contain completely.
    ///
    /// Opening the file with a store that allows saving does the same. Call the method after migrations of the
    /// program, or regularly; without a change of the schema, it only reads its version.
    ///
    /// - Returns: The changes, or an empty array if there were none or the database is not tracked.
    /// - Throws: ``SwiftDataError/storeBusy``, or another error of
    ///   ``track(_:preservesValues:reconciles:recordsNewTables:)`` about the file. Nothing was changed in that case.
    /// - Complexity: Proportional to the number of tables; for tables that were rebuilt or created, to the numbers of
    ///   their rows and of all recorded changes.
    @discardableResult
    public func followSchemaChanges() throws -> [String] {
        guard try hasUnfollowedSchema() else { return [] }
        return try writing { try SchemaFollowing($0).run().changes.map(\.text) }
    }

    /// Ends the recording of tables and keeps the history.
    ///
    /// Changes until the next call of ``track(_:preservesValues:reconciles:recordsNewTables:)`` are a gap. If another
    /// program has dropped tables of the history, or that method was interrupted before the recording began, ending the
    /// recording of all tables drops what is left.
    ///
    /// - Parameter names: The names of tables, or `nil` for all.
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if a named table is not recorded, or an error of ``untrack()``.
    ///   Nothing was changed in that case.
    /// - Complexity: Proportional to the number of tables.
    public func stop(_ names: [String]? = nil) throws {
        try writing { try TableTracking($0).stop(names) }
    }

    /// Ends the recording and deletes the history.
    ///
    /// All tables, indexes and triggers that ``track(_:preservesValues:reconciles:recordsNewTables:)`` added are
    /// dropped. The file keeps its size until its program runs `VACUUM`. Consumers may leave the file
    /// `<database>-consumers` beside it, which you can delete when no program uses it.
    ///
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if the database is not tracked, ``SwiftDataError/storeBusy``,
    ///   or another error of ``track(_:preservesValues:reconciles:recordsNewTables:)`` about the file. Nothing was
    ///   changed in that case.
    /// - Complexity: Proportional to the size of the history.
    public func untrack() throws {
        try writing { try TableTracking($0).untrack() }
    }

    /// Returns all tables and views of the file, and whether their changes are recorded.
    ///
    /// - Returns: The tables in alphabetical order, including recorded ones that were dropped.
    /// - Throws: ``SwiftDataError/storeBusy``, or another error of
    ///   ``track(_:preservesValues:reconciles:recordsNewTables:)`` about the file.
    /// - Complexity: Proportional to the number of tables.
    public func tables() throws -> [Table] {
        try reading { try TableTracking($0).tables() }
    }

    /// Opens the history to write seals, positions of consumers, and tags.
    ///
    /// ```swift
    /// let container = ModelContainer(forHistoryOf: try TrackedDatabase(url: url).openHistory())
    /// print(try container.sealHistory())
    /// ```
    ///
    /// The store cannot save models, because the tables belong to their program. Opening it follows the changes of the schema; see
    /// ``followSchemaChanges()``.
    ///
    /// - Returns: The store, with the names that the tables and columns have now.
    /// - Throws: One of the following errors.
    ///   - ``SwiftDataError/unsupportedFeature`` if the database is not tracked. Call
    ///     ``track(_:preservesValues:reconciles:recordsNewTables:)`` first.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - Another error of ``track(_:preservesValues:reconciles:recordsNewTables:)`` about the file.
    /// - Complexity: Proportional to the number of tables, unless the schema has changed.
    public func openHistory() throws -> DefaultStore {
        try followSchemaChanges()
        guard try reading({ try FileFormat.isTracked($0) }) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "\(url.path) is not tracked; use `chronicle track FILE` to record its changes")
        }
        let configuration = ModelConfiguration(
            schema: try DefaultStore.schema(ofFileAt: url), url: url, busyTimeout: busyTimeout)
        return try DefaultStore(configuration, migrationPlan: nil)
    }

    // MARK: Keys

    /// About 20 milliseconds.
    private static let slice = 10_000
    /// SQLite polls for a lock every 25 milliseconds at first, so a writer that waits gets it within a pause.
    private static let pause = 0.025

    /// Returns the changes of the schema.
    private func followAndNumberKeys(_ names: [String]?) throws -> SchemaFollowing.Result {
        let (followed, plans) = try writing { connection in
            let tables = try TableTracking(connection).requestedTables(names)
            return try (SchemaFollowing(connection).run(), KeyNumbering(connection).plans(tables))
        }
        let total = plans.reduce(0) { $0 + $1.rowCount }
        var done: Int64 = 0
        for plan in plans {
            var last: [PropertyValue]?
            // No more than that: a text that is not UTF-8 is read as another key, from which the next slice could begin again.
            for _ in 0...(plan.rowCount / Int64(Self.slice) + 1) {
                last = try writing { try KeyNumbering($0).number(plan, after: last, limit: Self.slice) }
                done += Int64(Self.slice)
                progress?(min(Double(done) / Double(max(total, 1)), 1))
                if last == nil { break }
                // Not to wait for something, but to let other connections write.
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
        return followed
    }

    // MARK: The file

    func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try attributingErrors(to: nil) {
            let inspection = try inspection()
            let connection = try Connection(path: inspection.readOnlyPath, mode: .readOnly, busyTimeout: busyTimeout)
            defer { connection.close() }
            return try connection.deferredRead { try body(connection) }
        }
    }

    private func inspection() throws -> FileInspection {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw SwiftDataError.loadIssueModelContainer.with(detail: "\(url.path) does not exist; check the path")
        }
        let inspection = try FileInspection(url: url)
        try inspection.requireRegularFile()
        return inspection
    }

    private func writing<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try attributingErrors(to: nil) {
            let inspection = try inspection()
            let finding: FileInspection.Finding?
            do { finding = try inspection.inspect(allowsSave: true) } catch SwiftDataError.notAChronicleStore {
                finding = nil
            } catch SwiftDataError.damagedFile {
                // Another program may have dropped the history. Other damage prevents the statements below.
                finding = nil
            }
            if finding == nil { try inspection.requireWritableFiles() }
            if finding == .store || finding == .new {
                throw SwiftDataError.unsupportedFeature.with(
                    detail: finding == .new
                        ? "\(url.path) is empty; create its tables first"
                        : "\(url.path) is a Chronicle store, which records its history by itself")
            }
            let connection = try Connection(path: inspection.path, mode: .readWrite, busyTimeout: busyTimeout)
            defer { connection.close() }
            // Waits until the disk has removed the rollback journal, too, which would undo the transaction after a power
            // failure. https://www.sqlite.org/pragma.html#pragma_synchronous
            try connection.execute("PRAGMA synchronous = EXTRA")
            return try connection.immediate { try body(connection) }
        }
    }
}

extension Schema.Attribute {
    /// The declared type of a column of a ``TrackedDatabase``, such as `VARCHAR(20)`, or `nil` for the attribute of a
    /// model.
    ///
    /// SQLite does not enforce it: the column can contain values of any type. The type is empty if the column has none.
    public var declaredColumnType: String? {
        let parts = valueTypeName.split(separator: " ", maxSplits: 1)
        guard parts.first == "SQLite", storage == .blob else { return nil }
        return parts.count > 1 ? String(parts[1]) : ""
    }

    static func typeName(ofColumnType declaredType: String) -> String {
        declaredType.isEmpty ? "SQLite" : "SQLite \(declaredType)"
    }
}
