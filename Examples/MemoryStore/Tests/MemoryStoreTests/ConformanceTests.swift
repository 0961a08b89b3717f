import ChronicleTesting
import MemoryStore
import Testing

/// The rules that every store has to keep to, but for references: it has no foreign keys, and declares none. Nothing of it
/// outlives a process or can be restored from a backup, so that it has no tools for the rules about accidents.
@Test func conforms() {
    assertStoreConforms(supporting: .all.subtracting(.referentialIntegrity)) { MemoryStoreConfiguration() }
}

/// A store whose rows only come: it declares nothing of what may be left out.
@Test func aSeriesConforms() {
    let report = assertStoreConforms(supporting: []) { SeriesStore.Configuration() }
    #expect(!report.passed.isEmpty)
}
