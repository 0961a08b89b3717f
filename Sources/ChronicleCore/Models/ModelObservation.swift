public import Observation
import Synchronization

/// The observers of the properties of one model.
///
/// Few models are observed, so a model has no registrar until one of its properties is read while an access is tracked,
/// for example in `withObservationTracking`. Whether that is so can only be learned from a registrar: it adds the key
/// path of an access to a set if the access is tracked, and otherwise ignores it. Each entity of a context therefore
/// keeps one unused instance of this class, and every read of a property reports an access to ``probe`` of that
/// instance. If the key path was hashed, the model that was read takes the instance over.
///
/// A property is identified by its key path in the model, but registered under a key path of this class, so that code
/// that does not know the type of the property can report changes.
@usableFromInline
final class ModelObservation: Observable {
    private let registrar = ObservationRegistrar()
    private let probe: KeyPath<ModelObservation, Void>
    private let probeIsHashed = HashedFlag()
    /// The properties that were read while an access was tracked, by their key paths in the model.
    private var properties: [AnyKeyPath: KeyPath<ModelObservation, Void>] = [:]
    /// The destinations of observed to-many relationships whose lists were discarded, until the lists are read again.
    private var discardedLists: [AnyKeyPath: Set<PersistentIdentifier>] = [:]

    init() {
        let flag = probeIsHashed
        probe = \ModelObservation[flag]
    }

    private subscript(_: HashedFlag) -> Void { () }
    private subscript(_: AnyKeyPath) -> Void { () }

    /// Returns whether an access to a property is being tracked on the current thread.
    ///
    /// If the method returns `true`, the tracked code has registered with this instance, so it must not be released
    /// before the model.
    @inline(__always)
    final func isAccessTracked() -> Bool {
        registrar.access(self, keyPath: probe)
        return probeIsHashed.isSet
    }

    // MARK: Reading

    /// Reports that the program reads a property.
    func access(_ keyPath: AnyKeyPath) {
        registrar.access(self, keyPath: registered(keyPath))
    }

    private func registered(_ keyPath: AnyKeyPath) -> KeyPath<ModelObservation, Void> {
        if let known = properties[keyPath] { return known }
        let registered: KeyPath<ModelObservation, Void> = \ModelObservation[keyPath]
        properties[keyPath] = registered
        return registered
    }

    /// Whether a property was read while an access was tracked.
    func observes(_ keyPath: AnyKeyPath) -> Bool { properties[keyPath] != nil }

    // MARK: Changes

    func willSet(_ keyPath: AnyKeyPath) {
        guard let registered = properties[keyPath] else { return }
        registrar.willSet(self, keyPath: registered)
    }

    func didSet(_ keyPath: AnyKeyPath) {
        guard let registered = properties[keyPath] else { return }
        registrar.didSet(self, keyPath: registered)
    }

    /// Notifies the observers of a property that the context changed, or of every property.
    func notify(_ keyPath: AnyKeyPath?) {
        for keyPath in keyPath.map({ [$0] }) ?? Array(properties.keys) {
            willSet(keyPath)
            didSet(keyPath)
        }
    }

    // MARK: Lists

    /// Records the destinations of a list that is being discarded.
    func discard(_ keyPath: AnyKeyPath, _ identifiers: @autoclosure () -> Set<PersistentIdentifier>) {
        guard observes(keyPath), discardedLists[keyPath] == nil else { return }
        discardedLists[keyPath] = identifiers()
    }

    /// Returns whether a list that is read again differs from the one that was discarded.
    func isChanged(_ keyPath: AnyKeyPath, _ identifiers: @autoclosure () -> Set<PersistentIdentifier>) -> Bool {
        guard let discarded = discardedLists.removeValue(forKey: keyPath) else { return false }
        return discarded != identifiers()
    }
}

/// An argument of a key path that records whether the key path was hashed.
private final class HashedFlag: Hashable, Sendable {
    // Atomic because a registrar may hash the key path again on another thread.
    private let value = Atomic(false)

    @inline(__always)
    var isSet: Bool { value.load(ordering: .relaxed) }

    static func == (lhs: HashedFlag, rhs: HashedFlag) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) {
        value.store(true, ordering: .relaxed)
        hasher.combine(ObjectIdentifier(self))
    }
}
