public import Chronicle

/// Something that a store has to keep to, with the capabilities to find out whether it does.
///
/// The families of rules are ``StoreRule/models`` and, for stores with a history, ``StoreRule/history``; a rule of your
/// own is made like theirs:
///
/// ```swift
/// let rule = StoreRule<MyStore>("names are trimmed") { harness in
///     guard … else { throw ConformanceFailure("a name without spaces around it") }
/// }
/// ```
public struct StoreRule<Store: DataStore> {
    /// What has to be so, in a sentence.
    public let name: String
    /// What a store has to do for the rule to make sense.
    public let needs: StoreFeatures
    /// What its author has to be able to do to the store.
    public let capabilities: Set<StoreFixtureCapability>
    /// Tries it on a new store. Throws ``ConformanceFailure`` when it is not so; any other error is a failure, too.
    public let check: (StoreHarness<Store>) throws -> Void

    public init(
        _ name: String, needs: StoreFeatures = [], capabilities: Set<StoreFixtureCapability> = [],
        check: @escaping (StoreHarness<Store>) throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.capabilities = capabilities
        self.check = check
    }
}

/// What was expected of a store, and did not come.
public struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
    /// What was expected, and what came instead, in a few words.
    let expected: String

    public init(_ expected: String) { self.expected = expected }

    public var description: String { "expected " + expected }
}

extension StoreRule {
    /// What every store has to keep to, from the simple to what builds on it: mend the first broken rule first.
    public static var models: [StoreRule] {
        roundTrips + remapping + relationships + links + integrity + queries + predicates + batches + concurrency
            + atomicity
            + reopening + kills
    }
}

extension StoreRule where Store: HistoryProviding {
    /// What every history has to keep to, beside the rules for ``models``.
    public static var history: [StoreRule] {
        cursor + changes + linkChanges + batchChanges + authors + expiry + recovery + positions + historyKills
    }
}
