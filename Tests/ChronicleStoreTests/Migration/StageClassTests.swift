import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Custom stages that use classes of other versions than that of their context.
///
/// https://github.com/everpcpc/KMReader/issues/803
@Suite struct StageClassTests {
    /// The use of a class in a stage.
    struct Use: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let perform: @Sendable (ModelContext) throws -> Void
    }

    private static func uses<Model: PersistentModel>(
        _: Model.Type, _ make: @escaping @Sendable () -> Model
    ) -> [Use] {
        [
            Use(testDescription: "\(Model.self) fetch") { _ = try $0.fetch(FetchDescriptor<Model>()) },
            Use(testDescription: "\(Model.self) fetchCount") { _ = try $0.fetchCount(FetchDescriptor<Model>()) },
            Use(testDescription: "\(Model.self) insert") {
                $0.insert(make())
                try $0.save()
            },
            Use(testDescription: "\(Model.self) insert without a save") { $0.insert(make()) },
            Use(testDescription: "\(Model.self) batch delete") { try $0.delete(model: Model.self) },
        ]
    }

    /// Classes of the later version: one whose shape differs, and one with an equal shape.
    static let later =
        uses(TravelSchemaV2.Trip.self) { TravelSchemaV2.Trip(name: "new", days: 1) }
        + uses(TravelSchemaV2.Person.self) { TravelSchemaV2.Person(name: "new") }
        + uses(TravelSchemaV3.Journey.self) { TravelSchemaV3.Journey(name: "new") }
    static let earlier =
        uses(TravelSchemaV1.Trip.self) { TravelSchemaV1.Trip(name: "new", days: 1) }
        + uses(TravelSchemaV1.Person.self) { TravelSchemaV1.Person(name: "new") }

    /// The use of the stage, which is a static property.
    private static let use = Mutex<(isLater: Bool, use: Use)?>(nil)

    private enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TravelSchemaV1.self, TravelSchemaV2.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self,
                    willMigrate: { context in
                        // The version before the change.
                        if let (isLater, use) = StageClassTests.use.withLock({ $0 }), isLater {
                            try use.perform(context)
                        }
                    },
                    didMigrate: { context in
                        if let (isLater, use) = StageClassTests.use.withLock({ $0 }), !isLater {
                            try use.perform(context)
                        }
                    })
            ]
        }
    }

    private func expectError(_ use: Use, isLater: Bool) throws {
        let file = try TemporaryDirectory().file("travel.store")
        let configuration = ModelConfiguration(url: file, durability: .relaxed)
        do {
            let container = try ModelContainer(
                for: Schema(versionedSchema: TravelSchemaV1.self), configurations: configuration)
            let context = ModelContext(container)
            let trip = TravelSchemaV1.Trip(name: "Rome", days: 1)
            trip.guide = TravelSchemaV1.Person(name: "Ann")
            context.insert(trip)
            try context.save()
        }
        let before = try Data(contentsOf: file)
        Self.use.withLock { $0 = (isLater, use) }
        defer { Self.use.withLock { $0 = nil } }
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(
                for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: Plan.self,
                configurations: configuration)
        }
        #expect(error?.entityName != nil || error?.detail?.isEmpty == false, "\(String(describing: error))")
        #expect(try Data(contentsOf: file) == before)
        // Without the use, the file can be migrated.
        Self.use.withLock { $0 = nil }
        let container = try ModelContainer(
            for: Schema(versionedSchema: TravelSchemaV2.self), migrationPlan: Plan.self, configurations: configuration)
        let trips = try ModelContext(container).fetch(FetchDescriptor<TravelSchemaV2.Trip>())
        #expect(trips.map(\.name) == ["Rome"] && trips.first?.guide?.name == "Ann")
    }

    /// One test for all uses, because they share the stage.
    @Test func classesOfOtherVersionsAreErrors() throws {
        for use in Self.later { try expectError(use, isLater: true) }
        for use in Self.earlier { try expectError(use, isLater: false) }
    }
}
