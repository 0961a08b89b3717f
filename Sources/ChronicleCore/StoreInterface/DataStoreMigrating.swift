/// A store that can tell what opening it would change, without changing anything.
///
/// ``ModelContainer/migrationSteps(for:configurations:migrationPlan:)`` throws ``SwiftDataError/unsupportedFeature`` for other
/// stores.
public protocol DataStoreMigrating: DataStore {
    /// Returns the changes that ``DataStore/init(_:migrationPlan:)`` with the same arguments would make to the data that exists.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store.
    ///   - migrationPlan: The plan for migrating the data, or `nil` for automatic changes only.
    /// - Returns: The changes in the order in which they are described to people; an empty array if the store would not change.
    /// - Throws: The errors of the initializer, such as ``SwiftDataError/backwardMigration``.
    static func migrationSteps(
        _ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep]
}
