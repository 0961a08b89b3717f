public import Chronicle

/// Tries rules on stores, each on a new one, and reports. Needs no test framework.
///
/// ```swift
/// let report = checkStore { MyConfiguration(url: newTemporaryURL()) }
/// if !report.conforms { print(report) }
/// ```
///
/// - Parameters:
///   - features: What the store does.
///   - rules: What it is to keep to.
///   - make: Makes the configuration of a new, empty store, each time another one, and without a schema.
public func checkRules<Store: DataStore>(
    _ rules: [StoreRule<Store>], supporting features: StoreFeatures = .all,
    _ make: @escaping () throws -> Store.Configuration
) -> ConformanceReport {
    var report = ConformanceReport(store: "\(Store.self)")
    for rule in rules {
        let missing = rule.needs.subtracting(features)
        guard missing.isEmpty else {
            report.skipped.append(.init(rule: rule.name, text: "the store does not declare \(missing.text)"))
            continue
        }
        do {
            try rule.check(StoreBench(make))
            report.passed.append(rule.name)
        } catch {
            let text = error is BrokenRule ? "\(error)" : "expected no error, got \(error)"
            report.failed.append(.init(rule: rule.name, text: text))
        }
    }
    return report
}

/// Tries every rule for models on a store. See ``checkRules(_:supporting:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    checkRules(StoreRule<Configuration.Store>.models, supporting: features, make)
}

/// Tries every rule for models and for histories on a store. See ``checkRules(_:supporting:_:)``.
public func checkStore<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    checkRules(
        StoreRule<Configuration.Store>.models + StoreRule<Configuration.Store>.history, supporting: features, make)
}
