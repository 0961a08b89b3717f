/// A class whose instances are equal only to themselves.
package protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
