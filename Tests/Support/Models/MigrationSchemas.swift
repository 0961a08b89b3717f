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

/// Two versions of a hierarchy: the second one has another subclass, and a new attribute in the first one.
package enum FleetSchemaV1: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Ship.self, Ferry.self] }

    @Model
    package class Ship {
        package var name: String

        package init(name: String) { self.name = name }
    }

    @Model
    package final class Ferry: Ship {
        package var seats = 0
    }
}

package enum FleetSchemaV2: VersionedSchema {
    package static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    package static var models: [any PersistentModel.Type] { [Vessel.self, Ferry.self, Tug.self] }

    @Model(originalName: "Ship")
    package class Vessel {
        #Unique<Vessel>([\.name])
        #Index<Vessel>([\.name])
        package var name: String

        package init(name: String) { self.name = name }
    }

    @Model
    package final class Ferry: Vessel {
        package var seats = 0
        package var line = "unknown"
    }

    @Model
    package final class Tug: Vessel {
        package var power = 1
    }
}

package enum FleetMigrationPlan: SchemaMigrationPlan {
    package static var schemas: [any VersionedSchema.Type] { [FleetSchemaV1.self, FleetSchemaV2.self] }
    package static var stages: [MigrationStage] {
        [
            .custom(fromVersion: FleetSchemaV1.self, toVersion: FleetSchemaV2.self, willMigrate: nil) { context in
                for ferry in try context.fetch(FetchDescriptor<FleetSchemaV2.Ferry>()) { ferry.seats += 1 }
                context.insert(FleetSchemaV2.Tug(name: "Svitzer"))
            }
        ]
    }
}
