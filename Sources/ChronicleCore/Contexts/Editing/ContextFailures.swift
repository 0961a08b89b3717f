/// The errors that occurred where none can be thrown: in getters and setters of relationships, in `insert` and in
/// `delete`.
///
/// A relationship that cannot be loaded reads as empty, and a program may act on that, for example by deleting the
/// model. Therefore, no save succeeds until the program has read the relationship again or has rolled back.
///
/// Failures reference models by identifier, so that they do not keep them alive.
struct ContextFailures {
    /// Identifies a relationship of a model, or its row.
    struct Key: Hashable {
        let identifier: PersistentIdentifier
        /// ``Schema/Property/name``; `nil` for the row.
        let propertyName: String?
    }

    private struct Failure {
        /// The position in the order of failures.
        let number: Int
        var error: any Error
        /// Whether the program read an empty value instead of the stored one, and did not read it again since.
        var wasRead = false
        /// Whether an assigned value was not stored.
        var wasAssigned = false
        /// Whether a fetch has thrown the error.
        var isReported = false
    }

    /// The number of further deferred errors that an error describes.
    private static let describedCount = 10

    private var failures: [Key: Failure] = [:]
    private var lastNumber = 0
    /// Relationships of deleted models whose delete rules could not be applied, because the destinations could not be
    /// loaded.
    private(set) var unfinishedDeletes: [Key] = []
    /// The errors that the next fetch or save throws once, as one error.
    private var deferredErrors: [any Error] = []
    /// The number of deferred errors that an autosave has reported.
    private var reportedCount = 0
    /// The entity of a model whose changes were lost.
    private var discardedEntityName: String?

    var isEmpty: Bool { failures.isEmpty }

    // MARK: Recording failures

    /// Adds an error that the next fetch or save throws once, for example for a model that cannot be inserted.
    mutating func add(_ error: any Error) { deferredErrors.append(error) }

    /// Adds an error of a row that could not be read again after a completed operation, unless there is an error already: each
    /// later read of the row throws it.
    mutating func addIfFirst(_ error: any Error) {
        if deferredErrors.isEmpty { deferredErrors.append(error) }
    }

    /// Records that a relationship or row could not be loaded when it was read.
    mutating func addRead(_ key: Key, _ error: any Error) {
        self[key, error].wasRead = true
    }

    /// Records that a value could not be assigned.
    mutating func addAssignment(_ key: Key, _ error: any Error) {
        self[key, error].wasAssigned = true
    }

    /// Records that the delete rule of a relationship could not be applied.
    mutating func addUnfinishedDelete(_ key: Key) {
        if !unfinishedDeletes.contains(key) { unfinishedDeletes.append(key) }
    }

    /// Records that unsaved changes of a model were lost.
    mutating func discardChanges(entityName: String) {
        if discardedEntityName == nil { discardedEntityName = entityName }
    }

    private subscript(key: Key, error: any Error) -> Failure {
        mutating get {
            if let known = failures[key] { return known }
            lastNumber += 1
            return Failure(number: lastNumber, error: error)
        }
        set {
            var failure = newValue
            failure.error = error
            failure.isReported = false
            failures[key] = failure
        }
    }

    // MARK: Resolving failures

    /// Returns whether the program read an empty value instead of the stored one, and did not read it again since.
    func wasRead(_ key: Key) -> Bool { failures[key]?.wasRead == true }

    /// Returns the error of a relationship that could not be loaded or assigned.
    func error(of key: Key) -> (any Error)? { failures[key]?.error }

    /// Records that the program has read the stored value.
    mutating func resolveRead(_ key: Key) {
        failures[key]?.wasRead = false
        removeIfResolved(key)
    }

    /// Records that the program has assigned a value that was stored.
    mutating func resolveAssignment(_ key: Key) {
        failures[key]?.wasAssigned = false
        removeIfResolved(key)
    }

    /// Removes the failed assignments of a model that left the context.
    mutating func removeAssignments(of identifier: PersistentIdentifier) {
        for key in failures.keys where key.identifier == identifier { resolveAssignment(key) }
    }

    private mutating func removeIfResolved(_ key: Key) {
        guard let failure = failures[key], !failure.wasRead, !failure.wasAssigned else { return }
        failures[key] = nil
    }

    /// Removes and returns the unfinished deletes. The caller adds those that fail again.
    mutating func takeUnfinishedDeletes() -> [Key] {
        defer { unfinishedDeletes = [] }
        return unfinishedDeletes
    }

    /// Removes the unfinished deletes of a model whose delete was undone.
    mutating func removeUnfinishedDeletes(of identifier: PersistentIdentifier) {
        if !unfinishedDeletes.isEmpty { unfinishedDeletes.removeAll { $0.identifier == identifier } }
    }

    // MARK: Throwing failures

    /// The relationships and rows that must be read again, in the order of their failures.
    var readKeys: [Key] {
        failures.filter(\.value.wasRead).sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    /// Throws the first failure that no fetch has thrown yet.
    ///
    /// - Throws: The deferred errors or the error of a failure.
    mutating func throwForFetch() throws {
        try throwDeferredErrors()
        let unreported = failures.lazy.filter { !$0.value.isReported }
        guard let (key, failure) = unreported.min(by: { $0.value.number < $1.value.number }) else { return }
        failures[key]?.isReported = true
        throw failure.error
    }

    /// Returns the deferred errors that no autosave has reported. The next fetch or save throws them anyway.
    mutating func takeUnreportedErrors() -> [any Error] {
        defer { reportedCount = deferredErrors.count }
        return Array(deferredErrors[reportedCount...])
    }

    /// Throws the first unresolved failure, even if it was thrown before.
    ///
    /// - Parameters:
    ///   - isAutomatic: Whether an autosave calls the method, which leaves the deferred errors to the program.
    ///   - isDeleted: Returns whether a model is deleted. Its relationships are not saved, but the delete can be undone.
    /// - Throws: The deferred errors, ``SwiftDataError/missingModelContext`` for lost changes, or the error of a
    ///   failure.
    mutating func throwForSave(isAutomatic: Bool, isDeleted: (PersistentIdentifier) -> Bool) throws {
        if !isAutomatic { try throwDeferredErrors() }
        if let entityName = discardedEntityName {
            throw SwiftDataError.missingModelContext.with(
                detail: "the context was released and some of its unsaved changes were lost; "
                    + "keep a reference to the context, or call rollback() to continue without these changes",
                entityName: entityName)
        }
        let relevant = failures.filter { key, failure in
            failure.wasRead || key.propertyName == nil || !isDeleted(key.identifier)
        }
        if let failure = relevant.min(by: { $0.value.number < $1.value.number })?.value { throw failure.error }
    }

    /// Throws the first deferred error, and removes all of them. Its detail describes the others: throwing one after the
    /// other would make as many fetches fail.
    private mutating func throwDeferredErrors() throws {
        guard let first = deferredErrors.first else { return }
        guard let error = first as? SwiftDataError else {
            // It has no detail for the others.
            deferredErrors.removeFirst()
            reportedCount = max(0, reportedCount - 1)
            throw first
        }
        let others = deferredErrors.dropFirst()
        (deferredErrors, reportedCount) = ([], 0)
        guard !others.isEmpty else { throw first }
        let known = others.prefix(Self.describedCount).map {
            ($0 as? any LoggableError).map { "\($0)" } ?? "\(type(of: $0))"
        }
        let rest = others.count > known.count ? ["\(others.count - known.count) more"] : []
        let description = "further errors: " + (known + rest).joined(separator: "; ")
        throw error.with(detail: error.detail.map { "\($0) (\(description))" } ?? description)
    }
}
