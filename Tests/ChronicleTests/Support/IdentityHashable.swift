/// A class of the tests whose instances are equal only to themselves.
protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
