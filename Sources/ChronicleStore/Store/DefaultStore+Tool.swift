import ChronicleCore
package import Foundation

// What the command-line tool needs besides the interface of the store.
extension DefaultStore {
    /// A notice about the version of SQLite, or `nil` if it has no defect that can damage files.
    package static var libraryNotice: String? { LibraryNotice.text() }

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
