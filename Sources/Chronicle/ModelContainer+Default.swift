public import ChronicleCore
public import ChronicleStore

extension ModelContainer {
    /// Opens the default store, or any mix of stores, for these models and those they are related to.
    ///
    /// ```swift
    /// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    /// let context = ModelContext(container)
    /// ```
    ///
    /// Without configurations, the store is `default.store` in the user's application support directory.
    ///
    /// - Throws: ``SwiftDataError/unknownSchema`` for models that are declared wrongly,
    ///   ``SwiftDataError/loadIssueModelContainer`` for files that cannot be opened, ``SwiftDataError/duplicateConfiguration``.
    public convenience init(
        for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(
            for: Schema(types),
            configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
    }

    /// The same for a schema.
    public convenience init(for schema: Schema, configurations: any DataStoreConfiguration...) throws {
        try self.init(for: schema, configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
    }

    // The same for configurations of the default store, so that `.init(isStoredInMemoryOnly: true)` is one.

    /// Opens the default store, once for each configuration.
    public convenience init(
        for types: any PersistentModel.Type..., configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(types), configurations: configurations)
    }

    /// The same for a schema.
    public convenience init(for schema: Schema, configurations: ModelConfiguration...) throws {
        try self.init(for: schema, configurations: configurations)
    }

    /// The same for an array. When it is empty, the store is the one without configurations.
    public convenience init(for schema: Schema, configurations: [ModelConfiguration]) throws {
        let stores: [any DataStoreConfiguration] = configurations.isEmpty ? [ModelConfiguration()] : configurations
        try self.init(for: schema, configurations: stores)
    }

    /// The configurations of those stores that are a ``DefaultStore``. ``stores`` has all, in their order.
    public var configurations: Set<ModelConfiguration> {
        Set(stores.compactMap { ($0 as? DefaultStore)?.configuration })
    }
}
