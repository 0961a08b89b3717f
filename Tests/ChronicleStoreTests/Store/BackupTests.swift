import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Copies of a store, and files that are opened without model classes.
@Suite struct BackupTests {
    private func names(fileAt url: URL) throws -> [String] {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: url, durability: .relaxed))
        return try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }

    /// The copy is made while a context has unsaved changes and another program has written.
    @Test(arguments: StoreKind.allCases)
    func copyIsTheStoreAtOneMoment(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        if kind == .file { try store.shell("UPDATE Trip SET note = 'foreign'") }
        let context = store.context()
        context.insert(Trip(name: "unsaved", destination: ""))
        let copy = store.directory.file("copy?#%.store")
        let token = try context.currentHistoryToken()
        try store.container.backup(to: copy)
        try store.add("c")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path).filter {
                $0.hasPrefix("copy")
            } == [copy.lastPathComponent])
        try DefaultStore.verify(fileAt: copy) { Issue.record("\($0)") }
        #expect(try names(fileAt: copy) == ["a", "b"])
        // It is the same store, so the tokens of the original are positions in it.
        let opened = try DefaultStore(readingHistoryAt: copy)
        #expect(opened.identifier == store.container.defaultStore?.identifier)
        #expect(try opened.currentHistoryToken() == token)
        let transactions = try ModelContext(ModelContainer(forHistoryOf: opened)).fetchHistory()
        #expect(transactions.count == (kind == .file ? 3 : 2))
        #expect(throws: SwiftDataError.storeReadOnly) { try opened.setPreservesValues(true) }
    }

    @Test(arguments: StoreKind.allCases)
    func existingFilesAreNotReplaced(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        for suffix in ["", "-wal", "-journal"] {
            let copy = store.directory.file("copy\(suffix.count).store")
            let existing = URL(fileURLWithPath: copy.path + suffix)
            try Data("x".utf8).write(to: existing)
            let error = try #require(throws: SwiftDataError.self) { try store.container.backup(to: copy) }
            #expect(error == .storeFailure && error.description.contains(existing.path))
            #expect(try Data(contentsOf: existing) == Data("x".utf8))
        }
        let missing = store.directory.file("none").appending(path: "copy.store")
        #expect(throws: SwiftDataError.self) { try store.container.backup(to: missing) }
    }

    @Test func backupOfSeveralStoresIsDivided() throws {
        let container = try ModelContainer(
            for: Trip.self, LinkPhoto.self,
            configurations: ModelConfiguration("trips", schema: Schema(Trip.self), isStoredInMemoryOnly: true),
            ModelConfiguration("photos", schema: Schema(LinkPhoto.self), isStoredInMemoryOnly: true))
        let directory = try TemporaryDirectory()
        #expect(throws: SwiftDataError.unsupportedFeature) { try container.backup(to: directory.file("x.store")) }
        #expect(container.defaultStore?.name == "trips")
        for case let store as DefaultStore in container.stores {
            try store.backup(to: directory.file("\(store.name).store"))
            #expect(try DefaultStore.schema(ofFileAt: directory.file("\(store.name).store")).entities.count > 0)
        }
    }

    @Test func storesWithoutModelClassesAreOpened() throws {
        let directory = try TemporaryDirectory()
        let error = try #require(throws: SwiftDataError.self) {
            try DefaultStore(readingHistoryAt: directory.file("none.store"))
        }
        #expect(error == .loadIssueModelContainer && error.description.contains("none.store does not exist"))
    }

    // MARK: Exports to URLs

    @Test(arguments: StoreKind.allCases)
    func exportsReplaceTheirFile(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        try store.add("a")
        let url = store.directory.file("export.jsonl")
        let first = try store.container.exportHistory(to: url)
        let content = try Data(contentsOf: url)
        try store.add("b")
        // Nothing is left of an export that fails, and the file remains.
        #expect(throws: SwiftDataError.self) {
            try store.container.exportHistory(
                startingAt: .token(DefaultHistoryToken(storeIdentifier: "other", position: 1)), to: url)
        }
        #expect(try Data(contentsOf: url) == content)
        #expect(try store.container.exportHistory(to: url) > first)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
        #expect(files.filter { $0.contains("export") } == ["export.jsonl"])
        let replica = try TestStore(.inMemory)
        #expect(try replica.container.replayHistory(from: url) == 2)
        #expect(try replica.reading { try $0.fetchCount(FetchDescriptor<Trip>()) } == 2)
        let missing = store.directory.file("none").appending(path: "x.jsonl")
        let writing = try #require(throws: SwiftDataError.self) { try store.container.exportHistory(to: missing) }
        #expect(writing == .storeFailure && writing.description.contains(missing.path))
        let reading = try #require(throws: SwiftDataError.self) { try replica.container.replayHistory(from: missing) }
        #expect(reading == .invalidHistoryExport && reading.description.contains(missing.path))
    }
}
