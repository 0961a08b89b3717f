/// A plan for migrating a store from earlier versions of its schema.
///
/// Chronicle does not support migration plans. The protocol exists so that stores that were written for SwiftData
/// compile; the `migrationPlan` argument of ``DataStore/init(_:migrationPlan:)`` is always `nil`. When a store is
/// opened, it migrates added, removed and renamed properties automatically.
public protocol SchemaMigrationPlan {}
