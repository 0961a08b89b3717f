import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A store with some links. Predicates are evaluated in SQL and by `Predicate.evaluate`.
private struct LinkStore {
    private let store: PredicateFixture.OpenStore
    let context: ModelContext
    let items: [LinkItem]
    let tags: [LinkTag]

    init(_ fixture: PredicateFixture) throws {
        store = try fixture.open(Schema(LinkItem.self))
        context = store.context()
        tags = (0..<5).map { LinkTag("t\($0)", weight: $0) }
        items = (0..<16).map { LinkItem("i\($0)") }
        for (number, item) in items.enumerated() {
            item.number = number % 5
            // Every set of four tags; no item has the last tag.
            item.tags = (0..<4).filter { number & 1 << $0 != 0 }.map { tags[$0] }
            item.photos = (0..<number % 3).map { LinkPhoto("p\($0)") }
            item.sketches = number % 4 == 1 ? Array(item.photos) : []
            context.insert(item)
        }
        for tag in tags { context.insert(tag) }
        for (number, item) in items.enumerated() {
            item.friends = items.enumerated().filter { ($0.offset + number) % 7 == 0 }.map(\.element)
            item.teachers = items.enumerated().filter { $0.offset * 3 % 16 == number }.map(\.element)
        }
        try context.save()
    }

    func agree<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        if try SQLRecorder.records(FetchDescriptor(predicate: predicate), in: store.container) { return }
        let all = try context.fetch(FetchDescriptor<Model>())
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
        var descriptor = FetchDescriptor(predicate: predicate)
        descriptor.includePendingChanges = false
        #expect(try context.fetchIdentifiers(descriptor) == expected, sourceLocation: location)
        #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: location)
    }
}

@Suite("Predicates: links") struct LinkPredicateTests {
    @Test(arguments: PredicateFixture.all) func manyToManyPredicates(_ fixture: PredicateFixture) throws {
        let store = try LinkStore(fixture)
        let (id, none) = (store.tags[1].persistentModelID, store.tags[4].persistentModelID)
        let unsaved = LinkTag("new").persistentModelID
        try store.agree(#Predicate<LinkItem> { $0.tags.contains { $0.name == "t1" } })
        try store.agree(#Predicate<LinkItem> { !$0.tags.contains { $0.name == "t1" } })
        try store.agree(#Predicate<LinkItem> { $0.tags.contains { $0.persistentModelID == none } })
        try store.agree(#Predicate<LinkTag> { tag in tag.items.contains { $0.tags.contains(tag) } })
        try store.agree(#Predicate<LinkTag> { tag in tag.items.contains { item in item.friends.contains(item) } })
        try store.agree(#Predicate<LinkItem> { $0.tags.contains { $0.persistentModelID == id } })
        try store.agree(#Predicate<LinkItem> { $0.tags.contains { $0.persistentModelID == unsaved } })
        try store.agree(#Predicate<LinkItem> { $0.tags.isEmpty })
        try store.agree(#Predicate<LinkItem> { !$0.tags.isEmpty })
        try store.agree(#Predicate<LinkItem> { $0.tags.count == 2 })
        try store.agree(#Predicate<LinkItem> { $0.tags.count > $0.number })
        try store.agree(#Predicate<LinkItem> { $0.tags.allSatisfy { $0.weight > 0 } })
        try store.agree(#Predicate<LinkItem> { $0.tags.filter { $0.weight > 1 }.count == 1 })
        try store.agree(#Predicate<LinkItem> { item in item.tags.contains { $0.weight == item.number } })
        try store.agree(#Predicate<LinkTag> { $0.items.contains { $0.number == 4 } })
        try store.agree(#Predicate<LinkTag> { $0.items.isEmpty })
        try store.agree(#Predicate<LinkTag> { $0.items.count == 8 })
        try store.agree(#Predicate<LinkTag> { $0.items.contains { $0.tags.count == 1 } })
        try store.agree(
            #Predicate<LinkTag> { tag in tag.items.allSatisfy { $0.tags.contains { $0.weight < tag.weight } } })
    }

    @Test(arguments: PredicateFixture.all) func predicatesOnLinksWithoutInverse(_ fixture: PredicateFixture) throws {
        let store = try LinkStore(fixture)
        try store.agree(#Predicate<LinkItem> { $0.photos.contains { $0.name == "p1" } })
        try store.agree(#Predicate<LinkItem> { $0.photos.count == 2 })
        try store.agree(#Predicate<LinkItem> { $0.photos.isEmpty && !$0.tags.isEmpty })
        try store.agree(#Predicate<LinkItem> { $0.sketches?.isEmpty == false })
        try store.agree(#Predicate<LinkItem> { $0.sketches == nil })
        try store.agree(#Predicate<LinkItem> { $0.sketches != nil && $0.photos.count == 1 })
        try store.agree(#Predicate<LinkItem> { $0.sketches!.contains { $0.name == "p0" } })
        try store.agree(#Predicate<LinkItem> { $0.photos.contains { $0.name == "p0" } && $0.covers.isEmpty })
    }

    @Test(arguments: PredicateFixture.all) func predicatesOnSelfLinks(_ fixture: PredicateFixture) throws {
        let store = try LinkStore(fixture)
        let first = store.items[0].persistentModelID
        try store.agree(#Predicate<LinkItem> { $0.friends.contains { $0.persistentModelID == first } })
        try store.agree(
            #Predicate<LinkItem> { item in item.friends.contains { $0.persistentModelID == item.persistentModelID } })
        try store.agree(#Predicate<LinkItem> { $0.friends.contains { $0.tags.count == 3 } })
        try store.agree(#Predicate<LinkItem> { $0.friends.count > 2 })
        try store.agree(#Predicate<LinkItem> { $0.teachers.contains { $0.number == 2 } })
        try store.agree(#Predicate<LinkItem> { $0.students.contains { $0.number == 2 } })
        try store.agree(#Predicate<LinkItem> { $0.students.contains { $0.teachers.contains { $0.friends.isEmpty } } })
    }

    @Test(arguments: PredicateFixture.all) func predicatesApplyToUnsavedLinks(_ fixture: PredicateFixture) throws {
        let store = try LinkStore(fixture)
        let item = store.items[0]
        let hasLast = #Predicate<LinkItem> { $0.tags.contains { $0.weight == 4 } }
        #expect(try store.context.fetchCount(FetchDescriptor(predicate: hasLast)) == 0)
        item.tags.append(store.tags[4])
        #expect(try store.context.fetch(FetchDescriptor(predicate: hasLast)).map(\.name) == ["i0"])
        #expect(try store.context.fetchCount(FetchDescriptor<LinkTag>(predicate: #Predicate { $0.items.isEmpty })) == 0)
        #expect(
            Set(store.context.changedModelsArray.map(\.persistentModelID)) == [
                item.persistentModelID, store.tags[4].persistentModelID,
            ])
        store.context.rollback()
        #expect(try store.context.fetchCount(FetchDescriptor(predicate: hasLast)) == 0)
    }
}
