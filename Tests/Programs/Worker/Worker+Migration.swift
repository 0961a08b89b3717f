import Chronicle
import ChronicleTestSupport
import Foundation

extension Worker {
    /// Migrates a store, and prints a dot for each save of a stage.
    static func migrate(_ configuration: ModelConfiguration) throws {
        let container = try ModelContainer(
            for: TravelSchemaV3.Journey.self, migrationPlan: DottedPlan.self, configurations: configuration)
        emit("migrated \(try ModelContext(container).fetchCount(FetchDescriptor<TravelSchemaV3.Journey>()))\n")
    }

    private enum DottedPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
        static var stages: [MigrationStage] {
            [TravelMigrationPlan.migrateV1ToV2 { emit(".") }, TravelMigrationPlan.migrateV2ToV3 { emit(".") }]
        }
    }
}
