import Chronicle
import ChronicleTesting
import ExampleStore
import Foundation
import Testing

@Suite("Stores that keep the rules")
struct ConformanceTests {
    @Test func theDefaultStoreInAFile() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // What is left behind is in the temporary directory anyway.
        defer { try? FileManager.default.removeItem(at: directory) }
        let report = assertStoreConforms {
            ModelConfiguration(url: directory.appending(path: "\(UUID().uuidString).store"), durability: .relaxed)
        }
        #expect(report.skipped.isEmpty && report.passed.count == Fault.allCases.count)
    }

    @Test func theDefaultStoreInMemory() {
        let report = assertStoreConforms(supporting: .all.subtracting(.reopening)) {
            ModelConfiguration(isStoredInMemoryOnly: true)
        }
        #expect(report.skipped.map(\.text) == Array(repeating: "the store does not declare reopening", count: 2))
    }

    @Test func theExampleStore() {
        assertStoreConforms { MemoryStoreConfiguration() }
    }
}
