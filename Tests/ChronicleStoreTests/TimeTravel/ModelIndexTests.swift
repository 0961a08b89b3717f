import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The optional index of the history by model.
@Suite struct ModelIndexTests {
    private func digests(_ store: TestStore) throws -> (recorded: String, current: String) {
        (
            try store.shell("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'"),
            try store.database.read { try FileSchema($0).digest }
        )
    }

    /// The file still meets its schema, so that opening it does not compare all definitions.
    @Test func indexIsCreatedAndDroppedOnRequest() throws {
        let store = try TestStore(.file)
        try store.add("a")
        #expect(try !store.store.isHistoryIndexedByModel)
        for isIndexed in [true, true, false, false, true] {
            try store.store.setHistoryIndexedByModel(isIndexed)
            #expect(try store.store.isHistoryIndexedByModel == isIndexed)
            let (recorded, current) = try digests(store)
            #expect(recorded == current)
        }
        let token = try store.context().currentHistoryToken()
        let other = try store.reopened()
        #expect(try (other.stores.first as? DefaultStore)?.isHistoryIndexedByModel == true)
        let context = ModelContext(other)
        try store.add("b", in: context)
        #expect(try context.fetchHistory(.after(token)).count == 1)
        #expect(try store.shell("PRAGMA integrity_check") == "ok")
    }

    @Test func indexContainsChangesOnlyAndIsUsed() throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        try store.store.setHistoryIndexedByModel(true)
        let trip = try store.add("a", in: context)[0]
        (trip.name, trip.note) = ("b", "c")
        try context.save()
        let plan = try store.shell(
            """
            EXPLAIN QUERY PLAN SELECT id FROM chronicle_change INDEXED BY \(ModelIndex.name)
            WHERE primary_key = 1 AND \(ModelIndex.condition) AND kind >> 4 = 1 AND id BETWEEN 1 AND 9 ORDER BY id
            """)
        #expect(plan.contains("primary_key=? AND <expr>=? AND rowid>? AND rowid<?") && !plan.contains("TEMP B-TREE"))
        #expect(try store.number("SELECT count(*) FROM chronicle_change WHERE \(ModelIndex.condition)") == 2)
    }

    @Test func readOnlyFileUsesTheIndex() throws {
        let store = try TestStore(.file)
        try store.store.setHistoryIndexedByModel(true)
        try store.add("a", "b")
        let schema = Schema([Trip.self])
        let container = try ModelContainer(
            for: schema, configurations: [ModelConfiguration(schema: schema, url: store.url, allowsSave: false)])
        let reader = try #require(container.stores.first as? DefaultStore)
        #expect(try reader.isHistoryIndexedByModel)
        let context = ModelContext(container)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        #expect(try context.history(of: trip).map(\.kind) == [.insert])
        #expect(try failure { try reader.setHistoryIndexedByModel(false) } == .storeReadOnly)
    }

    /// An index of another program with this name is not used, and replaced on request.
    @Test func otherDefinitionIsReplaced() throws {
        let store = try TestStore(.file)
        let trip = try store.add("a")[0]
        try store.shell("CREATE INDEX \(ModelIndex.name) ON chronicle_change(kind)")
        #expect(try !store.store.isHistoryIndexedByModel)
        #expect(try store.context().history(of: trip.persistentModelID).count == 1)
        try store.store.setHistoryIndexedByModel(true)
        #expect(try store.store.isHistoryIndexedByModel)
        #expect(try store.context().history(of: trip.persistentModelID).count == 1)
    }

    @Test func indexFollowsPurgesAndErasing() throws {
        let store = try TestStore(.file, preservesValues: true)
        try store.store.setHistoryIndexedByModel(true)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        for number in 0..<20 {
            trip.note = "\(number)"
            try context.save()
        }
        try context.deleteHistory(Descriptor.before(try store.history()[9].token))
        #expect(try context.history(of: trip).count == 11)
        try store.store.erasePreservedValues(of: [trip.persistentModelID])
        #expect(try context.history(of: trip).map { $0.value(\Trip.note) == nil } == Array(repeating: true, count: 11))
        try store.store.erase()
        #expect(try store.context().history(of: trip.persistentModelID).isEmpty)
        #expect(try store.shell("PRAGMA integrity_check") == "ok")
        #expect(try store.store.isHistoryIndexedByModel)
    }
}
