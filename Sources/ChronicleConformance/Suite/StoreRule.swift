public import Chronicle

/// A requirement that a store must meet, and the code that checks it.
///
/// The predefined rules are ``StoreRule/models`` and, for stores with a history, ``StoreRule/history``. You can add
/// your own and check them with ``checkRules(_:supporting:fixture:_:)``:
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
    /// Why the rule does not apply to the store: a protocol or a capability that it does not have.
    private(set) var missingSupport: String?
    /// Checks the requirement on a new store. A ``ConformanceFailure``, or any other error, is reported as a failure.
    public let check: (StoreHarness<Store>) throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - name: The requirement, as a short sentence.
    ///   - needs: The features that the store must support for the rule to apply.
    ///   - capabilities: The operations of the fixture that the rule needs.
    ///   - check: Checks the requirement on a new store and throws a ``ConformanceFailure`` if the store does not meet
    ///     it.
    public init(
        _ name: String, needs: StoreFeatures = [], capabilities: Set<StoreFixtureCapability> = [],
        check: @escaping (StoreHarness<Store>) throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.capabilities = capabilities
        self.check = check
    }

    /// Returns the rule, which is skipped if the store does not conform to an optional protocol.
    func requiring(_ name: String, _ conforms: Bool) -> StoreRule {
        var rule = self
        if !conforms { rule.missingSupport = "the store does not conform to \(name)" }
        return rule
    }

    /// Returns the rule, which is skipped if the store does not have a capability.
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
    /// What was expected and what was found, without the leading word "expected".
    let expected: String

    /// Creates a failure.
    ///
    /// - Parameter expected: What was expected and what was found, such as `"3 books, found 2"`. The description begins
    ///   with "expected".
    public init(_ expected: String) { self.expected = expected }

    /// What was expected and what was found.
    public var description: String { "expected " + expected }
}

extension StoreRule {
    /// The rules for every store, from basic to complex ones. Fix the first failed rule first, as later rules depend on
    /// it.
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
