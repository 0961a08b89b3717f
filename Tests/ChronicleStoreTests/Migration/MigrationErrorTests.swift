import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Files that cannot be migrated are not changed.
@Suite struct MigrationErrorTests {
    private let file: URL
    private var configuration: ModelConfiguration { ModelConfiguration(url: file, durability: .relaxed) }

    init() throws { file = try TemporaryDirectory().file("travel.store") }

    private func write(_ version: any VersionedSchema.Type) throws {
        let container = try ModelContainer(for: Schema(versionedSchema: version), configurations: configuration)
        let context = ModelContext(container)
        if version == TravelSchemaV1.self { context.insert(TravelSchemaV1.Trip(name: "Rome", days: 1)) }
        try context.save()
    }

    /// Expects that opening the file with a plan throws an error and does not change the file.
    private func expect(
        _ error: SwiftDataError, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Data(contentsOf: file)
        #expect(throws: error, sourceLocation: sourceLocation) {
            _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
        }
        #expect(try Data(contentsOf: file) == before, sourceLocation: sourceLocation)
        #expect(throws: SwiftDataError.loadIssueModelContainer, sourceLocation: sourceLocation) {
            do {
                _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
            } catch SwiftDataError.loadIssueModelContainer { throw SwiftDataError.loadIssueModelContainer }
        }
    }

    private enum OnlyV1: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV1.self] }
        static var stages: [MigrationStage] { [] }
    }

    private enum WithoutV1: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV2.self, TravelSchemaV3.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV3.self)]
        }
    }

    private enum WithoutPath: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
        static var stages: [MigrationStage] { WithoutV1.stages }
    }

    private enum Disconnected: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas + [Other.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self),
                .lightweight(fromVersion: TravelSchemaV3.self, toVersion: Other.self),
            ]
        }
    }

    private enum Other: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
        static var models: [any PersistentModel.Type] { TravelSchemaV3.models }
    }

    @Test func laterVersion() throws {
        try write(TravelSchemaV3.self)
        try expect(.newerSchemaVersion, Schema(versionedSchema: TravelSchemaV1.self), OnlyV1.self)
        try expect(.newerSchemaVersion, Schema(versionedSchema: TravelSchemaV1.self), nil)
    }

    @Test func unknownVersion() throws {
        try write(TravelSchemaV1.self)
        try expect(.unknownSchemaVersion, Schema(versionedSchema: TravelSchemaV3.self), WithoutV1.self)
    }

    /// The models of a file without a version match no version of the plan.
    @Test func unknownModels() throws {
        let schema = Schema(TravelSchemaV1.Trip.self)
        let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
        context.insert(TravelSchemaV1.Trip(name: "Rome", days: 1))
        try context.save()
        try expect(.unknownSchemaVersion, Schema(versionedSchema: TravelSchemaV3.self), WithoutV1.self)
    }

    @Test func missingStage() throws {
        try write(TravelSchemaV1.self)
        try expect(.missingMigrationStage, Schema(versionedSchema: TravelSchemaV3.self), WithoutPath.self)
        try expect(.missingMigrationStage, Schema(versionedSchema: TravelSchemaV2.self), WithoutPath.self)
    }

    @Test func invalidPlans() throws {
        try write(TravelSchemaV1.self)
        try expect(.invalidMigrationPlan, Schema(versionedSchema: TravelSchemaV3.self), Disconnected.self)
        try expect(.invalidMigrationPlan, Schema(versionedSchema: TravelSchemaV3.self), OnlyV1.self)
        try expect(.invalidMigrationPlan, Schema(TravelSchemaV3.Journey.self), OnlyV1.self)
    }

    private enum Back: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV1.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV1.self,
                    willMigrate: { context in
                        for trip in try context.fetch(FetchDescriptor<TravelSchemaV2.Trip>()) { trip.name += "!" }
                    }, didMigrate: nil)
            ]
        }
    }

    /// Only a custom stage opens a file of a later version. Others still reject it.
    @Test func laterVersionWithAStage() throws {
        do {
            let schema = Schema(versionedSchema: TravelSchemaV2.self)
            let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
            let trip = TravelSchemaV2.Trip(name: "Rome", days: 2)
            trip.hours = 48
            context.insert(trip)
            try context.save()
        }
        let first = Schema(versionedSchema: TravelSchemaV1.self)
        try expect(.newerSchemaVersion, first, TravelMigrationPlan.self)
        try expect(.newerSchemaVersion, first, nil)
        for _ in 1...2 {
            let container = try ModelContainer(for: first, migrationPlan: Back.self, configurations: configuration)
            let trips = try ModelContext(container).fetch(FetchDescriptor<TravelSchemaV1.Trip>())
            #expect(trips.map(\.name) == ["Rome!"] && trips.map(\.days) == [2])
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: TravelMigrationPlan.self,
            configurations: configuration)
        #expect(try ModelContext(container).fetch(FetchDescriptor<TravelSchemaV2.Trip>()).map(\.hours) == [48])
    }

    /// A stage whose changes are not possible leaves the file unchanged as well.
    @Test func failedStage() throws {
        enum Lightweight: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { TravelMigrationPlan.schemas }
            static var stages: [MigrationStage] {
                [.lightweight(fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self)]
            }
        }
        try write(TravelSchemaV1.self)
        try write(TravelSchemaV1.self)
        let before = try Data(contentsOf: file)
        #expect(throws: SwiftDataError.uniquenessViolation) {
            _ = try ModelContainer(
                for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: Lightweight.self,
                configurations: configuration)
        }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func readOnlyStore() throws {
        try write(TravelSchemaV1.self)
        let error = try #require(throws: SwiftDataError.self) {
            _ = try ModelContainer(
                for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: TravelMigrationPlan.self,
                configurations: ModelConfiguration(url: file, allowsSave: false))
        }
        #expect(error == .loadIssueModelContainer)
        let container = try ModelContainer(
            for: Schema(versionedSchema: TravelSchemaV1.self), migrationPlan: TravelMigrationPlan.self,
            configurations: ModelConfiguration(url: file, allowsSave: false))
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<TravelSchemaV1.Trip>()) == 1)
    }
}
