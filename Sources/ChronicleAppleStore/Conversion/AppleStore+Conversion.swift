import ChronicleCore
public import ChronicleStore
public import Foundation

extension AppleStore {
    /// Writes the models, links and history of the file to a new store of Chronicle, which opens with the same classes.
    ///
    /// ```swift
    /// let schema = Schema([Trip.self, Stop.self, Person.self])
    /// let source = try AppleStore(AppleStoreConfiguration(schema: schema, url: old), migrationPlan: nil)
    /// let conversion = try source.convert(to: new)
    /// ```
    ///
    /// Open the source with the classes of the program, because the file does not describe types that are `Codable`. See
    /// `DefaultStore.convert(_:to:progress:)` for the content of the new file.
    ///
    /// - Parameters:
    ///   - url: The URL of the new file, in an existing directory.
    ///   - progress: A closure that receives the number of models, links and changes that were written so far.
    /// - Returns: The numbers and checksums of the tables, and what was not carried over.
    /// - Throws: `SwiftDataError.storeFailure` if there is a file at the URL, or another error of
    ///   `DefaultStore.convert(_:to:progress:)`. There is no file at the URL then.
    /// - Complexity: O(*n*) in the number of models, links and changes.
    @discardableResult
    public func convert(to url: URL, progress: ((Int) -> Void)? = nil) throws -> StoreConversion {
        // Before the file is in its place, because reading can fail.
        let missing = try omissions()
        var conversion = try DefaultStore.convert(self, to: url, progress: progress)
        conversion.omissions = missing + conversion.omissions
        return conversion
    }
}
