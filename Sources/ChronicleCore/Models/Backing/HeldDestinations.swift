/// The destinations of one relationship of a model that is not in a context.
///
/// The backing data keeps them. If the wrapper of the property did, a long chain of models could only be released recursively; see
/// ``ModelRelease``.
@usableFromInline
final class HeldDestinations<Value>: AnyHeldDestinations {
    @usableFromInline var value: Value

    init(_ value: Value, at keyPath: AnyKeyPath, next: AnyHeldDestinations?) {
        self.value = value
        super.init(keyPath, next)
    }
}

/// The destinations of a relationship of unknown type, in a list with those of the model's other relationships.
@usableFromInline
class AnyHeldDestinations {
    fileprivate let keyPath: AnyKeyPath
    fileprivate let next: AnyHeldDestinations?

    fileprivate init(_ keyPath: AnyKeyPath, _ next: AnyHeldDestinations?) {
        self.keyPath = keyPath
        self.next = next
    }
}

extension AnyBackingData {
    func heldDestinations<Value>(at keyPath: AnyKeyPath) -> HeldDestinations<Value>? {
        guard let first = extras?.held else { return nil }
        var next: AnyHeldDestinations? = first
        // The getter and the setter of a property have different key paths, which are equal.
        while let held = next, held.keyPath !== keyPath, held.keyPath != keyPath { next = held.next }
        return next.map { unsafeDowncast($0, to: HeldDestinations<Value>.self) }
    }

    /// - Returns: The value for the wrapper to hold: `nil` if this object keeps the destinations.
    func hold<Value>(_ value: Value, at keyPath: AnyKeyPath) -> Value? {
        if let held: HeldDestinations<Value> = heldDestinations(at: keyPath) {
            held.value = value
        } else if withUnsafeBytes(of: value, { $0.allSatisfy { $0 == 0 } }) {
            // The value is `nil`, because relationships consist of one reference.
            return value
        } else {
            makeExtras().held = HeldDestinations(value, at: keyPath, next: extras?.held)
        }
        return nil
    }

    /// Returns the destinations for a change in place.
    ///
    /// - Parameter declared: The value that the wrapper holds, which this method takes over.
    @usableFromInline
    func heldDestinations<Value>(at keyPath: AnyKeyPath, declared: inout Value?) -> HeldDestinations<Value> {
        if let held: HeldDestinations<Value> = heldDestinations(at: keyPath) { return held }
        let held = HeldDestinations(
            declared ?? RelationshipShape.initialValue, at: keyPath, next: extras?.held)
        // The value has a single owner, so that the change does not copy it.
        declared = nil
        makeExtras().held = held
        return held
    }
}
