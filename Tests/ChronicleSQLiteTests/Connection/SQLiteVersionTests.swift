import Foundation
import Testing

@testable import ChronicleSQLite

@Suite struct SQLiteVersionTests {
    private static let expected = ProcessInfo.processInfo.environment["CHRONICLE_SQLITE_VERSION"]

    /// `.ci/sqlite-versions` runs the tests with other libraries than that of the system.
    @Test(.enabled(if: expected != nil, "only with another library than that of the system"))
    func theTestsUseTheChosenLibrary() throws {
        let parts = try #require(Self.expected).split(separator: ".").compactMap { Int32($0) }
        try #require(parts.count == 3)
        #expect(SQLiteLibrary.versionNumber == parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2])
    }
}
