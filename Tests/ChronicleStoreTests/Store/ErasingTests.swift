import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct ErasingTests {
    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [Trip.self, LinkItem.self])
        let context = store.context(author: "app")
        let trip = Trip(name: "Rome", destination: "IT")
        context.insert(trip)
        trip.bucketList = [BucketListItem(title: "Forum")]
        let item = LinkItem("a")
        context.insert(item)
        item.tags = [LinkTag("t")]
        try context.save()
        context.transactionMetadata = ["reason": "test"]
        trip.note = "changed"
        try context.save()
        return store
    }

    @Test(arguments: StoreKind.allCases) func modelsAndHistoryAreDeleted(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let (trip, identifier) = try #require(
            try context.fetch(FetchDescriptor<Trip>()).first.map { ($0, $0.persistentModelID) })
        let token = try context.currentHistoryToken()
        try store.container.erase()

        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<LinkTag>()) == 0)
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
        let error = #expect(throws: SwiftDataError.self) { try context.fetchHistory(.after(token)) }
        #expect(error == .historyTokenExpired)
        #expect(try context.refreshAllModels().deleted == [identifier])
        #expect(trip.isDeleted)

        // The store can be used again. No identifier is used twice.
        let current = try context.currentHistoryToken()
        let new = Trip(name: "Oslo", destination: "NO")
        context.insert(new)
        context.insert(LinkItem("b"))
        try context.save()
        #expect(new.persistentModelID.storeIdentifier == identifier.storeIdentifier)
        #expect(new.persistentModelID != identifier)
        #expect(try context.fetchHistory(.after(current)).map(\.changes.count) == [2])
        #expect(try context.fetch(FetchDescriptor<LinkItem>()).map { $0.tags.count } == [0])
        #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(.after(token)) }
        if kind == .file {
            #expect(try store.shell("PRAGMA foreign_key_check; PRAGMA integrity_check") == "ok")
        }
    }

    @Test func fileContainsNothingOfTheModels() throws {
        let store = try store(.file)
        try store.container.erase()
        let tables = try store.shell("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for table in tables.split(separator: "\n") where !table.hasPrefix("chronicle_") {
            #expect(try store.shell("SELECT count(*) FROM \"\(table)\"") == "0", "\(table)")
        }
        #expect(try store.shell("SELECT count(*) FROM chronicle_source WHERE author IS NOT NULL") == "0")
        #expect(try store.shell("SELECT count(*) FROM chronicle_metadata") == "0")
        #expect(try store.shell("PRAGMA freelist_count") == "0")
        try store.shell("PRAGMA wal_checkpoint(TRUNCATE)")
        let content = try Data(contentsOf: store.url)
        #expect(content.range(of: Data("Forum".utf8)) == nil)
    }

    @Test(arguments: StoreKind.allCases) func erasingTwiceIsAllowed(_ kind: StoreKind) throws {
        let store = try store(kind)
        try store.container.erase()
        let token = try store.context().currentHistoryToken()
        #expect(store.container.deleteAllData() == nil)
        #expect(try store.context().fetchHistory(.after(token)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func deleteAllDataReturnsTheError(_ kind: StoreKind) throws {
        let store = try store(kind)
        #expect(store.container.deleteAllData() == nil)
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 0)
        let hotels = try ModelContainer(
            for: Hotel.self,
            configurations: ScriptedStore.Configuration(schema: Schema(Hotel.self), script: ScriptedStore.Script()))
        let error = hotels.deleteAllData() as? SwiftDataError
        #expect(error == .unsupportedFeature && error?.storeName == "scripted")
    }

    /// Models of another schema in the same file are deleted, too.
    @Test func everyEntityOfTheFileIsErased() throws {
        let store = try store(.file)
        let hotels = try store.reopened([Hotel.self])
        try hotels.erase()
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try store.context().fetchCount(FetchDescriptor<LinkTag>()) == 0)
    }

    @Test func longCascadesAreErased() throws {
        let store = try TestStore(.file, [GraphNode.self])
        let context = store.context()
        var parent: GraphNode?
        for number in 0..<3_000 {
            let node = GraphNode("\(number)")
            context.insert(node)
            node.parent = parent
            parent = node
        }
        try context.save()
        try store.container.erase()
        #expect(try store.context().fetchCount(FetchDescriptor<GraphNode>()) == 0)
    }

    @Test func tableOfAnotherProgramDeniesTheDelete() throws {
        let store = try store(.file)
        try store.shell(
            "CREATE TABLE mine(trip INTEGER REFERENCES Trip(id)); INSERT INTO mine SELECT id FROM Trip")
        let error = #expect(throws: SwiftDataError.self) { try store.container.erase() }
        #expect(error == .deleteDenied && error?.detail?.contains("\"mine\"") == true)
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(try store.context().fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>()) == 2)
        // Foreign keys are enforced again.
        try store.shell("DELETE FROM mine")
        try store.container.erase()
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test func readOnlyStoresAreNotErased() throws {
        let store = try store(.file)
        let container = try ModelContainer(
            for: Schema(Trip.self, LinkItem.self),
            configurations: ModelConfiguration(url: store.url, allowsSave: false))
        #expect(throws: SwiftDataError.storeReadOnly) { try container.erase() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test(arguments: StoreKind.allCases) func storesWithoutHistoryAreErased(_ kind: StoreKind) throws {
        let directory = try TemporaryDirectory()
        func open(_ recordsHistory: Bool) throws -> ModelContext {
            let configuration =
                kind == .file
                ? ModelConfiguration(url: directory.file("a.store"), recordsHistory: recordsHistory)
                : ModelConfiguration(isStoredInMemoryOnly: true, recordsHistory: recordsHistory)
            return ModelContext(try ModelContainer(for: Hotel.self, configurations: configuration))
        }
        let context = try open(false)
        context.insert(Hotel("a", stars: 1))
        try context.save()
        try context.container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Hotel>()) == 0)
        context.insert(Hotel("b", stars: 1))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Hotel>()).map(\.name) == ["b"])
        guard kind == .file else { return }
        let recording = try open(true)
        #expect(try recording.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    }

    // MARK: Others

    @Test func consumersAreReset() throws {
        let store = try store(.file)
        let consumer = try store.container.historyConsumer(named: "index", startingNewAt: .now)
        try store.container.erase()
        let batch = try #require(try consumer.nextBatch())
        guard case .reset(let reason) = batch.content else {
            Issue.record("the batch is no reset")
            return
        }
        #expect(reason == .expired)
    }

    /// Other processes continue to write while the file is erased.
    @Test func otherProcessesContinue() throws {
        let file = try TemporaryDirectory().file("busy.store")
        _ = try Worker("open", file.path).finish()
        let container = try ModelContainer(
            for: Hotel.self, configurations: ModelConfiguration(url: file, durability: .relaxed))
        let workers = try (0..<2).map { try Worker("write", file.path, "writer\($0)", "300") }
        for _ in 0..<20 { try container.erase() }
        for worker in workers { #expect(try worker.finish() == "wrote\n") }
        #expect(
            try Shell.sqlite3(file, "SELECT count(*) FROM Note") == Shell.sqlite3(file, "SELECT count(*) FROM Page"))
        // Every row that was inserted since is in the history.
        let changes = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try Shell.sqlite3(file, "SELECT 2 * count(*) FROM Note") == "\(changes.flatMap(\.changes).count)")
        try container.erase()
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Note; PRAGMA integrity_check") == "0\nok")
        let token = try ModelContext(container).currentHistoryToken()
        #expect(try Worker("write", file.path, "late", "3").finish() == "wrote\n")
        #expect(try ModelContext(container).fetchHistory(.after(token)).map(\.changes.count) == [2, 2, 2])
    }
}
