import Foundation

extension ModelContext {
    /// Returns the transaction that gave each attribute of a model its present value, with its author and time.
    ///
    /// The method reads the history of the model from the newest change on, and stops when all attributes are found. It works
    /// without preserved values. An attribute that a migration added after the model was inserted has the transaction of the
    /// insert.
    ///
    /// Unsaved changes have no effect: the result describes the values in the store, or, in a context as of a position, those at
    /// its position.
    ///
    /// - Parameters:
    ///   - model: A saved model.
    ///   - type: The type of the transactions.
    /// - Returns: The transactions by attribute.
    /// - Throws: The errors of ``history(of:attribute:order:for:)-(Model,_,_,_)``, and ``SwiftDataError/modelNotFound`` also if the
    ///   model was deleted.
    /// - Complexity: Proportional to the length of the history since the oldest of the transactions, or to the number of changes of
    ///   the model since then if the default store has an index.
    public func blame<Model: PersistentModel, Transaction: HistoryTransaction>(
        _ model: Model, for type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> ModelBlame<Model, Transaction> {
        let identifier = model.persistentModelID
        return try blame(identifier, contextEntity(for: Swift.type(of: model)).entity)
    }

    /// Returns the transaction that gave each attribute of the model with an identifier its present value, like ``blame(_:for:)``.
    ///
    /// Use it in programs without model classes; see ``ModelContainer/init(forHistoryOf:)``. It does not read the model: if the
    /// history does not contain the model, no attribute has a transaction.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a model.
    ///   - type: The type of the transactions.
    /// - Returns: The transactions by the names of the attributes.
    /// - Throws: ``SwiftDataError/unknownSchema`` if the schema does not contain the entity of the identifier, and the errors of
    ///   ``blame(_:for:)``, such as ``SwiftDataError/modelNotFound`` if the model was deleted.
    public func blame<Transaction: HistoryTransaction>(
        of identifier: PersistentIdentifier, for type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> ModelBlame<UntypedModel, Transaction> {
        guard let entity = coordinator.schema.entitiesByName[identifier.entityName] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the schema does not contain the entity of the model", entityName: identifier.entityName,
                persistentIdentifier: identifier)
        }
        return try blame(identifier, entity)
    }

    private func blame<Model: PersistentModel, Transaction: HistoryTransaction>(
        _ identifier: PersistentIdentifier, _ entity: Schema.Entity
    ) throws -> ModelBlame<Model, Transaction> {
        var request = ModelHistoryRequest<Transaction>(identifier, order: .reverse)
        var page = try historyPage(request)
        while page.entries.isEmpty, let continuation = page.continuation {
            request.continuation = continuation
            page = try historyPage(request)
        }
        // The identifier may be one from a reference, whose entity is a superclass of the model.
        let own = page.entries.first?.change.changedPersistentIdentifier.entityName
        let names = (own.flatMap { coordinator.schema.entitiesByName[$0] } ?? entity).properties
            .filter(\.isRecorded).map(\.name)
        var search = BlameSearch<Transaction>(
            missing: Set(names), last: coordinator.asOf?.position(in: identifier.storeIdentifier ?? ""))
        try search.read(page)
        while let continuation = page.continuation, !search.isFinished {
            request.continuation = continuation
            page = try historyPage(request)
            try search.read(page)
        }
        return ModelBlame(identifier, attributeNames: names, search.found)
    }
}

private struct BlameSearch<Transaction: HistoryTransaction> {
    private(set) var found: [String: Transaction] = [:]
    private var missing: Set<String>
    private(set) var isFinished: Bool
    /// The last position that is read, or `nil` for the newest one.
    private let last: Int64?

    init(missing: Set<String>, last: Int64?) {
        (self.missing, self.last) = (missing, last)
        isFinished = missing.isEmpty
    }

    mutating func read(_ page: ModelHistoryPage<Transaction>) throws {
        for entry in page.entries where !isFinished {
            if let last, let number = entry.change.integerChangeIdentifier, number > last { continue }
            // Between earlier changes, others are missing, which may have changed the same attributes.
            if let start = page.completeAfter, entry.transaction.token <= start {
                isFinished = true
                return
            }
            switch entry.change {
            case .insert:
                for name in missing { found[name] = entry.transaction }
                isFinished = true
            case .update(let update):
                for name in update.updatedAttributeNames where missing.remove(name) != nil {
                    found[name] = entry.transaction
                }
                isFinished = missing.isEmpty
            case .delete(let delete):
                let model = delete.changedPersistentIdentifier
                throw SwiftDataError.modelNotFound.with(
                    detail: "the model was deleted, so its attributes have no present values; read its history instead",
                    entityName: model.entityName, persistentIdentifier: model)
            }
        }
    }
}
