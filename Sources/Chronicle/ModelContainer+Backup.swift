public import ChronicleCore
public import ChronicleStore
public import Foundation

extension ModelContainer {
    /// The first default store, in the order of the configurations, or `nil` if the container has stores of other types only.
    ///
    /// Use it for what contexts do not offer, such as ``DefaultStore/setPreservesValues(_:)`` and ``DefaultStore/compact()``.
    public var defaultStore: DefaultStore? { stores.lazy.compactMap { $0 as? DefaultStore }.first }

    /// Copies the default store to a new file, as it is at one moment, while other contexts and programs write.
    ///
    /// ```swift
    /// try container.backup(to: directory.appending(path: "Trips \(Date.now.formatted(.iso8601)).store"))
    /// ```
    ///
    /// To restore the copy, put it in place of the original while no program uses the store, and delete the files beside it.
    /// Tokens after the copy then throw ``SwiftDataError/historyTokenExpired`` or an error of its family.
    ///
    /// - Parameter url: The URL of the new file, in an existing directory.
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if the container has no default store, or several; call
    ///   ``DefaultStore/backup(to:)`` of each. Otherwise, the errors of that method, such as
    ///   ``SwiftDataError/storeFailure``.
    /// - Complexity: Proportional to the size of the store.
    public func backup(to url: URL) throws {
        let stores = stores.compactMap { $0 as? DefaultStore }
        guard let store = stores.first, stores.count == 1 else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: stores.isEmpty
                    ? "the container has no default store; use the backup of its database"
                    : "the container has several stores; call backup(to:) of each default store")
        }
        try store.backup(to: url)
    }
}
