/// The errors that occurred where none can be thrown: in getters and setters of relationships, in `insert` and in `delete`.
///
/// A relationship that cannot be loaded reads as empty, and a program may act on that, for example by deleting the model.
/// Therefore, no save succeeds until the program has read the relationship again or has rolled back. Failures reference models by
/// identifier, so that they do not keep them alive.
struct ContextFailures {
    struct Key: Hashable {
        let identifier: PersistentIdentifier
        /// ``Schema/Property/name``; `nil` for the row.
        let propertyName: String?
    }

    private struct Failure {
        let number: Int
        var error: any Error
        /// Whether the program read an empty value instead of the stored one, and did not read it again since.
        var wasRead = false
        /// Whether an assigned value was not stored.
        var wasAssigned = false
        var isReported = false
    }

    /// Reads by getters while a fetch evaluates models in memory. The program does not see the values, so an error is one of the
    /// fetch and does not prevent a save, and a read that succeeds resolves nothing.
    struct Evaluation {
        fileprivate(set) var error: (any Error)?
    }

    private static let describedCount = 10

    private var failures: [Key: Failure] = [:]
    private var lastNumber = 0
    /// Relationships of deleted models whose delete rules could not be applied, because the destinations could not be loaded.
    private(set) var unfinishedDeletes: [Key] = []
    /// The errors that the next fetch or save throws once, as one error.
    private var deferredErrors: [any Error] = []
    private var reportedCount = 0
    private var discardedEntityName: String?
    /// Not `nil` while a fetch evaluates models.
    var evaluation: Evaluation?

    var isEmpty: Bool { failures.isEmpty }

    // MARK: Recording failures

    /// For example for a model that cannot be inserted. The next fetch or save throws the error once.
    mutating func add(_ error: any Error) { deferredErrors.append(error) }

    /// For a row that could not be read again after a completed operation: each later read of the row throws the error.
    mutating func addIfFirst(_ error: any Error) {
        if deferredErrors.isEmpty { deferredErrors.append(error) }
    }

    mutating func addRead(_ key: Key, _ error: any Error) {
        if let evaluation {
            if evaluation.error == nil { self.evaluation?.error = error }
            return
        }
        self[key, error].wasRead = true
    }

    mutating func addAssignment(_ key: Key, _ error: any Error) {
        self[key, error].wasAssigned = true
    }

    mutating func addUnfinishedDelete(_ key: Key) {
        if !unfinishedDeletes.contains(key) { unfinishedDeletes.append(key) }
    }

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

    func wasRead(_ key: Key) -> Bool { failures[key]?.wasRead == true }

    func error(of key: Key) -> (any Error)? { failures[key]?.error }

    mutating func resolveRead(_ key: Key) {
        guard evaluation == nil else { return }
        failures[key]?.wasRead = false
        removeIfResolved(key)
    }

    mutating func resolveAssignment(_ key: Key) {
        failures[key]?.wasAssigned = false
        removeIfResolved(key)
    }

    mutating func removeAssignments(of identifier: PersistentIdentifier) {
        for key in failures.keys where key.identifier == identifier { resolveAssignment(key) }
    }

    private mutating func removeIfResolved(_ key: Key) {
        guard let failure = failures[key], !failure.wasRead, !failure.wasAssigned else { return }
        failures[key] = nil
    }

    /// The caller adds those that fail again.
    mutating func takeUnfinishedDeletes() -> [Key] {
        defer { unfinishedDeletes = [] }
        return unfinishedDeletes
    }

    mutating func removeUnfinishedDeletes(of identifier: PersistentIdentifier) {
        if !unfinishedDeletes.isEmpty { unfinishedDeletes.removeAll { $0.identifier == identifier } }
    }

    // MARK: Throwing failures

    var readKeys: [Key] {
        failures.filter(\.value.wasRead).sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    /// Whether a fetch leaves the errors of earlier operations to the next fetch or save, because its caller is not the program.
    var areLeft = false

    /// Throws the deferred errors, or the first failure that no fetch has thrown yet.
    mutating func throwForFetch() throws {
        if areLeft { return }
        try throwDeferredErrors()
        let unreported = failures.lazy.filter { !$0.value.isReported }
        guard let (key, failure) = unreported.min(by: { $0.value.number < $1.value.number }) else { return }
        failures[key]?.isReported = true
        throw failure.error
    }

    /// The next fetch or save throws these errors anyway.
    mutating func takeUnreportedErrors() -> [any Error] {
        defer { reportedCount = deferredErrors.count }
        return Array(deferredErrors[reportedCount...])
    }

    /// Throws the deferred errors, ``SwiftDataError/missingModelContext`` for lost changes, or the first unresolved failure, even
    /// if it was thrown before.
    ///
    /// - Parameters:
    ///   - isAutomatic: Whether an autosave calls the method, which leaves the deferred errors to the program.
    ///   - isDeleted: Returns whether a model is deleted. Its relationships are not saved, but the delete can be undone.
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

    /// Throws the first deferred error, and removes all of them. Its detail describes the others: throwing one after the other
    /// would make as many fetches fail.
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
