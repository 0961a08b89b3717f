import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

/// Many-to-many relationships that subclasses declare, and those of renamed classes.
@Suite("Links in a store of SwiftData")
struct LinkTableTests {
    private static let model = AppleStoreModel([
        .init("Journey", [.attribute("name", 700)]),
        .init("Mission", superentity: "Journey", [.toMany("colleagues", "Worker", inverse: "jobs")]),
        .init("Worker", [.attribute("name", 700), .toMany("jobs", "Mission", inverse: "colleagues")]),
    ])

    /// Entities: 1 Journey, 2 Mission, 3 Worker.
    private func write(_ statements: [String]) throws -> URL {
        var script = AppleStoreScript(Self.model)
        script.statements =
            [
                "INSERT INTO ZJOURNEY(Z_PK, Z_ENT, ZNAME) VALUES (1, 1, 'Rome'), (2, 2, 'Oslo'), (3, 2, 'Bonn')",
                "INSERT INTO ZWORKER(Z_PK, Z_ENT, ZNAME) VALUES (1, 3, 'Anna'), (2, 3, 'Ben')",
                "INSERT INTO Z_2COLLEAGUES(Z_2JOBS, Z_3COLLEAGUES) VALUES (2, 1), (2, 2), (3, 2)",
            ] + statements
        let url = try TemporaryDirectory().file("default.store")
        try script.write(to: url)
        return url
    }

    @Test(arguments: [[], ["ALTER TABLE Z_2COLLEAGUES RENAME TO Z_3JOBS"]])
    func readsRelationshipsOfSubclasses(_ statements: [String]) throws {
        let url = try write(statements)
        let container = try ModelContainer(
            for: Journey.self, Mission.self, Worker.self, configurations: AppleStoreConfiguration(url: url))
        let context = ModelContext(container)
        let workers = try context.fetch(FetchDescriptor<Worker>(sortBy: [SortDescriptor(\.name)]))
        #expect(workers.map { $0.jobs.map(\.name).sorted() } == [["Oslo"], ["Bonn", "Oslo"]])
        let missions = try context.fetch(FetchDescriptor<Mission>(sortBy: [SortDescriptor(\.name)]))
        #expect(missions.map { $0.colleagues.map(\.name).sorted() } == [["Ben"], ["Anna", "Ben"]])
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["Mission"]?.propertiesByName["colleagues"]?.relationship?.inverseName == "jobs")
        #expect(try AppleStore(AppleStoreConfiguration(url: url), schema: schema).hasModelNames)
    }

    @Test func readsRelationshipsOfRenamedClasses() throws {
        let container = try ModelContainer(
            for: Journey.self, Task.self, Colleague.self, configurations: AppleStoreConfiguration(url: write([])))
        let context = ModelContext(container)
        let workers = try context.fetch(FetchDescriptor<Colleague>(sortBy: [SortDescriptor(\.name)]))
        #expect(workers.map { $0.jobs.map(\.name).sorted() } == [["Oslo"], ["Bonn", "Oslo"]])
    }

    /// The history remains readable if the table of a relationship is missing, as in a file with the model of an earlier version.
    @Test func describesNoRelationshipsWithoutTable() throws {
        let url = try write(["DROP TABLE Z_2COLLEAGUES"])
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["Worker"]?.properties.map(\.name) == ["name"])
        #expect(schema.entitiesByName["Mission"]?.properties.map(\.name) == ["name"])
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        #expect(store.hasModelNames)
        #expect(try store.fetchCount(ofEntity: "Mission") == 2)
        #expect(try store.fetchHistory(HistoryDescriptor()).isEmpty)
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(
                for: Journey.self, Mission.self, Worker.self, configurations: AppleStoreConfiguration(url: url))
        }
        #expect(error == .backwardMigration)
    }

    /// Two subclasses declare a relationship of the same name, so that the inverse of one of them cannot be read.
    @Test func describesNoRelationshipsWithoutColumn() throws {
        let model = AppleStoreModel([
            .init("Item", [.attribute("name", 700)]),
            .init("Lamp", superentity: "Item", [.toOne("owner", "Keeper", inverse: "lamps")]),
            .init("Chair", superentity: "Item", [.toOne("owner", "Keeper", inverse: "chairs")]),
            .init(
                "Keeper",
                [
                    .attribute("title", 700), .toMany("chairs", "Chair", inverse: "owner"),
                    .toMany("lamps", "Lamp", inverse: "owner"),
                ]),
        ])
        let url = try TemporaryDirectory().file("default.store")
        try AppleStoreScript(model).write(to: url)
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(try AppleStore(AppleStoreConfiguration(url: url), schema: schema).hasModelNames)
        #expect(schema.entitiesByName["Keeper"]?.properties.map(\.name) == ["title"])
        #expect(schema.entitiesByName["Lamp"]?.properties.map(\.name) == ["name"])
    }
}

extension LinkTableTests {
    @Model class Journey {
        var name: String

        init(name: String) { self.name = name }
    }

    @Model final class Mission: Journey {
        @Relationship(inverse: \Worker.jobs) var colleagues: [Worker] = []
    }

    @Model final class Worker {
        var name: String
        var jobs: [Mission] = []

        init(name: String) { self.name = name }
    }

    @Model(originalName: "Mission") final class Task: Journey {
        @Relationship(inverse: \Colleague.jobs) var colleagues: [Colleague] = []
    }

    @Model(originalName: "Worker") final class Colleague {
        var name: String
        var jobs: [Task] = []

        init(name: String) { self.name = name }
    }
}
