import Foundation
import Observation
import SwiftData

@Model
public final class Workout {
    public var name: String
    public var minutes: Int
    @Relationship(deleteRule: .cascade, inverse: \Lap.workout) public var laps: [Lap] = []

    public var summary: String { "\(name), \(minutes) min, \(laps.count) laps" }

    public init(name: String, minutes: Int) {
        self.name = name
        self.minutes = minutes
    }
}

@Model
public final class Lap {
    public var distance: Double
    public var workout: Workout?

    public init(distance: Double) { self.distance = distance }
}

/// Shows a text that depends on models, and shows it again when they change.
@MainActor
public final class Screen {
    public private(set) var shown: [String] = []
    private let text: () -> String

    public init(_ text: @escaping () -> String) {
        self.text = text
        show()
    }

    private func show() {
        let value = withObservationTracking {
            text()
        } onChange: {
            Task { @MainActor [weak self] in self?.show() }
        }
        shown.append(value)
    }
}

/// The state of a view, which holds models.
@MainActor @Observable
public final class WorkoutModel {
    public var selected: Workout?

    public init() {}

    public var title: String { selected?.name ?? "No workout" }
}
