import Chronicle
import Foundation
import Testing

@Suite("Predicates: relationships and identifiers")
struct RelationshipPredicateTests {
    @Test("To one", arguments: PredicateFixture.all)
    func toOne(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        let (north, europe) = (store.regions[1].persistentModelID, store.regions[0].persistentModelID)
        let unsaved = Region("new").persistentModelID
        let ids: [PersistentIdentifier?] = [north, nil, unsaved]
        try store.agree(#Predicate<Sight> { $0.region?.persistentModelID == north })
        try store.agree(#Predicate<Sight> { $0.region?.id == north })
        try store.agree(#Predicate<Sight> { $0.region?.persistentModelID != north })
        try store.agree(#Predicate<Sight> { $0.region?.persistentModelID == unsaved })
        try store.agree(#Predicate<Sight> { $0.region?.persistentModelID != unsaved })
        try store.agree(#Predicate<Sight> { $0.region == nil })
        try store.agree(#Predicate<Sight> { $0.region != nil })
        try store.agree(#Predicate<Sight> { $0.region?.name == "North" })
        try store.agree(#Predicate<Sight> { $0.region?.name != "North" })
        try store.agree(#Predicate<Sight> { !($0.region?.name == "North") })
        try store.agree(#Predicate<Sight> { $0.region?.name == nil })
        try store.agree(#Predicate<Sight> { $0.region?.code == nil })
        try store.agree(#Predicate<Sight> { $0.region?.code == 1 })
        try store.agree(#Predicate<Sight> { $0.region?.code != 1 })
        try store.agree(#Predicate<Sight> { ($0.region?.code ?? 0) < 1 })
        try store.agree(#Predicate<Sight> { $0.region?.name.isEmpty == true })
        try store.agree(#Predicate<Sight> { $0.region?.parent?.name == "Europe" })
        try store.agree(#Predicate<Sight> { $0.region?.parent?.name != "Europe" })
        try store.agree(#Predicate<Sight> { $0.region?.parent?.persistentModelID == europe })
        try store.agree(#Predicate<Sight> { $0.region?.parent == nil })
        try store.agree(#Predicate<Sight> { ids.contains($0.region.flatMap { $0.id }) })
        try store.agree(#Predicate<Sight> { !ids.contains($0.region.flatMap { $0.id }) })
        try store.agree(#Predicate<Sight> { $0.region != nil && $0.region!.name < "T" })
        try store.agree(
            #Predicate<Sight> { if let region = $0.region { region.name > "O" && region.code == nil } else { true } })
        try store.agree(#Predicate<Sight> { $0.region?.name.contains("or") ?? false })
    }

    @Test("To many", arguments: PredicateFixture.all)
    func toMany(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        let first = store.sights[0].persistentModelID
        try store.agree(#Predicate<Sight> { $0.visits.contains { $0.guest == "Ann" } })
        try store.agree(#Predicate<Sight> { !$0.visits.contains { $0.guest == "Ann" } })
        try store.agree(#Predicate<Sight> { $0.visits.contains { $0.remark != "cold" } })
        try store.agree(#Predicate<Sight> { $0.visits.contains { !($0.remark == "cold" && $0.stars > 2) } })
        try store.agree(#Predicate<Sight> { $0.visits.isEmpty })
        try store.agree(#Predicate<Sight> { !$0.visits.isEmpty })
        try store.agree(#Predicate<Sight> { $0.visits.count > 1 })
        try store.agree(#Predicate<Sight> { $0.visits.allSatisfy { $0.stars > 2 } })
        try store.agree(#Predicate<Sight> { $0.visits.allSatisfy { $0.remark == nil } })
        try store.agree(#Predicate<Sight> { $0.visits.filter { $0.stars > 3 }.count == 1 })
        try store.agree(#Predicate<Sight> { $0.visits.filter { $0.stars > 3 }.isEmpty })
        try store.agree(#Predicate<Sight> { $0.visits.filter { $0.stars > 1 }.contains { $0.remark == "cold" } })
        try store.agree(#Predicate<Sight> { sight in sight.visits.contains { $0.stars > sight.rank } })
        try store.agree(#Predicate<Sight> { $0.visits.contains { $0.sight?.name == "Tower" } })
        try store.agree(#Predicate<Sight> { sight in sight.visits.contains { $0.sight!.id == sight.id } })
        try store.agree(#Predicate<Sight> { sight in sight.visits.contains { $0.sight! == sight } })
        try store.agree(#Predicate<Sight> { $0.region?.sights.isEmpty == false })
        try store.agree(#Predicate<Sight> { ($0.region?.sights.count ?? 0) > 1 })
        try store.agree(#Predicate<Sight> { $0.region?.sights.contains { $0.isOpen } ?? false })
        try store.agree(#Predicate<Region> { $0.sights.contains { $0.visits.contains { $0.guest == "Cid" } } })
        try store.agree(#Predicate<Region> { $0.parts.contains { $0.sights.isEmpty } })
        try store.agree(#Predicate<Region> { $0.parts.allSatisfy { $0.code == nil } })
        try store.agree(#Predicate<Region> { $0.sights.contains { $0.persistentModelID == first } })
        try store.agree(#Predicate<Region> { region in region.parts.contains { $0.parent!.name == region.name } })
    }

    @Test("Identifiers", arguments: PredicateFixture.all)
    func identifiers(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        let ids = store.sights[2...4].map(\.persistentModelID)
        let (third, region, unsaved) = (ids[0], store.regions[0].persistentModelID, Sight("new").persistentModelID)
        try store.agree(#Predicate<Sight> { $0.persistentModelID == third })
        try store.agree(#Predicate<Sight> { $0.id == third })
        try store.agree(#Predicate<Sight> { $0.id != third })
        try store.agree(#Predicate<Sight> { ids.contains($0.persistentModelID) })
        try store.agree(#Predicate<Sight> { !ids.contains($0.id) })
        try store.agree(#Predicate<Sight> { $0.id == region })
        try store.agree(#Predicate<Sight> { $0.id != region })
        try store.agree(#Predicate<Sight> { $0.id == unsaved })
        try store.agree(#Predicate<Sight> { $0.id < third })
        try store.agree(#Predicate<Sight> { third <= $0.id })
        try store.agree(#Predicate<Sight> { $0.id < region })
        try store.agree(#Predicate<Sight> { $0.id > region })
        try store.agree(#Predicate<Sight> { $0.id > unsaved })
        // Identifiers of two entities with the same keys.
        try store.agree(#Predicate<Sight> { $0.region != nil && $0.region!.id == $0.id })
        try store.agree(#Predicate<Sight> { $0.region != nil && $0.region!.id != $0.id })
        try store.agree(#Predicate<Sight> { $0.region != nil && $0.region!.id < $0.id })
    }
}
