public import Chronicle

/// Checks a store type against the given rules, each with a new store, without a test framework.
///
/// Use this function to check your own rules; `checkStore(supporting:fixture:_:)` checks the predefined ones.
///
/// ```swift
/// let report = checkRules(StoreRule<MyStore>.queries) { MyConfiguration(url: newTemporaryURL()) }
/// if !report.conforms { print(report) }
/// ```
///
/// - Parameters:
///   - rules: The rules to check.
///   - features: The features that the store supports. Rules that need other features are skipped.
///   - fixture: The operations that only the store's author can provide. Rules that need missing ones are skipped.
///   - make: Returns the configuration of a new, empty store, different for each call and without a schema.
/// - Returns: The report. An error thrown by `make` or by a rule is a failure of that rule.
/// - Complexity: Opens at least one store per rule.
public func checkRules<Store: DataStore>(
    _ rules: [StoreRule<Store>], supporting features: StoreFeatures = .all,
    fixture: StoreFixture<Store.Configuration> = StoreFixture(), _ make: @escaping () throws -> Store.Configuration
) -> ConformanceReport {
    var report = ConformanceReport(store: "\(Store.self)")
    var identifiers = Set<String>()
    for rule in rules {
        if let reason = rule.reasonToSkip(features, fixture.capabilities) {
            report.skipped.append(.init(rule: rule.name, text: reason))
            continue
        }
        do {
            let harness = try StoreHarness<Store>(supporting: features, fixture: fixture, make)
            let identifier = try harness.store.identifier
            try expect(
                identifiers.insert(identifier).inserted,
                "a new store with its own identifier for each rule, found \(identifier) again")
            try rule.check(harness)
            report.passed.append(rule.name)
        } catch {
            let text = error is ConformanceFailure ? "\(error)" : "expected no error, found \(error)"
            report.failed.append(.init(rule: rule.name, text: text))
        }
    }
    return report
}

extension StoreRule {
    /// `nil` if the rule can run.
    fileprivate func reasonToSkip(_ features: StoreFeatures, _ capabilities: Set<StoreFixtureCapability>) -> String? {
        if let missingSupport { return missingSupport }
        let undeclared = needs.subtracting(features)
        guard undeclared.isEmpty else { return "the store does not declare \(undeclared.text)" }
        return self.capabilities.subtracting(capabilities).first?.missing
    }
}

/// Checks a store without a history against every rule in ``StoreRule/models``.
///
/// - Parameters:
///   - features: The features that the store supports. Rules that need other features are skipped.
///   - fixture: The operations that only the store's author can provide. Rules that need missing ones are skipped.
///   - make: Returns the configuration of a new, empty store, different for each call and without a schema.
/// - Returns: The report. An error thrown by `make` or by a rule is a failure of that rule.
/// - Complexity: Opens at least one store per rule.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    checkRules(StoreRule<Configuration.Store>.models, supporting: features, fixture: fixture, make)
}

/// Checks a store against every rule in ``StoreRule/models`` and ``StoreRule/history``.
///
/// - Parameters:
///   - features: The features that the store supports. Rules that need other features are skipped.
///   - fixture: The operations that only the store's author can provide. Rules that need missing ones are skipped.
///   - make: Returns the configuration of a new, empty store, different for each call and without a schema.
/// - Returns: The report. An error thrown by `make` or by a rule is a failure of that rule.
/// - Complexity: Opens at least one store per rule.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    checkRules(
        StoreRule<Configuration.Store>.models + StoreRule<Configuration.Store>.history, supporting: features,
        fixture: fixture, make)
}
