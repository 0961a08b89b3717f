import Chronicle
import Foundation

/// A model with attributes of every type, most of them preserved on deletion.
@Model
final class Sample {
    enum Mood: String, Codable { case good, bad }
    struct Address: Codable, Hashable { var street = "", numbers: [Double] = [] }

    #Unique<Sample>([\.name], [\.number, \.small])
    #Index<Sample>([\.date])

    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute(.preserveValueOnDeletion) var number = 0
    @Attribute(.preserveValueOnDeletion) var small: Int8 = 0
    var unsigned: UInt64 = 0
    @Attribute(.preserveValueOnDeletion) var isMarked = false
    @Attribute(.preserveValueOnDeletion) var real = 0.5
    @Attribute(.preserveValueOnDeletion) var single: Float = 0
    @Attribute(.preserveValueOnDeletion) var date = Date(timeIntervalSinceReferenceDate: 0)
    @Attribute(.preserveValueOnDeletion) var data = Data([1, 2, 3])
    @Attribute(.preserveValueOnDeletion) var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    @Attribute(.preserveValueOnDeletion) var url: URL?
    @Attribute(.preserveValueOnDeletion) var decimal = Decimal(1)
    @Attribute(.preserveValueOnDeletion) var mood = Mood.good
    @Attribute(.preserveValueOnDeletion) var address = Address()
    @Attribute(.preserveValueOnDeletion) var words: [String] = []
    var counts: [String: Int] = [:]
    @Attribute(.preserveValueOnDeletion) var note: String?
    var optionalDate: Date?
    var optionalMood: Mood?

    init(_ name: String, _ number: Int) {
        self.name = name
        self.number = number
    }

    /// Reads every property.
    func read() -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(number)
        hasher.combine(small)
        hasher.combine(unsigned)
        hasher.combine(isMarked)
        hasher.combine(real)
        hasher.combine(single)
        hasher.combine(date)
        hasher.combine(data)
        hasher.combine(uuid)
        hasher.combine(url)
        hasher.combine(decimal)
        hasher.combine(mood)
        hasher.combine(address)
        hasher.combine(words)
        hasher.combine(counts)
        hasher.combine(note)
        hasher.combine(optionalDate)
        hasher.combine(optionalMood)
        return hasher.finalize()
    }
}

/// A later version of ``Sample`` with renamed, added, and removed attributes.
@Model
final class LaterSample {
    static let entityName = "Sample"

    @Attribute(.preserveValueOnDeletion, originalName: "name") var title: String
    var number: Int?
    var small: Int8 = 0
    var added = "new"
    @Attribute(.preserveValueOnDeletion) var note: String?
    var unsigned: UInt64 = 0
    var isMarked = false
    var real = 0.5
    var single: Float = 0
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    var decimal = Decimal(1)
    var mood = Sample.Mood.good
    var address = Sample.Address()
    var words: [String] = []
    var counts: [String: Int] = [:]

    init(_ title: String) { self.title = title }
}

/// A model with every kind of relationship.
@Model
final class Owner {
    #Unique<Owner>([\.name])

    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Part.owner) var parts: [Part] = []
    @Relationship(deleteRule: .deny, inverse: \Ticket.owner) var tickets: [Ticket] = []
    @Relationship(inverse: \Passport.owner) var passport: Passport?
    @Relationship(inverse: \Label.owners) var labels: [Label] = []
    /// A relationship without an inverse.
    @Relationship(deleteRule: .cascade) var photos: [Photo] = []
    @Relationship(inverse: Owner.back) var friends: [Owner] = []
    static var back: AnyKeyPath { \Owner.friends }
    var favorite: Label?

    init(_ name: String) { self.name = name }

    /// Reads every property.
    func read() -> Int {
        var count = name.utf8.count + parts.count + tickets.count + labels.count + photos.count + friends.count
        for part in parts { count += part.name.utf8.count + (part.owner === self ? 1 : 0) + part.pieces.count }
        for label in labels { count += label.name.utf8.count + label.owners.count }
        for friend in friends { count += friend.friends.count }
        for photo in photos { count += photo.name.utf8.count }
        return count + (passport?.number ?? 0) % 100 + (favorite?.name.utf8.count ?? 0)
    }
}

@Model
final class Part {
    @Attribute(.preserveValueOnDeletion) var name: String
    var owner: Owner?
    /// A relationship to the same class.
    var whole: Part?
    @Relationship(deleteRule: .cascade, inverse: \Part.whole) var pieces: [Part] = []

    init(_ name: String) { self.name = name }
}

@Model
final class Ticket {
    var price: Decimal
    var owner: Owner?

    init(_ price: Decimal) { self.price = price }
}

@Model
final class Passport {
    @Attribute(.preserveValueOnDeletion) var number: Int
    var owner: Owner?

    init(_ number: Int) { self.number = number }
}

@Model
final class Label {
    @Attribute(.preserveValueOnDeletion) var name: String
    var owners: [Owner] = []

    init(_ name: String) { self.name = name }
}

@Model
final class Photo {
    @Attribute(.preserveValueOnDeletion) var name: String

    init(_ name: String) { self.name = name }
}

enum Models {
    static let all: [any PersistentModel.Type] = [Sample.self, Owner.self]
    static let later: [any PersistentModel.Type] = [LaterSample.self]

    static func container(
        _ url: URL, _ models: [any PersistentModel.Type] = all, allowsSave: Bool = true, recordsHistory: Bool = true
    ) throws -> ModelContainer {
        let configuration = ModelConfiguration(
            url: url, allowsSave: allowsSave, durability: .relaxed, recordsHistory: recordsHistory,
            busyTimeout: .seconds(1))
        return try ModelContainer(for: Schema(models), configurations: [configuration])
    }
}
