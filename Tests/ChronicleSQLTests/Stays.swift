import Chronicle
import ChronicleSQL
import Foundation

@Model final class Stay {
    struct Address: Codable, Equatable {
        var city: String
        var number: Int
        var latitude: Double
        var isHome: Bool
        var rent: Decimal
        var key: UUID?
    }

    var name: String
    var note: String?
    var nights: Int
    var stars: Int?
    var cost: Double
    var discount: Double?
    var isPaid: Bool
    var price: Decimal
    var tags: [String]
    var address: Address
    var host: Host?
    @Relationship(deleteRule: .cascade, inverse: \Guest.stay) var guests: [Guest] = []
    var labels: [Label] = []

    init(_ name: String) {
        self.name = name
        nights = 1
        cost = 0
        isPaid = false
        price = 0
        tags = []
        address = Address(city: "", number: 0, latitude: 0, isHome: false, rent: 0)
    }
}

@Model final class Host {
    var name: String
    @Relationship(inverse: \Stay.host) var stays: [Stay] = []
    init(_ name: String) { self.name = name }
}

@Model final class Guest {
    var name: String
    var age: Int
    var stay: Stay?
    init(_ name: String, age: Int) { (self.name, self.age) = (name, age) }
}

@Model final class Label {
    var text: String
    init(_ text: String) { self.text = text }
}

@Model class Room {
    var number: Int
    init(number: Int) { self.number = number }
}

@Model final class Penthouse: Room {
    var windows = 2
}

enum Stays {
    static let schema = Schema(Stay.self, Room.self, Penthouse.self)

    static func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ dialect: some SQLDialect = PostgreSQLDialect(),
        lookup: DataStoreLookup? = nil, excluding excluded: Set<PersistentIdentifier> = []
    ) throws -> FetchSQL {
        try FetchSQL(
            descriptor, lookup: lookup, excluding: excluded, schema: schema, storeIdentifier: "S", dialect: dialect)
    }

    /// Returns the condition of a predicate, and its values.
    static func condition<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ dialect: some SQLDialect = PostgreSQLDialect()
    ) throws -> (sql: String, values: [PropertyValue]) {
        let condition = try fetch(FetchDescriptor(predicate: predicate), dialect).condition ?? "-"
        return (condition.sql(for: dialect), condition.bindings)
    }

    static func identifiers(_ entityName: String, _ keys: Int64...) -> Set<PersistentIdentifier> {
        let origin = PersistentIdentifier.Origin(storeIdentifier: "S", entityName: entityName)
        return Set(keys.map { origin.identifier($0) })
    }
}
