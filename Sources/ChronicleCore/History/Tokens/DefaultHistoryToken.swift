/// A position in the history of one or several default stores.
///
/// Save a token to fetch the transactions after it later, for example after the next launch of the program:
///
/// ```swift
/// let token = try context.currentHistoryToken()
/// UserDefaults.standard.set(try JSONEncoder().encode(token), forKey: "token")
/// ```
///
/// The JSON representation is stable:
///
/// ```json
/// {"positions": {"<store>": 4711}, "checks": {"<store>": 1234567890}}
/// ```
///
/// `positions` contains the position in each store. `checks` contains a random value that the store saves with each position. If
/// the values differ, a power failure (with relaxed durability) or a restored backup reverted the transaction at this position; see
/// ``SwiftDataError/historyTokenForked``. A position among changes of other programs has no check value until the next save, so
/// reverted changes cannot be detected for it.
///
/// Tokens are compared by their positions in the stores that both contain: `transaction.token > token` is `true` for the
/// transactions after the position in their store. If each of two tokens is later in one store, the result of `<` does not express
/// which token is later. Use ``dominates(_:)`` in that case.
public struct DefaultHistoryToken: HistoryToken {
    /// Sorted by store identifier. An array, because most tokens have one entry and every fetched transaction has a token; two
    /// dictionaries would cost more than the rest of the transaction.
    private var entries: [Entry]

    private struct Entry: Hashable {
        let store: String
        let position: Int64
        let checkValue: Int64?

        /// Also if the other entry has a check value for the same position.
        func precedes(_ other: Entry) -> Bool {
            position < other.position || position == other.position && checkValue == nil
        }
    }

    /// The positions by store identifier.
    ///
    /// - Complexity: O(*n*), where *n* is the number of stores.
    public var tokenValue: [String: Int64]? {
        Dictionary(uniqueKeysWithValues: entries.map { ($0.store, $0.position) })
    }
    /// The identifier of the store of the position; empty for a token without a position.
    ///
    /// If there are positions in several stores, this is the first identifier in alphabetical order; use ``tokenValue`` for all of
    /// them.
    public var storeIdentifier: String { entries.first?.store ?? "" }
    /// The hash value of the positions, which is valid in this process only.
    public var id: Int { hashValue }

    init() { entries = [] }

    /// Creates a token with a position in one store.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - position: The ``DefaultHistoryTransaction/transactionIdentifier`` of a transaction, or 0 for the position
    ///     before the first transaction.
    ///   - checkValue: The check value that the store saved with the position, if known.
    public init(storeIdentifier: String, position: Int64, checkValue: Int64? = nil) {
        entries = [Entry(store: storeIdentifier, position: position, checkValue: checkValue)]
    }

    /// Returns the position in a store.
    ///
    /// - Parameter storeIdentifier: The identifier of the store.
    /// - Returns: The position, or `nil` if the token has no position in the store.
    public func position(in storeIdentifier: String) -> Int64? {
        entries.first { $0.store == storeIdentifier }?.position
    }

    /// Returns the check value of the position in a store.
    ///
    /// - Parameter storeIdentifier: The identifier of the store.
    /// - Returns: The random value that the store saved with the position, or `nil` if there is none.
    public func checkValue(in storeIdentifier: String) -> Int64? {
        entries.first { $0.store == storeIdentifier }?.checkValue
    }

    /// Returns the position in a store as a short text, for a URL or a command line.
    ///
    /// The text contains the position and the check value, such as `6-7bc726c6c060e5cc`, or only the position without a check
    /// value. The tool `chronicle` prints and accepts such texts. For several stores, encode the token.
    ///
    /// - Parameter storeIdentifier: The identifier of the store.
    /// - Returns: The text; `0` if the token has no position in the store.
    public func text(in storeIdentifier: String) -> String {
        let position = String(position(in: storeIdentifier) ?? 0)
        guard let checkValue = checkValue(in: storeIdentifier) else { return position }
        let digits = String(UInt64(bitPattern: checkValue), radix: 16)
        return "\(position)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates a token from the text of a position in a store.
    ///
    /// The store need not contain the position: reading the history after it throws if it does not.
    ///
    /// - Parameters:
    ///   - text: A text that ``text(in:)`` has returned.
    ///   - storeIdentifier: The identifier of the store.
    /// - Returns: `nil` if the text is not the text of a position.
    public init?(text: String, storeIdentifier: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let position = parts.first.flatMap({ Int64($0) }) else { return nil }
        let checkValue = parts.count == 2 ? UInt64(parts[1], radix: 16) : nil
        self.init(
            storeIdentifier: storeIdentifier, position: position,
            checkValue: checkValue.map(Int64.init(bitPattern:)))
        // There is one text for each position.
        guard self.text(in: storeIdentifier).utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// Returns a token with the later of both positions in each store, for example to combine the progress of reading several.
    ///
    /// - Parameter other: Another token.
    /// - Returns: The combined token.
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

    func removingPosition(in storeIdentifier: String) -> DefaultHistoryToken {
        var token = self
        token.entries.removeAll { $0.store == storeIdentifier }
        return token
    }

    /// Contains the check values, of which a restored backup changes one.
    fileprivate var exactEntries: AnyHashable { AnyHashable(entries) }

    /// Returns whether this token is at or after another token in every store of the other token.
    ///
    /// - Parameter other: Another token.
    /// - Returns: `true` if this token has a position in every store of the other token, and none of them is earlier.
    public func dominates(_ other: DefaultHistoryToken) -> Bool {
        other.entries.allSatisfy { entry in position(in: entry.store).map { $0 >= entry.position } ?? false }
    }
}

extension DefaultHistoryToken: Comparable, Hashable {
    /// Compares the positions. A token that was created before its position had a check value equals one that was created
    /// afterwards.
    public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        lhs.entries.elementsEqual(rhs.entries) { $0.store == $1.store && $0.position == $1.position }
    }

    public func hash(into hasher: inout Hasher) {
        for entry in entries {
            hasher.combine(entry.store)
            hasher.combine(entry.position)
        }
    }

    /// Compares the positions in the stores that both tokens contain: the first store with different positions determines the
    /// order.
    ///
    /// If there is no such store, neither token is before the other, so a transaction is not after a token of several stores whose
    /// position in the transaction's store is that of the transaction. Tokens without a common store are ordered by store
    /// identifier.
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
            .map { Entry(store: $0.key, position: $0.value, checkValue: checks[$0.key]) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tokenValue, forKey: .positions)
        let checks = entries.compactMap { entry in entry.checkValue.map { (entry.store, $0) } }
        try container.encode(Dictionary(uniqueKeysWithValues: checks), forKey: .checks)
    }
}

extension HistoryToken {
    /// The position with what distinguishes it from the same position in a history that a restored backup has replaced.
    var exact: AnyHashable { (self as? DefaultHistoryToken)?.exactEntries ?? AnyHashable(self) }
}
