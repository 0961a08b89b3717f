import Chronicle
import Foundation
import Testing

@ModelActor
private actor Importer {
    func add(_ names: [String]) throws -> [PersistentIdentifier] {
        let stops = names.map { Stop(place: $0) }
        for stop in stops { modelContext.insert(stop) }
        try modelContext.save()
        return stops.map(\.persistentModelID)
    }

    func place(_ identifier: PersistentIdentifier) -> String? { self[identifier, as: Stop.self]?.place }

    func lodging(_ identifier: PersistentIdentifier) -> Bool { self[identifier, as: Lodging.self] != nil }

    func delete(_ identifier: PersistentIdentifier) throws {
        guard let stop = self[identifier, as: Stop.self] else { return }
        modelContext.delete(stop)
        try modelContext.save()
    }

    func isOnItsExecutor() -> Bool {
        assertIsolated()
        return true
    }
}

@ModelActor
private actor Archive {
    init() throws {
        self.init(
            modelContainer: try ModelContainer(
                for: Stop.self, Lodging.self, configurations: .init(isStoredInMemoryOnly: true)))
    }

    func fill(stops: Int) throws -> Int {
        for index in 0..<stops { modelContext.insert(Stop(place: "\(index)")) }
        try modelContext.save()
        return try modelContext.fetchCount(FetchDescriptor<Stop>())
    }
}

private actor ByHandImporter: ModelActor {
    nonisolated let modelExecutor: any ModelExecutor
    nonisolated let modelContainer: ModelContainer

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Stop>()) }
}

@Suite struct ModelActorTests {
    private static let models: [any PersistentModel.Type] = [Stop.self, Lodging.self]

    @Test(arguments: StoreKind.allCases) func anActorHasAContextOfItsOwn(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, Self.models)
        let importer = Importer(modelContainer: store.container)
        let identifiers = try await importer.add(["a", "b"])
        #expect(await importer.isOnItsExecutor())
        #expect(await importer.place(identifiers[1]) == "b")
        #expect(await importer.lodging(identifiers[1]) == false)
        try await importer.delete(identifiers[0])
        #expect(await importer.place(identifiers[0]) == nil)
        #expect(try await ByHandImporter(modelContainer: store.container).count() == 1)
    }

    @Test func initializersOfItsOwnDelegate() async throws {
        #expect(try await Archive().fill(stops: 3) == 3)
    }

    @Test func manyCallsAreMadeOneAfterTheOther() async throws {
        let store = try TestStore(.file, Self.models)
        let importer = Importer(modelContainer: store.container)
        try await withThrowingTaskGroup { group in
            for index in 0..<50 { group.addTask { _ = try await importer.add(["\(index)"]) } }
            try await group.waitForAll()
        }
        #expect(try await ByHandImporter(modelContainer: store.container).count() == 50)
    }
}
