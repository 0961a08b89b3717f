import Chronicle
import Foundation

// Declare these types as the program that wrote the file did: Composite
enum SchemaV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] {
        [BusinessTrip.self, Person.self, Stop.self, Trip.self]
    }

    @Model
    final class BusinessTrip: Trip {
        var client: Person?
        var perDiem: Int = 10

        override init(name: String) {
            super.init(name: name)
        }
    }

    @Model
    final class Person {
        var knows: [Person] = []
        @Attribute(.preserveValueOnDeletion) var name: String
        @Relationship(inverse: \Trip.friends) var trips: [Trip] = []

        init(name: String) {
            self.name = name
        }
    }

    @Model
    final class Stop {
        var order: Int
        var title: String
        var trip: Trip?

        init(order: Int, title: String) {
            self.order = order
            self.title = title
        }
    }

    @Model
    class Trip {
        var budget: Decimal?
        var code: UUID?
        var friends: [Person] = []
        var isDone: Bool = false
        var mood: String?
        @Attribute(.unique, .preserveValueOnDeletion) var name: String
        var photo: Data?
        var place: Composite?
        var rating: Double?
        var site: URL?
        var start: Date?
        @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
        var tags: Data?

        init(name: String) {
            self.name = name
        }
    }
}
