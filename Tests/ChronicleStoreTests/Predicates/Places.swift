import Chronicle
import ChronicleTestSupport
import Foundation

/// A model with `Codable` members of every form.
final class Place: PersistentModel {
    struct Geo: Codable, Equatable {
        var latitude: Double
        var zone: Int?
    }

    enum Quality: String, Codable { case good, bad }
    enum Side: Int, Codable, CaseIterable { case left = 1, right }

    struct Address: Codable, Equatable {
        var city: String
        var street: String?
        var number: Int
        var small: Int8
        var isHome: Bool
        var isWork: Bool?
        var since: Date
        var until: Date?
        var share: Float
        var rent: Decimal
        var key: UUID
        var page: URL
        var image: Data
        var quality: Quality
        var side: Side
        var geo: Geo
        var other: Geo?
        var lines: [String]

        enum CodingKeys: String, CodingKey {
            case city = "ci'ty", street = "city", number, small, isHome, isWork = "home", since, until, share, rent
            case key = "schlüssel", page, image, quality, side, geo, other = "other.geo", lines
        }
    }

    /// A structure that got a member after rows were stored.
    struct Style: Codable, Equatable {
        var name: String
        var color: String

        init(name: String, color: String) { (self.name, self.color) = (name, color) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            color = try container.decodeIfPresent(String.self, forKey: .color) ?? "white"
        }
    }

    @Attribute var name: String
    @Attribute var address: Address
    @Attribute var second: Address?
    @Attribute var style: Style
    @Attribute var tags: [String]
    @Attribute var marks: Set<Int>?
    @Attribute var costs: [Double]
    @Attribute var days: [Date]
    @Attribute var keys: [UUID]
    @Attribute var flags: [Bool]
    @Attribute var prices: [Decimal]
    @Attribute var geos: [Geo]
    @Attribute var price: Decimal
    @Attribute var discount: Decimal?
    @Relationship var owner: PlaceOwner?

    static let properties: PropertyMap<Place> = [
        "name": \.name, "address": \.address, "second": \.second, "style": \.style, "tags": \.tags, "marks": \.marks,
        "costs": \.costs, "days": \.days, "keys": \.keys, "flags": \.flags, "prices": \.prices, "geos": \.geos,
        "price": \.price, "discount": \.discount, "owner": \.owner,
    ]
    let persistentBackingData: any BackingData<Place>
    init(backingData: any BackingData<Place>) { persistentBackingData = backingData }

    init(_ name: String, _ random: inout SplitMix, owner: PlaceOwner?) {
        persistentBackingData = Place.createBackingData()
        self.name = name
        address = Address(&random)
        second = random.below(3) == 0 ? nil : Address(&random)
        style = Style(name: random.pick(["a", "b"]), color: random.pick(["white", "red"]))
        tags = (0..<random.below(4)).map { _ in random.pick(PlaceValues.texts) }
        marks = random.below(3) == 0 ? nil : Set((0..<random.below(4)).map { _ in random.pick(PlaceValues.integers) })
        costs = (0..<random.below(4)).map { _ in random.pick(PlaceValues.reals + [.infinity, .nan]) }
        days = (0..<random.below(3)).map { _ in Date(timeIntervalSinceReferenceDate: random.pick(PlaceValues.reals)) }
        keys = (0..<random.below(3)).map { _ in random.pick(PlaceValues.keys) }
        flags = (0..<random.below(3)).map { _ in random.below(2) == 0 }
        prices = (0..<random.below(3)).map { _ in random.pick(PlaceValues.decimals) }
        geos = (0..<random.below(3)).map { _ in Geo(&random) }
        price = random.pick(PlaceValues.decimals)
        discount = random.below(3) == 0 ? nil : random.pick(PlaceValues.decimals)
        self.owner = owner
    }
}

final class PlaceOwner: PersistentModel {
    @Attribute var name: String?
    @Attribute var home: Place.Address
    @Attribute var wealth: Decimal

    static let properties: PropertyMap<PlaceOwner> = ["name": \.name, "home": \.home, "wealth": \.wealth]
    let persistentBackingData: any BackingData<PlaceOwner>
    init(backingData: any BackingData<PlaceOwner>) { persistentBackingData = backingData }

    init(_ name: String?, _ random: inout SplitMix) {
        persistentBackingData = PlaceOwner.createBackingData()
        self.name = name
        home = Place.Address(&random)
        wealth = random.pick(PlaceValues.decimals)
    }
}

enum PlaceValues {
    static let texts = ["", "Rome", "rome", "Zürich", "a\"b\\c", "tab\t", "1", "null"]
    static let integers = [0, 1, -1, 9_007_199_254_740_993, .max, .min]
    static let reals = [0, 0.1, 1.0 / 3, -2.5, 5, 123_456_789.123_456_78, 9.007199254740993e22, 1e-300]
    static let keys = (0..<4).map { UUID(uuid: (UInt8($0 * 80), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) }
    static let decimals = ["0", "0.1", "-0.1", "2", "10", "9.99", "-100", "12345678901234567890.123456789"]
        .compactMap { Decimal(string: $0) }
}

extension Place.Geo {
    init(_ random: inout SplitMix) {
        latitude = random.pick(PlaceValues.reals)
        zone = random.below(3) == 0 ? nil : random.pick(PlaceValues.integers)
    }
}

extension Place.Address {
    init(_ random: inout SplitMix) {
        city = random.pick(PlaceValues.texts)
        street = random.below(3) == 0 ? nil : random.pick(PlaceValues.texts)
        number = random.pick(PlaceValues.integers)
        small = random.pick([-128, 0, 127])
        isHome = random.below(2) == 0
        isWork = random.pick([nil, true, false])
        since = Date(timeIntervalSinceReferenceDate: random.pick(PlaceValues.reals))
        until = random.below(3) == 0 ? nil : Date(timeIntervalSinceReferenceDate: random.pick(PlaceValues.reals))
        share = Float(random.pick(PlaceValues.reals))
        rent = random.pick(PlaceValues.decimals)
        key = random.pick(PlaceValues.keys)
        page = URL(string: "https://example.com/\(random.below(3))")!
        image = Data([UInt8(random.below(2)), 255])
        quality = random.pick([.good, .bad])
        side = random.pick([.left, .right])
        geo = Place.Geo(&random)
        other = random.below(3) == 0 ? nil : Place.Geo(&random)
        lines = (0..<random.below(3)).map { _ in random.pick(PlaceValues.texts) }
    }
}
