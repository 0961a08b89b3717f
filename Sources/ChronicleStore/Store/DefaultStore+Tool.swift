package import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
package import Foundation

// What the command-line tool needs besides the interface of the store.
extension DefaultStore {
    /// A notice about the version of SQLite, or `nil` if it has no defect that can damage files.
    package static var libraryNotice: String? { LibraryNotice.text() }

    /// The version of SQLite, such as `3.40.1`.
    package static var libraryVersion: String { LibraryNotice.version(SQLiteLibrary.versionNumber) }

    /// Returns whether a file is a ``TrackedDatabase`` whose history can be read.
    ///
    /// - Parameter url: The URL of the file.
    /// - Throws: The errors of ``schema(ofFileAt:)``.
    package static func isTracked(fileAt url: URL) throws -> Bool {
        do { return try inspecting(url, FileFormat.isTracked) ?? false } catch SwiftDataError.damagedFile {
            return false
        }
    }

    /// Returns whether an error means that the file must be rolled back before it can be read; see ``recover(fileAt:)``.
    package static func needsRecovery(_ error: SwiftDataError) -> Bool {
        (error.underlying as? DatabaseError)?.needsRecovery == true
    }

    /// Returns whether history was deleted.
    package func isHistoryPurged() throws -> Bool {
        try attributingErrors { try database.read { try MetaTable.position(.floor, $0) != nil } }
    }

    /// The names of all attributes and relationships in the history, also of those that were removed.
    package var recordedPropertyNames: Set<String> {
        Set(layout.recordedEntities.values.flatMap { $0.attributes.map(\.name) })
    }

    /// Rolls back a transaction that a program was writing to a file when it was interrupted.
    ///
    /// The other functions of this kind only read the file, which is not possible before.
    ///
    /// - Parameter url: The URL of the file. It need not exist.
    /// - Throws: The errors of ``schema(ofFileAt:)``, and ``SwiftDataError/fileReadOnly`` if the file or its directory
    ///   cannot be written; change their permissions.
    package static func recover(fileAt url: URL) throws {
        try ChronicleStore.attributingErrors(to: nil) { try FileInspection(url: url).recover() }
    }

    /// Throws an error if the file is the database of another program, because `VACUUM` may change rowids on which the
    /// program depends.
    package func requireVacuum() throws {
        guard layout.isTracked else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "the file is the database of another program, whose rowids VACUUM may change; run VACUUM with that "
                + "program", storeIdentifier: identifier)
    }
}

extension DefaultStore {
    /// Calls a closure with each row, like ``fetchRows(ofEntity:identifiers:_:)``, and with the names of the properties whose
    /// values the history does not contain. They are empty in the row.
    ///
    /// - Throws: The errors of that method, except ``SwiftDataError/historyValueMissing`` for a value.
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
    /// Returns the recorded tables with rows that were inserted or deleted without a record, and how many.
    ///
    /// - Throws: The errors of ``tables()``.
    /// - Complexity: O(*n*) in the numbers of rows and of recorded changes.
    package func unrecordedRows() throws -> [(table: String, text: String)] {
        try reading { try TableTracking($0).differences().map { ($0.table, $0.1.text) } }
    }
}

extension TrackedDatabase.Table {
    /// Whether it is neither a view nor virtual, nor part of a virtual table.
    package var isOrdinaryTable: Bool { isOrdinary }
}
