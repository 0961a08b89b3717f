import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@MainActor @Suite("Autosaves", .timeLimit(.minutes(5))) struct AutosaveTests {
    /// Runs other work of the main actor until a condition holds.
    private func wait(until condition: () throws -> Bool) async rethrows {
        while try !condition(), !Task.isCancelled { await Task.yield() }
    }

    private func transactions(_ store: TestStore) throws -> Int {
        try store.context().fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>())
    }

    private func names(_ store: TestStore) throws -> [String] {
        try store.context().fetch(FetchDescriptor(sortBy: [SortDescriptor(\Trip.name)])).map(\.name)
    }

    @Test(arguments: StoreKind.allCases) func turnsAreSavedInOneTransaction(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        #expect(context.autosaveEnabled && !store.context().autosaveEnabled)
        let trip = Trip(name: "Rome", destination: "")
        context.insert(trip)
        for number in 0..<10 { context.insert(Trip(name: "\(number)", destination: "")) }
        trip.note = "changed"
        // Nothing is saved without a suspension.
        #expect(context.hasChanges)
        #expect(try transactions(store) == 0)
        await wait { !context.hasChanges }
        #expect(try transactions(store) == 1)
        #expect(try names(store).count == 11)
        // Updates and deletes of the next turn.
        trip.name = "Paris"
        await wait { !context.hasChanges }
        context.delete(trip)
        await wait { !context.hasChanges }
        #expect(try transactions(store) == 3)
        #expect(try !names(store).contains("Paris"))
    }

    @Test(arguments: StoreKind.allCases) func explicitSavesRemainOneTransaction(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        context.insert(Trip(name: "Rome", destination: ""))
        try context.save()
        for _ in 0..<20 { await Task.yield() }
        #expect(try transactions(store) == 1)
        let history = try store.context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(history.flatMap(\.changes).count == 1)
    }

    @Test(arguments: StoreKind.allCases) func listsThatChangedInPlaceAreSaved(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        let trip = Trip(name: "Rome", destination: "")
        trip.bucketList = ["a", "b", "c", "d"].map(BucketListItem.init(title:))
        context.insert(trip)
        try context.save()
        trip.bucketList.remove(at: 1)
        await wait { !context.hasChanges }
        #expect(try store.context().fetch(FetchDescriptor<BucketListItem>()).count { $0.trip == nil } == 1)
    }

    @Test(arguments: StoreKind.allCases) func autosavesCanBeDisabled(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        context.insert(Trip(name: "Rome", destination: ""))
        context.autosaveEnabled = false
        for _ in 0..<100 { await Task.yield() }
        #expect(context.hasChanges)
        // The changes that were made before are saved, too.
        context.autosaveEnabled = true
        await wait { !context.hasChanges }
        #expect(try names(store) == ["Rome"])
        // Another context of the main actor.
        let other = store.context()
        other.autosaveEnabled = true
        #expect(other.autosaveEnabled)
        other.insert(Trip(name: "Paris", destination: ""))
        await wait { !other.hasChanges }
        #expect(try names(store) == ["Paris", "Rome"])
    }

    /// A failed autosave is reported, keeps the changes, and is repeated after the next change, also of a model that
    /// it could not save.
    @Test(arguments: StoreKind.allCases) func failuresAreReportedAndRetried(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        context.mergePolicy = .error
        var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        let (first, second) = (Trip(name: "Rome", destination: ""), Trip(name: "Rome", destination: ""))
        (first.startDate, second.startDate) = (.distantPast, .distantPast)
        context.insert(first)
        context.insert(second)
        await wait { !errors.isEmpty }
        let error = try #require(errors.first as? SwiftDataError)
        #expect(SwiftDataError.uniquenessViolation ~= error)
        #expect(context.hasChanges && errors.count == 1)
        second.name = "Paris"
        await wait { !context.hasChanges }
        #expect(try names(store) == ["Paris", "Rome"])
        #expect(errors.count == 1)
    }

    /// If it is not known whether a save was committed, an autosave could write its changes twice.
    @Test(arguments: StoreKind.allCases, [false, true])
    func unknownOutcomesAreNotRepeated(_ kind: StoreKind, isAutomatic: Bool) async throws {
        let store = try UnavailableContainer(kind, Trip.self)
        let context = store.container.mainContext
        var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        for (number, next) in [context.save, context.rollback].enumerated() {
            let count = store.outage.saveCount
            store.outage.setSaveFailure(.saveOutcomeUnknown)
            context.insert(Trip(name: "Rome \(number)", destination: ""))
            if isAutomatic {
                await wait { errors.count == number + 1 }
            } else {
                #expect(throws: SwiftDataError.saveOutcomeUnknown) { try context.save() }
            }
            store.outage.setSaveFailure(nil)
            context.insert(Trip(name: "Paris \(number)", destination: ""))
            for _ in 0..<100 { await Task.yield() }
            #expect(store.outage.saveCount == count + 1 && context.hasChanges)
            try next()
            context.insert(Trip(name: "Oslo \(number)", destination: ""))
            await wait { !context.hasChanges }
        }
        let trips = try ModelContext(store.container).fetch(FetchDescriptor(sortBy: [SortDescriptor(\Trip.name)]))
        #expect(trips.map(\.name) == ["Oslo 0", "Oslo 1", "Paris 0", "Rome 0"])
    }

    /// An error that the next fetch or save throws is reported, and does not prevent autosaves.
    @Test(arguments: StoreKind.allCases) func deferredErrorsAreReportedAndThrown(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        context.insert(LinkTag("unknown"))
        context.insert(Trip(name: "Rome", destination: ""))
        await wait { !context.hasChanges }
        #expect(errors.count == 1)
        #expect(try names(store) == ["Rome"])
        #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    }

    /// Every failed insert is reported, and one error describes all of them.
    @Test(arguments: StoreKind.allCases) func severalDeferredErrorsAreReported(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let (context, other) = (store.container.mainContext, store.context())
        let trips = ["Rome", "Paris", "Oslo"].map { Trip(name: $0, destination: "") }
        for trip in trips { other.insert(trip) }
        try other.save()
        var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        for trip in trips[..<2] { context.insert(trip) }
        context.insert(Trip(name: "new", destination: ""))
        await wait { !context.hasChanges }
        context.insert(trips[2])
        context.insert(Trip(name: "newer", destination: ""))
        await wait { !context.hasChanges }
        #expect(errors.map { ($0 as? SwiftDataError)?.persistentIdentifier } == trips.map(\.persistentModelID))
        let error = #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        #expect(error?.persistentIdentifier == trips[0].persistentModelID)
        for trip in trips { #expect(error.map { "\($0)" }?.contains("\(trip.persistentModelID)") == true) }
        try context.save()
    }

    /// Removing the cause of a failed autosave is a change, although it leaves nothing to save itself.
    @Test(arguments: StoreKind.allCases) func removedCausesAreRetried(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let context = store.container.mainContext
        let (owner, project) = (RulePerson("Ada"), RuleTask("test", RuleProject("Engine", RulePerson("Bob"))))
        context.insert(owner)
        context.insert(project)
        try context.save()
        var errors: [any Error] = []
        context.autosaveErrorHandler = { errors.append($0) }
        // A new model is deleted.
        let team = RuleTeam("empty")
        context.insert(team)
        owner.name = "Grace"
        await wait { errors.count == 1 }
        context.delete(team)
        await wait { !context.hasChanges }
        // A denied delete is taken back.
        context.delete(project.project)
        owner.name = "Eve"
        await wait { errors.count == 2 }
        context.insert(project.project)
        await wait { !context.hasChanges }
        #expect(try store.context().fetch(FetchDescriptor<RulePerson>()).map(\.name).sorted() == ["Bob", "Eve"])
        #expect(errors.count == 2)
    }

    @Test func failuresAreLogged() async throws {
        let logger = TestLogger()
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.logger = logger
        let container = try ModelContainer(for: Trip.self, configurations: configuration)
        container.mainContext.mergePolicy = .error
        for _ in 0..<2 {
            container.mainContext.insert(Trip(name: "Rome", destination: "", startDate: .distantPast))
        }
        await wait { !logger.entries.isEmpty }
        #expect(logger.entries.map(\.event) == ["autosaveFailed"])
        let entry = try #require(logger.entries.first)
        #expect(!entry.message.contains("Rome") && entry.metadata["error"]?.contains("Rome") == false)
        container.mainContext.rollback()
    }

    /// A scheduled autosave retains the context.
    @Test(arguments: StoreKind.allCases) func releasedContainersAreSaved(_ kind: StoreKind) async throws {
        let store = try TestStore(.file)
        weak var released: ModelContext?
        do {
            let container = try store.reopened()
            container.mainContext.insert(Trip(name: "Rome", destination: ""))
            released = container.mainContext
        }
        await wait { released == nil }
        #expect(try names(store) == ["Rome"])
    }

    @Test(arguments: StoreKind.allCases) func modelActorsSaveAfterEachJob(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let importer = Importer(modelContainer: store.container)
        await importer.enableAutosaves()
        await importer.add(["Rome", "Paris"])
        try await wait { try transactions(store) == 1 }
        #expect(try names(store) == ["Paris", "Rome"])
        #expect(await !importer.hasChanges)
    }

    @Test func otherContextsHaveNoActorToSaveOn() async throws {
        let logger = TestLogger()
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.logger = logger
        let container = try ModelContainer(for: Trip.self, configurations: configuration)
        await Task.detached {
            let context = ModelContext(container)
            context.autosaveEnabled = true
            #expect(!context.autosaveEnabled)
        }.value
        #expect(logger.entries.map(\.event) == ["autosaveUnavailable"])
    }
}

extension AutosaveTests {
    /// Nothing can save the changes of a context whose actor was released, and they do not keep the context.
    @Test func changesAfterTheActorWasReleasedDoNotKeepTheContext() throws {
        let store = try TestStore(.inMemory)
        weak var released: ModelContext?
        do {
            let context = ModelContext(store.container)
            var executor: DefaultSerialModelExecutor? = DefaultSerialModelExecutor(modelContext: context)
            context.autosaveEnabled = true
            #expect(context.autosaveEnabled && executor != nil)
            executor = nil
            context.insert(Trip(name: "late", destination: ""))
            released = context
        }
        #expect(released == nil)
    }
}

private actor Importer: ModelActor {
    nonisolated let modelExecutor: any ModelExecutor
    nonisolated let modelContainer: ModelContainer

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }

    var hasChanges: Bool { modelContext.hasChanges }

    func enableAutosaves() { modelContext.autosaveEnabled = true }

    func add(_ names: [String]) {
        for name in names { modelContext.insert(Trip(name: name, destination: "")) }
    }
}
