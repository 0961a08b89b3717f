import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// All links of a model are removed, in every way, in the file and in the history.
///
/// https://github.com/project-imas/encrypted-core-data/issues/244
@Suite struct RemovedLinkTests {
    /// A way to remove all tags of an item.
    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether the item gets a new tag, too.
        var adds = false
        /// Whether a tag is deleted.
        var deletes = false
        let remove: @Sendable (LinkItem, [LinkTag], ModelContext) -> Void
    }

    static let ways = [
        Way(testDescription: "assignment") { item, _, _ in item.tags = [] },
        Way(testDescription: "removeAll") { item, _, _ in item.tags.removeAll() },
        Way(testDescription: "one by one") { item, _, _ in while !item.tags.isEmpty { item.tags.removeLast() } },
        Way(testDescription: "from the other side") { item, tags, _ in
            for tag in tags { tag.items.removeAll { $0 === item } }
        },
        Way(testDescription: "from both sides") { item, tags, _ in
            tags[0].items.removeAll { $0 === item }
            item.tags.removeAll { $0 === tags[1] }
            tags[2].items = tags[2].items.filter { $0 !== item }
            item.tags = []
        },
        Way(testDescription: "with a new tag", adds: true) { item, _, _ in item.tags = [LinkTag("new")] },
        Way(testDescription: "with a new tag from the other side", adds: true) { item, _, _ in
            item.tags = []
            let tag = LinkTag("new")
            item.modelContext?.insert(tag)
            tag.items = [item]
        },
        Way(testDescription: "with a tag that is added and removed") { item, _, _ in
            item.tags = [LinkTag("new")]
            let new = item.tags[0]
            item.tags = []
            item.modelContext?.delete(new)
        },
        Way(testDescription: "with the delete of a tag", deletes: true) { item, tags, context in
            item.tags = []
            context.delete(tags[0])
        },
        Way(testDescription: "after the delete of a tag", deletes: true) { item, tags, context in
            context.delete(tags[0])
            item.tags = []
        },
    ]

    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [LinkItem.self], preservesValues: true)
        let context = store.context()
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        for name in ["item", "other"] { context.insert(LinkItem(name, tags: tags)) }
        try context.save()
        return store
    }

    private func expectRemoval(_ store: TestStore, _ way: Way) throws {
        try store.reading { reader in
            let items = try reader.items()
            #expect(items.map(\.name) == ["item", "other"])
            #expect(items[0].tags.names == (way.adds ? ["new"] : []))
            #expect(items[1].tags.names == (way.deletes ? ["b", "c"] : ["a", "b", "c"]))
            for tag in try reader.linkTags() { #expect(tag.items.names == (tag.name == "new" ? ["item"] : ["other"])) }
        }
        let rows = 3 + (way.adds ? 1 : 0) - (way.deletes ? 1 : 0)
        #expect(try store.number("SELECT count(*) FROM \"LinkItem.tags\"") == Int64(rows))
    }

    @Test(arguments: StoreKind.allCases, ways) func allLinksAreRemoved(_ kind: StoreKind, _ way: Way) throws {
        for isRead in [false, true] {
            let store = try store(kind)
            let context = store.context()
            let before = try context.currentHistoryToken()
            let (items, tags) = (try context.items(), try context.linkTags())
            let identifiers = Set(tags.map(\.persistentModelID))
            if isRead {
                #expect(items[0].tags.count == 3)
                #expect(tags.allSatisfy { $0.items.count == 2 })
            }
            way.remove(items[0], tags, context)
            try context.save()
            #expect(items[0].tags.names == (way.adds ? ["new"] : []) && !context.hasChanges)
            try expectRemoval(store, way)
            // The history has one removal for each link, at both ends.
            let changes = try context.changes(between: before, and: context.currentHistoryToken())
            let removed = changes.first { $0.persistentIdentifier == items[0].persistentModelID }?.values
                .first { $0.name == "tags" }?.removedDestinations
            #expect(Set(removed ?? []) == identifiers)
            let updated = changes.filter { $0.kind == .update && identifiers.contains($0.persistentIdentifier) }
            #expect(updated.count == (way.deletes ? 2 : 3))
            for change in updated {
                let items = change.values.first { $0.name == "items" }
                #expect(items?.removedDestinations?.count == 1 && items?.addedDestinations?.isEmpty != false)
            }
        }
    }

    @Test func anotherProgramRemovesAllLinks() throws {
        let store = try store(.file)
        let context = store.context()
        let (items, tags) = (try context.items(), try context.linkTags())
        #expect(items[0].tags.count == 3)
        try store.foreign("DELETE FROM \"LinkItem.tags\" WHERE owner = 1")
        try context.refreshAllModels()
        #expect(items.map(\.tags.count) == [0, 3])
        #expect(tags.map(\.items.names) == [["other"], ["other"], ["other"]])
        #expect(try store.history().last?.changes.isEmpty == false)
    }
}
