import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct SchemaMigrationTests {
    private func version(_ major: Int) -> Schema.Version { Schema.Version(major, 0, 0) }

    @Test func versionsAreComparedByNumber() throws {
        let versions = [Schema.Version(1, 9, 9), Schema.Version(1, 10, 0), Schema.Version(2, 0, 0)]
        #expect(versions.shuffled().sorted() == versions)
        #expect(versions.map(\.description) == ["1.9.9", "1.10.0", "2.0.0"])
        #expect(versions.map { Schema.Version($0.description) } == versions)
        for text in ["", "1", "1.0", "1.0.0.0", "1..0", "a.b.c", "1.0.0 "] { #expect(Schema.Version(text) == nil) }
        let decoded = try JSONDecoder().decode([Schema.Version].self, from: JSONEncoder().encode(versions))
        #expect(decoded == versions)
    }

    @Test func schemaHasTheVersion() {
        let schema = Schema(versionedSchema: TravelSchemaV2.self)
        #expect(schema.version == version(2) && schema.declaredVersion == version(2))
        #expect(schema.entities.map(\.name) == ["Person", "Trip"])
        let plain = Schema(TravelSchemaV2.Trip.self)
        #expect(plain.version == version(1) && plain.declaredVersion == nil)
        #expect(plain == schema)
    }

    @Test func hashDependsOnTheStoredForm() throws {
        let hashes = TravelMigrationPlan.schemas.map { Schema(versionedSchema: $0).versionHash }
        #expect(Set(hashes).count == 3)
        for schema in TravelMigrationPlan.schemas.map({ Schema(versionedSchema: $0) }) {
            let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
            #expect(decoded.versionHash == schema.versionHash)
        }
        // The hash is the same in every process and in later versions.
        #expect(
            Schema(versionedSchema: TravelSchemaV1.self).entitiesByName["Person"]?.versionHash == "eb08d6b164648ed3")
    }

    @Test func stagesLeadToTheTarget() throws {
        let plan = TravelMigrationPlan.self
        let migration = try SchemaMigration(plan, to: Schema(TravelSchemaV3.Journey.self))
        #expect(migration.target == version(3))
        func path(_ major: Int) throws -> [Schema.Version] {
            try migration.stages(from: version(major)).map { $0.toVersion.versionIdentifier }
        }
        #expect(try path(1) == [version(2), version(3)])
        #expect(try path(2) == [version(3)])
        #expect(try path(3).isEmpty)
        #expect(throws: SwiftDataError.newerSchemaVersion) { try path(4) }
        #expect(throws: SwiftDataError.unknownSchemaVersion) { try path(0) }
        let earlier = try SchemaMigration(plan, to: Schema(versionedSchema: TravelSchemaV2.self))
        #expect(try earlier.stages(from: version(1)).count == 1)
        #expect(throws: SwiftDataError.backwardMigration) {
            do { _ = try earlier.stages(from: version(3)) } catch SwiftDataError.backwardMigration {
                throw SwiftDataError.backwardMigration
            }
        }
    }

    private enum WithoutSchemas: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV2.self] }
        static var stages: [MigrationStage] { TravelMigrationPlan.stages }
    }

    @Test func versionsOfStagesBelongToThePlan() throws {
        let migration = try SchemaMigration(WithoutSchemas.self, to: Schema(TravelSchemaV3.Journey.self))
        #expect(migration.versions.map { $0.versionIdentifier } == (1...3).map(version))
        #expect(migration.target == version(3))
        #expect(try migration.stages(from: version(1)).count == 2)
        #expect(throws: SwiftDataError.unknownSchemaVersion) { try migration.stages(from: version(0)) }
        #expect(throws: SwiftDataError.newerSchemaVersion) { try migration.stages(from: version(4)) }
    }

    /// A later version of another program, whose class did not change.
    private enum LaterSchema: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
        static var models: [any PersistentModel.Type] { [TravelSchemaV2.Trip.self, TravelSchemaV2.Person.self] }
    }

    private enum BackFromLater: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV1.self, TravelSchemaV2.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self),
                .custom(
                    fromVersion: LaterSchema.self, toVersion: TravelSchemaV2.self, willMigrate: nil, didMigrate: nil),
            ]
        }
    }

    @Test func listedVersionsTakePrecedence() throws {
        let migration = try SchemaMigration(BackFromLater.self, to: Schema(TravelSchemaV2.Trip.self))
        #expect(migration.target == version(2))
        #expect(try migration.stages(from: version(4)).count == 1)
        #expect(try migration.stages(from: version(1)).count == 1)
    }

    private enum BothWays: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self),
                .custom(
                    fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV1.self, willMigrate: nil, didMigrate: nil),
            ]
        }
    }

    private enum LightweightBack: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV1.self)]
        }
    }

    @Test func onlyCustomStagesLeadBack() throws {
        for (target, other) in [(1, 2), (2, 1)] {
            let schema = Schema(versionedSchema: TravelMigrationPlan.schemas[target - 1])
            let migration = try SchemaMigration(BothWays.self, to: schema)
            #expect(try migration.stages(from: version(target)).isEmpty)
            let stages = try migration.stages(from: version(other))
            #expect(stages.map { $0.toVersion.versionIdentifier } == [version(target)])
            // No stage begins at the third version.
            #expect(throws: SwiftDataError.newerSchemaVersion) { try migration.stages(from: version(3)) }
        }
        let migration = try SchemaMigration(BothWays.self, to: Schema(versionedSchema: TravelSchemaV3.self))
        #expect(throws: SwiftDataError.missingMigrationStage) { try migration.stages(from: version(1)) }
        #expect(throws: SwiftDataError.invalidMigrationPlan) {
            try SchemaMigration(LightweightBack.self, to: Schema(versionedSchema: TravelSchemaV1.self))
        }
    }

    @Test func dataWithoutAVersionIsMatched() throws {
        let migration = try SchemaMigration(TravelMigrationPlan.self, to: Schema(TravelSchemaV3.Journey.self))
        func version(of data: Schema) throws -> Schema.Version {
            try migration.version { entity in
                data.entitiesByName[entity.name].map { $0.versionHash == entity.versionHash }
            }
        }
        for schema in TravelMigrationPlan.schemas.map({ Schema(versionedSchema: $0) }) {
            #expect(try version(of: schema) == schema.version)
        }
        // All versions have the same class of persons and one other class.
        #expect(try version(of: Schema(TravelSchemaV1.Person.self)) == self.version(1))
        #expect(throws: SwiftDataError.unknownSchemaVersion) { try version(of: Schema(Trip.self)) }
        #expect(throws: SwiftDataError.unknownSchemaVersion) { try version(of: Schema(entities: [])) }
    }

    @Test func storesReceiveThePlan() throws {
        let script = ScriptedStore.Script()
        let container = try ModelContainer(
            for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: TravelMigrationPlan.self,
            configurations: [ScriptedStore.Configuration(script: script)])
        let store = try #require(container.stores.first as? ScriptedStore)
        #expect(store.migrationPlan == TravelMigrationPlan.self && container.migrationPlan == TravelMigrationPlan.self)
    }
}
