public import Chronicle

/// Tries rules on stores, each on a new one, and reports. Needs no test framework.
///
/// ```swift
/// let report = checkStore { MyConfiguration(url: newTemporaryURL()) }
/// if !report.conforms { print(report) }
/// ```
///
/// - Parameters:
///   - rules: What it is to keep to.
///   - features: What the store does.
///   - fixture: What its author can do to it from outside.
///   - make: Makes the configuration of a new, empty store, each time another one, and without a schema.
public func checkRules<Store: DataStore>(
    _ rules: [StoreRule<Store>], supporting features: StoreFeatures = .all,
    fixture: StoreFixture<Store.Configuration> = StoreFixture(), _ make: @escaping () throws -> Store.Configuration
) -> ConformanceReport {
    var report = ConformanceReport(store: "\(Store.self)")
    var known = Set<String>()
    for rule in rules {
        if let reason = rule.reasonToLeaveOut(features, fixture.capabilities) {
            report.skipped.append(.init(rule: rule.name, text: reason))
            continue
        }
        do {
            let harness = try StoreHarness<Store>(supporting: features, fixture: fixture, make)
            let identifier = try harness.store.identifier
            try expect(
                known.insert(identifier).inserted,
                "a new store for each rule, with an identifier of its own; \(identifier) was there before")
            try rule.check(harness)
            report.passed.append(rule.name)
        } catch {
            let text = error is ConformanceFailure ? "\(error)" : "expected no error, got \(error)"
            report.failed.append(.init(rule: rule.name, text: text))
        }
    }
    return report
}

extension StoreRule {
    /// What a store, or its author, does not do and the rule needs.
    fileprivate func reasonToLeaveOut(_ features: StoreFeatures, _ capabilities: Set<StoreFixtureCapability>) -> String?
    {
        let undeclared = needs.subtracting(features)
        guard undeclared.isEmpty else { return "the store does not declare \(undeclared.text)" }
        return self.capabilities.subtracting(capabilities).first?.missing
    }
}

/// Tries every rule for models on a store. See ``checkRules(_:supporting:fixture:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    checkRules(StoreRule<Configuration.Store>.models, supporting: features, fixture: fixture, make)
}

/// Tries every rule for models and for histories on a store. See ``checkRules(_:supporting:fixture:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    checkRules(
        StoreRule<Configuration.Store>.models + StoreRule<Configuration.Store>.history, supporting: features,
        fixture: fixture, make)
}
