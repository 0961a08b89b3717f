import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Members of `Codable` values, elements of arrays, and decimals: the store, the context and Foundation must agree.
@Suite("Predicates: members, elements and decimals")
struct MemberPredicateTests {
    private static func places(
        _ fixture: PredicateFixture
    ) throws -> (PredicateFixture.OpenStore, ModelContext, [Place]) {
        let store = try fixture.open(Schema(Place.self, PlaceOwner.self))
        let context = store.context()
        var random = TestSeed.generator(13)
        let owners = [nil, "a", "b"].map { PlaceOwner($0, &random) }
        for number in 0..<60 {
            context.insert(Place("\(number)", &random, owner: random.pick(owners + [nil])))
        }
        try context.save()
        return (store, context, try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)])))
    }

    /// The default of a member that rows lack is not that of an optional structure which is nil.
    @Test(arguments: StoreKind.allCases) func defaultsNeedAStructure(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Room.self])
        let context = store.context()
        for style in [nil, Place.Style(name: "a", color: "white"), Place.Style(name: "b", color: "red")] {
            context.insert(Room(style))
        }
        func check() throws {
            let white = FetchDescriptor<Room>(predicate: #Predicate { $0.address.style?.color == "white" })
            #expect(try context.fetchCount(white) == 1)
            let none = FetchDescriptor<Room>(predicate: #Predicate { $0.address.style?.color == nil })
            #expect(try context.fetchCount(none) == 1)
        }
        try check()
        try context.save()
        try check()
        if kind == .file {
            try store.foreign("UPDATE Room SET address = '{\"style\":{\"name\":\"b\"}}' WHERE address LIKE '%red%'")
            let white = FetchDescriptor<Room>(predicate: #Predicate { $0.address.style?.color == "white" })
            #expect(try store.context().fetchCount(white) == 2)
        }
    }

    /// The value of a missing member is one constant for all rows.
    @Test func defaultsOfOtherMembersAreRejected() throws {
        let store = try TestStore(.inMemory, [NamedOwner.self])
        let full = FetchDescriptor<NamedOwner>(predicate: #Predicate { $0.name.full == "Ann Lee" })
        #expect(throws: SwiftDataError.unsupportedPredicate) { try store.context().fetch(full) }
        let last = FetchDescriptor<NamedOwner>(predicate: #Predicate { $0.name.last == "Lee" })
        #expect(try store.context().fetch(last).isEmpty)
    }

    @Test(arguments: PredicateFixture.all + [.memoryStore]) func predicatesAgreeWithFoundation(
        _ fixture: PredicateFixture
    ) throws {
        let (store, _, places) = try Self.places(fixture)
        for (name, predicate) in Self.predicates {
            if try SQLRecorder.records(FetchDescriptor(predicate: predicate), in: store.container) { continue }
            let expected = try places.filter { try predicate.evaluate($0) }.map(\.name)
            let found = try store.read { context in
                try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
            }
            #expect(found == expected, "\(name), \(TestSeed.description)")
            #expect(try store.context().fetchCount(FetchDescriptor(predicate: predicate)) == expected.count, "\(name)")
        }
    }

    @Test(arguments: PredicateFixture.all + [.memoryStore]) func unsavedChangesAreEvaluated(_ fixture: PredicateFixture)
        throws
    {
        let (_, context, places) = try Self.places(fixture)
        places[0].address.city = "Oslo"
        places[1].tags = ["x", "Oslo"]
        let predicate = #Predicate<Place> { $0.address.city == "Oslo" || $0.tags.contains("Oslo") }
        #expect(Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)) == ["0", "1"])
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 2)
    }

    @Test(arguments: PredicateFixture.all + [.memoryStore]) func sortsAgreeWithFoundation(_ fixture: PredicateFixture)
        throws
    {
        let (store, _, places) = try Self.places(fixture)
        for order in [SortOrder.forward, .reverse] {
            let descriptors: [(String, SortDescriptor<Place>)] = [
                ("city", SortDescriptor(\.address.city, order: order)),
                ("street", SortDescriptor(\.address.street, order: order)),
                ("number", SortDescriptor(\.address.number, order: order)),
                ("since", SortDescriptor(\.address.since, order: order)),
                ("share", SortDescriptor(\.address.share, order: order)),
                ("rent", SortDescriptor(\.address.rent, order: order)),
                ("key", SortDescriptor(\.address.key, order: order)),
                ("zone", SortDescriptor(\.address.geo.zone, order: order)),
                ("second city", SortDescriptor(\.second?.city, order: order)),
                ("second zone", SortDescriptor(\.second?.other?.zone, order: order)),
                ("color", SortDescriptor(\.style.color, order: order)),
                ("price", SortDescriptor(\.price, order: order)),
                ("discount", SortDescriptor(\.discount, order: order)),
                ("owner", SortDescriptor(\.owner?.name, order: order)),
                ("home", SortDescriptor(\.owner?.home.city, order: order)),
                ("wealth", SortDescriptor(\.owner?.wealth, order: order)),
            ]
            for (name, descriptor) in descriptors {
                let sort = [descriptor, SortDescriptor(\.name)]
                if try SQLRecorder.records(FetchDescriptor(sortBy: sort), in: store.container) { continue }
                let found = try store.read { try $0.fetch(FetchDescriptor(sortBy: sort)).map(\.name) }
                #expect(found == places.sorted(using: sort).map(\.name), "\(name), \(TestSeed.description)")
            }
        }
    }

    private static var predicates: [(String, Predicate<Place>)] {
        let (text, number, real) = ("Rome", 9_007_199_254_740_993, 1.0 / 3)
        let zone: Int? = number
        let (date, decimal) = (Date(timeIntervalSinceReferenceDate: 0.1), Decimal(string: "9.99")!)
        let (key, page, image) = (PlaceValues.keys[1], URL(string: "https://example.com/1")!, Data([1, 255]))
        let (good, left, share) = (Place.Quality.good, Place.Side.left, Float(0.1))
        let geo = Place.Geo(latitude: 0.1, zone: nil)
        let (cities, numbers, nan) = (["", "Zürich", "a\"b\\c"], [0, Int.max], Double.nan)
        return [
            ("city", #Predicate { $0.address.city == text }),
            ("other cities", #Predicate { $0.address.city != text }),
            ("cities", #Predicate { cities.contains($0.address.city) }),
            ("city order", #Predicate { $0.address.city > "a" }),
            ("city prefix", #Predicate { $0.address.city.starts(with: "R") }),
            ("city part", #Predicate { $0.address.city.contains("om") }),
            ("city search", #Predicate { $0.address.city.localizedStandardContains("ROME") }),
            ("city count", #Predicate { $0.address.city.count == 6 }),
            ("empty city", #Predicate { $0.address.city.isEmpty }),
            ("street", #Predicate { $0.address.street == "Rome" }),
            ("no street", #Predicate { $0.address.street == nil }),
            ("another street", #Predicate { $0.address.street != "Rome" }),
            ("street is city", #Predicate { ($0.address.street ?? "") == $0.address.city }),
            ("number", #Predicate { $0.address.number == number }),
            ("next number", #Predicate { $0.address.number == 9_007_199_254_740_992 }),
            ("number order", #Predicate { $0.address.number >= 9_007_199_254_740_993 }),
            ("numbers", #Predicate { numbers.contains($0.address.number) }),
            ("small", #Predicate { $0.address.small == 127 }),
            ("home", #Predicate { $0.address.isHome }),
            ("not home", #Predicate { !$0.address.isHome }),
            ("work", #Predicate { $0.address.isWork == true }),
            ("not work", #Predicate { $0.address.isWork != true }),
            ("since", #Predicate { $0.address.since == date }),
            ("since order", #Predicate { $0.address.since > date }),
            ("until", #Predicate { $0.address.until == date }),
            ("share", #Predicate { $0.address.share == share }),
            ("share order", #Predicate { $0.address.share <= share }),
            ("rent", #Predicate { $0.address.rent == decimal }),
            ("rent order", #Predicate { $0.address.rent < decimal }),
            ("key", #Predicate { $0.address.key == key }),
            ("key order", #Predicate { $0.address.key > key }),
            ("page", #Predicate { $0.address.page == page }),
            ("image", #Predicate { $0.address.image == image }),
            ("quality", #Predicate { $0.address.quality == good }),
            ("side", #Predicate { $0.address.side == left }),
            ("side's value", #Predicate { $0.address.side.rawValue == 2 }),
            ("latitude", #Predicate { $0.address.geo.latitude == real }),
            ("latitude order", #Predicate { $0.address.geo.latitude > real }),
            ("latitude sum", #Predicate { $0.address.geo.latitude + 1 > 1.2 }),
            ("latitude quotient", #Predicate { $0.address.geo.latitude / 2 == 2.5 }),
            ("zone", #Predicate { $0.address.geo.zone == zone }),
            ("geo", #Predicate { $0.address.geo == geo }),
            ("other zone", #Predicate { $0.address.other?.zone == zone }),
            ("no other zone", #Predicate { $0.address.other?.zone == nil }),
            ("no other", #Predicate { $0.address.other == nil }),
            ("second city", #Predicate { $0.second?.city == text }),
            ("second other city", #Predicate { $0.second?.city != text }),
            ("second zone", #Predicate { ($0.second?.other?.zone ?? 7) == 7 }),
            ("second home", #Predicate { $0.second?.isHome == true }),
            ("second latitude", #Predicate { ($0.second?.geo.latitude ?? 0) > real }),
            ("color", #Predicate { $0.style.color == "white" }),
            ("owner's city", #Predicate { $0.owner?.home.city == text }),
            ("owner's zone", #Predicate { $0.owner?.home.geo.zone == nil }),
            ("lines", #Predicate { $0.address.lines.contains("Rome") }),
            ("line count", #Predicate { $0.address.lines.count == 2 }),
            ("second lines", #Predicate { $0.second?.lines.contains("Rome") == true }),
            ("tags", #Predicate { $0.tags.contains(text) }),
            ("tag with quotes", #Predicate { $0.tags.contains("a\"b\\c") }),
            ("no tags", #Predicate { $0.tags.isEmpty }),
            ("tag count", #Predicate { $0.tags.count > 1 }),
            ("tag of the city", #Predicate { place in place.tags.contains(place.address.city) }),
            ("tag where", #Predicate { $0.tags.contains { $0.starts(with: "R") } }),
            ("all tags", #Predicate { $0.tags.allSatisfy { $0 != "Rome" } }),
            ("filtered tags", #Predicate { $0.tags.filter { $0 == "Rome" }.count == 1 }),
            ("marks", #Predicate { $0.marks?.contains(9_007_199_254_740_993) == true }),
            ("no marks", #Predicate { $0.marks == nil }),
            ("costs", #Predicate { $0.costs.contains(real) }),
            ("infinite cost", #Predicate { $0.costs.contains { $0 > 1e300 } }),
            ("cost is NaN", #Predicate { $0.costs.contains(nan) }),
            ("days", #Predicate { $0.days.contains(date) }),
            ("keys", #Predicate { $0.keys.contains(key) }),
            ("flags", #Predicate { $0.flags.contains(true) }),
            ("prices", #Predicate { $0.prices.contains(decimal) }),
            ("greater prices", #Predicate { $0.prices.contains { $0 > decimal } }),
            ("geos", #Predicate { $0.geos.contains { $0.latitude == real } }),
            ("zones", #Predicate { $0.geos.contains { $0.zone == nil } }),
            ("whole geos", #Predicate { $0.geos.contains(geo) }),
            ("price", #Predicate { $0.price == decimal }),
            ("price order", #Predicate { $0.price > decimal }),
            ("price range", #Predicate { $0.price >= 0 && $0.price <= 2 }),
            ("discount order", #Predicate { ($0.discount ?? 0) < 2 }),
            ("price and discount", #Predicate { $0.price > ($0.discount ?? 5) }),
        ]
    }
}

private struct RoomAddress: Codable { var style: Place.Style? }

@Model private final class Room {
    var address: RoomAddress
    init(_ style: Place.Style?) { address = RoomAddress(style: style) }
}

@Model private final class NamedOwner {
    struct Name: Codable {
        var first, last, full: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            first = try container.decode(String.self, forKey: .first)
            last = try container.decode(String.self, forKey: .last)
            full = try container.decodeIfPresent(String.self, forKey: .full) ?? "\(first) \(last)"
        }
    }

    var name: Name
    init(name: Name) { self.name = name }
}
