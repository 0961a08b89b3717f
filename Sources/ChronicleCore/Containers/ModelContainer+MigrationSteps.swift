extension ModelContainer {
    /// Returns what creating a container would change in the files of its stores, without changing them.
    ///
    /// Use it to review a new version of the models with a copy of real data, or to ask for consent before a file is upgraded:
    ///
    /// ```swift
    /// for step in try ModelContainer.migrationSteps(for: schema, configurations: [configuration]) { print(step) }
    /// ```
    ///
    /// The default store opens a temporary copy of its file, and compares the copy with the file. The closures of custom stages run
    /// with contexts of the copy; what they do outside of the context, such as sending a message, is done. Other processes can use
    /// the file meanwhile. Rows in which the file notes the programs that use it are not among the steps.
    ///
    /// - Parameters:
    ///   - schema: The schema of the models.
    ///   - configurations: The configurations of the stores. A configuration without a schema receives that of the container. One
    ///     that does not allow saving, or stores in memory, has no steps.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil` for automatic changes only.
    /// - Returns: The changes, store by store. An empty array if nothing would change.
    /// - Throws: The error that creating a container with the same arguments would throw, such as
    ///   ``SwiftDataError/backwardMigration``, except errors about several stores. ``SwiftDataError/unsupportedFeature`` if a store
    ///   does not implement ``DataStore/migrationSteps(_:migrationPlan:)``; open a copy of its data instead.
    ///   ``SwiftDataError/storeFull`` if the temporary directory has not enough space for a copy.
    /// - Complexity: Proportional to the size of the files.
    public static func migrationSteps(
        for schema: Schema, configurations: [any DataStoreConfiguration],
        migrationPlan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> [MigrationStep] {
        try schema.validate()
        try schema.checkModelClasses()
        return try configurations.flatMap { try StoreCoordinator.migrationSteps($0, schema, migrationPlan) }
    }
}
