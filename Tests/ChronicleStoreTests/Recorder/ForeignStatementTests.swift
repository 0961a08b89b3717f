import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Statements of other programs that read the table of a model without changing it.
///
/// https://github.com/groue/GRDB.swift/issues/1400
@Suite("Statements of other programs", .timeLimit(.minutes(5))) struct ForeignStatementTests {
    private static let models: [any PersistentModel.Type] = [Trip.self, LinkTag.self, GraphNode.self, GraphGroup.self]

    /// Statements that read trips.
    private static let statements = [
        "INSERT INTO LinkTag(name, weight) SELECT name, 1 FROM Trip",
        "UPDATE LinkTag SET weight = (SELECT count(*) FROM Trip)",
        "UPDATE Trip SET name = 'x' WHERE id > 100",
        "UPDATE Trip SET name = name",
        "DELETE FROM Trip WHERE name = 'none'",
        """
        CREATE TRIGGER reading AFTER INSERT ON LinkTag BEGIN
        UPDATE LinkTag SET weight = (SELECT max(id) FROM Trip) WHERE id = NEW.id; END;
        INSERT INTO LinkTag(name, weight) VALUES ('x', 0); DROP TRIGGER reading
        """,
        """
        PRAGMA foreign_keys = ON;
        INSERT INTO GraphNode(id, name, number, tags) SELECT 100 + id, name, 0, '[]' FROM Trip;
        INSERT INTO GraphNode(name, number, tags, parent) SELECT name, 0, '[]', id FROM GraphNode WHERE id > 100;
        DELETE FROM GraphNode WHERE id > 100
        """,
    ]

    /// Waits until the observer has counted a transaction, and returns the counter.
    private func count(_ observer: HistoryObserver) async -> Int {
        for await count in observer.eventCounts where count > 0 { return count }
        return -1
    }

    @Test(arguments: [ModelConfiguration.Recorder.automatic, .triggers])
    func onlyChangedModelsAreObserved(_ recorder: ModelConfiguration.Recorder) async throws {
        let file = try TemporaryDirectory().file("test.store")
        var configuration = ModelConfiguration(url: file, durability: .relaxed)
        configuration.recorder = recorder
        let container = try ModelContainer(for: Schema(Self.models), configurations: [configuration])
        let context = ModelContext(container)
        for name in ["a", "b"] { context.insert(Trip(name: name, destination: "")) }
        try context.save()
        let trips = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
        let consumer = try container.historyConsumer(
            named: "trips", filter: HistoryFilter(models: [Trip.self]), startingNewAt: .now)
        for statement in Self.statements {
            let tags = try HistoryObserver(
                observedModels: [LinkTag.self, GraphNode.self], modelContainer: container)
            let token = try context.currentHistoryToken()
            _ = try Shell.sqlite3(file, statement)
            let changes = try context.fetchHistory(.after(token)).flatMap(\.changes)
            #expect(!changes.contains { $0.changedPersistentIdentifier.entityName == "Trip" }, "\(statement)")
            #expect(try consumer.nextBatch() == nil, "\(statement)")
            if !changes.isEmpty { #expect(await count(tags) > 0, "\(statement)") }
        }
        #expect(trips.eventCounter == 0)
        _ = try Shell.sqlite3(file, "UPDATE Trip SET name = 'c' WHERE name = 'a'")
        #expect(await count(trips) == 1)
        #expect(try consumer.nextBatch()?.changes.map(\.text) == ["update Trip/1 name"])
    }
}
