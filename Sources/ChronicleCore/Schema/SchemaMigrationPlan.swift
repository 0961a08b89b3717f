/// A plan for the migration of a store from earlier versions of its schema.
///
/// Chronicle has no migration plans yet: the protocol exists so that stores that are written for SwiftData compile, and
/// ``DataStore/init(_:migrationPlan:)`` always gets `nil`. A store takes over added, removed and renamed properties when it
/// is opened.
public protocol SchemaMigrationPlan {}
