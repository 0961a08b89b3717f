import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Durable names of positions.
@Suite struct TagTests {
    @Test(arguments: StoreKind.allCases)
    func tagNamesTheCurrentPosition(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        #expect(try context.tags().isEmpty)
        let start = try context.tag("start")
        try store.add("a")
        // The changes of another program belong to the state that the tag names.
        try store.foreign("UPDATE Trip SET note = 'x'")
        let before = Date()
        let token = try context.tag("before-import")
        try store.add("b", "c")
        #expect(try context.token(tagged: "before-import") == token)
        #expect(try store.lines(.after(context.token(tagged: "before-import"))).count == 2)
        #expect(try store.lines(.after(start)).count == 4)
        let tags = try context.tags()
        #expect(tags.map(\.name) == ["before-import", "start"] && tags.map(\.token) == [token, start])
        #expect(tags[0].date >= before.addingTimeInterval(-1) && tags[1].date <= tags[0].date)
        // Tags are not changes.
        #expect(try store.history().count == 4)
    }

    @Test func tagsAreDurableAndSharedByProcesses() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let token = try store.context().tag("a'b ü")
        let other = ModelContext(try store.reopened())
        #expect(try other.token(tagged: "a'b ü") == token)
        #expect(try store.shell("SELECT position FROM chronicle_tag") == "2")
        #expect(
            try store.shell("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'")
                == store.database.read { try FileSchema($0).digest })
        try other.deleteTag("a'b ü")
        #expect(try store.context().tags().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func namesAreComparedByTheirBytes(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let first = try context.tag(composed)
        try store.add("x")
        let second = try context.tag(decomposed)
        #expect(try context.token(tagged: composed) == first)
        #expect(try context.token(tagged: decomposed) == second)
        #expect(try failure { try context.tag(composed) } == .duplicateHistoryTag)
        #expect(try context.tags().map(\.token) == [second, first])
        try context.deleteTag(decomposed)
        #expect(try context.tags().map(\.token) == [first])
    }

    @Test(arguments: StoreKind.allCases)
    func existingNamesAreRejectedOrReplaced(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let first = try context.tag("a")
        try store.add("x")
        #expect(try failure { try context.tag("a") } == .duplicateHistoryTag)
        #expect(try failure { try store.store.tagHistory("a", replacing: false) } == .duplicateHistoryTag)
        #expect(try context.token(tagged: "a") == first)
        let second = try context.tag("a", replacing: true)
        #expect(second > first)
        #expect(try context.tags().map(\.token) == [second])
        #expect(try failure { try context.token(tagged: "b") } == .historyTagNotFound)
        #expect(try failure { try context.deleteTag("b") } == .historyTagNotFound)
        try context.deleteTag("a")
        #expect(try failure { try context.deleteTag("a") } == .historyTagNotFound)
    }

    @Test func tagDoesNotKeepHistory() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        try store.add("a")
        let token = try context.tag("early")
        try store.add("b", "c")
        try context.deleteHistory(Descriptor.before(try store.history()[1].token))
        #expect(try context.token(tagged: "early") == token)
        #expect(try failure { try context.fetchHistory(.after(token)) } == .historyTokenExpired)
        try store.store.erase()
        #expect(try context.tags().count == 1)
    }

    @Test func severalStoresHaveOneTag() throws {
        let (trips, links) = (Schema([Trip.self]), Schema([LinkItem.self]))
        let container = try ModelContainer(
            for: Schema([Trip.self, LinkItem.self]),
            configurations: [
                ModelConfiguration("trips", schema: trips, isStoredInMemoryOnly: true),
                ModelConfiguration("links", schema: links, isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: "b"))
        context.insert(LinkItem("c"))
        try context.save()
        let token = try context.tag("both")
        #expect(try token == context.currentHistoryToken() && token.tokenValue?.count == 2)
        context.insert(LinkItem("d"))
        try context.save()
        #expect(try context.fetchHistory(.after(context.token(tagged: "both"))).count == 1)
        // A tag in one store only prevents a new one in any of them.
        for case let store as DefaultStore in container.stores.prefix(1) {
            _ = try store.tagHistory("one", replacing: false)
        }
        #expect(try failure { try context.tag("one") } == .duplicateHistoryTag)
        try context.deleteTag("one")
        #expect(try context.tags().map(\.name) == ["both"])
    }

    /// The file is replaced by a backup, which has the tags of its time.
    @Test func restoredBackupHasItsTags() throws {
        let directory = try TemporaryDirectory()
        let (file, backup) = (directory.file("test.store"), directory.file("backup.store"))
        func open() throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Trip.self, configurations: ModelConfiguration(url: file, preservesValues: true)))
        }
        func save(_ name: String, _ context: ModelContext) throws {
            context.insert(Trip(name: name, destination: "somewhere"))
            try context.save()
        }
        let before: DefaultHistoryToken, lost: DefaultHistoryToken, moved: DefaultHistoryToken
        do {
            let context = try open()
            try save("a", context)
            before = try context.tag("release")
            _ = try context.tag("moving")
            try save("b", context)
            _ = try Shell.sqlite3(file, "VACUUM INTO '\(backup.path)'")
            try save("c", context)
            lost = try context.tag("after the backup")
            moved = try context.tag("moving", replacing: true)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        where name.hasPrefix("test.store") {
            try FileManager.default.removeItem(at: directory.url.appending(path: name))
        }
        try FileManager.default.moveItem(at: backup, to: file)

        let context = try open()
        #expect(try context.tags().map(\.name).sorted() == ["moving", "release"])
        #expect(try context.token(tagged: "release") == before)
        #expect(try context.token(tagged: "moving") == before)
        #expect(try failure { try context.token(tagged: "after the backup") } == .historyTagNotFound)
        let release = try ModelContext(context.container, asOf: context.token(tagged: "release"))
        #expect(try release.fetch(FetchDescriptor<Trip>()).map(\.name) == ["a"])
        // Positions after the backup are ahead, and belong to another history as soon as a save uses them again.
        #expect(try failure { try ModelContext(context.container, asOf: lost) } == .historyTokenAhead)
        try save("d", context)
        for token in [lost, moved] {
            #expect(try failure { try ModelContext(context.container, asOf: token) } == .historyTokenForked)
        }
        let again = try context.tag("after the backup")
        let identifier = try #require(context.container.stores.first).identifier
        #expect(again.checkValue(in: identifier) != lost.checkValue(in: identifier))
        let past = try ModelContext(context.container, asOf: again)
        #expect(try past.fetch(FetchDescriptor<Trip>()).map(\.name).sorted() == ["a", "b", "d"])
    }

    @Test func readOnlyStoreHasTags() throws {
        let store = try TestStore(.file)
        let token = try store.context().tag("a")
        let schema = Schema([Trip.self])
        let context = ModelContext(
            try ModelContainer(
                for: schema, configurations: [ModelConfiguration(schema: schema, url: store.url, allowsSave: false)]))
        #expect(try context.token(tagged: "a") == token)
        #expect(try failure { try context.tag("b") } == .storeReadOnly)
        #expect(try failure { try context.deleteTag("a") } == .storeReadOnly)
    }

    @Test(arguments: ["position = -1", "position = 'x'", "check_value = 'x'", "created = 9e999"])
    func damagedTagIsReported(_ change: String) throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        try context.tag("a")
        try store.database.write { try $0.execute("UPDATE chronicle_tag SET \(change)") }
        #expect(try failure { try context.tags() } == .damagedFile)
        try context.deleteTag("a")
        #expect(try context.tags().isEmpty)
    }

    @Test func changedTableIsReported() throws {
        let store = try TestStore(.file)
        try store.shell("CREATE TABLE chronicle_tag(name TEXT)")
        #expect(try failure { try store.context().tag("a") } == .damagedFile)
        try store.shell("DROP TABLE chronicle_tag; CREATE VIEW chronicle_tag AS SELECT 1 AS name")
        #expect(try failure { try store.context().tags() } == .damagedFile)
    }
}
