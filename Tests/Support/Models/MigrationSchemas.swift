package import Chronicle

/// Three versions of a schema, with classes of the same name in the first two.
package enum TravelSchemaV1: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Trip.self, Person.self] }

    @Model
    package final class Trip {
        package var name: String
        package var days: Int
        package var guide: Person?

        package init(name: String, days: Int) {
            self.name = name
            self.days = days
        }
    }

    @Model
    package final class Person {
        package var name: String

        package init(name: String) { self.name = name }
    }
}

/// The names of trips are unique, and a trip has a length in hours.
package enum TravelSchemaV2: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Trip.self, Person.self] }

    @Model
    package final class Trip {
        @Attribute(.unique) package var name: String
        package var days: Int
        package var hours: Int?
        package var guide: Person?

        package init(name: String, days: Int) {
            self.name = name
            self.days = days
        }
    }

    @Model
    package final class Person {
        package var name: String

        package init(name: String) { self.name = name }
    }
}

/// Trips are called journeys, and can have several guides.
package enum TravelSchemaV3: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Journey.self] }

    @Model(originalName: "Trip")
    package final class Journey {
        @Attribute(.unique) package var name: String
        package var hours: Int = 0
        @Relationship(originalName: "guide") package var guides: [Person] = []

        package init(name: String) { self.name = name }
    }

    @Model
    package final class Person {
        package var name: String

        package init(name: String) { self.name = name }
    }
}

/// The stages between the versions. Each saves once for every trip.
package enum TravelMigrationPlan: SchemaMigrationPlan {
    package static var schemas: [any VersionedSchema.Type] {
        [TravelSchemaV1.self, TravelSchemaV2.self, TravelSchemaV3.self]
    }
    package static var stages: [MigrationStage] { [migrateV1ToV2 {}, migrateV2ToV3 {}] }

    /// - Parameter didSave: Called after each save.
    package static func migrateV1ToV2(_ didSave: @escaping @Sendable () -> Void) -> MigrationStage {
        .custom(
            fromVersion: TravelSchemaV1.self, toVersion: TravelSchemaV2.self,
            willMigrate: { context in
                let trips = try context.fetch(FetchDescriptor<TravelSchemaV1.Trip>())
                for (number, trip) in trips.enumerated() {
                    trip.name += " \(number)"
                    try context.save()
                    didSave()
                }
            },
            didMigrate: { context in
                for trip in try context.fetch(FetchDescriptor<TravelSchemaV2.Trip>()) {
                    trip.hours = trip.days * 24
                    try context.save()
                    didSave()
                }
            })
    }

    /// - Parameter didSave: Called after each save.
    package static func migrateV2ToV3(_ didSave: @escaping @Sendable () -> Void) -> MigrationStage {
        .custom(
            fromVersion: TravelSchemaV2.self, toVersion: TravelSchemaV3.self, willMigrate: nil,
            didMigrate: { context in
                for journey in try context.fetch(FetchDescriptor<TravelSchemaV3.Journey>()) {
                    journey.hours += 1
                    try context.save()
                    didSave()
                }
            })
    }
}
