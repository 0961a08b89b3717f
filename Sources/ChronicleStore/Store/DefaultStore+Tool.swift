package import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
package import Foundation

// What the command-line tool needs besides the interface of the store.
extension DefaultStore {
    /// `nil` if the version of SQLite has no defect that can damage files.
    package static var libraryNotice: String? { LibraryNotice.text() }

    /// A version such as `3.40.1`.
    package static var libraryVersion: String { LibraryNotice.version(SQLiteLibrary.versionNumber) }

    /// Returns whether a file is a ``TrackedDatabase`` whose history can be read. Throws the errors of
    /// ``schema(ofFileAt:)``.
    package static func isTracked(fileAt url: URL) throws -> Bool {
        do { return try inspecting(url, FileFormat.isTracked) ?? false } catch SwiftDataError.damagedFile {
            return false
        }
    }

    /// The file must be rolled back with ``recover(fileAt:)`` before it can be read.
    package static func needsRecovery(_ error: SwiftDataError) -> Bool {
        (error.underlying as? DatabaseError)?.needsRecovery == true
    }

    package func preservedAttributes() throws -> [String: [String: Bool]] {
        try readingHistory { connection in
            let registry = EntityRegistry(connection)
            return try registry.preservedAttributes(kinds: registry.kinds)
        }
    }

    package func isHistoryPurged() throws -> Bool {
        try attributingErrors { try database.read { try MetaTable.position(.floor, $0) != nil } }
    }

    /// The position after which every change was recorded and none was deleted.
    package func completeHistoryToken() throws -> DefaultHistoryToken {
        try readingHistory { connection in
            try HistoryPositions(connection).completeAfter(identifier)
                ?? DefaultHistoryToken(storeIdentifier: identifier, position: 0)
        }
    }

    /// The position at which recording resumed; `nil` if no transaction remains before a gap.
    package func historyGap() throws -> DefaultHistoryToken? {
        try readingHistory { connection in
            let history = HistoryPositions(connection)
            let gap = try history.facts(at: 0).gap
            guard gap > 0, try history.hasTransactions(through: gap) else { return nil }
            return DefaultHistoryToken(
                storeIdentifier: identifier, position: gap, checkValue: try history.facts(at: gap).row.checkValue)
        }
    }

    /// Includes removed attributes and relationships.
    package var recordedPropertyNames: Set<String> {
        Set(layout.recordedEntities.values.flatMap { $0.attributes.map(\.name) })
    }

    /// Rolls back a transaction that was interrupted. The other functions of this kind only read the file, which is not
    /// possible before. Throws the errors of ``schema(ofFileAt:)``, and ``SwiftDataError/fileReadOnly`` if the file or its
    /// directory cannot be written.
    package static func recover(fileAt url: URL) throws {
        try ChronicleStore.attributingErrors(to: nil) { try FileInspection(url: url).recover() }
    }

    /// The columns of tracked tables that are the rowid, by the names of the tables.
    package func rowIDColumns() throws -> [String: String] {
        guard layout.isTracked else { return [:] }
        return try attributingErrors {
            try database.read { connection in
                var columns: [String: String] = [:]
                for name in try TrackedRows.entities(connection) {
                    columns[name] = try TrackedTable(name, connection)?.rowIDColumn
                }
                return columns
            }
        }
    }

    /// Returns an error for each tracked table whose recording is interrupted, in the order of the names.
    package func interruptedRecordings() throws -> [SwiftDataError] {
        guard layout.isTracked else { return [] }
        let reasons = try attributingErrors {
            try database.read { connection in
                try connection.deferredRead { try TableTracking(connection).interruptions() }
            }
        }
        return reasons.sorted { $0.key < $1.key }.map {
            SwiftDataError.interruptedRecording(of: $0.key, $0.value).with(storeIdentifier: identifier)
        }
    }

    /// `VACUUM` may change rowids on which the program of a tracked database depends.
    package func requireVacuum() throws {
        guard layout.isTracked else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "the file is the database of another program, whose rowids VACUUM may change; run VACUUM with that "
                + "program", storeIdentifier: identifier)
    }
}

extension DefaultStore {
    /// Like ``fetchRows(ofEntity:identifiers:_:)``, with the names of the properties whose values the history does not
    /// contain, which are empty in the row, instead of ``SwiftDataError/historyValueMissing``.
    package func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>? = nil,
        withMissingValues row: (DefaultSnapshot, Set<String>) throws -> Void
    ) throws {
        let missing = MissingValues()
        try MissingValues.$current.withValue(missing) {
            try fetchRows(ofEntity: entityName, identifiers: identifiers) { snapshot in
                try row(snapshot, missing.take(key: snapshot.persistentIdentifier.integerPrimaryKey))
            }
        }
    }
}

extension TrackedDatabase {
    /// The recorded tables with rows that were inserted or deleted without a record, and how many. Takes time proportional
    /// to the numbers of rows and of recorded changes.
    package func allUnrecordedRows() throws -> [(table: String, text: String)] {
        try reading { try TableTracking($0).differences().filter { !$0.1.isEmpty }.map { ($0.table, $0.1.text) } }
    }

    /// Like ``allUnrecordedRows()``, in a limited time: tables that take longer to compare are not among the result.
    package func unrecordedRows(
        within limit: Duration = .milliseconds(10)
    ) throws -> [(table: String, text: String)] {
        try reading {
            try TableTracking($0).differences(within: limit).filter { !$0.1.isEmpty }.map { ($0.table, $0.1.text) }
        }
    }

    /// Whether the schema has changed since ``followSchemaChanges()``, also in a way that does not matter.
    package func hasUnfollowedSchema() throws -> Bool {
        try reading { try SchemaFollowing($0).isDue }
    }
}

extension TrackedDatabase.Table {
    /// `false` for a view, a virtual table, and a part of a virtual table.
    package var isOrdinaryTable: Bool { isOrdinary }
    /// `true` for a part of a virtual table.
    package var isPartOfVirtualTable: Bool { isPart }
}
