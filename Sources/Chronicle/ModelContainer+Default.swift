public import ChronicleCore
public import ChronicleStore

extension ModelContainer {
    /// Creates a container for the given model classes and the classes they are related to, for example to combine the
    /// default store with other stores.
    ///
    /// ```swift
    /// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    /// ```
    ///
    /// - Parameters:
    ///   - types: The model classes.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil`.
    ///   - configurations: The stores to open. Without a configuration, the container opens `default.store` in the
    ///     program's directory, which is `~/.local/share/<executable>` on Linux; see
    ///     ``ModelConfiguration/init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:durability:recordsHistory:preservesValues:historyRetention:busyTimeout:)``.
    /// - Throws: ``SwiftDataError/unknownSchema`` if a model is declared incorrectly or has no store.
    ///   ``SwiftDataError/loadIssueModelContainer`` if a file cannot be opened; catch the specific error for its cause.
    ///   ``SwiftDataError/duplicateConfiguration`` if two configurations share a name or a file.
    public convenience init(
        for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(
            for: Schema(types), migrationPlan: migrationPlan,
            configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
    }

    /// Creates a container for a schema, for example to combine the default store with other stores.
    ///
    /// - Parameters:
    ///   - schema: The schema of the models.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil`.
    ///   - configurations: The stores to open. Without a configuration, the container opens `default.store` in the
    ///     program's directory.
    /// - Throws: ``SwiftDataError/unknownSchema`` if a model is declared incorrectly or has no store,
    ///   ``SwiftDataError/loadIssueModelContainer`` if a file cannot be opened, or
    ///   ``SwiftDataError/duplicateConfiguration``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(
            for: schema, migrationPlan: migrationPlan,
            configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
    }

    // Overloads for default stores only, which let callers write `.init(isStoredInMemoryOnly: true)`.

    /// Creates a container for the given model classes and the classes they are related to, in default stores.
    ///
    /// - Parameters:
    ///   - types: The model classes.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil`.
    ///   - configurations: The configurations of the stores, such as `.init(isStoredInMemoryOnly: true)`. Without one, the
    ///     container opens `default.store` in the program's directory.
    /// - Throws: ``SwiftDataError/unknownSchema`` if a model is declared incorrectly or has no store,
    ///   ``SwiftDataError/loadIssueModelContainer`` if a file cannot be opened, or
    ///   ``SwiftDataError/duplicateConfiguration``.
    public convenience init(
        for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container for a schema, in default stores.
    ///
    /// - Parameters:
    ///   - schema: The schema of the models.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil`.
    ///   - configurations: The configurations of the stores, such as `.init(isStoredInMemoryOnly: true)`. Without one, the
    ///     container opens `default.store` in the program's directory.
    /// - Throws: ``SwiftDataError/unknownSchema`` if a model is declared incorrectly or has no store,
    ///   ``SwiftDataError/loadIssueModelContainer`` if a file cannot be opened, or
    ///   ``SwiftDataError/duplicateConfiguration``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container for a schema, in an array of default stores.
    ///
    /// - Parameters:
    ///   - schema: The schema of the models.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil`.
    ///   - configurations: The configurations of the stores. If the array is empty, the container opens `default.store` in
    ///     the program's directory.
    /// - Throws: ``SwiftDataError/unknownSchema`` if a model is declared incorrectly or has no store,
    ///   ``SwiftDataError/loadIssueModelContainer`` if a file cannot be opened, or
    ///   ``SwiftDataError/duplicateConfiguration``.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
    ) throws {
        let stores: [any DataStoreConfiguration] = configurations.isEmpty ? [ModelConfiguration()] : configurations
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: stores)
    }

    /// The configurations of the container's default stores. For all stores in the order of their configurations, use
    /// ``stores``.
    public var configurations: Set<ModelConfiguration> {
        Set(stores.compactMap { ($0 as? DefaultStore)?.configuration })
    }
}
