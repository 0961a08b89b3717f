import Foundation

/// What went wrong, by kind and with its details.
///
/// Catch by kind with the static members, several at once where one kind stands for a family:
///
/// ```swift
/// do {
///     let news = try context.fetchHistory(descriptor)
/// } catch SwiftDataError.historyTokenExpired {
///     // any token that is of no more use: start over
/// }
/// ```
///
/// A thrown error carries what is known beyond its kind: ``entityName``, ``propertyName``, ``persistentIdentifier``,
/// ``storeIdentifier``, ``storeName``, ``detail`` and ``underlying``. Equality and `~=` look at the
/// kind alone. Values of models are never part of a description of the error, so that it can go into a log as it is.
public struct SwiftDataError: Error, Sendable {
    let kind: Kind
    /// The entity that the error is about.
    public internal(set) var entityName: String?
    /// The property that the error is about.
    public internal(set) var propertyName: String?
    /// The model that the error is about.
    public internal(set) var persistentIdentifier: PersistentIdentifier?
    /// The store that the error comes from.
    public internal(set) var storeIdentifier: String?
    /// What the configuration calls that store: ``DataStoreConfiguration/name``.
    public internal(set) var storeName: String?
    /// What exactly, in a sentence.
    public internal(set) var detail: String?
    /// The error that caused this one, when there is one: what a type's own `encode(to:)` threw, for example.
    ///
    /// - Warning: It may contain values of models; an `EncodingError` has the value that could not be encoded. Descriptions
    ///   of `SwiftDataError` name its type only. Do not log it where values must not be logged.
    public internal(set) var underlying: (any Error)?

    init(_ kind: Kind) { self.kind = kind }
}

extension SwiftDataError {
    /// A kind, and the family it belongs to.
    enum Kind: String, Sendable {
        // Schema
        case unknownSchema, invalidModel, unsupportedAttributeType
        // Containers and files
        case loadIssueModelContainer, notADatabase, notAChronicleStore, unsupportedFileVersion, fileReadOnly
        case missingDirectory, damagedFile, duplicateConfiguration, backwardMigration
        // Models and contexts
        case missingModelContext, modelNotFound, contextMismatch, modelValidationFailure
        case unsavedChanges
        case valueOutOfRange, uniquenessViolation, deleteDenied, undecodableValue
        // Fetching
        case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath
        // Stores
        case storeBusy, storeReadOnly, storeFull, storeFailure, invalidStoreResponse, unsupportedFeature
        // History
        case historyTokenExpired, historyTokenForked, historyTokenStoreMismatch, historyTokenAhead, historyTokenGap
        case invalidTransactionFetchRequest, historyDisabled

        /// The kinds that a more general one stands for in `catch` and `~=`.
        func matches(_ other: Kind) -> Bool {
            if self == other { return true }
            switch self {
            case .historyTokenExpired:
                return [.historyTokenForked, .historyTokenStoreMismatch, .historyTokenAhead, .historyTokenGap]
                    .contains(other)
            case .loadIssueModelContainer:
                return [
                    .notADatabase, .notAChronicleStore, .unsupportedFileVersion, .fileReadOnly, .missingDirectory,
                    .damagedFile,
                ].contains(other)
            case .modelValidationFailure:
                return [.valueOutOfRange, .uniquenessViolation, .deleteDenied].contains(other)
            case .unknownSchema:
                return [.invalidModel, .unsupportedAttributeType].contains(other)
            default:
                return false
            }
        }
    }

    /// Whether an error is of the kind on the left, or of its family: `catch SwiftDataError.historyTokenExpired`.
    public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
        guard let error = error as? SwiftDataError else { return false }
        return pattern.kind.matches(error.kind)
    }
}

extension SwiftDataError: Equatable, Hashable {
    /// Whether both are of one kind; the details do not count.
    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.kind == rhs.kind }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension SwiftDataError: LoggableError, CustomDebugStringConvertible {
    public var debugDescription: String { description }

    public var description: String {
        var text = kind.rawValue
        if let entityName { text += " in \(entityName)" + (propertyName.map { ".\($0)" } ?? "") }
        if let persistentIdentifier { text += " (\(persistentIdentifier))" }
        if let store = storeName.map({ "\"\($0)\"" }) ?? storeIdentifier { text += " of store \(store)" }
        if let detail { text += ": \(detail)" }
        if let cause { text += " (cause: \(cause))" }
        return text
    }

    /// What is printed of the underlying error: its type, unless it is one that never has values of models.
    private var cause: String? {
        switch underlying {
        case nil: nil
        case let error as any LoggableError: error.description
        case let error as DataStoreError: "\(error)"
        case let error as CocoaError: "CocoaError \(error.code.rawValue)"
        case let error as POSIXError: "POSIXError \(error.code.rawValue)"
        case let error?: "\(type(of: error))"
        }
    }
}

extension SwiftDataError: CustomReflectable {
    /// As ``description``, without the underlying error's content: for `dump`, debuggers and tests.
    public var customMirror: Mirror {
        let details: KeyValuePairs<String, Any?> = [
            "kind": kind, "entityName": entityName, "propertyName": propertyName,
            "persistentIdentifier": persistentIdentifier, "storeIdentifier": storeIdentifier, "storeName": storeName,
            "detail": detail, "underlying": cause,
        ]
        return Mirror(
            self, children: details.compactMap { name, value in value.map { (name, $0) } }, displayStyle: .struct)
    }
}

extension SwiftDataError {
    /// This error with more said about it, for stores that report their own failures.
    public func with(
        detail: String? = nil, entityName: String? = nil, propertyName: String? = nil,
        persistentIdentifier: PersistentIdentifier? = nil, storeIdentifier: String? = nil, storeName: String? = nil,
        underlying: (any Error)? = nil
    ) -> SwiftDataError {
        var error = self
        error.detail = detail ?? error.detail
        error.entityName = entityName ?? error.entityName
        error.propertyName = propertyName ?? error.propertyName
        error.persistentIdentifier = persistentIdentifier ?? error.persistentIdentifier
        error.storeIdentifier = storeIdentifier ?? error.storeIdentifier
        error.storeName = storeName ?? error.storeName
        error.underlying = underlying ?? error.underlying
        return error
    }
}
