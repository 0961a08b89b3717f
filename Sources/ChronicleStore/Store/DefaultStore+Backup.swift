import ChronicleCore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Opens the file of a store for reading its history, without model classes.
    ///
    /// Use it in programs that show the content of any store. For contexts and consumers, make a container of the store:
    ///
    /// ```swift
    /// let container = ModelContainer(forHistoryOf: try DefaultStore(readingHistoryAt: url))
    /// for transaction in try ModelContext(container).fetchHistory() { print(transaction) }
    /// ```
    ///
    /// - Parameter url: The URL of the file, which is not changed.
    /// - Throws: ``SwiftDataError/notADatabase``, or another error of ``schema(ofFileAt:)`` or ``init(_:migrationPlan:)``.
    /// - Complexity: Proportional to the size of the descriptions of the models.
    public convenience init(readingHistoryAt url: URL) throws {
        let schema = try Self.schema(ofFileAt: url)
        try self.init(ModelConfiguration(schema: schema, url: url, allowsSave: false), migrationPlan: nil)
    }

    /// Copies the store to a new file, as it is at one moment, while other contexts and programs write.
    ///
    /// The copy needs no other files. It is the same store: it has the ``identifier`` and the tokens of the original. To
    /// copy the models to another store, use
    /// ``ModelContainer/exportHistory(startingAt:through:storeName:to:)-(_,_,_,URL)``. Unsaved changes of contexts are not
    /// part of the copy.
    ///
    /// - Parameter url: The URL of the new file, in an existing directory.
    /// - Throws: ``SwiftDataError/storeFailure`` if there is a file at the URL, or if it cannot be created; choose another
    ///   URL. ``SwiftDataError/storeFull`` if the disk is full. ``SwiftDataError/storeBusy`` if the file stays locked; try
    ///   again. No file remains after an error.
    /// - Complexity: Proportional to the size of the store.
    public func backup(to url: URL) throws {
        guard past == nil else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "a store that is read as of a position cannot be copied; copy the present store",
                storeIdentifier: identifier)
        }
        for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            throw SwiftDataError.storeFailure.with(
                detail: "\(url.path + suffix) exists already; move it away or choose another URL",
                storeIdentifier: identifier)
        }
        try attributingErrors {
            let target = try Connection(path: url.path, mode: .readWriteCreate)
            do {
                try database.read { try $0.copy(to: target) }
                target.close()
            } catch {
                target.close()
                // The error is more important than one of these calls.
                for suffix in ["", "-journal"] { unlink(url.path + suffix) }
                throw error
            }
        }
    }
}
