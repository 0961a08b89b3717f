/// A position in the history of one store, or of several: keep it between runs, and ask for what came after.
///
/// ```swift
/// let token = try context.currentHistoryToken()
/// UserDefaults.standard.set(try JSONEncoder().encode(token), forKey: "token")
/// ```
///
/// The JSON layout is stable:
///
/// ```json
/// {"positions": {"<store>": 4711}, "checks": {"<store>": 1234567890}}
/// ```
///
/// `positions` has the position in each store; `checks` has the random value that the store keeps with that position,
/// by which a past that was taken back (a power cut with relaxed durability, a restored backup) is recognised. A position
/// inside changes of another program that no save has sealed yet has no check; it is as safe as a bare number.
///
/// Tokens of one store are ordered by position. Tokens of several stores are ordered where one is at or after the other
/// in every store (see ``dominates(_:)``); the ties are broken by the stores' identifiers, so that sorting has an answer,
/// but not one that says what happened first.
public struct DefaultHistoryToken: HistoryToken {
    private var positions: [String: Int64]
    private var checks: [String: Int64]

    /// The position in each store, by store identifier.
    public var tokenValue: [String: Int64]? { positions }
    public var id: DefaultHistoryToken { self }

    /// The position in one store.
    ///
    /// - Parameter check: The random value that the store keeps with the position, if it does.
    public init(storeIdentifier: String, position: Int64, check: Int64?) {
        positions = [storeIdentifier: position]
        checks = check.map { [storeIdentifier: $0] } ?? [:]
    }

    /// The position in a store, if the token has one.
    public func position(in storeIdentifier: String) -> Int64? { positions[storeIdentifier] }

    /// The random value that a store keeps with the position.
    public func check(in storeIdentifier: String) -> Int64? { checks[storeIdentifier] }

    /// The positions of both, the other's where both have one.
    public func merging(_ other: DefaultHistoryToken) -> DefaultHistoryToken {
        var merged = self
        for (store, position) in other.positions {
            merged.positions[store] = position
            merged.checks[store] = other.checks[store]
        }
        return merged
    }

    /// Whether this token is at or after another in every store that the other knows.
    public func dominates(_ other: DefaultHistoryToken) -> Bool {
        other.positions.allSatisfy { store, position in positions[store].map { $0 >= position } ?? false }
    }

    /// Whether both are the same position. The checks do not count: a token that was taken before its transaction was
    /// sealed equals the one taken after.
    public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        lhs.positions == rhs.positions
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(positions) }

    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let shared = lhs.positions.keys.filter { rhs.positions[$0] != nil }.sorted()
        for store in shared where lhs.positions[store] != rhs.positions[store] {
            return lhs.positions[store, default: 0] < rhs.positions[store, default: 0]
        }
        return lhs.positions.keys.sorted().lexicographicallyPrecedes(rhs.positions.keys.sorted())
    }
}
