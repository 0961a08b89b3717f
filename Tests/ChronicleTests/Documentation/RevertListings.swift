import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about time travel: comparing positions, revert and undo.

/// Describes what differs between two positions.
func differences(from start: DefaultHistoryToken, to end: DefaultHistoryToken, in context: ModelContext) throws
    -> [String]
{
    let changes = try context.changes(between: start, and: end)
    return changes.changes(of: Trip.self).map { change in
        switch change.kind {
        case .insert:
            return "new: \(change.value(\Trip.name) ?? "unknown")"
        case .update:
            // `nil` if the destination did not change.
            guard let destination = change.value(\Trip.destination) else {
                return "changed: \(change.values.map(\.name).joined(separator: ", "))"
            }
            return "destination: \(change.previousValue(\Trip.destination) ?? "unknown") to \(destination)"
        case .delete:
            return "deleted: \(change.previousValue(\Trip.name) ?? "unknown")"
        }
    }
}

/// Takes back the changes of the last import, as a transaction with another author.
func revertLastImport(in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = "support"
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.author == "import" }, sortBy: [SortDescriptor(\.token, order: .reverse)])
    descriptor.fetchLimit = 1
    guard let transaction = try context.fetchHistoryWithoutChanges(descriptor).first else { return }
    try context.revert(transaction)
    // Review the changes: context.insertedModelsArray, changedModelsArray, deletedModelsArray.
    try context.save()
}

/// Takes back what was not changed since, and returns the conflicts.
func revertUnchanged(
    _ transaction: DefaultHistoryTransaction, in context: ModelContext
) throws -> [RevertConflict] {
    var plan = try context.revertPlan(for: transaction)
    for conflict in plan.conflicts {
        if !plan.resolve(conflict, with: .keepCurrent) { plan.resolve(conflict, with: .skipModel) }
    }
    try context.apply(plan)
    try context.save()
    return plan.conflicts
}

/// Changes a trip, takes the change back, and makes it again.
func undoAndRedo(_ trip: Trip, in context: ModelContext) throws {
    context.author = "editor"
    trip.destination = "Oslo"
    try context.save()
    try context.undoHistory.undo()
    try context.undoHistory.redo()
}

@Suite struct RevertListingTests {
    @Test func differencesAreDescribed() throws {
        let context = try TestStore(.inMemory, preservesValues: true).context()
        let start = try context.currentHistoryToken()
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        let middle = try context.currentHistoryToken()
        trip.destination = "Lazio"
        try context.save()
        let end = try context.currentHistoryToken()
        #expect(try differences(from: start, to: end, in: context) == ["new: Rome"])
        #expect(try differences(from: middle, to: end, in: context) == ["destination: Italy to Lazio"])
        #expect(try differences(from: end, to: start, in: context) == ["deleted: Rome"])
        trip.name = "Roma"
        try context.save()
        #expect(try differences(from: end, to: context.currentHistoryToken(), in: context) == ["changed: name"])
    }

    @Test func changesAreTakenBack() throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context(author: "import")
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        trip.destination = "Lazio"
        try context.save()
        try revertLastImport(in: store.container)
        try context.refreshAllModels()
        #expect(trip.destination == "Italy")
        let insert = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())[0]
        trip.destination = "Roma"
        try context.save()
        #expect(try revertUnchanged(insert, in: context).map(\.kind) == [.changedSince])
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
        try undoAndRedo(trip, in: context)
        #expect(trip.destination == "Oslo")
    }
}
