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
/// Tokens are ordered by their position in the stores that both know: `transaction.token > token` is what came after the
/// position of that store. Where one of two tokens is later in one store and the other in another, `<` has an answer, but
/// not one that says what happened first: for that see ``dominates(_:)``.
public struct DefaultHistoryToken: HistoryToken {
    /// By store. Mostly there is one, and a transaction of every page has one of these: two dictionaries would cost more
    /// than the rest of it.
    private var entries: [Entry]

    private struct Entry: Hashable {
        let store: String
        let position: Int64
        let check: Int64?

        /// Whether the other one is later, or says more about the same position.
        func precedes(_ other: Entry) -> Bool {
            position < other.position || position == other.position && check == nil
        }
    }

    /// The position in each store, by store identifier.
    public var tokenValue: [String: Int64]? {
        Dictionary(uniqueKeysWithValues: entries.map { ($0.store, $0.position) })
    }
    /// A hash of the position in each store, which is valid in this process only.
    public var id: Int { hashValue }

    /// A token without a position in any store.
    init() { entries = [] }

    /// The position in one store; 0 is the place before the first transaction.
    ///
    /// - Parameter check: The random value that the store keeps with the position, if it does.
    public init(storeIdentifier: String, position: Int64, check: Int64? = nil) {
        entries = [Entry(store: storeIdentifier, position: position, check: check)]
    }

    /// The position in a store, if the token has one.
    public func position(in storeIdentifier: String) -> Int64? {
        entries.first { $0.store == storeIdentifier }?.position
    }

    /// The random value that a store keeps with the position.
    public func check(in storeIdentifier: String) -> Int64? {
        entries.first { $0.store == storeIdentifier }?.check
    }

    /// The later position of both in each store: how far somebody has read who has read as far as both.
    public func merging(_ other: DefaultHistoryToken) -> DefaultHistoryToken {
        var merged = self
        for entry in other.entries {
            if let index = merged.entries.firstIndex(where: { $0.store == entry.store }) {
                if merged.entries[index].precedes(entry) { merged.entries[index] = entry }
            } else {
                merged.entries.append(entry)
            }
        }
        merged.entries.sort { $0.store < $1.store }
        return merged
    }

    /// Whether this token is at or after another in every store that the other knows.
    public func dominates(_ other: DefaultHistoryToken) -> Bool {
        other.entries.allSatisfy { entry in position(in: entry.store).map { $0 >= entry.position } ?? false }
    }
}

extension DefaultHistoryToken: Comparable, Hashable {
    /// Whether both are the same position. The checks do not count: a token that was taken before its transaction was
    /// sealed equals the one taken after.
    public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        lhs.entries.elementsEqual(rhs.entries) { $0.store == $1.store && $0.position == $1.position }
    }

    public func hash(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.store)
            hasher.combine(entry.position)
        }
    }

    /// Compares the positions in the stores that both know; the first in which they differ decides. Where they differ in
    /// none, neither is before the other: a transaction does not come after a position in several stores that is its own
    /// in one of them. Without a store in common the stores' identifiers decide.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        var isComparable = false
        for entry in lhs.entries {
            guard let other = rhs.position(in: entry.store) else { continue }
            if other != entry.position { return entry.position < other }
            isComparable = true
        }
        return !isComparable && lhs.entries.map(\.store).lexicographicallyPrecedes(rhs.entries.map(\.store))
    }
}

extension DefaultHistoryToken: CustomStringConvertible {
    /// The position in each store, for messages: `4711 in 9E026765-…`.
    public var description: String {
        entries.isEmpty ? "nowhere" : entries.map { "\($0.position) in \($0.store)" }.joined(separator: ", ")
    }
}

extension DefaultHistoryToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case positions, checks
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let positions = try container.decode([String: Int64].self, forKey: .positions)
        let checks = try container.decode([String: Int64].self, forKey: .checks)
        entries = positions.sorted { $0.key < $1.key }
            .map { Entry(store: $0.key, position: $0.value, check: checks[$0.key]) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tokenValue, forKey: .positions)
        let checks = entries.compactMap { entry in entry.check.map { (entry.store, $0) } }
        try container.encode(Dictionary(uniqueKeysWithValues: checks), forKey: .checks)
    }
}
