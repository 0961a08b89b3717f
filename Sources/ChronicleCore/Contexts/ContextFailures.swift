/// What went wrong where nothing can be thrown: in getters and setters of relationships, in `insert` and in `delete`.
///
/// A relationship that cannot be loaded reads as empty, and a program may act on that: it deletes a model whose list it
/// found empty. So no save succeeds until the program has read the relationship again, or has rolled back.
///
/// Models are referenced by identifier, so that a failure keeps none alive.
struct ContextFailures {
    /// A relationship of a model, or its row.
    struct Key: Hashable {
        let identifier: PersistentIdentifier
        /// ``Schema/Property/name``; `nil` for the row.
        let propertyName: String?
    }

    private struct Failure {
        /// The place in the order in which failures came.
        let number: Int
        var error: any Error
        /// Whether the program got an empty value, and has not read the right one since.
        var wasRead = false
        /// Whether a value that the program assigned was not stored.
        var wasAssigned = false
        /// Whether a fetch has thrown it.
        var isReported = false
    }

    private var failures: [Key: Failure] = [:]
    private var lastNumber = 0
    /// Deletes whose delete rules could not be applied, because the destinations could not be loaded.
    private(set) var unfinishedDeletes: [Key] = []
    /// A mistake that the next fetch or save throws, once.
    private var mistake: (any Error)?
    /// The entity of a model whose changes were lost.
    private var discardedEntityName: String?

    var isEmpty: Bool { failures.isEmpty }

    // MARK: What went wrong

    /// An error that the next fetch or save throws, once: a model that cannot be inserted, for example.
    mutating func add(_ error: any Error) {
        mistake = mistake ?? error
    }

    mutating func addRead(_ key: Key, _ error: any Error) {
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

    // MARK: What was resolved

    /// Whether the program read an empty value for want of the right one, and not the right one since.
    func wasRead(_ key: Key) -> Bool { failures[key]?.wasRead == true }

    /// The error of a relationship, if it could not be loaded or assigned.
    func error(of key: Key) -> (any Error)? { failures[key]?.error }

    /// The program has read the right value.
    mutating func resolveRead(_ key: Key) {
        failures[key]?.wasRead = false
        removeIfResolved(key)
    }

    /// The program has assigned another value, which is stored.
    mutating func resolveAssignment(_ key: Key) {
        failures[key]?.wasAssigned = false
        removeIfResolved(key)
    }

    private mutating func removeIfResolved(_ key: Key) {
        guard let failure = failures[key], !failure.wasRead, !failure.wasAssigned else { return }
        failures[key] = nil
    }

    /// The deletes that are to be finished now. What fails again is added again.
    mutating func takeUnfinishedDeletes() -> [Key] {
        defer { unfinishedDeletes = [] }
        return unfinishedDeletes
    }

    /// The delete of a model is taken back.
    mutating func removeUnfinishedDeletes(of identifier: PersistentIdentifier) {
        if !unfinishedDeletes.isEmpty { unfinishedDeletes.removeAll { $0.identifier == identifier } }
    }

    // MARK: Throwing

    /// What a program has to read again, in order.
    var readKeys: [Key] {
        failures.filter(\.value.wasRead).sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    /// - Throws: What no fetch has thrown yet.
    mutating func throwForFetch() throws {
        try throwDiagnostic()
        let unreported = failures.lazy.filter { !$0.value.isReported }
        guard let (key, failure) = unreported.min(by: { $0.value.number < $1.value.number }) else { return }
        failures[key]?.isReported = true
        throw failure.error
    }

    /// - Throws: What is not resolved yet, whether it was thrown before or not.
    mutating func throwForSave() throws {
        try throwDiagnostic()
        if let entityName = discardedEntityName {
            throw SwiftDataError.missingModelContext.with(
                detail: "the context was released before its changes were saved, and some of them with it; "
                    + "keep a reference to the context, or call rollback() to continue without these changes",
                entityName: entityName)
        }
        if let failure = failures.values.min(by: { $0.number < $1.number }) { throw failure.error }
    }

    private mutating func throwDiagnostic() throws {
        guard let error = mistake else { return }
        mistake = nil
        throw error
    }
}
