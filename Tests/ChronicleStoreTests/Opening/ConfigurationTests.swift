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

    @Test func servicesCanBeRead() throws {
        let plain = ModelConfiguration(isStoredInMemoryOnly: true)
        #expect(plain.groupContainer == .automatic && plain.groupAppContainerIdentifier == nil)
        #expect(plain.cloudKitDatabase == .automatic && plain.cloudKitContainerIdentifier == nil)
        let group = ModelConfiguration("trips", groupContainer: .identifier("group.trips"), cloudKitDatabase: .none)
        #expect(group.groupAppContainerIdentifier == "group.trips" && group.cloudKitDatabase == .none)
        let standard = ModelConfiguration("trips")
        // The directory of a group belongs to all programs of the user, and the other one to this program.
        #expect(
            group.url.path
                == standard.url.deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Group Containers/group.trips/trips.store").path)
        #expect(standard.debugDescription.contains(standard.url.path))
        #expect(group != standard)
    }

    @Test(
        arguments: [
            (ModelConfiguration("a/b"), SwiftDataError.configurationFileNameContainsInvalidCharacters),
            (ModelConfiguration("a\0"), .configurationFileNameContainsInvalidCharacters),
            (ModelConfiguration(groupContainer: .identifier("..")), .configurationFileNameContainsInvalidCharacters),
            (ModelConfiguration(groupContainer: .identifier("")), .configurationFileNameContainsInvalidCharacters),
            (ModelConfiguration(String(repeating: "a", count: 250)), .configurationFileNameTooLong),
            (ModelConfiguration(url: URL(string: "https://example.com/a.store")!), .loadIssueModelContainer),
            (
                ModelConfiguration(url: URL.temporaryDirectory.appending(path: "a.store"), busyTimeout: .seconds(-1)),
                .loadIssueModelContainer
            ),
        ] as [(ModelConfiguration, SwiftDataError)])
    func invalidConfigurationsAreRejected(_ configuration: ModelConfiguration, _ expected: SwiftDataError) throws {
        let error = #expect(throws: SwiftDataError.self) { try configuration.validate() }
        #expect(error == expected && error?.storeName == configuration.name)
        let opening = #expect(throws: SwiftDataError.self) {
            try ModelContainer(for: Trip.self, configurations: configuration)
        }
        #expect(opening == expected)
    }

    @Test func validConfigurationsAreAccepted() throws {
        try ModelConfiguration("a/b", isStoredInMemoryOnly: true).validate()
        try ModelConfiguration("a/b", url: URL.temporaryDirectory.appending(path: "a.store")).validate()
        try ModelConfiguration().validate()
    }

    @Test func debugDescriptionsNameModelsAndStores() throws {
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration("trips", isStoredInMemoryOnly: true))
        #expect(String(reflecting: container).contains("ModelConfiguration(\"trips\", in memory"))
        #expect(container.debugDescription.contains("BucketListItem, LivingAccommodation, Trip"))
        let entity = try #require(container.schema.entity(for: Trip.self))
        #expect(entity.debugDescription.contains("name: String"))
        #expect(entity.debugDescription.contains("bucketList: [BucketListItem]"))
        #expect(container.schema.debugDescription.contains(entity.debugDescription))
        let list = try #require(entity.property(named: "bucketList")?.relationship)
        #expect(
            list.debugDescription
                == "Relationship(bucketList: [BucketListItem], deleteRule: cascade, inverse: trip)")
        let name = try #require(entity.property(named: "name")?.attribute)
        #expect(name.debugDescription == "Attribute(name: String)")
        // Values of predicates are not printed.
        let secret = "secret"
        let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == secret })
        #expect(descriptor.debugDescription.contains("FetchDescriptor<Trip>(predicate: set"))
        #expect(!String(reflecting: descriptor).contains(secret))
        let history = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == secret })
        #expect(!String(reflecting: history).contains(secret) && history.debugDescription.contains("predicate: set"))
    }
}
