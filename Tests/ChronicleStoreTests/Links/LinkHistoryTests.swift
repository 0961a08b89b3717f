import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Adding or removing a link is recorded as an update of both models, for every writer.
@Suite struct LinkHistoryTests {
    /// Items 1 and 2 and tags 1 to 3, with item 1 linked to tags 1 and 2, and the position after these saves.
    private func filled(_ kind: StoreKind) throws -> (TestStore, ModelContext, DefaultHistoryToken) {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        for tag in tags { context.insert(tag) }
        for name in ["one", "two"] { context.insert(LinkItem(name)) }
        try context.save()
        try context.items()[0].tags = Array(tags[0...1])
        try context.save()
        return (store, context, try #require(try store.store.currentHistoryToken()))
    }

    @Test(arguments: StoreKind.allCases) func linkIsOneUpdateOfBothModels(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        let (items, tags) = (try context.items(), try context.linkTags())
        items[0].tags = Array(tags[1...2])
        items[0].name = "changed"
        items[1].tags = [tags[2]]
        items[1].friends = [items[0]]
        try context.save()
        let changes = try store.history(.after(token)).flatMap(\.changes).map(\.text)
        #expect(
            changes.sorted() == [
                "update LinkItem/1 name+tags+friends", "update LinkItem/2 tags+friends", "update LinkTag/1 items",
                "update LinkTag/3 items",
            ])
    }

    @Test(arguments: StoreKind.allCases) func linkWithoutInverseUpdatesTheOwner(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        let item = try context.items()[0]
        item.photos = [LinkPhoto("p"), LinkPhoto("q")]
        item.idols = [item]
        try context.save()
        #expect(
            try store.lines(.after(token)) == ["update LinkItem/1 photos+idols, insert LinkPhoto/1, insert LinkPhoto/2"]
        )
        guard case .update(let update as DefaultHistoryUpdate<LinkItem>)? = try store.history().last?.changes.first
        else {
            Issue.record("not an update of an item")
            return
        }
        #expect(update.containsAttribute(\.photos) && !update.containsAttribute(\.tags))
        #expect(update.updatedAttributes.map { $0 as AnyKeyPath } == [\LinkItem.photos, \LinkItem.idols])
    }

    @Test(arguments: StoreKind.allCases) func linksOfNewAndDeletedModelsAreNotUpdates(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        let (items, tags) = (try context.items(), try context.linkTags())
        context.insert(LinkItem("new", tags: [tags[0], LinkTag("new")]))
        try context.save()
        context.delete(items[0])
        try context.save()
        #expect(
            try store.lines(.after(token)) == [
                "update LinkTag/1 items, insert LinkItem/3, insert LinkTag/4",
                "update LinkTag/1 items, update LinkTag/2 items, delete LinkItem/1",
            ])
    }

    @Test(arguments: StoreKind.allCases) func cascadesThroughLinksAreRecorded(_ kind: StoreKind) throws {
        let (store, context, _) = try filled(kind)
        let items = try context.items()
        let (one, two) = (LinkPhoto("one"), LinkPhoto("two"))
        items[0].photos = [one]
        items[1].photos = [one, two]
        try context.save()
        let token = try #require(try store.store.currentHistoryToken())
        // Like a program that has not loaded the photos.
        try store.store.delete(
            DataStoreBatchDeleteRequest<LinkItem>(
                predicate: #Predicate { $0.name == "one" },
                editingState: EditingState(id: UUID(), author: "batch", contextName: nil)))
        let changes = try #require(store.history(.after(token)).last?.changes.map(\.text))
        #expect(
            changes.sorted() == [
                "delete LinkItem/1", "delete LinkPhoto/1", "update LinkItem/2 photos", "update LinkTag/1 items",
                "update LinkTag/2 items",
            ])
        #expect(try store.number("SELECT count(*) FROM \"LinkItem.photos\"") == 1)
    }

    @Test(arguments: StoreKind.allCases) func linksOfOtherProgramsAreRecorded(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        let items = try context.items()
        #expect(items[1].tags.isEmpty)
        try store.foreign("INSERT INTO \"LinkItem.tags\"(owner, destination) VALUES (2, 3), (2, 1)")
        try store.foreign("DELETE FROM \"LinkItem.tags\" WHERE owner = 1 AND destination = 1")
        try store.foreign("UPDATE \"LinkItem.tags\" SET destination = 2 WHERE owner = 2 AND destination = 3")
        // The link exists: nothing happens.
        try store.foreign("INSERT INTO \"LinkItem.tags\" VALUES (1, 2); UPDATE \"LinkItem.tags\" SET owner = owner")
        try store.foreign("REPLACE INTO \"LinkItem.tags\" VALUES (1, 2), (2, 2)")
        let line = """
            update LinkItem/2 tags, update LinkTag/3 items, update LinkItem/2 tags, update LinkTag/1 items, \
            update LinkItem/1 tags, update LinkTag/1 items, \
            update LinkItem/2 tags, update LinkTag/3 items, update LinkTag/2 items
            """
        #expect(try store.lines(.after(token)) == [line])
        #expect(try context.items().map(\.tags.names) == [["b"], ["a", "b"]])
        #expect(try context.linkTags().map(\.items.names) == [["two"], ["one", "two"], []])
    }

    @Test(arguments: StoreKind.allCases) func symmetricLinksOfOtherProgramsAreRecorded(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        try store.foreign("INSERT INTO \"LinkItem.friends\"(owner, destination) VALUES (1, 2)")
        #expect(try context.items().map(\.friends.names) == [["two"], ["one"]])
        try store.foreign("UPDATE \"LinkItem.friends\" SET destination = 1 WHERE owner = 1")
        #expect(try context.items().map(\.friends.names) == [["one"], []])
        try store.foreign("REPLACE INTO \"LinkItem.friends\" VALUES (2, 1); DELETE FROM \"LinkItem.friends\"")
        #expect(try context.items().map(\.friends.names) == [[], []])
        let friends = "update LinkItem/1 friends", others = "update LinkItem/2 friends"
        let changes = try store.history(.after(token)).flatMap(\.changes).map(\.text)
        #expect(changes.count { $0 == friends } + changes.count { $0 == others } == changes.count)
        #expect(changes.prefix(2) == [friends, others] || changes.prefix(2) == [others, friends])
        // Two were added, two were removed by the move, two were added again, and three were removed.
        #expect(changes.contains(others) && changes.count >= 8)
    }

    @Test func shellDeletesLinksWithForeignKeys() throws {
        let (store, context, _) = try filled(.file)
        try context.items()[0].photos = [LinkPhoto("p"), LinkPhoto("q")]
        try context.save()
        let token = try #require(try store.store.currentHistoryToken())
        try store.shell("PRAGMA foreign_keys = ON; DELETE FROM LinkItem WHERE id = 1")
        let changes = try #require(store.history(.after(token)).last?.changes.map(\.text))
        #expect(
            changes.sorted() == [
                "delete LinkItem/1", "delete LinkPhoto/1", "delete LinkPhoto/2", "update LinkTag/1 items",
                "update LinkTag/2 items",
            ])
        #expect(try store.shell("SELECT count(*) FROM \"LinkItem.tags\"") == "0")
    }

    @Test func withoutForeignKeysLinksOfDeletedRowsAreIgnored() throws {
        let (store, context, token) = try filled(.file)
        try store.shell("DELETE FROM LinkItem WHERE id = 1")
        #expect(try store.lines(.after(token)) == ["delete LinkItem/1"])
        #expect(try context.linkTags().map(\.items.count) == [0, 0, 0])
        #expect(try context.fetchCount(FetchDescriptor<LinkTag>(predicate: #Predicate { $0.items.count > 0 })) == 0)
        #expect(try context.fetchCount(FetchDescriptor<LinkTag>(predicate: #Predicate { !$0.items.isEmpty })) == 0)
    }

    @Test(arguments: StoreKind.allCases) func existingLinkIsNotATransaction(_ kind: StoreKind) throws {
        let (store, context, token) = try filled(kind)
        let other = store.context()
        let (mine, theirs) = (try context.items()[1], try other.items()[1])
        #expect(mine.tags.isEmpty && theirs.tags.isEmpty)
        mine.tags = [try context.linkTags()[0]]
        theirs.tags = [try other.linkTags()[0]]
        try context.save()
        try other.save()
        #expect(try store.lines(.after(token)) == ["update LinkItem/2 tags, update LinkTag/1 items"])
        #expect(!other.hasChanges)
    }

    @Test func disabledHistoryHasNoLinkTriggers() throws {
        let store = try TestStore(.file, [LinkItem.self])
        let configuration = ModelConfiguration(url: store.url, durability: .relaxed, recordsHistory: false)
        let container = try ModelContainer(for: LinkItem.self, configurations: configuration)
        let context = ModelContext(container)
        let (one, two) = (LinkItem("one"), LinkItem("two"))
        one.friends = [two]
        one.photos = [LinkPhoto("p")]
        context.insert(one)
        try context.save()
        #expect(two.friends.names == ["one"])
        context.delete(one)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<LinkPhoto>()) == 0)
        #expect(try store.shell("SELECT count(*) FROM chronicle_change WHERE kind > 0") == "0")
        // Enabled again, with the same triggers as in a new file.
        let triggers =
            "SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name)"
        _ = try store.reopened([LinkItem.self])
        let new = try TestStore(.file, [LinkItem.self])
        #expect(try store.shell(triggers) == new.shell(triggers))
    }
}
