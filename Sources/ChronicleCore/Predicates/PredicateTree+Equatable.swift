extension PredicateTree: Equatable {
    /// Compares the structure, the properties and the values; those that no property can hold are equal only if they are
    /// `Equatable`.
    public static func == (lhs: PredicateTree, rhs: PredicateTree) -> Bool {
        switch (lhs, rhs) {
        case (.constant(let a), .constant(let b)): a == b
        case (.foreign(let a), .foreign(let b)): isEqual(a, b)
        case (.path(let a), .path(let b)): a == b
        case (.arithmetic(let a, let b, let c, let d), .arithmetic(let e, let f, let g, let h)):
            a == e && b == f && c == g && d == h
        case (.negative(let a, let b), .negative(let c, let d)): a == c && b == d
        case (.count(let a), .count(let b)), (.exists(let a), .exists(let b)): a == b
        case (.characterCount(let a), .characterCount(let b)), (.decimal(let a), .decimal(let b)),
            (.unwrapped(let a), .unwrapped(let b)), (.not(let a), .not(let b)):
            a == b
        case (.ifPresent(let a, let b), .ifPresent(let c, let d)), (.coalesce(let a, let b), .coalesce(let c, let d)),
            (.equal(let a, let b), .equal(let c, let d)), (.and(let a, let b), .and(let c, let d)),
            (.or(let a, let b), .or(let c, let d)), (.contains(let a, let b), .contains(let c, let d)),
            (.starts(let a, let b), .starts(let c, let d)),
            (.localizedStandardContains(let a, let b), .localizedStandardContains(let c, let d)):
            a == c && b == d
        case (.conditional(let a, let b, let c), .conditional(let d, let e, let f)): a == d && b == e && c == f
        case (.compare(let a, let b, let c), .compare(let d, let e, let f)): b == e && a == d && c == f
        case (.isOneOf(let a, let b), .isOneOf(let c, let d)): a == c && b == d
        default: false
        }
    }

    private static func isEqual(_ lhs: any Sendable, _ rhs: any Sendable) -> Bool {
        func equals<Value: Equatable>(_ value: Value) -> Bool { rhs as? Value == value }
        return (lhs as? any Equatable).map { equals($0) } ?? false
    }
}
