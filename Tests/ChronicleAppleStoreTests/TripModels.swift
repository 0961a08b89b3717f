import Chronicle
import Foundation

enum Mood: String, Codable { case calm, wild }

struct Place: Codable, Equatable {
    var city: String
    var latitude: Double
}

@Model class Trip {
    @Attribute(.unique, .preserveValueOnDeletion) var name: String
    var start: Date?
    var budget: Decimal?
    var rating: Double?
    var isDone: Bool
    var code: UUID?
    var site: URL?
    @Attribute(.externalStorage) var photo: Data?
    var tags: [String]?
    var mood: Mood?
    var place: Place?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship(inverse: \Person.trips) var friends: [Person] = []
    /// A property that was added after the file was written.
    var note: String?

    init(name: String) {
        self.name = name
        isDone = false
    }
}

@Model final class BusinessTrip: Trip {
    var perDiem: Int = 10
    var client: Person?
}

@Model final class Stop {
    @Attribute(originalName: "order") var position: Int
    var title: String
    var trip: Trip?

    init(position: Int, title: String) {
        self.position = position
        self.title = title
    }
}

@Model final class Person {
    @Attribute(.preserveValueOnDeletion) var name: String
    var trips: [Trip] = []
    var knows: [Person] = []

    init(name: String) { self.name = name }
}
