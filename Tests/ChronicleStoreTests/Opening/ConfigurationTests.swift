import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The forms in which programs written for SwiftData create containers.
@Suite struct ConfigurationTests {
    @Test func configurationsWithoutCloudServicesAreAllowed() throws {
        let directory = try TemporaryDirectory()
        let name: String? = nil
        let unnamed = ModelConfiguration(
            name, schema: nil, isStoredInMemoryOnly: true, allowsSave: true, groupContainer: .automatic,
            cloudKitDatabase: .automatic)
        let without = ModelConfiguration(isStoredInMemoryOnly: true, groupContainer: .none, cloudKitDatabase: .none)
        #expect(unnamed == without)
        #expect(unnamed.name == "default")
        let file = directory.file("trips.store")
        #expect(ModelConfiguration(url: file, cloudKitDatabase: .none) == ModelConfiguration("trips", url: file))
    }

    @Test func configurationTypeIsInferred() throws {
        let containers = [
            try ModelContainer(for: Trip.self, configurations: .init(isStoredInMemoryOnly: true)),
            try ModelContainer(for: Schema([Trip.self]), configurations: .init(isStoredInMemoryOnly: true)),
            try ModelContainer(for: Schema([Trip.self]), configurations: [.init(isStoredInMemoryOnly: true)]),
            try ModelContainer(for: .init([Trip.self]), configurations: ModelConfiguration(isStoredInMemoryOnly: true)),
        ]
        for container in containers {
            #expect(
                container.configurations == [ModelConfiguration(schema: Schema(Trip.self), isStoredInMemoryOnly: true)])
        }
    }

    @Test func containerAssignsConfigurationNames() throws {
        let directory = try TemporaryDirectory()
        let trips = ModelConfiguration(schema: Schema(Trip.self), url: directory.file("trips.store"))
        let photos = ModelConfiguration("photos", schema: Schema(LinkPhoto.self), isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Trip.self, LinkPhoto.self, configurations: trips, photos)
        #expect(container.configurations == [trips, photos])
        #expect(container.configurations.first { $0.name == "trips" }?.url == directory.file("trips.store"))
        let anyStore: [any DataStoreConfiguration] = [trips, photos]
        let other = try ModelContainer(for: Schema(Trip.self, LinkPhoto.self), configurations: anyStore)
        #expect(other.configurations.count == 2)
    }
}
