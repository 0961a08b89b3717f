import Chronicle

/// The results of the operations on a mutated file.
struct Outcomes {
    /// The number of operations that succeeded.
    private(set) var successes = 0
    /// The number of errors by kind.
    private(set) var errors: [String: Int] = [:]
    /// The first three errors that a damaged file does not explain, with their operations.
    private(set) var failures: [String] = []

    /// Runs an operation, which should succeed or throw one of the ``allowed`` errors.
    ///
    /// - Returns: The result of the operation, or `nil` after an error.
    @discardableResult
    mutating func attempt<Result>(_ operation: String, _ body: () throws -> Result) -> Result? {
        do {
            let result = try body()
            successes += 1
            return result
        } catch let error as SwiftDataError {
            if let kind = Self.allowed.first(where: { $0.error == error && $0.detail ?? error.detail == error.detail })
            {
                errors[kind.name, default: 0] += 1
            } else {
                fail(operation, "\(error)")
            }
        } catch {
            fail(operation, "\(type(of: error)): \(error)")
        }
        return nil
    }

    mutating func fail(_ operation: String, _ error: String) {
        let failure = "\(operation) threw \(error)"
        if failures.count < 3, !failures.contains(failure) { failures.append(failure) }
    }

    /// The errors that a damaged file, or a file that was changed by another program, can cause:
    ///
    /// - The file, a row or a value is invalid.
    /// - A table, column, or trigger is missing or was replaced, for which SQLite has no specific code
    /// (`storeFailure`).
    /// - A save violates a constraint that another program declared, or conflicts with a row that it wrote.
    /// - A store that is opened read-only has a journal that would have to be rolled back.
    /// - A fetch returns a row twice, because an index is damaged or the table was replaced by a view.
    /// - A save assigns the key of a model in the context to a new row, because the row of that model and its entry in
    ///   `sqlite_sequence` are gone.
    /// - History was deleted, disabled, or replaced, or a tag was deleted.
    /// - A later version of the models renamed a property before.
    private static let allowed: [(name: String, error: SwiftDataError, detail: String?)] = [
        ("repeatedRow", .invalidStoreResponse, "the store returned a row more than once"),
        ("reusedKey", .invalidStoreResponse, "a save returned an identifier that another model already has"),
        ("damagedFile", .damagedFile, nil), ("notADatabase", .notADatabase, nil),
        ("notAChronicleStore", .notAChronicleStore, nil), ("unsupportedFileVersion", .unsupportedFileVersion, nil),
        ("undecodableValue", .undecodableValue, nil), ("loadIssueModelContainer", .loadIssueModelContainer, nil),
        ("backwardMigration", .backwardMigration, nil), ("newerSchemaVersion", .newerSchemaVersion, nil),
        ("storeFailure", .storeFailure, nil),
        ("uniquenessViolation", .uniquenessViolation, nil), ("modelValidationFailure", .modelValidationFailure, nil),
        ("deleteDenied", .deleteDenied, nil), ("modelNotFound", .modelNotFound, nil),
        ("storeFull", .storeFull, nil),
        ("storeReadOnly", .storeReadOnly, nil), ("historyDisabled", .historyDisabled, nil),
        ("historyTokenExpired", .historyTokenExpired, nil),
        ("historyTokenForked", .historyTokenForked, nil), ("historyTokenAhead", .historyTokenAhead, nil),
        ("historyTokenGap", .historyTokenGap, nil), ("historyTokenStoreMismatch", .historyTokenStoreMismatch, nil),
        ("historyTagNotFound", .historyTagNotFound, nil),
    ]
}
