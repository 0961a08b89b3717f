extension ModelContext {
    /// Returns the transactions that gave the attributes of a model, and of the models that paths of relationships reach, their
    /// present values.
    ///
    /// ```swift
    /// for blame in try context.blame(of: order, including: \.lines) {
    ///     for name in blame.attributeNames { print(blame.model, name, blame[name]?.author ?? "unknown") }
    /// }
    /// ```
    ///
    /// The models are those that the context shows; unsaved changes have no effect. The method works without preserved values,
    /// except in a context as of a position.
    ///
    /// - Parameters:
    ///   - model: A saved model.
    ///   - path: A path of relationships from the model.
    ///   - paths: Further paths.
    /// - Returns: The transactions of the model, and of each other model once, in the order of the paths and the identifiers; see
    ///   ``ModelBlame/paths``.
    /// - Throws: The errors of ``history(of:including:_:after:order:)``, such as ``SwiftDataError/unsupportedKeyPath``, and
    ///   ``SwiftDataError/modelNotFound`` also if the model was deleted.
    /// - Complexity: Reads the history once.
    public func blame<Model: PersistentModel>(
        of model: Model, including path: PartialKeyPath<RelationshipPath<Model>>,
        _ paths: PartialKeyPath<RelationshipPath<Model>>...
    ) throws -> [ModelBlame<UntypedModel, DefaultHistoryTransaction>] {
        try blame(of: model.persistentModelID, including: RelationshipPath.names([path] + paths))
    }

    /// Returns the transactions that gave the attributes of the model with an identifier, and of the models that paths reach, their
    /// present values; see ``blame(of:including:_:)``.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a model.
    ///   - paths: The names of relationships, or of several ones with a period in between, such as `lines.product`.
    /// - Returns: The transactions of the model, and of each other model once.
    /// - Throws: The errors of ``blame(of:including:_:)``, such as ``SwiftDataError/modelNotFound``.
    /// - Complexity: Reads the history once.
    public func blame(
        of identifier: PersistentIdentifier, including paths: [String]
    ) throws -> [ModelBlame<UntypedModel, DefaultHistoryTransaction>] {
        try reading(identifier, paths) { reader in
            let members = try reader.members()
            var origins = AttributeOrigins(members.map(\.model), coordinator.schema)
            try reader.forEachChange { transaction, change, _ in origins.add(change, transaction) }
            return try members.map { try origins.blame($0.model, $0.paths, isRoot: $0.model == identifier) }
        }
    }
}

/// The transactions that set the attributes of some models last.
private struct AttributeOrigins {
    private typealias Transaction = DefaultHistoryTransaction

    private let schema: Schema
    private var found: [PersistentIdentifier: [String: Transaction]]
    /// The identifier of a member may come from a reference, whose entity is a superclass of the model.
    private var entityNames: [PersistentIdentifier: String] = [:]
    private var deleted: Set<PersistentIdentifier> = []

    init(_ models: [PersistentIdentifier], _ schema: Schema) {
        self.schema = schema
        found = Dictionary(uniqueKeysWithValues: models.map { ($0, [:]) })
    }

    mutating func add(_ change: HistoryChange, _ transaction: DefaultHistoryTransaction) {
        let model = change.changedPersistentIdentifier
        guard found[model] != nil else { return }
        entityNames[model] = model.entityName
        switch change {
        case .insert:
            deleted.remove(model)
            found[model] = Dictionary(uniqueKeysWithValues: names(model.entityName).map { ($0, transaction) })
        case .update(let update): for name in update.updatedAttributeNames { found[model]?[name] = transaction }
        case .delete:
            deleted.insert(model)
            found[model] = [:]
        }
    }

    private func names(_ entityName: String) -> [String] {
        (schema.entitiesByName[entityName]?.properties ?? []).filter(\.isRecorded).map(\.name)
    }

    func blame(
        _ model: PersistentIdentifier, _ paths: [String], isRoot: Bool
    ) throws -> ModelBlame<UntypedModel, DefaultHistoryTransaction> {
        if isRoot, deleted.contains(model) {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model was deleted, so its attributes have no present values; read its history instead",
                entityName: model.entityName, persistentIdentifier: model)
        }
        let names = names(entityNames[model] ?? model.entityName)
        let known = (found[model] ?? [:]).filter { names.contains($0.key) }
        var blame = ModelBlame<UntypedModel, DefaultHistoryTransaction>(model, attributeNames: names, known)
        blame.paths = paths
        return blame
    }
}
