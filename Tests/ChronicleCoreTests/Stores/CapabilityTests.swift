import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Requests that containers make only to stores with a capability, or with their own implementation of a method.
@Suite struct CapabilityTests {
    @Test func missingCapabilitiesAreReported() throws {
        let container = try ScriptedContainer().container
        #expect(ScriptedStore.capabilities.isEmpty)
        let token = DefaultHistoryToken(storeIdentifier: "scripted-store", position: 1)
        #expect(try failure { try ModelContext(container, asOf: token) } == .unsupportedFeature)
        #expect(try failure { try ModelContext(container, asOf: .now) } == .unsupportedFeature)
        #expect(try failure { try container.replayedHistoryToken() } == .unsupportedFeature)
        #expect(try failure { try container.replayHistory { nil } } == .unsupportedFeature)
    }

    @Test func defaultImplementationsReportWhatIsMissing() throws {
        let store = try #require(ScriptedContainer().container.stores.first as? ScriptedStore)
        #expect(try store.replayedHistoryToken() == nil)
        let token = DefaultHistoryToken(storeIdentifier: store.identifier, position: 1)
        #expect(throws: DataStoreError.self) { try store.store(asOf: token) }
        let configurations = [ScriptedStore.Configuration(script: ScriptedStore.Script())]
        let error = try failure {
            try ModelContainer.migrationSteps(for: store.schema, configurations: configurations)
        }
        #expect(error == .unsupportedFeature && error?.storeName == "scripted")
        // The script has no transaction up to any date.
        #expect(try failure { try store.historyToken(asOf: .now) } == .historyTokenExpired)
    }

    @Test func replayIncludesExplicitIdentifiers() {
        #expect(DataStoreCapabilities.replay.contains(.explicitIdentifiers))
        let capabilities: [DataStoreCapabilities] = [
            .excludedIdentifiers, .inheritance, .explicitIdentifiers, .replay, .earlierPositions,
        ]
        #expect(Set(capabilities).count == capabilities.count)
        #expect(!DataStoreCapabilities.explicitIdentifiers.contains(.replay))
    }
}
