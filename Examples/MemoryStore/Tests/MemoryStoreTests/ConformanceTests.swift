import ChronicleTesting
import MemoryStore
import Testing

/// The rules that every store has to keep to.
@Test func conforms() {
    let report = assertStoreConforms { MemoryStoreConfiguration() }
    #expect(report.skipped.isEmpty)
}
