import Foundation
import SwiftData

// Versions with variables, without `any`, and with closures in the place of arguments.

public typealias Garden = GardenSchemaV3.Garden

public struct GardenSchemaV1: VersionedSchema {
    public static var models: [any PersistentModel.Type] = [Garden.self, CachedImage.self]
    public static var versionIdentifier: Schema.Version = .init(0, 0, 1)

    @Model
    public final class Garden {
        public var name: String
        public var beds: [String]
        public var isWatered: Bool

        public init(name: String, beds: [String] = [], isWatered: Bool = false) {
            self.name = name
            self.beds = beds
            self.isWatered = isWatered
        }
    }

    @Model
    public final class CachedImage {
        @Attribute(.externalStorage) public var data: Data

        public init(data: Data) { self.data = data }
    }
}

public enum GardenSchemaV2: VersionedSchema {
    public static var versionIdentifier = Schema.Version(0, 1, 0)
    public static var models: [any PersistentModel.Type] { [Garden.self, Bed.self] }

    @Model
    public final class Garden {
        public var name: String
        public var beds: [String]
        public var isWatered: Bool
        @Relationship(deleteRule: .cascade, inverse: \Bed.garden) public var planted: [Bed]?

        public init(name: String) {
            self.name = name
            beds = []
            isWatered = false
        }
    }

    @Model
    public final class Bed {
        public var name: String
        public var garden: Garden?

        public init(name: String) { self.name = name }
    }
}

public enum GardenSchemaV3: VersionedSchema {
    public static var versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [Garden.self, Bed.self] }

    @Model
    public final class Garden {
        public var name: String
        public var watered: Date?
        @Relationship(deleteRule: .cascade, inverse: \Bed.garden) public var planted: [Bed]?

        public init(name: String) { self.name = name }
    }

    @Model
    public final class Bed {
        public var name: String
        public var garden: Garden?

        public init(name: String) { self.name = name }
    }
}

public enum GardenMigrationPlan: SchemaMigrationPlan {
    public static var schemas: [VersionedSchema.Type] = [
        GardenSchemaV1.self, GardenSchemaV2.self, GardenSchemaV3.self,
    ]
    public static var stages: [MigrationStage] = [stageV1toV2, stageV2toV3]

    private static var watered = [PersistentIdentifier: Date]()

    static let stageV1toV2 = MigrationStage.custom(
        fromVersion: GardenSchemaV1.self, toVersion: GardenSchemaV2.self,
        willMigrate: { context in
            try? context.delete(model: GardenSchemaV1.CachedImage.self)
            try? context.save()
        }
    ) { context in
        guard let gardens = try? context.fetch(FetchDescriptor<GardenSchemaV2.Garden>()) else { return }
        for garden in gardens {
            for name in garden.beds {
                let bed = GardenSchemaV2.Bed(name: name)
                context.insert(bed)
                bed.garden = garden
            }
        }
        try? context.save()
    }

    static let stageV2toV3 = MigrationStage.custom(
        fromVersion: GardenSchemaV2.self,
        toVersion: GardenSchemaV3.self,
        willMigrate: {
            context in
            let fetch = FetchDescriptor<GardenSchemaV2.Garden>(predicate: #Predicate { $0.isWatered == true })
            for garden in try context.fetch(fetch) {
                watered[garden.persistentModelID] = Date(timeIntervalSinceReferenceDate: 0)
            }
        },
        didMigrate: { context in
            for (id, date) in watered {
                guard let garden = context.model(for: id) as? GardenSchemaV3.Garden else { continue }
                garden.watered = date
            }
            watered.removeAll()
            try context.save()
        })
}

public func makeGardens(at url: URL) -> Result<ModelContainer, Error> {
    Result {
        try ModelContainer(
            for: Garden.self, migrationPlan: GardenMigrationPlan.self,
            configurations: ModelConfiguration(url: url))
    }
}

/// The kinds of the stages, with the closures of those that have some.
public func kinds(of plan: SchemaMigrationPlan.Type) -> [String] {
    plan.stages.map { stage in
        switch stage {
        case .lightweight(let from, let to): "\(from.versionIdentifier) to \(to.versionIdentifier)"
        case .custom(_, _, let willMigrate, let didMigrate):
            "custom\(willMigrate == nil ? "" : " before")\(didMigrate == nil ? "" : " after")"
        }
    }
}
