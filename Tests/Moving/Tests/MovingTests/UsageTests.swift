import SwiftData
import Synchronization
import Testing
import Usages
import UsagesInSwift5

/// Usages of the API that are common in public code for SwiftData.
@Suite(.serialized) struct UsageTests {
    private func context() throws -> ModelContext {
        let context = ModelContext(try BookContainer.makeInMemory())
        for (number, title) in ["Emma", "Ulysses", "Walden", "Werther"].enumerated() {
            context.insert(Book(title: title, pages: 100 * number, state: Book.State.allCases[number % 3]))
        }
        try context.save()
        return context
    }

    @Test func capturedValues() throws {
        let context = try context()
        func titles(_ filter: BookFilter) throws -> [String] { try context.fetch(filter.descriptor()).map(\.title) }
        #expect(try titles(BookFilter(minimum: 150)) == ["Walden", "Werther"])
        func found(_ filter: BookFilter) throws -> [String] {
            try context.fetch(filter.searchDescriptor()).map(\.title)
        }
        #expect(try found(BookFilter(state: .unread)) == ["Emma", "Werther"])
        #expect(try found(BookFilter()).count == 4)
        #expect(try titles(BookFilter(minimum: -1, titles: ["Emma", "x"])) == ["Emma"])
        var search = BookFilter()
        search.search = "w"
        #expect(try found(search) == ["Walden", "Werther"])
        #expect(try context.books(titled: ["Emma"]).map(\.title) == ["Emma"])
        #expect(try context.books(titled: nil).isEmpty)
        #expect(try context.books(notTitled: ["Emma", "Walden"]).map(\.title) == ["Ulysses", "Werther"])
        #expect(try context.books(notTitled: nil).count == 4)
        let range = BookFilter(range: BookFilter.Range(lower: 100, upper: 200))
        #expect(try context.books(atLeast: range).map(\.title) == ["Ulysses", "Walden", "Werther"])
        #expect(try context.books(atLeast: BookFilter()).count == 4)
        #expect(try context.books(startingWith: ["W", "E"]).map(\.title) == ["Emma", "Walden", "Werther"])
    }

    @Test func history() throws {
        let context = try context()
        let start = try #require(context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last).token
        let emma = try #require(context.books(titled: ["Emma"]).first)
        emma.pages += 1
        try #require(context.books(titled: ["Walden"]).first.map(context.delete))
        try context.save()
        let changed = try context.changedBooks(since: start)
        #expect(changed.titles == ["Emma"] && changed.deleted == 1)
        let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        #expect(changes.map(kind).sorted() == ["delete", "insert", "insert", "insert", "insert", "update"])
        #expect(String(changes.map(symbol).sorted()) == "++++-~")
        #expect(isCustom(.lightweight(fromVersion: ShelfSchemaV1.self, toVersion: ShelfSchemaV2.self)) == false)
    }

    @Test func notificationsHaveTheKeysOfSwiftData() throws {
        let context = try context()
        let saves = Mutex<[[String: [PersistentIdentifier]]]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { notification in
            let found = identifiers(in: notification)
            saves.withLock { $0.append(found) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let (emma, walden) = (try #require(context.books(titled: ["Emma"]).first), Book(title: "Faust", pages: 1))
        emma.pages += 1
        context.insert(walden)
        try context.save()
        #expect(
            saves.withLock(\.self) == [
                ["inserted": [walden.persistentModelID], "updated": [emma.persistentModelID], "deleted": []]
            ])
    }

    @Test func errorsHaveTheDomainOfSwiftData() {
        #expect(code(of: SwiftDataError.unknownSchema) == "SwiftData.SwiftDataError 1")
        #expect(code(of: DataStoreError.unsupportedFeature).hasPrefix("SwiftData.DataStoreError"))
    }

    @Test func observation() throws {
        let context = try context()
        let shelf = BookShelf(context: context)
        let changes = Atomic(0)
        shelf.onChange { changes.add(1, ordering: .relaxed) }
        try shelf.reload()
        #expect(shelf.count == 4 && changes.load(ordering: .relaxed) == 1)
        #expect(context.undoManager == nil)
    }

    @Test func inspection() throws {
        let inspector = ModelInspector()
        let keyPaths = inspector.keyPaths(of: Book.self)
        #expect(keyPaths["title"] == \Book.title && keyPaths["notes"] == \Book.notes && keyPaths.count == 7)
        #expect(inspector.relationships(of: Book.self) == ["notes"])
        let entity = try #require(Schema([Book.self]).entity(for: Note.self))
        #expect(inspector.summary(of: entity).count == 2)
        #expect(ModelInspector.descriptions().map(\.name) == ["title", "pages", "notes"])
    }

    @Test func containersWithCloudKit() throws {
        let folder = try TemporaryFolder()
        let container = try BookContainer.make(at: folder.url.appendingPathComponent("Books.store"))
        let context = ModelContext(container)
        let book = Book(title: "Emma", pages: 1)
        book.tags = ["novel"]
        context.insert(book)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.tags) == [["novel"]])
        #expect(container.configurations.first?.cloudKitContainerIdentifier == "iCloud.com.example.books")
    }

    @Test func actors() async throws {
        let container = try BookContainer.makeInMemory()
        try await BookImporter(modelContainer: container).add(["Emma", "Faust"])
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 2)
        let tasks = try makeContainer()
        _ = try await TaskStore(container: tasks).add("Read")
        let changes = try ModelContext(tasks).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(changes.flatMap(\.changes).map(describe) == ["insert TaskItem"])
    }

    @Test func migrations() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Shelves.store")
        func open(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: version), migrationPlan: plan,
                    configurations: ModelConfiguration(url: url)))
        }
        do {
            let context = try open(ShelfSchemaV1.self, nil)
            context.insert(ShelfSchemaV1.Shelf(name: "north"))
            try context.save()
        }
        let migrated = try open(ShelfSchemaV2.self, ShelfMigrationPlan.self)
        #expect(try migrated.fetch(FetchDescriptor<ShelfSchemaV2.Shelf>()).map(\.length) == [5])
        #expect(throws: SwiftDataError.self) { try open(ShelfSchemaV1.self, ShelfMigrationPlan.self) }
        let returned = try open(ShelfSchemaV1.self, ShelfReturnPlan.self)
        #expect(try returned.fetch(FetchDescriptor<ShelfSchemaV1.Shelf>()).map(\.name) == ["north"])
    }
}
