import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Relationships without a to-one inverse in a store with only the declarations of SwiftData.
@Suite struct PlainListTests {
    private let memory = PlainStore.Memory()

    private func context() throws -> ModelContext {
        ModelContext(try ModelContainer(for: LinkItem.self, configurations: PlainStore.Configuration(memory)))
    }

    @Test func listsAreSavedWithTheirOwners() throws {
        let context = try context()
        let item = LinkItem("a", tags: [LinkTag("red"), LinkTag("blue")])
        (item.photos, item.covers, item.sketches) = ([LinkPhoto("p"), LinkPhoto("q")], [LinkPhoto("c")], [])
        context.insert(item)
        let other = LinkItem("b")
        (other.friends, other.idols, other.teachers) = ([item], [item, other], [item])
        context.insert(other)
        try context.save()

        let reader = try self.context()
        let (a, b) = (try reader.items()[0], try reader.items()[1])
        #expect(a.tags.map(\.name).sorted() == ["blue", "red"])
        #expect(a.photos.map(\.name).sorted() == ["p", "q"])
        #expect(a.covers.map(\.name) == ["c"] && a.sketches?.isEmpty == true)
        #expect(a.friends.map(\.name) == ["b"] && b.friends.map(\.name) == ["a"])
        #expect(b.idols.map(\.name).sorted() == ["a", "b"] && a.idols.isEmpty)
        #expect(a.students.map(\.name) == ["b"] && b.teachers.map(\.name) == ["a"])
        #expect(try reader.linkTags().map { $0.items.map(\.name) } == [["a"], ["a"]])
        let predicate = #Predicate<LinkItem> { item in item.tags.contains { $0.name == "red" } }
        #expect(try reader.fetch(FetchDescriptor(predicate: predicate)).map(\.name) == ["a"])
    }

    @Test func changesFromBothSidesAreSaved() throws {
        let context = try context()
        let (item, red, blue) = (LinkItem("a"), LinkTag("red"), LinkTag("blue"))
        item.tags = [red]
        context.insert(item)
        context.insert(blue)
        try context.save()
        blue.items.append(item)
        red.items = []
        try context.save()
        #expect(memory.now.saves.last == [0, 1, 0], "only the owner of the links is written")
        let reader = try self.context()
        #expect(try reader.items()[0].tags.map(\.name) == ["blue"])
        #expect(try reader.linkTags().map(\.items.count) == [1, 0])
        // Without a change, nothing is written.
        item.tags = [blue]
        try context.save()
        #expect(memory.now.saves.count == 2)
    }

    /// A store replaces whole snapshots, so a stale list would delete what another context added.
    @Test func anUpdateKeepsTheListOfAnotherContext() throws {
        let context = try context()
        let item = LinkItem("a", tags: [LinkTag("red")])
        context.insert(item)
        context.insert(LinkTag("blue"))
        try context.save()
        #expect(item.tags.count == 1)
        let other = try self.context()
        try #require(other.items().first).tags.append(try #require(other.linkTags().first))
        try other.save()
        item.number = 7
        try context.save()
        let reader = try self.context()
        let saved = try #require(reader.items().first)
        #expect(saved.number == 7 && saved.tags.map(\.name).sorted() == ["blue", "red"])
        item.tags.removeAll { $0.name == "red" }
        try context.save()
        #expect(try self.context().items().first?.tags.map(\.name) == ["blue"])
    }

    @Test func aFailedSaveKeepsTheChanges() throws {
        let context = try context()
        let (item, red) = (LinkItem("a"), LinkTag("red"))
        context.insert(item)
        context.insert(red)
        try context.save()
        let before = memory.now.rows
        item.tags = [red, LinkTag("blue")]
        memory.change { $0.failure = .storeBusy }
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        #expect(memory.now.rows.count == before.count && item.tags.count == 2 && context.hasChanges)
        try context.save()
        #expect(try self.context().items().first?.tags.map(\.name).sorted() == ["blue", "red"])
        item.tags.removeAll()
        context.rollback()
        #expect(item.tags.count == 2 && !context.hasChanges)
    }

    @Test func deletedDestinationsLeaveTheLists() throws {
        let context = try context()
        let (item, photo) = (LinkItem("a"), LinkPhoto("p"))
        item.idols = [LinkItem("b")]
        item.covers = [photo, LinkPhoto("q")]
        context.insert(item)
        try context.save()
        let deleter = try self.context()
        deleter.delete(try #require(deleter.photos().first))
        deleter.delete(try #require(deleter.items().last))
        try deleter.save()
        #expect(memory.now.saves.last == [0, 1, 2])
        let lists = memory.now.rows.values.flatMap(\.values).compactMap { value in
            if case .references(let destinations) = value { destinations } else { nil }
        }
        #expect(lists.joined().count == 1)
        #expect(try self.context().items().map { $0.covers.map(\.name) + $0.idols.map(\.name) } == [["q"]])
        // The row of a destination that another program deleted is not part of the list.
        memory.change { $0.rows = $0.rows.filter { $0.key.entityName != "LinkPhoto" } }
        #expect(try self.context().items().first?.covers.isEmpty == true)
    }

    @Test func cascadesReachTheLists() throws {
        let context = try context()
        let item = LinkItem("a")
        item.photos = [LinkPhoto("p"), LinkPhoto("q")]
        context.insert(item)
        try context.save()
        let deleter = try self.context()
        deleter.delete(try #require(deleter.items().first))
        try deleter.save()
        #expect(memory.now.rows.isEmpty)
    }

    @Test func batchInsertsHaveEmptyLists() throws {
        let context = try context()
        try context.insert(model: LinkItem.self, from: ["a", "b"].map { LinkItem($0) })
        #expect(try context.items().map(\.tags.count) == [0, 0])
        let item = try #require(context.items().first)
        item.tags = [LinkTag("red")]
        try context.save()
        #expect(try self.context().items().map(\.tags.count) == [1, 0])
    }

    /// A store that keeps only the stored properties would lose the lists.
    @Test func lostListsAreReported() throws {
        memory.change { content in
            content.changeRow = { row in
                let count = row.persistentIdentifier.entityName == "LinkItem" ? 2 : row.values.count
                return DefaultSnapshot(
                    persistentIdentifier: row.persistentIdentifier, values: Array(row.values.prefix(count)),
                    changed: row.changed)
            }
        }
        let context = try context()
        context.insert(LinkItem("a", tags: [LinkTag("red")]))
        let error = try failure { try context.save() }
        #expect(error == .unsupportedFeature && error?.entityName == "LinkItem" && error?.storeName == "plain")
        #expect(try failure { try self.context().items() } == .unsupportedFeature)
    }

    @Test func invalidListsAreReported() throws {
        let context = try context()
        context.insert(LinkItem("a", tags: [LinkTag("red")]))
        try context.save()
        func readTags(_ list: PropertyValue) throws -> SwiftDataError? {
            memory.change { content in
                content.rows = content.rows.mapValues { row in
                    guard row.persistentIdentifier.entityName == "LinkItem" else { return row }
                    return DefaultSnapshot(
                        persistentIdentifier: row.persistentIdentifier,
                        values: Array(row.values.prefix(2)) + row.values.dropFirst(2).map { _ in list },
                        changed: row.changed)
                }
            }
            let reader = try self.context()
            let item = try #require(reader.items().first)
            #expect(item.tags.isEmpty)
            return try failure { try reader.save() }
        }
        #expect(try readTags(.integer(1)) == .invalidStoreResponse)
        #expect(try readTags(.references([LinkTag("new").persistentModelID])) == .invalidStoreResponse)
        #expect(try readTags(.references([])) == nil)
    }
}
