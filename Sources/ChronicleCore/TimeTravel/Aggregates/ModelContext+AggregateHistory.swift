public import Foundation

// The history of a model and of the models that it consists of.
extension ModelContext {
    /// Returns the changes of a model and of all models that paths of relationships reached at the time of each change.
    ///
    /// ```swift
    /// for entry in try context.history(of: order, including: \.lines, \.lines.product, \.shipments) {
    ///     print(entry.transaction.timestamp, entry.kind, entry.paths)
    /// }
    /// ```
    ///
    /// A change of another model belongs to the list if a path reached the model directly before or after the transaction of the
    /// change. The list contains the lines that were removed or deleted since, as long as they belonged to the order, and the change
    /// that removed them. A line that moved to another order and back has the changes of both periods. The models between the
    /// order and the end of a path, such as the lines for `\.lines.product`, are included only if they have a path. Each change is
    /// listed once, with all its paths; see ``ModelHistoryEntry/paths``.
    ///
    /// The paths are followed back from the present relationships, so the history must preserve the values of these relationships;
    /// see ``ModelConfiguration/preservesValues``. It is not necessary for other values. Unsaved changes have no effect. In a context
    /// as of a position, the list ends there.
    ///
    /// - Parameters:
    ///   - model: A saved model. It may have been deleted since.
    ///   - path: A path of relationships from the model.
    ///   - paths: Further paths.
    ///   - token: The position after which the changes begin, or `nil` for the position after which the history is complete.
    ///   - order: Whether the oldest (`.forward`) or the newest change (`.reverse`) is first.
    /// - Returns: The changes in commit order, or its reverse.
    /// - Throws:
    ///   - ``SwiftDataError/historyValueMissing`` if the history does not contain an earlier destination of a relationship. The
    ///     error names the transaction after which the list can begin; pass its token.
    ///   - ``SwiftDataError/unsupportedKeyPath`` if a component of a path is not a stored relationship.
    ///   - ``SwiftDataError/unsupportedFeature`` if the store does not have the capability
    ///     ``DataStoreCapabilities/earlierPositions``.
    ///   - ``SwiftDataError/historyTokenExpired`` if the history after the token is incomplete, or was deleted while it was read.
    ///     Pass a later token, or call the method again.
    ///   - Otherwise the errors of ``history(of:attribute:order:for:)-(Model,_,_,_)``, such as ``SwiftDataError/modelNotFound``.
    /// - Complexity: Reads the history after the token twice. Memory is needed for the returned changes, and for the identifiers of
    ///   each change of one of the relationships, also of other models. Otherwise proportional to the number
    ///   of changes, and of models that begin or cease to be reached by a path.
    public func history<Model: PersistentModel>(
        of model: Model, including path: PartialKeyPath<RelationshipPath<Model>>,
        _ paths: PartialKeyPath<RelationshipPath<Model>>..., after token: DefaultHistoryToken? = nil,
        order: SortOrder = .forward
    ) throws -> [ModelHistoryEntry<DefaultHistoryTransaction>] {
        try history(
            of: model.persistentModelID, including: RelationshipPath.names([path] + paths), after: token, order: order)
    }

    /// Returns the changes of the model with an identifier, and of all models that paths reached at the time of each change; see
    /// ``history(of:including:_:after:order:)``.
    ///
    /// Use it in programs without model classes, and for relationships that only a subclass declares.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the model, which may have been deleted.
    ///   - paths: The names of relationships, or of several ones with a period in between, such as `lines.product`.
    ///   - token: The position after which the changes begin, or `nil` for the position after which the history is complete.
    ///   - order: Whether the oldest or the newest change is first.
    /// - Returns: The changes in commit order, or its reverse.
    /// - Throws: The errors of ``history(of:including:_:after:order:)``, such as ``SwiftDataError/historyValueMissing``.
    /// - Complexity: That of ``history(of:including:_:after:order:)``.
    public func history(
        of identifier: PersistentIdentifier, including paths: [String], after token: DefaultHistoryToken? = nil,
        order: SortOrder = .forward
    ) throws -> [ModelHistoryEntry<DefaultHistoryTransaction>] {
        let entries = try reading(identifier, paths, after: token) { try $0.entries() }
        return order == .forward ? entries : entries.reversed()
    }

    func reading<Result>(
        _ identifier: PersistentIdentifier, _ paths: [String], after token: DefaultHistoryToken? = nil,
        _ body: (AggregateReader) throws -> Result
    ) throws -> Result {
        checkIsolation()
        let provider: AggregateReader.Store = try historyProvider(of: identifier)
        return try attributingErrors(to: provider) {
            let asOf = coordinator.positions?[provider.storeIdentifier] as? DefaultHistoryToken
            var attempts = 0
            while true {
                let newest = try provider.currentHistoryToken()
                do {
                    return try body(
                        AggregateReader(identifier, paths, in: provider, coordinator.schema, after: token, asOf: asOf))
                } catch let error as SwiftDataError where error == .historyValueMissing {
                    // The value may be one that another writer has replaced since the reading began.
                    attempts += 1
                    guard attempts < 5, try provider.currentHistoryToken() != newest else { throw error }
                }
            }
        }
    }
}
