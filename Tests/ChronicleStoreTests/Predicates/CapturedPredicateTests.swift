import Chronicle
import Foundation
import Testing

/// Predicates that use members of captured structures, and captured optionals and collections.
@Suite("Predicates: captured values")
struct CapturedPredicateTests {
    private struct Filter: Codable, Sendable {
        struct Limits: Codable { var minimum = 1, cost = 3.0 }

        var limits: Limits? = Limits()
        var minimum = 2
        var name: String? = "Tower"
        var names: [String]? = ["Tower", "Par"]
        var kind = Sight.Kind.park
        var date = Date(timeIntervalSinceReferenceDate: 7)
        var ranks = 1...3
        var counts = ["high": 3]
        var levels: Set<Int> = [0, 4]
        var isOpen = true
    }

    private static let filters: [Filter] = {
        var empty = Filter()
        (empty.limits, empty.name, empty.names, empty.ranks) = (nil, nil, nil, 0...0)
        var other = Filter()
        (other.names, other.levels, other.counts, other.isOpen) = ([], [], [:], false)
        return [Filter(), empty, other]
    }()

    @Test("Members", arguments: PredicateFixture.all)
    func members(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        let names = ["Tower", "Par"]
        for filter in Self.filters {
            try store.agree(#Predicate<Sight> { $0.rank > filter.minimum })
            try store.agree(#Predicate<Sight> { $0.rank > filter.minimum + 1 })
            try store.agree(#Predicate<Sight> { $0.note == filter.name })
            try store.agree(#Predicate<Sight> { $0.kind == filter.kind })
            try store.agree(#Predicate<Sight> { $0.opened >= filter.date })
            try store.agree(#Predicate<Sight> { filter.ranks.contains($0.rank) })
            try store.agree(#Predicate<Sight> { filter.levels.contains($0.rank) })
            try store.agree(#Predicate<Sight> { !filter.isOpen || $0.isOpen })
            try store.agree(#Predicate<Sight> { filter.name == nil || $0.name == filter.name! })
            try store.agree(#Predicate<Sight> { $0.name == filter.name ?? "tower" })
            try store.agree(#Predicate<Sight> { $0.rank > filter.limits?.minimum ?? 0 })
            try store.agree(#Predicate<Sight> { $0.cost < filter.limits!.cost })
            try store.agree(#Predicate<Sight> { $0.rank == filter.counts["high"] ?? 0 })
            try store.agree(#Predicate<Sight> { $0.rank == filter.names?.count ?? 0 })
            let ranks = filter.limits.map { _ in filter.ranks }
            try store.agree(#Predicate<Sight> { ranks == nil || ranks!.contains($0.rank) })
            try store.agree(#Predicate<Sight> { ranks != nil && ranks!.contains($0.rank) })
            try store.agree(#Predicate<Sight> { $0.visits.contains { $0.stars > filter.minimum } })
            try store.agree(#Predicate<Sight> { filter.names?.first ?? "" == $0.name })
            try store.agree(#Predicate<Sight> { $0.name == names[1] })
            try store.agree(#Predicate<Sight> { $0.rank == filter.levels.max() ?? 1 })
            try store.agree(#Predicate<Sight> { $0.rank == filter.levels.filter { $0 > 1 }.count })
        }
    }

    @Test("Collections", arguments: PredicateFixture.all)
    func collections(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        for names in [nil, [], ["Tower"], ["Tower", "Par", ""]] as [[String]?] {
            try store.agree(#Predicate<Sight> { sight in names?.contains(sight.name) == true })
            try store.agree(#Predicate<Sight> { sight in names?.contains(sight.name) != false })
            try store.agree(#Predicate<Sight> { sight in names?.contains(sight.name) ?? true })
            try store.agree(#Predicate<Sight> { (names ?? []).contains($0.name) })
            try store.agree(#Predicate<Sight> { !(names ?? ["Bridge"]).contains($0.name) })
            try store.agree(#Predicate<Sight> { names == nil || names!.contains($0.name) })
            try store.agree(#Predicate<Sight> { names?.isEmpty != false || names!.contains($0.name) })
            let list = names ?? []
            try store.agree(#Predicate<Sight> { sight in list.contains { $0 == sight.name } })
            try store.agree(#Predicate<Sight> { sight in list.contains { sight.name.contains($0) } })
            try store.agree(#Predicate<Sight> { sight in list.allSatisfy { $0 != sight.name } })
            try store.agree(#Predicate<Sight> { sight in list.allSatisfy { tag in sight.tags.contains(tag) } })
            try store.agree(#Predicate<Sight> { sight in list.contains { $0 == sight.note ?? "" } })
            try store.agree(
                #Predicate<Sight> { sight in
                    list.contains { name in sight.visits.contains { $0.guest == name } }
                })
        }
    }

    @Test("Optional values", arguments: PredicateFixture.all)
    func optionals(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        for limit in [nil, 0, 2] as [Int?] {
            try store.agree(#Predicate<Sight> { sight in limit.flatMap { value in value < sight.rank } ?? true })
            try store.agree(#Predicate<Sight> { sight in if let limit { sight.rank < limit } else { true } })
            try store.agree(#Predicate<Sight> { limit == nil || $0.rank < limit! })
            try store.agree(#Predicate<Sight> { $0.score == limit })
            try store.agree(#Predicate<Sight> { ($0.score ?? 1) > (limit ?? 1) })
        }
    }

    @Test("Identifiers", arguments: PredicateFixture.all)
    func identifiers(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        for identifiers in [nil, [], [store.sights[3].persistentModelID]] as [[PersistentIdentifier]?] {
            try store.agree(#Predicate<Sight> { (identifiers ?? []).contains($0.persistentModelID) })
            try store.agree(
                #Predicate<Sight> { sight in identifiers?.contains(sight.persistentModelID) == true })
            let list = identifiers ?? []
            try store.agree(#Predicate<Sight> { sight in list.contains { $0 == sight.persistentModelID } })
        }
    }

    @Test("Calculations that could stop the program remain those of the store")
    func traps() throws {
        let store = try SightStore()
        let (maximum, zero) = (Int.max, 0)
        for predicate in [
            #Predicate<Sight> { $0.rank == maximum + 1 }, #Predicate<Sight> { $0.rank == maximum / zero },
            #Predicate<Sight> { (maximum...zero).contains($0.rank) },
        ] {
            #expect(try store.context.fetchCount(FetchDescriptor(predicate: predicate)) == 0)
        }
        let ranks = [maximum]
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try store.context.fetchCount(
                FetchDescriptor<Sight>(predicate: #Predicate { $0.rank == ranks.filter { $0 + 1 > 0 }.count }))
        }
    }

    @Test("The property of a conditional model is named as the predicate contains it")
    func conditionalModel() throws {
        let store = try SightStore()
        let error = #expect(throws: SwiftDataError.self) {
            try store.context.fetch(
                FetchDescriptor<Region>(
                    predicate: #Predicate { ($0.code == nil ? $0.parent : $0.parent?.parent)?.name == "" }))
        }
        #expect(error == .unsupportedPredicate)
        #expect(
            error?.detail?.contains("the property name of a conditional value") == true,
            "\(error?.detail ?? "no detail")")
    }
}
