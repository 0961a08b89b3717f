/// The actor of an observer, which may own the observer, so that the observer's task must not retain it.
struct ObservingActor: Sendable {
    weak let value: (any Actor)?

    init(_ value: any Actor) { self.value = value }
}
