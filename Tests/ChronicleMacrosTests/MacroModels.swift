import Chronicle
import Foundation

/// Models declared as in SwiftData.
@Model
final class Journey {
    #Unique<Journey>([\.code], [\.name, \.start])

    enum Kind: String, Codable { case business, leisure }
    struct Address: Codable, Equatable { var street = "", zip = 0 }

    @Attribute(.preserveValueOnDeletion, originalName: "title") var name: String
    var code: Int
    var start: Date = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
    var kind = Kind.leisure
    var address: Address = Address()
    var tags: [String] = []
    private(set) var visits = 0
    var rating: Int = 3 { didSet { observed.append(oldValue) } }
    var lodging: Lodging?
    @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop] = []
    var companions: Set<Companion> = []

    @Transient var observed: [Int] = []
    var summary: String { "\(name) \(code)" }

    init(name: String, code: Int) {
        self.name = name
        self.code = code
    }

    func visit() { visits += 1 }
}

@Model
class Stop {
    var place: String
    var journey: Journey?

    init(place: String, journey: Journey? = nil) {
        self.place = place
        self.journey = journey
    }
}

@Model
final class Lodging {
    var name = ""
    var journey: Journey?
}

@Model
class Companion {
    var name: String
    var journey: Journey?
    var club: Club?

    init(name: String) { self.name = name }
}

@Model
final class Club {
    var members: [Companion]? = []
}

/// A versioned schema, as declared in SwiftData.
enum SchemaVersion {
    @Model
    final class Ticket {
        var price: Decimal
        var leg: Stop.Leg?

        init(price: Decimal) { self.price = price }
    }
}

extension Stop {
    @Model
    final class Leg {
        var tickets: [SchemaVersion.Ticket]
        var departure: Date?

        init(tickets: [SchemaVersion.Ticket] = []) { self.tickets = tickets }
    }
}

/// Every form of relationship declaration.
@Model
final class Hub {
    var one: Spoke?
    var oneWithDefault: Spoke? = nil
    var many: [Spoke]
    var manyWithDefault: [Spoke] = []
    var manyWithoutType = [Spoke]()
    var some: [Spoke]?
    var someWithDefault: [Spoke]? = []
    var bag: Set<Spoke>
    var bagWithDefault: Set<Spoke> = []
    var optionalBag: Set<Spoke>?
    @Relationship(inverse: \Spoke.declared) var declared: [Spoke]?

    init(one: Spoke? = nil, some: [Spoke]? = nil, optionalBag: Set<Spoke>? = nil) {
        self.one = one
        self.some = some
        self.optionalBag = optionalBag
        many = []
        bag = []
    }
}

@Model
final class Spoke {
    var hub: Hub?
    var declared: Hub?
}
