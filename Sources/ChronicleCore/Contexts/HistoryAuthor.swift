/// The author of the saves of a task, such as the user of a request.
///
/// A server sets the author once, where it receives a request, instead of in each context:
///
/// ```swift
/// try await HistoryAuthor.withValue(user.name, metadata: ["request": request.id]) {
///     try await respond(to: request)
/// }
/// ```
///
/// A context whose ``ModelContext/author`` is `nil` records the author and the metadata of the task: in saves, in batch operations,
/// and in saves that acknowledge a batch of a consumer. The task that calls ``ModelContext/save()`` determines the author. An autosave
/// has the author of the first change that it saves.
///
/// Child tasks, and tasks that are created with `Task { }`, inherit the author. Detached tasks do not.
public enum HistoryAuthor {
    struct Value: Sendable {
        let name: String
        let metadata: [String: String]

        static func nested(_ name: String, _ metadata: [String: String]) -> Value {
            Value(name: name, metadata: value?.metadata.merging(metadata) { $1 } ?? metadata)
        }
    }

    @TaskLocal static var value: Value?

    /// The author of the current task, or `nil`.
    public static var current: String? { value?.name }

    /// The metadata of the current task, which contexts without an author add to their ``ModelContext/transactionMetadata``.
    public static var currentMetadata: [String: String] { value?.metadata ?? [:] }

    /// Calls an operation whose saves have an author.
    ///
    /// - Parameters:
    ///   - author: The author. A save throws ``SwiftDataError/valueOutOfRange`` if it contains a NUL character.
    ///   - metadata: Further information; see ``ModelContext/transactionMetadata``. It is added to that of an enclosing call, whose
    ///     values of the same keys it replaces. The values of a context replace both.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public static func withValue<Result>(
        _ author: String, metadata: [String: String] = [:], operation: () throws -> Result
    ) rethrows -> Result {
        try $value.withValue(.nested(author, metadata), operation: operation)
    }

    /// Calls an asynchronous operation whose saves have an author.
    ///
    /// - Parameters:
    ///   - author: The author.
    ///   - metadata: Further information, as for ``withValue(_:metadata:operation:)``.
    ///   - isolation: The actor on which the operation runs, which is the caller's.
    ///   - operation: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public static func withValue<Result>(
        _ author: String, metadata: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $value.withValue(.nested(author, metadata), operation: operation, isolation: isolation)
    }
}
