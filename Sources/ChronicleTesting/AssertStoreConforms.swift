public import Chronicle
@_exported public import ChronicleConformance
import Testing

// Only this target imports a test framework, so that worker programs can link ChronicleConformance without one.

/// Checks a store without a history against every rule for models and records each failure as an issue of the current test.
///
/// ```swift
/// @Test func conforms() {
///     assertStoreConforms { MyConfiguration(url: newTemporaryURL()) }
/// }
/// ```
///
/// - Parameters:
///   - features: The features that the store supports. Rules that need other features are skipped.
///   - fixture: The operations that only the store's author can provide, such as `.file(\.url, worker: "MyStoreWorker")`.
///     Without them, the rules about recovery are skipped.
///   - fileID: The file of the call, for the recorded issues.
///   - filePath: The path of the file of the call, for the recorded issues.
///   - line: The line of the call, for the recorded issues.
///   - column: The column of the call, for the recorded issues.
///   - make: Returns the configuration of a new, empty store, different for each call and without a schema.
/// - Returns: The report, which also lists the skipped rules.
@discardableResult
public func assertStoreConforms<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    record(
        checkStore(supporting: features, fixture: fixture, make),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Checks a store against every rule for models and for the history, and records each failure as an issue of the current
/// test.
///
/// - Parameters:
///   - features: The features that the store supports. Rules that need other features are skipped.
///   - fixture: The operations that only the store's author can provide. Without them, the rules about recovery are
///     skipped.
///   - fileID: The file of the call, for the recorded issues.
///   - filePath: The path of the file of the call, for the recorded issues.
///   - line: The line of the call, for the recorded issues.
///   - column: The column of the call, for the recorded issues.
///   - make: Returns the configuration of a new, empty store, different for each call and without a schema.
/// - Returns: The report, which also lists the skipped rules.
@discardableResult
public func assertStoreConforms<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fixture: StoreFixture<Configuration> = StoreFixture(),
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    record(
        checkStore(supporting: features, fixture: fixture, make),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func record(_ report: ConformanceReport, _ location: SourceLocation) -> ConformanceReport {
    for failure in report.failed {
        Issue.record("\(report.store), \(failure.rule): \(failure.text)", sourceLocation: location)
    }
    return report
}
