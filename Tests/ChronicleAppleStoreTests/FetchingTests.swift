import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Models of a store of SwiftData")
struct FetchingTests {
    let url: URL
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        let directory = try TemporaryDirectory()
        url = try AppleTrips.write(to: directory)
        container = try ModelContainer(
            for: Trip.self, BusinessTrip.self, Stop.self, Person.self, configurations: AppleStoreConfiguration(url: url)
        )
        context = ModelContext(container)
    }

    private func trip(_ name: String) throws -> Trip {
        try #require(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first)
    }

    @Test func decodesValuesOfEachType() throws {
        let rome = try trip("Rome")
        #expect(rome.start == Date(timeIntervalSinceReferenceDate: 700_000_000))
        #expect(rome.budget == Decimal(string: "10.11"))
        #expect(rome.rating == 4.5)
        #expect(rome.isDone)
        #expect(rome.code == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(rome.site == URL(string: "https://example.org/rome"))
        #expect(rome.photo == Data([0xCA, 0xFE]))
        #expect(rome.tags == ["sea", "städte"])
        #expect(rome.mood == .calm)
        #expect(rome.place == Place(city: "Roma", latitude: 41.5))
        #expect(rome.note == nil)
        let oslo = try trip("Oslo")
        #expect(oslo.start == Date(timeIntervalSinceReferenceDate: 700_000_000.5))
        #expect(oslo.budget == 200)
        #expect(oslo.photo == nil)
        #expect(oslo.tags == nil)
        #expect(oslo.mood == nil)
        #expect(oslo.place == nil)
    }

    @Test func returnsSubclassesWithTheirValues() throws {
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
        let business = try context.fetch(FetchDescriptor<BusinessTrip>())
        #expect(business.map(\.name) == ["Bonn"])
        #expect(business.first?.perDiem == 25)
        #expect(business.first?.client?.name == "Cleo")
        let bonn = try trip("Bonn")
        #expect(bonn is BusinessTrip)
        #expect(
            try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0 is BusinessTrip })).map(\.name) == [
                "Bonn"
            ])
        #expect(bonn.persistentModelID.entityName == "BusinessTrip")
    }

    @Test func followsRelationshipsOfEachKind() throws {
        let rome = try trip("Rome")
        #expect(rome.stops.map(\.title).sorted() == ["Forum", "Termini"])
        #expect(rome.stops.allSatisfy { $0.trip === rome })
        #expect(rome.friends.map(\.name).sorted() == ["Anna", "Ben"])
        let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
        #expect(people.map { $0.trips.map(\.name).sorted() } == [["Rome"], ["Bonn", "Rome"], []])
        #expect(people.map { $0.knows.map(\.name).sorted() } == [["Ben", "Cleo"], [], []])
        #expect(
            try context.fetch(FetchDescriptor<Stop>(predicate: #Predicate { $0.trip == nil })).map(\.title) == [
                "Nowhere"
            ])
    }

    @Test func translatesPredicatesAndSorts() throws {
        func names(_ predicate: Predicate<Trip>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
        }
        let price = try #require(Decimal(string: "10.11"))
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let code = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let calm = Mood.calm
        #expect(try names(#Predicate { $0.budget == price }) == ["Rome"])
        #expect(try names(#Predicate { $0.start == date }) == ["Rome"])
        #expect(try names(#Predicate { $0.code == code }) == ["Rome"])
        #expect(try names(#Predicate { $0.mood == calm }) == ["Rome"])
        #expect(try names(#Predicate { !$0.isDone }) == ["Bonn", "Oslo"])
        #expect(try names(#Predicate { $0.name.localizedStandardContains("ö") }) == ["Bonn", "Oslo", "Rome"])
        #expect(try names(#Predicate { $0.stops.contains { $0.position == 2 } }) == ["Rome"])
        #expect(try names(#Predicate { $0.friends.contains { $0.name == "Ben" } }) == ["Bonn", "Rome"])
        #expect(try names(#Predicate { $0.place?.city == "Roma" }) == ["Rome"])
        let sorted = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.budget, order: .reverse)]))
        #expect(sorted.map(\.name) == ["Oslo", "Rome", "Bonn"])
        let stops = try context.fetch(
            FetchDescriptor<Stop>(
                predicate: #Predicate { $0.trip?.name == "Rome" }, sortBy: [SortDescriptor(\.position)]))
        #expect(stops.map(\.title) == ["Termini", "Forum"])
        var limited = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
        (limited.fetchLimit, limited.fetchOffset) = (1, 1)
        #expect(try context.fetch(limited).map(\.name) == ["Oslo"])
        #expect(try context.fetchIdentifiers(limited).map(\.entityName) == ["Trip"])
    }

    @Test func readsExternalData() throws {
        let name = UUID()
        let folder = url.deletingLastPathComponent().appending(path: ".default_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: folder.appending(path: name.uuidString))
        let directory = url.deletingLastPathComponent()
        try FileManager.default.removeItem(at: url)
        var script = AppleTrips.script
        func reference(_ text: String) -> String { "x'\(AppleStoreScript.hex([2] + Array(text.utf8) + [0]))'" }
        script.statements += [
            "UPDATE ZTRIP SET ZPHOTO = \(reference(name.uuidString)) WHERE Z_PK = 1",
            "UPDATE ZTRIP SET ZPHOTO = \(reference("../../secrets")) WHERE Z_PK = 2",
            "UPDATE ZTRIP SET ZPHOTO = \(reference(UUID().uuidString)) WHERE Z_PK = 3",
        ]
        try script.write(to: directory.appending(path: "default.store"))
        let context = ModelContext(container)
        let rome = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" }))
        #expect(rome.map(\.photo) == [Data([1, 2, 3])])
        // A name that is no UUID could be a path.
        let oslo = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Oslo" }))
        #expect(oslo.first?.photo?.first == 2)
        let error = #expect(throws: SwiftDataError.self) {
            _ = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Bonn" }))
        }
        #expect(error == .undecodableValue)
        #expect(error?.detail?.contains("_EXTERNAL_DATA") == true)
    }

    /// The model of the file does not tell which attributes have external storage.
    @Test func findsExternalDataWithoutClasses() throws {
        let name = UUID()
        let reference = AppleStoreScript.hex([2] + Array(name.uuidString.utf8) + [0])
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: ".default_SUPPORT/_EXTERNAL_DATA")
        let url = try AppleTrips.write(to: directory) {
            $0.statements.append("UPDATE ZTRIP SET ZPHOTO = x'\(reference)' WHERE Z_PK = 2")
        }
        func photos() throws -> (schema: Schema, values: [PropertyValue]) {
            let schema = try AppleStore.schema(ofFileAt: url)
            let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
            let slot = try #require(schema.entitiesByName["Trip"]?.propertiesByName["photo"]?.slot)
            var values: [PropertyValue] = []
            try store.fetchRows(ofEntity: "Trip") { values.append($0.values[slot]) }
            return (schema, values)
        }
        // The folder was not copied.
        let error = #expect(throws: SwiftDataError.self) { _ = try photos() }
        #expect(error == .undecodableValue)
        #expect(error?.detail?.contains(name.uuidString) == true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(to: folder.appending(path: name.uuidString))
        let (schema, values) = try photos()
        #expect(values == [.blob(Data([0xCA, 0xFE])), .blob(Data([1, 2, 3])), .null])
        let photo = try #require(schema.entitiesByName["Trip"]?.propertiesByName["photo"])
        #expect(photo.attribute?.options == [.externalStorage])
        #expect(schema.entitiesByName["Trip"]?.propertiesByName["tags"]?.attribute?.options.isEmpty == true)
        // A class without the option.
        let container = try ModelContainer(
            for: Snapshots.Trip.self, configurations: AppleStoreConfiguration(url: url))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Snapshots.Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.photo) == [nil, Data([1, 2, 3]), Data([0xCA, 0xFE])])
    }

    @Test func rejectsSaves() throws {
        let rome = try trip("Rome")
        rome.name = "Roma"
        context.insert(Person(name: "Emil"))
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error == .storeReadOnly)
        // Unsaved models take part in fetches, as with any store.
        #expect(try context.fetchCount(FetchDescriptor<Person>()) == 4)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Person>()) == 3)
    }

    @Test func describesClassesThatTheFileLacks() throws {
        func error(_ type: any PersistentModel.Type...) -> SwiftDataError? {
            #expect(throws: SwiftDataError.self) {
                _ = try ModelContainer(for: Schema(type), configurations: AppleStoreConfiguration(url: url))
            }
        }
        let missing = error(Ferry.self)
        #expect(missing == .backwardMigration)
        #expect(missing?.entityName == "Ferry")
        #expect(missing?.detail?.contains("Z_PRIMARYKEY") == true)
    }

    /// The cached model of a migrated file can be that of an earlier version, as in a file of Core Data.
    @Test func readsEntitiesThatTheCachedModelLacks() throws {
        let url = try AppleTrips.write(to: TemporaryDirectory()) {
            $0.cachedModel = AppleStoreModel(AppleTrips.model.entities.filter { $0.name != "BusinessTrip" })
        }
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entitiesByName["BusinessTrip"]?.superentity?.name == "Trip")
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        #expect(try store.fetchCount(ofEntity: "BusinessTrip") == 1)
        let updates = try store.fetchHistory(HistoryDescriptor()).flatMap(\.changes).compactMap {
            if case .update(let update) = $0 { update.updatedAttributeNames } else { nil }
        }
        #expect(updates == [["name", "rating"], ["property 2", "property 8"], ["friends", "stops"]])
    }

    @Test func readsWithoutClasses() throws {
        let schema = try AppleStore.schema(ofFileAt: url)
        #expect(schema.entities.map(\.name).sorted() == ["BusinessTrip", "Person", "Stop", "Trip"])
        let trip = try #require(schema.entitiesByName["Trip"])
        #expect(
            trip.properties.map(\.name).sorted() == [
                "budget", "code", "friends", "isDone", "mood", "name", "photo", "place", "rating", "site", "start",
                "stops",
                "tags",
            ])
        #expect(trip.propertiesByName["stops"]?.relationship?.deleteRule == .cascade)
        #expect(trip.propertiesByName["budget"]?.attribute?.valueTypeName == "Decimal")
        #expect(trip.uniquenessConstraints == [["name"]])
        let store = try AppleStore(AppleStoreConfiguration(url: url), schema: schema)
        #expect(store.hasModelNames)
        var rows: [String: [PropertyValue]] = [:]
        try store.fetchRows(ofEntity: "Trip") { rows[$0.persistentIdentifier.description] = $0.values }
        #expect(rows.keys.sorted() == ["BusinessTrip/3", "Trip/1", "Trip/2"])
        #expect(rows["Trip/1"]?.contains(.text("10.11")) == true)
        #expect(try store.fetchCount(ofEntity: "Stop") == 4)
    }
}

enum Snapshots {
    @Model final class Trip {
        var name: String
        var photo: Data?

        init(name: String) { self.name = name }
    }
}

@Model final class Ferry {
    var name: String

    init(name: String) { self.name = name }
}
