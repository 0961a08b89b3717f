import Batches
import Foundation
import SwiftData
import Testing

/// Results in batches, configurations, and erasing.
@Suite struct BatchTests {
    @Test func resultsAreFetchedInBatches() throws {
        let store = try ReadingStore(inMemory: true)
        try store.add((1...1_000).map(Double.init), sensor: 1)
        try store.add([7], sensor: 2)
        #expect(try store.average(of: 1) == 500.5)
        #expect(try store.average(of: 3) == 0)
        #expect(try store.identifiers(of: 1).count == 1_000)
        var descriptor = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.value)])
        descriptor.fetchLimit = 120
        let readings = try ModelContext(store.container).fetch(descriptor, batchSize: 50)
        #expect(readings.count == 120 && readings[119].value == 119 && readings.last?.value == 119)
    }

    @Test func configurationsDescribeThemselves() throws {
        #expect(try ReadingStore(inMemory: true).descriptions == ["readings: no group, no cloud, local"])
    }

    @Test func erasingRemovesEveryModel() throws {
        let store = try ReadingStore(inMemory: true)
        try store.add([1, 2], sensor: 1)
        try store.eraseAll()
        let other = try ReadingStore(inMemory: true)
        #expect(try ModelContext(other.container).fetchCount(FetchDescriptor<Reading>()) == 0)
    }
}
