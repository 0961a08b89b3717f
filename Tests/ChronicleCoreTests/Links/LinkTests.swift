import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Relationships that are stored as links, in one context and in several.
@Suite struct LinkTests {
    @Test(arguments: StoreKind.allCases) func bothSidesAgreeBeforeAndAfterTheSave(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (red, blue) = (LinkTag("red"), LinkTag("blue"))
        let one = LinkItem("one", tags: [red, blue])
        let two = LinkItem("two")
        context.insert(one)
        context.insert(two)
        #expect(red.items.names == ["one"])
        red.items.append(two)
        #expect(two.tags.names == ["red"])
        try context.save()
        #expect(one.tags.names == ["blue", "red"])
        let reader = store.context()
        #expect(try reader.items().map(\.tags.names) == [["blue", "red"], ["red"]])
        #expect(try reader.linkTags().map(\.items.names) == [["one"], ["one", "two"]])
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases) func linksAreRemoved(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        let item = LinkItem("item", tags: tags)
        context.insert(item)
        try context.save()
        item.tags.removeAll { $0 === tags[1] }
        #expect(tags[1].items.isEmpty)
        tags[2].items = []
        #expect(item.tags.names == ["a"])
        #expect(context.hasChanges)
        try context.save()
        #expect(try store.reading { try $0.items()[0].tags.names } == ["a"])
        // Adding and removing a link leaves nothing to save.
        let before = try context.currentHistoryToken()
        item.tags.append(tags[1])
        item.tags.removeLast()
        try context.save()
        #expect(try context.currentHistoryToken() == before)
    }

    /// A destination without an inverse property has no edits itself.
    @Test(arguments: StoreKind.allCases) func linksToDeletedRowsAreReported(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (item, kept, none) = (LinkItem("item"), LinkPhoto("kept"), LinkPhoto("none"))
        for model in [kept, none] { context.insert(model) }
        context.insert(item)
        try context.save()
        for merges in [true, false] {
            for policy in [ModelContext.MergePolicy.mergeByPropertyObjectTrump, .error] {
                let photo = LinkPhoto("photo")
                context.insert(photo)
                try context.save()
                item.covers = [kept, photo]
                let other = store.context()
                other.delete(try other.existingModel(for: photo.persistentModelID) as! LinkPhoto)
                try other.save()
                if merges {
                    try context.refreshAllModels()
                } else {
                    try context.delete(model: LinkPhoto.self, where: #Predicate { $0.name == "other" })
                }
                #expect(item.covers.names == ["kept", "photo"] && context.changedModelsArray.count == 2)
                context.mergePolicy = policy
                if policy == .error {
                    let error = #expect(throws: SwiftDataError.modelNotFound) { try context.save() }
                    #expect(error?.persistentIdentifier == photo.persistentModelID)
                    context.delete(photo)
                    try context.save()
                } else {
                    try context.save()
                    let dropped = context.lastSaveResult.droppedChanges
                    #expect(dropped.map(\.persistentIdentifier) == [photo.persistentModelID])
                    #expect(dropped.first?.updatedAttributeNames == [])
                }
                #expect(photo.isDeleted && !context.hasChanges && item.covers.names == ["kept"])
                #expect(try store.reading { try $0.items()[0].covers.names } == ["kept"])
                item.covers = []
                try context.save()
                context.mergePolicy = .mergeByPropertyObjectTrump
            }
        }
    }

    /// Nothing is lost if the program takes the link back.
    @Test(arguments: StoreKind.allCases) func linksToDeletedRowsCanBeTakenBack(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        context.mergePolicy = .error
        let (item, photo) = (LinkItem("item"), LinkPhoto("photo"))
        context.insert(photo)
        context.insert(item)
        try context.save()
        item.covers = [photo]
        let other = store.context()
        other.delete(try other.existingModel(for: photo.persistentModelID, as: LinkPhoto.self))
        try other.save()
        try context.refreshAllModels()
        #expect(context.changedModelsArray.count == 2)
        item.covers = []
        try context.save()
        #expect(photo.isDeleted && context.lastSaveResult.droppedChanges.isEmpty && !context.hasChanges)
    }

    /// The program deletes the destination itself.
    @Test(arguments: StoreKind.allCases) func batchDeletesRemoveUnsavedLinks(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (item, photo) = (LinkItem("item"), LinkPhoto("photo"))
        context.insert(photo)
        context.insert(item)
        try context.save()
        item.covers = [photo]
        try context.delete(model: LinkPhoto.self)
        #expect(photo.isDeleted && item.covers.isEmpty)
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.isEmpty && !context.hasChanges)
    }

    /// Another context replaces the destination of the first item, which the save changes, too.
    @Test(arguments: StoreKind.allCases, [ModelConfiguration.Recorder.triggers, .automatic])
    func linksAndOneToOnesAreOneUpdate(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let directory = try TemporaryDirectory()
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.recorder = recorder
        let container = try ModelContainer(for: Folder.self, configurations: configuration)
        let first = ModelContext(container)
        for isAdded in [true, false] {
            let (a, b, cover, label) = (
                Folder("a \(isAdded)"), Folder("b \(isAdded)"), Cover("c"), Label("x \(isAdded)")
            )
            try first.add(a, b, cover, label)
            if !isAdded {
                a.labels = [label]
                try first.save()
            }
            let other = ModelContext(container)
            let owner = try #require(try other.existingModel(for: a.persistentModelID) as? Folder)
            owner.cover = try other.existingModel(for: cover.persistentModelID) as? Cover
            try other.save()
            b.cover = cover
            a.labels = isAdded ? [label] : []
            try first.save()
            let last = try #require(try first.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            let changed = last.changes.map(\.changedPersistentIdentifier)
            #expect(changed.count == Set(changed).count && changed.contains(a.persistentModelID), "\(last.line)")
        }
    }

    @Test(arguments: StoreKind.allCases) func linksWorkWithoutAnInverse(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let photos = ["p", "q", "r"].map { LinkPhoto($0) }
        let (one, two) = (LinkItem("one"), LinkItem("two"))
        one.photos = [photos[0], photos[1]]
        one.covers = [photos[2]]
        one.sketches = nil
        two.sketches = [photos[0], photos[2]]
        two.photos = [photos[1]]
        for item in [one, two] { context.insert(item) }
        try context.save()
        let reader = store.context()
        let found = try reader.items()
        #expect(found[0].photos.names == ["p", "q"])
        // A destination may be in several lists.
        #expect(found[1].photos.names == ["q"])
        #expect(found[0].covers.names == ["r"])
        #expect(found[0].sketches?.names == [])
        #expect(found[1].sketches?.names == ["p", "r"])
        found[1].sketches = nil
        #expect(found[1].sketches?.names == [])
    }

    @Test(arguments: StoreKind.allCases) func symmetricLinksAreMutual(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (one, two, three) = (LinkItem("one"), LinkItem("two"), LinkItem("three"))
        one.friends = [two, three]
        context.insert(one)
        #expect(two.friends.names == ["one"])
        two.friends.append(two)
        #expect(two.friends.names == ["one", "two"])
        one.idols = [two]
        two.teachers = [one, two]
        #expect(one.students.names == ["two"])
        #expect(two.students.names == ["two"])
        try context.save()
        let reader = store.context()
        let found = try reader.items()
        #expect(found.map(\.friends.names) == [["three", "two"], ["one"], ["one", "two"]])
        #expect(found.map(\.idols.names) == [["two"], [], []])
        #expect(found.map(\.students.names) == [["two"], [], ["two"]])
        two.friends.removeAll()
        #expect(one.friends.names == ["three"])
        try context.save()
        #expect(try store.reading { try $0.items().map(\.friends.names) } == [["three"], ["one"], []])
    }

    @Test(arguments: StoreKind.allCases) func concurrentlyAddedLinksAreMerged(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let (first, second) = (store.context(), store.context())
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        for tag in tags { first.insert(tag) }
        first.insert(LinkItem("item", tags: [tags[0]]))
        try first.save()
        let (one, other) = (try first.items()[0], try second.items()[0])
        let known = try second.linkTags()
        #expect(other.tags.names == ["a"])
        one.tags.append(tags[1])
        other.tags.append(known[2])
        other.tags.append(known[1])
        try first.save()
        try second.save()
        #expect(try store.reading { try $0.items()[0].tags.names } == ["a", "b", "c"])
        // Deleted links may be removed again.
        one.tags = []
        try first.save()
        other.tags = [known[2]]
        try second.save()
        #expect(try store.reading { try $0.items()[0].tags.names } == ["c"])
        #expect(try first.items()[0].tags.names == ["c"])
        #expect(tags[2].items.names == ["item"])
    }

    @Test(arguments: StoreKind.allCases) func linksAreDeletedWithTheirModels(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (red, blue) = (LinkTag("red"), LinkTag("blue"))
        let (one, two) = (LinkItem("one", tags: [red, blue]), LinkItem("two", tags: [red]))
        one.friends = [two]
        for item in [one, two] { context.insert(item) }
        try context.save()
        context.delete(one)
        #expect(red.items.names == ["two"])
        #expect(two.friends.isEmpty)
        // The delete is undone together with its links.
        context.insert(one)
        #expect(red.items.names == ["one", "two"])
        #expect(two.friends.names == ["one"])
        context.delete(one)
        context.delete(blue)
        #expect(two.tags.names == ["red"])
        try context.save()
        #expect(two.friends.isEmpty)
        #expect(try store.reading { try $0.linkTags().map(\.items.names) } == [["two"]])
        // A new model that is deleted again also deletes the models that it was linked to.
        let late = LinkItem("late", tags: [red])
        context.insert(late)
        context.delete(late)
        #expect(red.items.names == ["two"])
        context.insert(late)
        #expect(late.tags.isEmpty)
        try context.save()
        #expect(try store.reading { try $0.linkTags().map(\.items.names) } == [["two"]])
    }

    @Test(arguments: StoreKind.allCases) func linksCascade(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let photos = ["p", "q", "r"].map { LinkPhoto($0) }
        let (one, two) = (LinkItem("one"), LinkItem("two"))
        one.photos = [photos[0], photos[1]]
        two.photos = [photos[1], photos[2]]
        two.covers = [photos[0]]
        for item in [one, two] { context.insert(item) }
        try context.save()
        // Another context adds links that this one has not loaded.
        let other = store.context()
        let late = LinkPhoto("late")
        other.insert(late)
        try other.items()[0].photos.append(late)
        #expect(one.photos.names == ["p", "q"])
        try other.save()
        context.delete(one)
        #expect(two.photos.names == ["r"])
        #expect(two.covers.isEmpty)
        try context.save()
        #expect(try store.reading { try $0.photos().names } == ["r"])
        #expect(try store.reading { try $0.items().map(\.photos.names) } == [["r"]])
    }

    @Test(arguments: StoreKind.allCases) func movedDestinationsAreNotDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (one, two, photo) = (LinkItem("one"), LinkItem("two"), LinkPhoto("photo"))
        one.photos = [photo]
        for item in [one, two] { context.insert(item) }
        try context.save()
        one.photos = []
        two.photos = [photo]
        context.delete(one)
        try context.save()
        #expect(try store.reading { try $0.items().map(\.photos.names) } == [["photo"]])
    }

    @Test(arguments: StoreKind.allCases) func rollbackDiscardsLinks(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (red, blue) = (LinkTag("red"), LinkTag("blue"))
        let item = LinkItem("item", tags: [red])
        for model in [item] { context.insert(model) }
        context.insert(blue)
        try context.save()
        item.tags = [blue, LinkTag("new")]
        context.delete(red)
        context.rollback()
        #expect(item.tags.names == ["red"])
        #expect(blue.items.isEmpty)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try store.reading { try $0.items()[0].tags.names } == ["red"])
    }

    @Test(arguments: StoreKind.allCases) func linkToADeletedRowThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (item, tag) = (LinkItem("item"), LinkTag("tag"))
        context.insert(item)
        context.insert(tag)
        try context.save()
        let other = store.context()
        other.delete(try other.linkTags()[0])
        try other.save()
        item.tags = [tag]
        item.name = "changed"
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try store.reading { try $0.items()[0].name } == "item")
        #expect(item.tags.names == ["tag"])
        context.delete(tag)
        try context.save()
        #expect(try store.reading { try $0.items()[0].name } == "changed")
    }

    @Test(arguments: StoreKind.allCases) func batchDeleteDeletesLinksAndCascades(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let tag = LinkTag("tag")
        for number in 0..<10 {
            let item = LinkItem("\(number)", tags: [tag])
            item.number = number
            item.photos = [LinkPhoto("\(number)")]
            context.insert(item)
        }
        try context.save()
        #expect(tag.items.count == 10)
        try context.delete(model: LinkItem.self, where: #Predicate { $0.number < 7 })
        #expect(tag.items.names == ["7", "8", "9"])
        #expect(try context.photos().names == ["7", "8", "9"])
        try context.delete(model: LinkItem.self, where: #Predicate { $0.tags.contains { $0.name == "tag" } })
        #expect(tag.items.isEmpty)
        #expect(try context.fetchCount(FetchDescriptor<LinkPhoto>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func unreferencedModelsAreReleased(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        weak var item: LinkItem?
        weak var tag: LinkTag?
        do {
            let context = store.context()
            let made = LinkItem("one", tags: [LinkTag("red")])
            context.insert(made)
            try context.save()
            (item, tag) = (made, made.tags[0])
            #expect(tag?.items.first === item)
        }
        #expect(item == nil)
        #expect(tag == nil)
    }

    @Test func enumerationReleasesEarlierModels() throws {
        let store = try TestStore(.inMemory, [LinkItem.self])
        let context = store.context()
        for number in 0..<1_100 { context.insert(LinkItem("\(number)", tags: [LinkTag("\(number)")])) }
        try context.save()
        let walker = store.context()
        weak var item: LinkItem?
        weak var tag: LinkTag?
        for (number, identifier) in try walker.fetchIdentifiers(FetchDescriptor<LinkItem>()).enumerated() {
            let found = try #require(try walker.existingModel(for: identifier) as? LinkItem)
            #expect(found.tags.names == ["\(number)"])
            // Neither end of a link retains the other.
            #expect(found.tags.first?.items.first === found)
            if number == 0 { (item, tag) = (found, found.tags.first) }
        }
        #expect(item == nil && tag == nil)
    }

    @Test(arguments: StoreKind.allCases) func listsArePrefetched(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let tags = ["a", "b", "c"].map { LinkTag($0) }
        let items = [LinkItem("one", tags: tags), LinkItem("two", tags: [tags[1]]), LinkItem("three")]
        items[0].friends = [items[1], items[0]]
        for item in items { context.insert(item) }
        try context.save()
        let reader = store.context()
        var descriptor = FetchDescriptor<LinkItem>()
        descriptor.relationshipKeyPathsForPrefetching = [\.tags, \.friends, \.photos]
        let found = try reader.fetch(descriptor)
        // Prefetched lists do not include later links.
        try store.foreign("DELETE FROM \"LinkItem.tags\"; DELETE FROM \"LinkItem.friends\"")
        #expect(found.map(\.tags.names) == [["a", "b", "c"], ["b"], []])
        #expect(found.map(\.friends.names) == [["one", "two"], ["one"], []])
        #expect(found[0].tags[1].items.names == ["one", "two"])
        #expect(try reader.fetch(descriptor).map(\.tags.names) == [[], [], []])
    }

    @Test func loadedListsReflectSavesOfAnotherContext() throws {
        let store = try TestStore(.file, [LinkItem.self])
        let context = store.context()
        let (red, blue) = (LinkTag("red"), LinkTag("blue"))
        let item = LinkItem("item", tags: [red])
        context.insert(item)
        context.insert(blue)
        try context.save()
        #expect(item.tags.names == ["red"])
        let other = store.context()
        let changed = try other.items()[0]
        changed.tags = [try other.linkTags()[0]]
        try other.save()
        // The tags are fetched, but the item is not.
        _ = try context.linkTags()
        #expect(red.items.isEmpty)
        #expect(item.tags.names == ["blue"])
        #expect(blue.items.names == ["item"])
    }

    /// A store with a feature of Chronicle, but without links.
    @Test func storeWithoutLinkSupportIsRejected() throws {
        #expect {
            try ModelContainer(for: LinkItem.self, configurations: LinklessStore.Configuration())
        } throws: { error in
            guard let error = error as? SwiftDataError else { return false }
            return error == .unsupportedFeature && error.entityName == "LinkItem" && error.storeName == "linkless"
        }
    }
}

/// A store that does not implement links.
private final class LinklessStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = LinklessStore
        let name = "linkless"
        var schema: Schema?
    }

    typealias Snapshot = DefaultSnapshot
    static let capabilities: DataStoreCapabilities = .excludedIdentifiers
    let configuration: Configuration
    let schema: Schema
    let identifier = "linkless"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        (self.configuration, self.schema) = (configuration, schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) -> DataStoreFetchResult<Model, DefaultSnapshot> {
        DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
        DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: [:])
    }
}
