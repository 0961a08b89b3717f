public import Observation
import Synchronization

/// The observers of the properties of one model.
///
/// Few models are observed, so a model has no registrar until one of its properties is read while an access is tracked. Only a
/// registrar knows: it adds the key path of a tracked access to a set. Each entity of a context therefore keeps one unused instance
/// of this class, and every read of a property reports an access to ``probe`` of that instance. If the key path was hashed, the
/// model that was read takes the instance over.
///
/// A property is registered under a key path of this class, so that code that does not know the type of the property can report
/// changes.
@usableFromInline
final class ModelObservation: Observable {
    // These two before the registrar, whose size is unknown when this class is compiled, so that their offsets are known.
    private let probe: KeyPath<ModelObservation, Void>
    private let probeIsHashed = HashedFlag()
    private let registrar = ObservationRegistrar()
    private var properties: [ObservedProperty: KeyPath<ModelObservation, Void>] = [:]
    /// The destinations of observed to-many relationships whose lists were discarded, until the lists are read again.
    private var discardedLists: [ObservedProperty: Set<PersistentIdentifier>] = [:]

    init() {
        let flag = probeIsHashed
        probe = \ModelObservation[flag]
    }

    private subscript(_: HashedFlag) -> Void { () }
    private subscript(_: ObservedProperty) -> Void { () }

    /// Returns whether an access is being tracked on the current thread. If so, the tracked code has registered with this instance,
    /// so it must not be released before the model.
    @inline(__always)
    final func isAccessTracked() -> Bool {
        registrar.access(self, keyPath: probe)
        return probeIsHashed.isSet
    }

    // MARK: Reading

    func access(_ property: ObservedProperty) {
        registrar.access(self, keyPath: registered(property))
    }

    private func registered(_ property: ObservedProperty) -> KeyPath<ModelObservation, Void> {
        if let known = properties[property] { return known }
        let registered: KeyPath<ModelObservation, Void> = \ModelObservation[property]
        properties[property] = registered
        return registered
    }

    func observes(_ property: ObservedProperty) -> Bool { properties[property] != nil }

    // MARK: Changes

    func willSet(_ property: ObservedProperty) {
        guard let registered = properties[property] else { return }
        registrar.willSet(self, keyPath: registered)
    }

    func didSet(_ property: ObservedProperty) {
        guard let registered = properties[property] else { return }
        registrar.didSet(self, keyPath: registered)
    }

    /// Notifies the observers of a property, or of every property.
    func notify(_ property: ObservedProperty?) {
        for property in property.map({ [$0] }) ?? Array(properties.keys) {
            willSet(property)
            didSet(property)
        }
    }

    // MARK: Lists

    func discard(_ property: ObservedProperty, _ identifiers: @autoclosure () -> Set<PersistentIdentifier>) {
        guard observes(property), discardedLists[property] == nil else { return }
        discardedLists[property] = identifiers()
    }

    func isChanged(_ property: ObservedProperty, _ identifiers: @autoclosure () -> Set<PersistentIdentifier>) -> Bool {
        guard let discarded = discardedLists.removeValue(forKey: property) else { return false }
        return discarded != identifiers()
    }
}

enum ObservedProperty: Hashable {
    /// The offset of the wrapper in the model, for attributes of direct types: mentioning a key path would take longer than the
    /// access.
    case offset(Int)
    case keyPath(AnyKeyPath)
}

/// An observed reference to a model, which the model keeps because it has no inverse relationship.
struct ObservedReference {
    struct Key: Hashable {
        let observation: ObjectIdentifier
        let slot: Int
    }

    weak var observation: ModelObservation?
    let property: ObservedProperty
    /// Whether the observers have seen the model: a reference to a deleted one is `nil`.
    let isVisible: Bool
}

extension Schema.Property {
    var observed: ObservedProperty? {
        offset.map(ObservedProperty.offset) ?? keyPath.map(ObservedProperty.keyPath)
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
