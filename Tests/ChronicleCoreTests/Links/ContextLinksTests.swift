import Chronicle
import ChronicleTestSupport
import Testing

@testable import ChronicleCore

/// The unsaved links of a context, and the lists that were read.
@Suite struct ContextLinksTests {
    private let context: ModelContext
    private let items: [LinkItem]
    private let labels: [LinkTag]
    private let tags: Schema.Property
    private let photos: Schema.Property
    private let inverse: Schema.Property
    private var links = ContextLinks()

    init() throws {
        let store = try TestStore(.inMemory, [LinkItem.self])
        context = store.context()
        items = ["a", "b", "c"].map { LinkItem($0) }
        labels = ["x", "y", "z"].map { LinkTag($0) }
        for item in items { context.insert(item) }
        for label in labels { context.insert(label) }
        func property(_ entity: String, _ name: String) throws -> Schema.Property {
            let properties = store.container.schema.entitiesByName[entity]?.relationshipProperties
            return try #require(properties?.first { $0.name == name })
        }
        tags = try property("LinkItem", "tags")
        photos = try property("LinkItem", "photos")
        inverse = try property("LinkTag", "items")
    }

    private func backing(_ item: LinkItem) -> AnyBackingData { item.persistentBackingData }

    /// The names of the tags that were added to and removed from an item: `+x -y`.
    private func changes(_ item: LinkItem) -> String? {
        links[changesOf: backing(item), tags].map { changes in
            let added = changes.added.map { "+\(($0 as? LinkTag)?.name ?? "?")" }
            let removed = changes.removed.map { "-\(($0 as? LinkTag)?.name ?? "?")" }
            return (added + removed).joined(separator: " ")
        }
    }

    private mutating func set(_ isLinked: Bool, _ label: LinkTag, of item: LinkItem) {
        links.set(isLinked, label, of: backing(item), tags)
    }

    private func list(_ item: LinkItem, _ property: Schema.Property) -> [String]? {
        links.list(of: backing(item), property)?.read { _ in false }.map { ($0 as? LinkTag)?.name ?? "?" }
    }

    // MARK: Changes

    @Test mutating func changesOfAnEndKeepTheirOrder() {
        #expect(changes(items[0]) == nil)
        set(true, labels[2], of: items[0])
        set(true, labels[0], of: items[0])
        set(false, labels[1], of: items[0])
        set(true, labels[0], of: items[0])
        #expect(changes(items[0]) == "+z +x -y")
        #expect(changes(items[1]) == nil && links[changesOf: backing(items[0]), photos] == nil)
    }

    @Test mutating func oppositeChangesCancelEachOther() {
        set(true, labels[0], of: items[0])
        set(false, labels[0], of: items[0])
        #expect(changes(items[0]) == "")
        set(false, labels[1], of: items[0])
        set(true, labels[1], of: items[0])
        #expect(changes(items[0]) == "")
        // A change that was undone can be made again.
        set(true, labels[0], of: items[0])
        set(false, labels[1], of: items[0])
        #expect(changes(items[0]) == "+x -y")
    }

    @Test mutating func endsAreOrderedByTheirFirstChange() {
        for index in [2, 0, 1, 2] { set(true, labels[0], of: items[index]) }
        links.set(true, items[0], of: labels[0].persistentBackingData, inverse)
        #expect(links.changedEnds.map { ($0.model as? LinkItem)?.name } == ["c", "a", "b", nil])
        #expect(links.changedEnds.map(\.property.name) == ["tags", "tags", "tags", "items"])
    }

    @Test mutating func removedModelIsRemovedFromBothEnds() {
        set(true, labels[0], of: items[0])
        set(true, labels[1], of: items[0])
        set(false, labels[0], of: items[1])
        links.set(true, items[0], of: labels[0].persistentBackingData, inverse)
        _ = links.keep([labels[0]], of: backing(items[2]), tags)
        links.forget(labels[0].persistentBackingData)
        #expect(changes(items[0]) == "+y" && changes(items[1]) == "")
        #expect(links[changesOf: labels[0].persistentBackingData, inverse] == nil)
        // A list may already contain the model.
        #expect(links.list(of: backing(items[2]), tags) == nil)

        links.forget(backing(items[0]))
        #expect(changes(items[0]) == nil && links.changedEnds.count == 1)
    }

    @Test mutating func savedChangesAreRemovedAndOthersKept() {
        set(true, labels[0], of: items[0])
        set(true, labels[0], of: items[1])
        links.removeChanges { $0.model === items[0] }
        #expect(changes(items[0]) == nil && changes(items[1]) == "+x")
        // The next change starts from the saved state.
        set(false, labels[0], of: items[0])
        #expect(changes(items[0]) == "-x")
        links.removeChanges { _ in true }
        #expect(links.changedEnds.isEmpty)
    }

    // MARK: Lists

    @Test mutating func listReflectsChangesOfItsEnd() {
        _ = links.keep([labels[0], labels[1]], of: backing(items[0]), tags)
        _ = links.keep([], of: backing(items[1]), tags)
        set(true, labels[2], of: items[0])
        set(false, labels[0], of: items[0])
        // The item already has the first tag, but not the second.
        set(true, labels[1], of: items[0])
        set(false, labels[2], of: items[1])
        #expect(list(items[0], tags) == ["y", "z"] && list(items[1], tags) == [])
        #expect(list(items[0], photos) == nil && list(items[2], tags) == nil)
    }

    @Test mutating func loadedListsContainKnownLinksOfTheOtherSide() {
        _ = links.keep([labels[0]], of: backing(items[0]), tags)
        _ = links.keep([labels[1]], of: backing(items[1]), tags)
        set(true, labels[0], of: items[1])
        set(false, labels[0], of: items[0])
        let (members, others) = links.known(of: tags, about: labels[0])
        #expect(members.count == 1 && members.first === items[1])
        #expect(others == [ObjectIdentifier(items[0])])
        #expect(links.known(of: photos, about: labels[0]).members.isEmpty)
    }

    @Test mutating func listsAreRemovedByPropertyOrAltogether() {
        _ = links.keep([labels[0]], of: backing(items[0]), tags)
        _ = links.keep([], of: backing(items[0]), photos)
        set(true, labels[1], of: items[0])
        links.forgetLists(of: [photos])
        #expect(list(items[0], photos) == nil && list(items[0], tags) == ["x", "y"])
        links.forgetLists()
        #expect(list(items[0], tags) == nil)
        // Changes are not loaded lists.
        #expect(changes(items[0]) == "+y")
    }

    @Test mutating func onlyTheMostRecentListsAreKept() {
        let many = (0..<1_100).map { LinkItem("\($0)") }
        for item in many { context.insert(item) }
        for item in many[..<1_024] { _ = links.keep([labels[0]], of: backing(item), tags) }
        // A list that is already known replaces its previous version and does not count twice.
        _ = links.keep([labels[1]], of: backing(many[5]), tags)
        #expect(many[..<1_024].allSatisfy { list($0, tags) != nil } && list(many[5], tags) == ["y"])
        for (index, item) in many.enumerated().dropFirst(1_024) {
            _ = links.keep([labels[2]], of: backing(item), tags)
            #expect(list(item, tags) == ["z"])
            #expect(list(many[index - 1_024], tags) == nil && list(many[index - 1_023], tags) != nil)
        }
        #expect(many.count { list($0, tags) != nil } == 1_024)
    }

    @Test mutating func removingAListKeepsChanges() {
        let many = (0..<1_025).map { LinkItem("\($0)") }
        for item in many { context.insert(item) }
        set(true, labels[0], of: many[0])
        for item in many { _ = links.keep([labels[0]], of: backing(item), tags) }
        #expect(list(many[0], tags) == nil && changes(many[0]) == "+x")
        set(false, labels[1], of: many[0])
        #expect(changes(many[0]) == "+x -y")
    }
}
