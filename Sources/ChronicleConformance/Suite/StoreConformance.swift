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
///   - tools: What its author can do to it from outside.
///   - make: Makes the configuration of a new, empty store, each time another one, and without a schema.
public func checkRules<Store: DataStore>(
    _ rules: [StoreRule<Store>], supporting features: StoreFeatures = .all,
    tools: StoreTools<Store.Configuration> = StoreTools(), _ make: @escaping () throws -> Store.Configuration
) -> ConformanceReport {
    var report = ConformanceReport(store: "\(Store.self)")
    var known = Set<String>()
    for rule in rules {
        if let reason = rule.reasonToLeaveOut(features, tools.means) {
            report.skipped.append(.init(rule: rule.name, text: reason))
            continue
        }
        do {
            let bench = try StoreBench<Store>(supporting: features, tools: tools, make)
            let identifier = try bench.store.identifier
            try expect(
                known.insert(identifier).inserted,
                "a new store for each rule, with an identifier of its own; \(identifier) was there before")
            try rule.check(bench)
            report.passed.append(rule.name)
        } catch {
            let text = error is BrokenRule ? "\(error)" : "expected no error, got \(error)"
            report.failed.append(.init(rule: rule.name, text: text))
        }
    }
    return report
}

extension StoreRule {
    /// What a store, or its author, does not do and the rule needs.
    fileprivate func reasonToLeaveOut(_ features: StoreFeatures, _ means: Set<StoreMeans>) -> String? {
        let undeclared = needs.subtracting(features)
        guard undeclared.isEmpty else { return "the store does not declare \(undeclared.text)" }
        return self.means.subtracting(means).first?.missing
    }
}

/// Tries every rule for models on a store. See ``checkRules(_:supporting:tools:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, tools: StoreTools<Configuration> = StoreTools(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    checkRules(StoreRule<Configuration.Store>.models, supporting: features, tools: tools, make)
}

/// Tries every rule for models and for histories on a store. See ``checkRules(_:supporting:tools:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, tools: StoreTools<Configuration> = StoreTools(),
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    checkRules(
        StoreRule<Configuration.Store>.models + StoreRule<Configuration.Store>.history, supporting: features,
        tools: tools, make)
}
