import Previews
import SwiftData
import Testing

/// Containers with samples.
@MainActor @Suite struct PreviewTests {
    @Test func previewsHaveSamples() throws {
        let preview = PreviewContainer(Plant.self)
        preview.add(Plant.samples)
        #expect(try preview.container.mainContext.fetchCount(FetchDescriptor<Room>()) == 1)
        #expect(SampleData.shared.plant.name == "Aloe")
        #expect(SampleData.shared.plants.compactMap(\.room?.name) == ["Kitchen"])
    }

    @Test func setsOfSamplesAreSeparate() throws {
        let dry = try Samples.dry.make()
        let watered = FetchDescriptor<Plant>(predicate: #Predicate { $0.wateredAt != nil })
        #expect(try dry.mainContext.fetchCount(watered) == 0)
        #expect(try ModelContainer.preview.mainContext.fetchCount(watered) == 1)
        #expect(try Samples.empty.make().mainContext.fetch(FetchDescriptor<Plant>()).isEmpty)
    }
}
