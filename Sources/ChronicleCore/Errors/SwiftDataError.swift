public import Foundation

/// An error of Chronicle, with its kind and details.
///
/// Catch errors by kind with the static members. Some of them, such as ``historyTokenExpired``, also match more specific kinds:
///
/// ```swift
/// do {
///     let transactions = try context.fetchHistory(descriptor)
/// } catch SwiftDataError.historyTokenExpired {
///     // Any kind of invalid token: fetch the models again.
/// }
/// ```
///
/// Use ``code`` in a `switch`. The details are `nil` where they are not known. `==` and `~=` compare the kind only. Descriptions of
/// the error never contain values of models, so you can log them.
public struct SwiftDataError: Error, Sendable {
    /// The kind of the error, for a `switch`.
    public let code: Code
    /// The name of the entity that caused the error.
    public internal(set) var entityName: String?
    /// The name of the property that caused the error.
    public internal(set) var propertyName: String?
    /// The identifier of the model that caused the error.
    public internal(set) var persistentIdentifier: PersistentIdentifier?
    /// The identifier of the store that caused the error.
    public internal(set) var storeIdentifier: String?
    /// The ``DataStoreConfiguration/name`` of the store that caused the error.
    public internal(set) var storeName: String?
    /// A sentence that describes the cause and, where possible, what to do about it.
    public internal(set) var detail: String?
    /// The error that caused this error, for example an error that the `encode(to:)` of an attribute's type threw.
    ///
    /// - Warning: It may contain values of models, as an `EncodingError` does. Do not log it if values must not be logged. The
    ///   description of `SwiftDataError` contains only its type.
    public internal(set) var underlying: (any Error)?

    init(_ code: Code) { self.code = code }
}

extension SwiftDataError.Code {
    /// Returns whether this kind equals another one or a more specific one.
    func matches(_ other: SwiftDataError.Code) -> Bool {
        if self == other { return true }
        switch self {
        case .historyTokenExpired:
            return [.historyTokenForked, .historyTokenStoreMismatch, .historyTokenAhead, .historyTokenGap]
                .contains(other)
        case .loadIssueModelContainer:
            return [
                .notADatabase, .notAChronicleStore, .unsupportedFileVersion, .fileReadOnly, .missingDirectory,
                .damagedFile, .newerSchemaVersion, .unknownSchemaVersion, .missingMigrationStage,
                .invalidMigrationPlan, .storeUnavailable,
            ].contains(other)
        case .backwardMigration:
            return other == .newerSchemaVersion
        case .modelValidationFailure:
            return [.valueOutOfRange, .uniquenessViolation, .deleteDenied].contains(other)
        case .unknownSchema:
            return [.invalidModel, .unsupportedAttributeType].contains(other)
        default:
            return false
        }
    }
}

extension SwiftDataError {
    /// Returns whether an error is of the given kind or of a more specific one, for patterns such as `catch
    /// SwiftDataError.historyTokenExpired`.
    ///
    /// - Parameters:
    ///   - pattern: The kind to match.
    ///   - error: The error that was caught.
    /// - Returns: `true` if the error is a `SwiftDataError` of a matching kind.
    public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
        guard let error = error as? SwiftDataError else { return false }
        return pattern.code.matches(error.code)
    }
}

extension SwiftDataError: Equatable, Hashable {
    /// Returns whether two errors are of the same kind; use `~=` to match more specific ones. The details are not compared.
    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.code == rhs.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension SwiftDataError: LoggableError, CustomDebugStringConvertible {
    public var debugDescription: String { description }

    /// The kind and the details of the error, and what to do, without values of models.
    public var description: String {
        var text = code.rawValue
        if let entityName { text += " in \(entityName)" + (propertyName.map { ".\($0)" } ?? "") }
        if let persistentIdentifier { text += " (\(persistentIdentifier))" }
        if let store = storeName.map({ "\"\($0)\"" }) ?? storeIdentifier { text += " of store \(store)" }
        // The message of a database is the detail of many errors, and says neither what happened to the store nor what to do.
        let explanation = detail.flatMap { cause?.contains($0) == true ? nil : $0 } ?? code.explanation
        text += ": \(explanation)"
        if let cause { text += " (cause: \(cause))" }
        return text
    }

    /// The description of the underlying error: the name of its type, unless its description never contains values of models.
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

extension SwiftDataError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SwiftDataError: CustomNSError {
    /// `SwiftData.SwiftDataError`, the domain of SwiftData's errors.
    public static var errorDomain: String { "SwiftData.SwiftDataError" }

    /// 1, the code of all of SwiftData's errors.
    public var errorCode: Int { 1 }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

extension SwiftDataError: CustomReflectable {
    public var customMirror: Mirror {
        let details: KeyValuePairs<String, Any?> = [
            "code": code, "entityName": entityName, "propertyName": propertyName,
            "persistentIdentifier": persistentIdentifier, "storeIdentifier": storeIdentifier, "storeName": storeName,
            "detail": detail, "underlying": cause,
        ]
        return Mirror(
            self, children: details.compactMap { name, value in value.map { (name, $0) } }, displayStyle: .struct)
    }
}

extension SwiftDataError {
    /// Returns this error with additional details, for example for a custom store. `nil` leaves a detail unchanged.
    ///
    /// - Parameters:
    ///   - detail: A sentence that describes the cause and what to do about it.
    ///   - entityName: The name of the entity that caused the error.
    ///   - propertyName: The name of the property that caused the error.
    ///   - persistentIdentifier: The identifier of the model that caused the error.
    ///   - storeIdentifier: The identifier of the store that caused the error.
    ///   - storeName: The name of the configuration of that store.
    ///   - underlying: The error that caused this error.
    /// - Returns: The error with the details.
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
