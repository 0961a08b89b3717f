import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@MainActor @Suite struct MainContextTests {
    @Test func containerHasOneMainContext() throws {
        let container = try ModelContainer(
            for: Schema(Trip.self), configurations: ModelConfiguration("main", isStoredInMemoryOnly: true))
        container.mainContext.insert(Trip(name: "Rome", destination: "Italy"))
        #expect(container.mainContext.hasChanges)
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
}
