import Chronicle
import Foundation

/// Models with an attribute of every kind that predicates treat differently.
final class Sight: PersistentModel {
    enum Kind: String, Codable, CaseIterable { case tower, bridge, park }

    enum Level: Int, Codable, Comparable {
        case high, low
        /// Not in the order of the raw values.
        static func < (a: Level, b: Level) -> Bool { a.rawValue > b.rawValue }
    }

    struct Size: Codable, Hashable {
        var height: Int
        var width: Int
        var area: Int { height * width }
    }

    @Attribute var name: String
    @Attribute var note: String?
    @Attribute var rank: Int
    @Attribute var score: Int?
    @Attribute var cost: Double
    @Attribute var discount: Double?
    @Attribute var weight: Float
    @Attribute var opened: Date
    @Attribute var closed: Date?
    @Attribute var isOpen: Bool
    @Attribute var isFree: Bool?
    @Attribute var kind: Kind
    @Attribute var level: Level
    @Attribute var code: UUID
    @Attribute var price: Decimal
    @Attribute var tags: [String]
    @Attribute var size: Size
    @Attribute var image: Data
    @Relationship var region: Region?
    @Relationship(deleteRule: .cascade, inverse: \Visit.sight) var visits: [Visit]

    static let properties: PropertyMap<Sight> = [
        "name": \.name, "note": \.note, "rank": \.rank, "score": \.score, "cost": \.cost, "discount": \.discount,
        "weight": \.weight, "opened": \.opened, "closed": \.closed, "isOpen": \.isOpen, "isFree": \.isFree,
        "kind": \.kind, "level": \.level, "code": \.code, "price": \.price, "tags": \.tags, "size": \.size,
        "image": \.image, "region": \.region, "visits": \.visits,
    ]
    let persistentBackingData: any BackingData<Sight>
    init(backingData: any BackingData<Sight>) { persistentBackingData = backingData }

    init(
        _ name: String, note: String? = nil, rank: Int = 0, score: Int? = nil, cost: Double = 0,
        discount: Double? = nil, opened: Date = Date(timeIntervalSinceReferenceDate: 0), closed: Date? = nil,
        isOpen: Bool = false, isFree: Bool? = nil, kind: Kind = .tower, region: Region? = nil
    ) {
        persistentBackingData = Sight.createBackingData()
        self.name = name
        self.note = note
        self.rank = rank
        self.score = score
        self.cost = cost
        self.discount = discount
        weight = Float(cost)
        self.opened = opened
        self.closed = closed
        self.isOpen = isOpen
        self.isFree = isFree
        self.kind = kind
        level = rank > 2 ? .high : .low
        code = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: rank)))
        price = Decimal(rank) / 10
        tags = note.map { [$0, name] } ?? []
        size = Size(height: rank, width: 1)
        image = Data(name.utf8)
        self.region = region
    }
}

final class Region: PersistentModel {
    @Attribute var name: String
    @Attribute var code: Int?
    @Relationship(inverse: \Sight.region) var sights: [Sight]
    @Relationship var parent: Region?
    @Relationship(inverse: \Region.parent) var parts: [Region]

    static let properties: PropertyMap<Region> = [
        "name": \.name, "code": \.code, "sights": \.sights, "parent": \.parent, "parts": \.parts,
    ]
    let persistentBackingData: any BackingData<Region>
    init(backingData: any BackingData<Region>) { persistentBackingData = backingData }

    init(_ name: String, code: Int? = nil, parent: Region? = nil) {
        persistentBackingData = Region.createBackingData()
        self.name = name
        self.code = code
        self.parent = parent
    }
}

final class Visit: PersistentModel {
    @Attribute var guest: String
    @Attribute var stars: Int
    @Attribute var remark: String?
    @Relationship var sight: Sight?

    static let properties: PropertyMap<Visit> = [
        "guest": \.guest, "stars": \.stars, "remark": \.remark, "sight": \.sight,
    ]
    let persistentBackingData: any BackingData<Visit>
    init(backingData: any BackingData<Visit>) { persistentBackingData = backingData }

    init(_ guest: String, _ stars: Int, remark: String? = nil, of sight: Sight?) {
        persistentBackingData = Visit.createBackingData()
        self.guest = guest
        self.stars = stars
        self.remark = remark
        self.sight = sight
    }
}

/// Attributes of types that predicates support only partially.
final class Atlas: PersistentModel {
    @Attribute var pages: [String: Int] = [:]
    @Attribute var marks: Set<String> = []
    @Attribute var number: UInt64 = 0

    static let properties: PropertyMap<Atlas> = ["pages": \.pages, "marks": \.marks, "number": \.number]
    let persistentBackingData: any BackingData<Atlas>
    init(backingData: any BackingData<Atlas>) { persistentBackingData = backingData }
    init(_ marks: Set<String>) {
        persistentBackingData = Atlas.createBackingData()
        self.marks = marks
    }
}
