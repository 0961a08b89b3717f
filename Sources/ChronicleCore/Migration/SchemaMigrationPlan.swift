/// The versions of a schema, and the stages that migrate a store from each version to the next.
///
/// Pass the plan to ``ModelContainer/init(for:migrationPlan:configurations:)-(Schema,_,[DataStoreConfiguration])``. When
/// a store is opened whose file has an earlier version, its stages run one after another before the initializer returns.
///
/// ```swift
/// enum TripsMigrationPlan: SchemaMigrationPlan {
///     static var schemas: [any VersionedSchema.Type] { [TripsSchemaV1.self, TripsSchemaV2.self] }
///     static var stages: [MigrationStage] {
///         [.lightweight(fromVersion: TripsSchemaV1.self, toVersion: TripsSchemaV2.self)]
///     }
/// }
/// ```
///
/// Without a plan, a store adds and renames properties automatically when it is opened.
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions of the schema, in any order. Their identifiers must be unique. A version that only a stage contains is a
    /// version of the plan as well.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The stages, in any order. Each stage begins at the version at which another one ends.
    static var stages: [MigrationStage] { get }
}
