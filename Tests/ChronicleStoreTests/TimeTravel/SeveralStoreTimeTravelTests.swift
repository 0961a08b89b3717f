import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Undo and revert in containers with several stores.
@Suite struct SeveralStoreTimeTravelTests {
    private let directory: TemporaryDirectory
    private let container: ModelContainer
    private let context: ModelContext
    private let start: DefaultHistoryToken
    private let end: DefaultHistoryToken
    private let trip: Trip
    private let photo: LinkPhoto

    init() throws {
        directory = try TemporaryDirectory()
        let directory = directory
        let configurations = [Trip.self, LinkPhoto.self].map { (type: any PersistentModel.Type) in
            ModelConfiguration(
                type.entityName, schema: Schema([type]), url: directory.file("\(type.entityName).store"),
                preservesValues: true)
        }
        container = try ModelContainer(for: Schema([Trip.self, LinkPhoto.self]), configurations: configurations)
        context = ModelContext(container)
        (trip, photo) = (Trip(name: "Rome", destination: "Italy"), LinkPhoto("Forum"))
        context.insert(trip)
        context.insert(photo)
        try context.save()
        start = try context.currentHistoryToken()
        trip.destination = "Lazio"
        context.delete(photo)
        context.insert(LinkPhoto("Pantheon"))
        try context.save()
        end = try context.currentHistoryToken()
    }

    private func content() throws -> [String] {
        let context = ModelContext(container)
        return try context.fetch(FetchDescriptor<Trip>()).map(\.destination) + context.photos().map(\.name)
    }

    @Test func undoIsUnsupported() throws {
        let history = context.undoHistory
        #expect(throws: SwiftDataError.unsupportedFeature) { _ = try history.canUndo }
        #expect(throws: SwiftDataError.unsupportedFeature) { _ = try history.canRedo }
        #expect(throws: SwiftDataError.unsupportedFeature) { try history.undo() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try history.redo() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try history.undoPlan() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try history.redoPlan() }
        #expect(!context.hasChanges)
        #expect(try content() == ["Lazio", "Pantheon"])
    }

    @Test func aRevertTakesBackTheChangesOfAllStores() throws {
        let plan = try context.revert(between: start, and: end)
        #expect(plan.steps.count == 3)
        try context.save()
        #expect(try content() == ["Italy", "Forum"])
        #expect(try context.photos().map(\.persistentModelID) == [photo.persistentModelID])
        // One transaction in each store.
        let saved = try context.fetchHistory(.after(end))
        #expect(Set(saved.map(\.storeIdentifier)).count == 2 && saved.count == 2)
    }

    @Test func aConflictInOneStorePreventsTheRevertInBoth() throws {
        trip.destination = "Umbria"
        try context.save()
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(between: start, and: end) }
        #expect(!context.hasChanges)
        var plan = try context.revertPlan(between: start, and: end)
        #expect(plan.conflicts.map(\.persistentIdentifier) == [trip.persistentModelID])
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        try context.save()
        #expect(try content() == ["Umbria", "Forum"])
    }

    @Test func positionsInOneStoreRevertOnlyItsChanges() throws {
        let identifier = try #require(photo.persistentModelID.storeIdentifier)
        func part(_ token: DefaultHistoryToken) throws -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: identifier, position: try #require(token.position(in: identifier)),
                checkValue: token.checkValue(in: identifier))
        }
        try context.revert(between: part(start), and: part(end))
        try context.save()
        #expect(try content() == ["Lazio", "Forum"])
    }
}
