public import Chronicle
@_exported public import ChronicleConformance
import Testing

// The only target that knows of a test framework: a worker's program is to do without.

/// Expects that a store keeps every rule for models; each that it breaks is an issue of the test.
///
/// ```swift
/// @Test func conforms() {
///     assertStoreConforms { MyConfiguration(url: newTemporaryURL()) }
/// }
/// ```
///
/// - Parameters:
///   - features: What the store does; rules that need more are left out, and named in the result.
///   - fixture: What only you can do to the store: `.file(\.url, worker: "MyStoreWorker")`. Without them the rules about
///     accidents are left out.
///   - make: Makes the configuration of a new, empty store, each time another one, and without a schema.
/// - Returns: What was found, for a look at what was left out.
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

/// Expects that a store keeps every rule for models and for histories; each that it breaks is an issue of the test.
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
