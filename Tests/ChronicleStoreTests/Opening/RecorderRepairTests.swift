import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Triggers that another program dropped or changed are recreated, and readers get an error because changes may be
/// missing.
@Suite struct RecorderRepairTests {
    private static let types: [any PersistentModel.Type] = [LinkItem.self, Trip.self]

    private let store: TestStore
    private let token: DefaultHistoryToken
    private let definitions: String

    init() throws {
        store = try TestStore(.file, Self.types)
        try store.add("a", "b")
        token = try #require(try store.store.currentHistoryToken())
        definitions = try Self.definitions(store)
    }

    private static func definitions(_ store: TestStore) throws -> String {
        try store.shell("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
    }

    private func reopened(_ types: [any PersistentModel.Type] = types) throws -> ModelContext {
        ModelContext(try store.reopened(types))
    }

    private static let trip = "SELECT id FROM chronicle_entity WHERE name = 'Trip'"

    @Test(arguments: [
        "DROP TRIGGER chronicle_%_insert",
        "DROP TRIGGER chronicle_%_delete; CREATE TRIGGER chronicle_%_delete AFTER DELETE ON Trip BEGIN SELECT 1; END",
        "PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET sql = replace(sql, 'AFTER UPDATE', 'BEFORE UPDATE') WHERE name = 'chronicle_%_update'",
        "DROP TRIGGER \"chronicle_LinkItem.tags_insert\"",
    ])
    func changedTriggerIsRecreated(_ sql: String) throws {
        try store.shell(sql.replacing("%", with: try store.shell(Self.trip)))
        #expect(try Self.definitions(store) != definitions)
        let context = try reopened()
        #expect(try Self.definitions(store) == definitions)
        #expect(throws: SwiftDataError.historyTokenGap) { try context.fetchHistory(Descriptor.after(token)) }
        // Everything recorded remains readable, and all changes are recorded from now on.
        #expect(try context.fetchHistory(Descriptor()).count == 2)
        let now = try context.currentHistoryToken()
        try store.shell("UPDATE Trip SET note = 'n' WHERE name = 'a'")
        #expect(try context.fetchHistory(Descriptor.after(now)).map(\.line) == ["update Trip/1 note"])
        // Only once.
        #expect(try reopened().fetchHistory(Descriptor.after(now)).count == 1)
    }

    @Test func changedTriggerIsDetectedWithANewSchema() throws {
        try store.shell("DROP TRIGGER chronicle_\(try store.shell(Self.trip))_insert")
        let context = try reopened(Self.types + [Newcomer.self])
        #expect(throws: SwiftDataError.historyTokenGap) { try context.fetchHistory(Descriptor.after(token)) }
    }

    /// Rows that were replaced because of an index unknown to the triggers were not recorded.
    @Test func uniqueIndexOfAnotherProgramIsAGap() throws {
        try store.shell("CREATE UNIQUE INDEX byName ON Trip(name)")
        let context = try reopened()
        #expect(throws: SwiftDataError.historyTokenGap) { try context.fetchHistory(Descriptor.after(token)) }
        let now = try context.currentHistoryToken()
        try store.shell(
            "REPLACE INTO Trip(name, destination, startDate, endDate, tags) "
                + "SELECT name, destination, startDate + 1, endDate, tags FROM Trip LIMIT 1")
        #expect(try context.fetchHistory(Descriptor.after(now)).map(\.line) == ["delete Trip/1, insert Trip/3"])
    }

    /// Changes that other programs are allowed to make do not expire tokens.
    @Test(arguments: [
        "CREATE INDEX byNote ON Trip(note)", "VACUUM", "ANALYZE",
        "CREATE TABLE other(a); CREATE VIEW v AS SELECT * FROM Trip",
        "CREATE TRIGGER theirs AFTER INSERT ON Trip BEGIN SELECT 1; END", "ALTER TABLE Trip ADD COLUMN extra",
    ])
    func unrelatedSchemaChangesAreKept(_ sql: String) throws {
        try store.shell(sql)
        let before = try Self.definitions(store)
        let context = try reopened()
        #expect(try context.fetchHistory(Descriptor.after(token)).isEmpty)
        #expect(try Self.definitions(store) == before)
        // The change was validated once: opening a second time writes nothing.
        let meta = try store.shell("SELECT * FROM chronicle_meta")
        try ShellSession.holdingWriteLock(store.url) {
            _ = try ModelContainer(
                for: Schema(Self.types), configurations: [ModelConfiguration(url: store.url, busyTimeout: .zero)])
        }
        #expect(try store.shell("SELECT * FROM chronicle_meta") == meta)
    }

    /// SQLite lists the indexes of a table in the order of their creation.
    @Test func orderOfUniqueIndexesIsIrrelevant() throws {
        let types: [any PersistentModel.Type] = [TwiceUnique.self]
        let store = try TestStore(.file, types)
        let token = try #require(try store.store.currentHistoryToken())
        let sql = try store.shell("SELECT sql FROM sqlite_schema WHERE name = 'chronicle_unique_TwiceUnique_a'")
        try store.shell("DROP INDEX chronicle_unique_TwiceUnique_a; \(sql); CREATE INDEX other ON TwiceUnique(a, b)")
        let context = ModelContext(try store.reopened(types))
        #expect(try context.fetchHistory(Descriptor.after(token)).isEmpty)
    }

    @Test func readOnlyStoreIgnoresMissingTriggers() throws {
        try store.shell("DROP TRIGGER chronicle_\(try store.shell(Self.trip))_insert")
        let before = try Self.definitions(store)
        let configuration = ModelConfiguration(url: store.url, allowsSave: false)
        let context = ModelContext(try ModelContainer(for: Schema(Self.types), configurations: [configuration]))
        #expect(try context.fetchHistory(Descriptor.after(token)).isEmpty)
        #expect(try Self.definitions(store) == before)
    }

    /// Nothing of the table remains to be recorded.
    @Test func droppedTableOfAnUnknownEntityIsIgnored() throws {
        try store.shell("DROP TABLE Trip")
        let context = try reopened([LinkItem.self])
        #expect(try context.fetchHistory(Descriptor.after(token)).isEmpty)
    }

    @Test func droppedTableIsRecreated() throws {
        try store.shell("DROP TABLE Trip")
        let context = try reopened()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(throws: SwiftDataError.historyTokenGap) { try context.fetchHistory(Descriptor.after(token)) }
    }
}

private final class Newcomer: PersistentModel {
    static let properties: PropertyMap<Newcomer> = [:]
    let persistentBackingData: any BackingData<Newcomer> = Newcomer.createBackingData()
    init(backingData: any BackingData<Newcomer>) { persistentBackingData.adopt(backingData) }
}

private final class TwiceUnique: PersistentModel {
    @Attribute var a = 1
    @Attribute var b = 1
    static let properties: PropertyMap<TwiceUnique> = ["a": \.a, "b": \.b]
    static let uniqueness: Uniqueness<TwiceUnique> = [[\.a], [\.b]]
    let persistentBackingData: any BackingData<TwiceUnique> = TwiceUnique.createBackingData()
    init(backingData: any BackingData<TwiceUnique>) { persistentBackingData.adopt(backingData) }
}
