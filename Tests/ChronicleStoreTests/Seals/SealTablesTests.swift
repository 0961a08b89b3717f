import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The tables of seals, and the version of the format of a file that contains them.
@Suite struct SealTablesTests {
    private static let versions = "SELECT value FROM chronicle_meta WHERE name = 'format'; PRAGMA user_version"

    @Test func aFileWithoutSealsKeepsItsFormat() async throws {
        let store = try TestStore(.file)
        try store.add("a", "b", "c")
        _ = try store.consumer()
        try store.context().deleteHistory(.before(try store.history()[0].token))
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        try store.store.erasePreservedValues(ofEntityNamed: "Trip")
        try store.container.erase()
        _ = try store.reopened()
        #expect(try store.shell(Self.versions) == "2\n2")
        #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'chronicle_seal%'") == 0)
    }

    /// Chronicle opens the file as before, and it still meets its schema.
    @Test func theFirstSealChangesTheFormat() throws {
        let store = try TestStore(.file)
        try store.add("a")
        try store.beginSealing()
        #expect(try store.shell(Self.versions) == "3\n3")
        #expect(
            try store.shell("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'")
                == store.database.read { try FileSchema($0).digest })
        try store.add("b")
        let other = try store.reopened()
        #expect(try ModelContext(other).fetchCount(FetchDescriptor<Trip>()) == 2)
        #expect(
            try ModelContext(store.reopened([Trip.self, LinkItem.self])).fetchCount(FetchDescriptor<LinkItem>()) == 0)
        let reader = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
        #expect(try ModelContext(reader).fetchHistory().count == 2)
        #expect(try DefaultStore.formatVersion(ofFileAt: store.url) == 3)
        #expect(try DefaultStore.schema(ofFileAt: store.url).entitiesByName["Trip"] != nil)
        #expect(try store.problems().isEmpty)
    }

    private enum TripSchema: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
        static var models: [any PersistentModel.Type] { [Trip.self] }
    }

    private enum TripPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [TripSchema.self] }
        static var stages: [MigrationStage] { [] }
    }

    @Test func aMigrationPlanOpensASealedFile() throws {
        let store = try TestStore(.file)
        try store.add("a")
        try store.beginSealing()
        let container = try ModelContainer(
            for: Schema(versionedSchema: TripSchema.self), migrationPlan: TripPlan.self,
            configurations: ModelConfiguration(url: store.url))
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(try store.shell(Self.versions) == "3\n3")
    }

    /// The row applies, as for files without seals.
    @Test(arguments: [0, 2, 99]) func theUserVersionOfAnotherProgramIsIgnored(_ version: Int) throws {
        let store = try TestStore(.file)
        try store.beginSealing()
        try store.shell("PRAGMA user_version = \(version)")
        try store.add("a", in: ModelContext(store.reopened()))
        #expect(try store.problems().isEmpty)
        #expect(try store.shell(Self.versions) == "3\n\(version)")
    }

    @Test(arguments: StoreKind.allCases) func theFirstEventSaysWhatWasMissing(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.beginSealing()
        #expect(
            try store.events() == [
                .init(kind: "begun", detail: #"{"beginning":0,"floor":0,"gap":0,"newest":0}"#)
            ])
        let later = try TestStore(kind)
        for author in ["a", "b", "a", "d", "c"] { try later.add(author, author: author) }
        let all = try later.history()
        try later.context().deleteHistory(.before(all[0].token))
        try later.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == "d" }))
        try later.beginSealing()
        // Without the names of the authors, which a deletion removes.
        #expect(
            try later.events() == [
                .init(kind: "begun", detail: #"{"beginning":2,"floor":8,"gap":0,"newest":10}"#)
            ])
    }

    private static let damages = [
        "DROP TABLE chronicle_event",
        "UPDATE chronicle_meta SET value = 2 WHERE name = 'format'",
        "ALTER TABLE chronicle_seal ADD COLUMN note",
        "DROP TABLE chronicle_event_part; CREATE VIEW chronicle_event_part AS SELECT 1 AS event",
        """
        DROP TABLE chronicle_seal; DROP TABLE chronicle_commitment; DROP TABLE chronicle_commitment_key; \
        DROP TABLE chronicle_event; DROP TABLE chronicle_event_part
        """,
    ]

    @Test(arguments: damages) func damageIsReported(_ sql: String) async throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        try store.beginSealing()
        try store.shell(sql)
        #expect(try failure(of: { try store.reopened() }) == .damagedFile)
        #expect(try store.problems().contains { $0.hasPrefix("definition") })
        // Programs that have the file open delete nothing without an event.
        let before = try store.shell("SELECT count(*) FROM chronicle_change")
        #expect(try failure(of: { try store.context().deleteHistory() }) == .damagedFile)
        #expect(try failure(of: { try store.container.erase() }) == .damagedFile)
        await #expect(throws: SwiftDataError.damagedFile) {
            try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        }
        #expect(try store.shell("SELECT count(*) FROM chronicle_change") == before)
        #expect(try store.history().count == 2)
    }

    /// Only a history with seals has the tables. Their names are free before.
    @Test func aTableOfAnotherProgramIsNoDamage() throws {
        let store = try TestStore(.file)
        try store.add("a")
        try store.shell("CREATE TABLE chronicle_event(name TEXT)")
        try store.add("b", in: ModelContext(store.reopened()))
        #expect(try store.problems().isEmpty)
        #expect(try failure(of: { try store.beginSealing() }) == .damagedFile)
        #expect(try store.shell(Self.versions) == "2\n2")
        try store.shell("DROP TABLE chronicle_event")
        try store.beginSealing()
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: SealTables.indexes.map(\.name)) func aMissingIndexIsReported(_ name: String) throws {
        let store = try TestStore(.file)
        try store.beginSealing()
        try store.shell("DROP INDEX \(name)")
        #expect(try store.problems().map { $0.hasPrefix("index") } == [true])
    }

    @Test func aTableOfTheProgramRemainsAfterTracking() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("CREATE TABLE chronicle_event(name TEXT)")
        try fixture.database.untrack()
        let names = "SELECT group_concat(name) FROM sqlite_schema WHERE name LIKE 'chronicle_%'"
        #expect(try fixture.app.scalarText(names) == "chronicle_event")
    }

    /// The header of the file belongs to the program.
    @Test func aTrackedDatabaseKeepsItsHeader() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v); PRAGMA user_version = 7")
        let before = try fixture.schemaDump()
        #expect(before.contains("user_version 7"))
        try fixture.beginSealing()
        #expect(try fixture.schemaDump().contains("user_version 7"))
        try fixture.app.execute("INSERT INTO a(v) VALUES (1)")
        #expect(try fixture.changes().count == 1)
        #expect(try fixture.problems().isEmpty)
        try fixture.database.untrack()
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'chronicle_%'") == 0)
    }
}
