import Observation
import Observing
import SwiftData
import Testing

/// Views that show models, as far as they exist without SwiftUI.
@MainActor @Suite struct ObservationTests {
    private let context: ModelContext

    init() throws {
        let container = try ModelContainer(
            for: Workout.self, Lap.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    /// Counts the changes that are reported while work runs, for one registration.
    private func reports(of value: () -> Void, during work: () throws -> Void) rethrows -> Int {
        let count = Count()
        withObservationTracking(value) { count.value += 1 }
        try work()
        return count.value
    }

    private final class Count: @unchecked Sendable {
        var value = 0
    }

    @Test func aChangedPropertyIsReportedOnce() throws {
        let workout = Workout(name: "Run", minutes: 30)
        context.insert(workout)
        #expect(reports(of: { _ = workout.name }, during: { workout.name = "Swim" }) == 1)
        #expect(reports(of: { _ = workout.name }, during: { workout.minutes = 45 }) == 0)
        #expect(
            reports(
                of: { _ = workout.summary },
                during: {
                    workout.minutes += 1
                    workout.minutes += 1
                }) == 1)
        let lap = Lap(distance: 1)
        context.insert(lap)
        #expect(reports(of: { _ = workout.laps.count }, during: { lap.workout = workout }) == 1)
        #expect(workout.laps.count == 1)
    }

    @Test func aRollbackIsReported() throws {
        let workout = Workout(name: "Run", minutes: 30)
        context.insert(workout)
        try context.save()
        workout.name = "Swim"
        #expect(reports(of: { _ = workout.name }, during: { context.rollback() }) == 1)
        #expect(workout.name == "Run")
    }

    @Test func modelsInAnObservableObjectAreObserved() throws {
        let workout = Workout(name: "Run", minutes: 30)
        context.insert(workout)
        let model = WorkoutModel()
        #expect(reports(of: { _ = model.title }, during: { model.selected = workout }) == 1)
        #expect(reports(of: { _ = model.title }, during: { workout.name = "Swim" }) == 1)
    }

    @Test func aScreenShowsTheChanges() async throws {
        let workout = Workout(name: "Run", minutes: 30)
        context.insert(workout)
        let screen = Screen { workout.summary }
        workout.minutes = 45
        while screen.shown.count < 2 { await Task.yield() }
        #expect(screen.shown == ["Run, 30 min, 0 laps", "Run, 45 min, 0 laps"])
    }
}
