import Chronicle
import ChronicleTestSupport
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

    /// A model that leaves its actor through `nonisolated(unsafe)`.
    func stop(_ identifier: PersistentIdentifier) -> Leak { Leak(stop: self[identifier, as: Stop.self]) }

    struct Leak: @unchecked Sendable { let stop: Stop? }

    /// Uses the context on another queue while the actor waits for it.
    func countOnAnotherQueue() throws -> Int {
        try DispatchQueue(label: "another").sync { try modelContext.fetchCount(FetchDescriptor<Stop>()) }
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

    /// - Parameter places: The places to insert before the actor is created.
    init(modelContainer: ModelContainer, places: [String] = []) {
        self.modelContainer = modelContainer
        let context = ModelContext(modelContainer)
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
        for place in places { context.insert(Stop(place: place)) }
    }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Stop>()) }
}

@Suite struct ModelActorTests {
    private static let models: [any PersistentModel.Type] = [Stop.self, Lodging.self]

    @Test(arguments: StoreKind.allCases) func actorHasItsOwnContext(_ kind: StoreKind) async throws {
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

    @Test func customInitializersDelegate() async throws {
        #expect(try await Archive().fill(stops: 3) == 3)
    }

    @Test func callsAreSerialized() async throws {
        let store = try TestStore(.file, Self.models)
        let importer = Importer(modelContainer: store.container)
        try await withThrowingTaskGroup { group in
            for index in 0..<50 { group.addTask { _ = try await importer.add(["\(index)"]) } }
            try await group.waitForAll()
        }
        #expect(try await ByHandImporter(modelContainer: store.container).count() == 50)
    }

    @Test(arguments: StoreKind.allCases)
    func creatorMayUseTheContextBeforeTheFirstCall(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, Self.models)
        let importer = ByHandImporter(modelContainer: store.container, places: ["a"])
        importer.modelExecutor.modelContext.insert(Stop(place: "b"))
        try importer.modelExecutor.modelContext.save()
        #expect(try importer.modelExecutor.modelContext.fetchCount(FetchDescriptor<Stop>()) == 2)
        #expect(try await importer.count() == 2)
    }

    @Test func contextIsUsableAfterTheActorIsReleased() async throws {
        let store = try TestStore(.file, Self.models)
        var importer: Importer? = Importer(modelContainer: store.container)
        _ = try await importer?.add(["a"])
        let context = try #require(importer?.modelExecutor.modelContext)
        importer = nil
        #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 1)
    }

    @Test func anotherQueueMayUseTheContextWhileTheActorWaits() async throws {
        let importer = Importer(modelContainer: try TestStore(.file, Self.models).container)
        _ = try await importer.add(["a"])
        #expect(try await importer.countOnAnotherQueue() == 1)
    }

    #if DEBUG
        /// An actor that was called, so that it owns its context.
        private static func calledImporter() async throws -> (importer: Importer, stop: PersistentIdentifier) {
            let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
            let importer = Importer(modelContainer: try ModelContainer(for: Stop.self, configurations: configuration))
            return (importer, try await importer.add(["a"])[0])
        }

        private static func expectMessage(_ result: ExitTest.Result?) {
            let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(output.contains("The ModelContext of a ModelActor was used outside of the actor"))
            #expect(output.contains("Call a method of the actor"))
        }

        @Test func fetchingOutsideTheActorTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let importer = try await Self.calledImporter().importer
                    _ = try importer.modelExecutor.modelContext.fetchCount(FetchDescriptor<Stop>())
                })
        }

        @Test func insertingOutsideTheActorTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let importer = try await Self.calledImporter().importer
                    importer.modelExecutor.modelContext.insert(Stop(place: "b"))
                })
        }

        @Test func savingOutsideTheActorTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let importer = try await Self.calledImporter().importer
                    try importer.modelExecutor.modelContext.save()
                })
        }

        @Test func rollingBackOutsideTheActorTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let importer = try await Self.calledImporter().importer
                    importer.modelExecutor.modelContext.rollback()
                })
        }

        @Test func editingAModelOutsideItsActorTraps() async {
            Self.expectMessage(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let (importer, identifier) = try await Self.calledImporter()
                    await importer.stop(identifier).stop?.place = "b"
                })
        }
    #endif
}
