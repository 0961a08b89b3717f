public import Chronicle

/// A requirement that a store must meet, and the code that checks it.
///
/// The predefined rules are ``StoreRule/models`` and ``StoreRule/history``. You can check your own with
/// ``checkRules(_:supporting:fixture:_:)``:
///
/// ```swift
/// let rule = StoreRule<MyStore>("names are trimmed") { harness in
///     guard … else { throw ConformanceFailure("a name without surrounding spaces, found …") }
/// }
/// ```
public struct StoreRule<Store: DataStore> {
    /// The requirement, as a short sentence. It identifies the rule in reports.
    public let name: String
    /// The features that the store must support for the rule to apply.
    public let needs: StoreFeatures
    /// The operations of the fixture that the rule needs.
    public let capabilities: Set<StoreFixtureCapability>
    /// A protocol or a capability that the store does not have.
    private(set) var missingSupport: String?
    /// Checks the requirement on a new store. A ``ConformanceFailure``, or any other error, is reported as a failure.
    public let check: (StoreHarness<Store>) throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - name: See `name`.
    ///   - needs: See `needs`.
    ///   - capabilities: See `capabilities`.
    ///   - check: See `check`.
    public init(
        _ name: String, needs: StoreFeatures = [], capabilities: Set<StoreFixtureCapability> = [],
        check: @escaping (StoreHarness<Store>) throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.capabilities = capabilities
        self.check = check
    }

    /// Skipped if the store does not conform to an optional protocol.
    func requiring(_ name: String, _ conforms: Bool) -> StoreRule {
        var rule = self
        if !conforms { rule.missingSupport = "the store does not conform to \(name)" }
        return rule
    }

    /// Skipped if the store does not have a capability.
    func requiring(_ capability: DataStoreCapabilities, _ name: String) -> StoreRule {
        var rule = self
        if !Store.capabilities.contains(capability) {
            rule.missingSupport = "the store does not have the capability \(name)"
        }
        return rule
    }
}

/// An expectation of a rule that a store did not meet.
public struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
    /// The text without the leading word "expected".
    let expected: String

    /// Creates a failure, whose description begins with "expected".
    ///
    /// - Parameter expected: What was expected and what was found, such as `"3 books, found 2"`.
    public init(_ expected: String) { self.expected = expected }

    public var description: String { "expected " + expected }
}

extension StoreRule {
    /// The rules for every store, from basic to complex ones. Fix the first failed rule first, as later rules depend on it.
    public static var models: [StoreRule] {
        roundTrips + remapping + relationships + links + integrity + queries + predicates + batches + inheritance
            + erasing + restoring + concurrency + atomicity + conflicts + reopening + migrations + events
            + kills
    }
}

extension StoreRule where Store: HistoryProviding {
    /// The rules for stores with a history, in addition to ``models``.
    public static var history: [StoreRule] {
        cursor + changes + linkChanges + batchChanges + subclassHistory + erasedHistory + authors + expiry + recovery
            + positions + earlierPositions + modelHistory + tags + replicas + consumers + retention + historyKills
    }
}
