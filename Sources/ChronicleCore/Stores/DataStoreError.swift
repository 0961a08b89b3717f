/// What a store answers when it cannot, or would rather not, do what it is asked.
///
/// A store throws one of these instead of working around its backend; the context knows what to do:
///
/// ```swift
/// func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
///     if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
///     if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
///     …
/// }
/// ```
///
/// A program never sees one: what the context cannot do either comes out as a ``SwiftDataError`` that names the store.
public struct DataStoreError: Error, Hashable, Sendable {
    fileprivate enum Kind: Hashable, Sendable {
        case preferInMemoryFilter, preferInMemorySort, unsupportedFeature, invalidPredicate
    }

    fileprivate let kind: Kind
    /// The feature that the store does not have, or the part of the predicate that it does not understand.
    public let detail: String?

    private init(_ kind: Kind, _ detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// The context is to filter: it asks again without predicate, limit and offset, judges each row by
    /// `Predicate.evaluate`, and then applies limit and offset. For `fetch`, `fetchCount` and `fetchIdentifiers`; of
    /// ``DataStoreBatching/delete(_:)`` the context does all, and fetches what it deletes.
    public static let preferInMemoryFilter = DataStoreError(.preferInMemoryFilter)
    /// The context is to sort: it asks again without sort, limit and offset, sorts with the descriptors, and then applies
    /// limit and offset. Rows that are equal to them stay in the order of the store. For `fetch`, `fetchCount` and
    /// `fetchIdentifiers`.
    public static let preferInMemorySort = DataStoreError(.preferInMemorySort)
    /// The store does not have what was asked for; the program gets ``SwiftDataError/unsupportedFeature``.
    public static let unsupportedFeature = DataStoreError(.unsupportedFeature)
    /// The predicate makes no sense to the store; the program gets ``SwiftDataError/unsupportedPredicate``.
    public static let invalidPredicate = DataStoreError(.invalidPredicate)

    /// This error with what the store does not have, or does not understand, in a few words:
    /// `throw DataStoreError.unsupportedFeature.with(detail: "deleting history by predicate")`.
    public func with(detail: String) -> DataStoreError { DataStoreError(kind, detail) }
}

extension DataStoreError {
    /// Whether both are of one kind; the details do not count.
    public static func == (lhs: DataStoreError, rhs: DataStoreError) -> Bool { lhs.kind == rhs.kind }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// Whether an error is of the kind on the left: `catch DataStoreError.preferInMemorySort`.
    public static func ~= (pattern: DataStoreError, error: any Error) -> Bool {
        (error as? DataStoreError) == pattern
    }
}

extension SwiftDataError {
    /// What a program is told of a store's answer that the context can do nothing about.
    init(response error: DataStoreError) {
        let told: SwiftDataError =
            switch error.kind {
            case .unsupportedFeature:
                .unsupportedFeature.with(detail: error.detail ?? "the store does not say which")
            case .invalidPredicate:
                .unsupportedPredicate.with(detail: error.detail)
            case .preferInMemoryFilter, .preferInMemorySort:
                .invalidStoreResponse.with(
                    detail: "a store leaves to the context only a predicate that it was given, and a sort likewise")
            }
        self = told.with(underlying: error)
    }
}

extension DataStore {
    /// An error of this store as the program gets it: with the store's name on it. Errors that are the store's own
    /// business stay as they are.
    func attributed(_ error: any Error) -> any Error {
        guard let error = (error as? DataStoreError).map(SwiftDataError.init(response:)) ?? error as? SwiftDataError
        else {
            return error
        }
        return error.with(storeIdentifier: identifier, storeName: configuration.name)
    }
}

/// Runs what asks a store, and says of its errors which store they come from.
func attributingErrors<Result>(to store: AnyObject, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw (store as? any DataStore)?.attributed(error) ?? error }
}
