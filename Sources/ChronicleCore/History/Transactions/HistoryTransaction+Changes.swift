// The changes of a transaction by model class.
extension HistoryTransaction {
    /// Returns the changes of the models of a class and its subclasses, in the order in which they were made.
    ///
    /// - Parameter type: The class.
    /// - Returns: The changes.
    /// - Complexity: O(*n*), where *n* is the number of changes of the transaction.
    public func changes<Model: PersistentModel>(of type: Model.Type) -> [HistoryChange] {
        changes.filter { $0.modelType is Model.Type }
    }
}

extension DefaultHistoryTransaction {
    /// Returns the inserts of the models of a class, in the order in which they were made.
    ///
    /// - Parameter type: The class. Inserts of a subclass have the type of the subclass, so they are not included.
    /// - Returns: The inserts.
    /// - Complexity: O(*n*), where *n* is the number of changes of the transaction.
    public func inserts<Model: PersistentModel>(of type: Model.Type) -> [DefaultHistoryInsert<Model>] {
        changes.compactMap { if case .insert(let insert) = $0 { insert as? DefaultHistoryInsert<Model> } else { nil } }
    }

    /// Returns the updates of the models of a class, in the order in which they were made.
    ///
    /// ```swift
    /// for update in transaction.updates(of: Trip.self) {
    ///     print(update.previousValue(\.name) ?? "-", "became", update.value(\.name) ?? "-")
    /// }
    /// ```
    ///
    /// - Parameter type: The class. Updates of a subclass have the type of the subclass, so they are not included.
    /// - Returns: The updates.
    /// - Complexity: O(*n*), where *n* is the number of changes of the transaction.
    public func updates<Model: PersistentModel>(of type: Model.Type) -> [DefaultHistoryUpdate<Model>] {
        changes.compactMap { if case .update(let update) = $0 { update as? DefaultHistoryUpdate<Model> } else { nil } }
    }

    /// Returns the deletes of the models of a class, in the order in which they were made.
    ///
    /// - Parameter type: The class. Deletes of a subclass have the type of the subclass, so they are not included.
    /// - Returns: The deletes.
    /// - Complexity: O(*n*), where *n* is the number of changes of the transaction.
    public func deletes<Model: PersistentModel>(of type: Model.Type) -> [DefaultHistoryDelete<Model>] {
        changes.compactMap { if case .delete(let delete) = $0 { delete as? DefaultHistoryDelete<Model> } else { nil } }
    }
}

extension HistoryChange {
    /// The class of the model that changed.
    fileprivate var modelType: any PersistentModel.Type {
        func model<Change: HistoryInsert>(of change: Change) -> any PersistentModel.Type { Change.Model.self }
        func model<Change: HistoryUpdate>(of change: Change) -> any PersistentModel.Type { Change.Model.self }
        func model<Change: HistoryDelete>(of change: Change) -> any PersistentModel.Type { Change.Model.self }
        switch self {
        case .insert(let change): return model(of: change)
        case .update(let change): return model(of: change)
        case .delete(let change): return model(of: change)
        }
    }
}
