import Foundation
import SwiftData

// The plan lists no versions. It uses those of its stages.

public enum ShelfSchemaV1: VersionedSchema {
    public static let versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [Shelf.self] }

    @Model
    public final class Shelf {
        public var name: String

        public init(name: String) { self.name = name }
    }
}

public enum ShelfSchemaV2: VersionedSchema {
    public static let versionIdentifier = Schema.Version(2, 0, 0)
    public static var models: [any PersistentModel.Type] { [Shelf.self] }

    @Model
    public final class Shelf {
        public var name: String
        public var length = 0

        public init(name: String) { self.name = name }
    }
}

public enum ShelfMigrationPlan: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] { [ShelfSchemaV2.self] }
    public static var stages: [MigrationStage] { [lengths] }

    static var lengths: MigrationStage {
        // The closures share an object that is not Sendable.
        let names = Names()
        return .custom(
            fromVersion: ShelfSchemaV1.self, toVersion: ShelfSchemaV2.self,
            willMigrate: { context in
                names.values = try context.fetch(FetchDescriptor<ShelfSchemaV1.Shelf>()).map(\.name)
            },
            didMigrate: { context in
                for shelf in try context.fetch(FetchDescriptor<ShelfSchemaV2.Shelf>())
                where names.values.contains(shelf.name) {
                    shelf.length = shelf.name.count
                }
                try context.save()
            })
    }

    private final class Names {
        var values: [String] = []
    }
}

/// A program that goes back to the first version.
public enum ShelfReturnPlan: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] { [ShelfSchemaV1.self, ShelfSchemaV2.self] }
    public static var stages: [MigrationStage] { [back] }

    static let back = MigrationStage.custom(
        fromVersion: ShelfSchemaV2.self, toVersion: ShelfSchemaV1.self, willMigrate: nil, didMigrate: nil)
}
