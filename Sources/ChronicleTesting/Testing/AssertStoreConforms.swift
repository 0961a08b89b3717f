public import Chronicle
import Testing

// The only file that knows of a test framework.

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
///   - make: Makes the configuration of a new, empty store, each time another one, and without a schema.
/// - Returns: What was found, for a look at what was left out.
@discardableResult
public func assertStoreConforms<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, _ make: @escaping () throws -> Configuration
) -> ConformanceReport {
    record(
        checkStore(supporting: features, make),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects that a store keeps every rule for models and for histories; each that it breaks is an issue of the test.
@discardableResult
public func assertStoreConforms<Configuration: DataStoreConfiguration>(
    supporting features: StoreFeatures = .all, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, _ make: @escaping () throws -> Configuration
) -> ConformanceReport where Configuration.Store: HistoryProviding {
    record(
        checkStore(supporting: features, make),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func record(_ report: ConformanceReport, _ location: SourceLocation) -> ConformanceReport {
    for failure in report.failed {
        Issue.record("\(report.store), \(failure.rule): \(failure.text)", sourceLocation: location)
    }
    return report
}
