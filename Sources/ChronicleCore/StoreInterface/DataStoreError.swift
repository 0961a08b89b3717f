public import Foundation

/// An error that a store throws if it cannot perform a request, or if the context should perform it instead.
///
/// Programs do not receive this error. If the context cannot perform the request either, it throws a ``SwiftDataError`` with the
/// name of the store.
public struct DataStoreError: Error, Hashable, Sendable {
    fileprivate enum Kind: Int, Hashable, Sendable {
        case invalidPredicate, preferInMemoryFilter, preferInMemorySort, unsupportedFeature
    }

    fileprivate let kind: Kind
    /// The unsupported feature, or the unsupported part of the predicate.
    public let detail: String?

    private init(_ kind: Kind, _ detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// The context filters in memory.
    ///
    /// After an error of `fetch`, `fetchRows`, `fetchCount` or `fetchIdentifiers`, the context repeats the request without
    /// predicate, limit and offset, and then applies them to the rows. After an error of ``DataStoreBatching/delete(_:)`` or
    /// ``DataStoreBatching/update(_:)``, it fetches the models and changes them with a save.
    public static let preferInMemoryFilter = DataStoreError(.preferInMemoryFilter)
    /// The context sorts in memory.
    ///
    /// Like after ``preferInMemoryFilter``, the context repeats the request, without sort descriptors, limit and offset. Rows that
    /// compare as equal remain in the order of the store.
    public static let preferInMemorySort = DataStoreError(.preferInMemorySort)
    /// The store does not support the requested feature. The program receives ``SwiftDataError/unsupportedFeature``.
    public static let unsupportedFeature = DataStoreError(.unsupportedFeature)
    /// The store does not support the predicate. The program receives ``SwiftDataError/unsupportedPredicate``.
    public static let invalidPredicate = DataStoreError(.invalidPredicate)

    /// Returns this error with a detail, as in `throw DataStoreError.unsupportedFeature.with(detail: "deleting history by
    /// predicate")`.
    ///
    /// - Parameter detail: The unsupported feature, or the unsupported part of the predicate, in a few words.
    /// - Returns: The error with the detail.
    public func with(detail: String) -> DataStoreError { DataStoreError(kind, detail) }
}

extension DataStoreError {
    /// Returns whether two errors are of the same kind. The details are not compared.
    public static func == (lhs: DataStoreError, rhs: DataStoreError) -> Bool { lhs.kind == rhs.kind }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// Returns whether an error is of the given kind, for patterns such as `catch DataStoreError.preferInMemorySort`.
    ///
    /// - Parameters:
    ///   - pattern: The kind to match.
    ///   - error: The error that was caught.
    /// - Returns: `true` if the error is a `DataStoreError` of this kind.
    public static func ~= (pattern: DataStoreError, error: any Error) -> Bool {
        (error as? DataStoreError) == pattern
    }
}

extension DataStoreError: CustomNSError {
    /// `SwiftData.DataStoreError`, the domain of SwiftData's errors of stores.
    public static var errorDomain: String { "SwiftData.DataStoreError" }

    public var errorCode: Int { kind.rawValue }
}

extension SwiftDataError {
    /// Converts an error of a store that the context cannot handle into an error for the program.
    init(response error: DataStoreError) {
        let converted: SwiftDataError =
            switch error.kind {
            case .unsupportedFeature:
                .unsupportedFeature.with(detail: error.detail ?? "no detail is available")
            case .invalidPredicate:
                .unsupportedPredicate.with(detail: error.detail)
            case .preferInMemoryFilter, .preferInMemorySort:
                .invalidStoreResponse.with(
                    detail: "a store throws preferInMemoryFilter only for a request with a predicate, and "
                        + "preferInMemorySort only for a request with sort descriptors")
            }
        self = converted.with(underlying: error)
    }
}

extension DataStore {
    /// Converts an error of this store for the program. Errors of other types than `DataStoreError` and `SwiftDataError` remain
    /// unchanged.
    func attributed(_ error: any Error) -> any Error {
        guard let error = (error as? DataStoreError).map(SwiftDataError.init(response:)) ?? error as? SwiftDataError
        else {
            return error
        }
        return error.with(storeIdentifier: identifier, storeName: configuration.name)
    }
}

/// Runs a request to a store, and adds the identifier and the name of the store to the errors that it throws.
func attributingErrors<Result>(to store: AnyObject, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw (store as? any DataStore)?.attributed(error) ?? error }
}
