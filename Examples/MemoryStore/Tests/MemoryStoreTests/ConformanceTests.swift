import ChronicleTesting
import MemoryStore
import Testing

/// The rules for all stores, except those about referential integrity and migrations: the store has no foreign keys and
/// no versions, and does not declare them. It does not outlive its process and cannot be restored from a backup, so there
/// is no fixture for the rules about these.
@Test func conforms() {
    assertStoreConforms(supporting: .all.subtracting([.referentialIntegrity, .migrations])) {
        MemoryStoreConfiguration()
    }
}

/// A store that only inserts rows: it declares none of the optional features.
@Test func appendOnlyStoreConforms() {
    let report = assertStoreConforms(supporting: []) { SeriesStore.Configuration() }
    #expect(!report.passed.isEmpty)
}
