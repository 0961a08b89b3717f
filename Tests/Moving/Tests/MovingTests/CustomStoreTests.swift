import CustomStores
import Foundation
import SwiftData
import Testing

/// A store that keeps models in a JSON document.
@Suite struct CustomStoreTests {
    @Test func aDocumentKeepsAGraph() throws {
        let folder = try TemporaryFolder()
        let schema = Schema([Album.self, Song.self])
        func open() throws -> ModelContainer {
            try ModelContainer(
                for: schema,
                configurations: [
                    JSONStoreConfiguration(name: "albums", schema: schema, fileURL: folder.file("albums.json"))
                ])
        }
        let context = ModelContext(try open())
        for (title, year) in [("Blue", 1971.0), ("Hejira", 1976)] {
            let album = Album(title: title, released: Date(timeIntervalSince1970: (year - 1970) * 31_557_600))
            album.songs = [Song(title: "First of \(title)"), Song(title: "Second of \(title)")]
            album.cover = Album.Cover(name: title, width: 300)
            context.insert(album)
        }
        try context.save()

        let other = ModelContext(try open())
        let released = Date(timeIntervalSince1970: 5 * 31_557_600)
        var descriptor = FetchDescriptor<Album>(
            predicate: #Predicate { $0.released > released }, sortBy: [SortDescriptor(\.title, order: .reverse)])
        descriptor.fetchLimit = 1
        let hejira = try #require(try other.fetch(descriptor).first)
        #expect(hejira.title == "Hejira" && hejira.cover == Album.Cover(name: "Hejira", width: 300))
        #expect(Set(hejira.songs.map(\.title)) == ["First of Hejira", "Second of Hejira"])

        hejira.title = "Hejira (remastered)"
        other.delete(hejira.songs[0])
        try other.save()
        let third = ModelContext(try open())
        #expect(try Set(third.fetch(FetchDescriptor<Album>()).map(\.title)) == ["Blue", "Hejira (remastered)"])
        #expect(try third.fetchCount(FetchDescriptor<Song>()) == 3)
        try third.delete(model: Song.self)
        try third.save()
        #expect(try third.fetchIdentifiers(FetchDescriptor<Song>()).isEmpty)
    }

    @Test func aDocumentKeepsListsAndSubclasses() throws {
        let folder = try TemporaryFolder()
        let schema = Schema([Building.self, Tower.self, Window.self, Architect.self])
        func open() throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: schema,
                    configurations: [
                        JSONStoreConfiguration(name: "town", schema: schema, fileURL: folder.file("town.json"))
                    ]))
        }
        let context = try open()
        let (hall, tower, architect) = (
            Building(name: "Hall"), Tower(name: "Tower", height: 90), Architect(name: "Eva")
        )
        hall.windows = [Window(width: 1), Window(width: 2)]
        tower.windows = [Window(width: 3)]
        (architect.buildings, architect.favorite) = ([hall, tower], tower)
        context.insert(architect)
        try context.save()

        let other = try open()
        let buildings = try other.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Building.name)]))
        #expect(buildings.map(\.name) == ["Hall", "Tower"])
        #expect((buildings[1] as? Tower)?.height == 90)
        #expect(Set(buildings[0].windows.map(\.width)) == [1, 2] && buildings[1].windows.map(\.width) == [3])
        #expect(buildings.allSatisfy { $0.architects.map(\.name) == ["Eva"] })
        let eva = try #require(other.fetch(FetchDescriptor<Architect>()).first)
        #expect(eva.buildings.count == 2 && eva.favorite is Tower)
        #expect(try other.fetchCount(FetchDescriptor<Tower>()) == 1)
        eva.buildings.removeAll { $0.name == "Hall" }
        other.delete(try #require(buildings[0].windows.first { $0.width == 2 }))
        try other.save()

        let third = try open()
        let towers = #Predicate<Building> { $0 is Tower }
        #expect(try third.fetch(FetchDescriptor(predicate: towers)).map { $0.architects.count } == [1])
        let last = try #require(
            third.fetch(FetchDescriptor<Building>(predicate: #Predicate { $0.name == "Hall" })).first)
        #expect(last.windows.map(\.width) == [1] && last.architects.isEmpty)
        try third.delete(model: Building.self)
        #expect(try third.fetchCount(FetchDescriptor<Building>()) == 0)
    }

    @Test func snapshotsWithTheRequirementsOfSwiftData() throws {
        let container = try ModelContainer(
            for: Sensor.self, configurations: SensorStoreConfiguration(name: "sensors"))
        let context = ModelContext(container)
        for x in [3.5, 1.5, 2.5] { context.insert(Sensor(x: x, label: x < 2 ? nil : "near")) }
        try context.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<Sensor>(sortBy: [SortDescriptor(\.x)]))
        #expect(found.map(\.x) == [1.5, 2.5, 3.5] && found.map(\.label) == [nil, "near", "near"])
        found[0].label = "far"
        other.delete(found[2])
        try other.save()
        let near = FetchDescriptor<Sensor>(predicate: #Predicate { $0.label != nil }, sortBy: [SortDescriptor(\.x)])
        #expect(try ModelContext(container).fetch(near).map(\.label) == ["far", "near"])
    }
}

/// A store that limits and counts itself.
@Suite struct RowStoreTests {
    private let configuration = RowStoreConfiguration(name: "samples")
    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        context.author = "app"
        for number in [3, 1, 2] { context.insert(Sample(number: number, label: "\(number % 2)")) }
        try context.save()
    }

    @Test func theStoreLimitsAndCounts() throws {
        let other = ModelContext(context.container)
        var descriptor = FetchDescriptor<Sample>()
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        #expect(try other.fetch(descriptor).map(\.number) == [2, 3])
        #expect(try other.fetchCount(FetchDescriptor<Sample>()) == 3)
        #expect(try other.fetchIdentifiers(FetchDescriptor<Sample>()).count == 3)
        #expect(configuration.requests.contains("count") && configuration.requests.contains("identifiers"))
        #expect(configuration.requests.first == "save by app")
    }

    /// A limit applies to what matches, although the store leaves the predicate and the order to the context.
    @Test func limitsOfFilteredFetches() throws {
        let other = ModelContext(context.container)
        var descriptor = FetchDescriptor<Sample>(
            predicate: #Predicate { $0.label == "1" }, sortBy: [SortDescriptor(\.number, order: .reverse)])
        descriptor.fetchLimit = 1
        #expect(try other.fetch(descriptor).map(\.number) == [3])
        descriptor.fetchOffset = 1
        #expect(try other.fetch(descriptor).map(\.number) == [1])
        descriptor.fetchLimit = nil
        descriptor.fetchOffset = nil
        #expect(try other.fetchCount(descriptor) == 2)
        #expect(try other.fetchIdentifiers(descriptor).count == 2)
    }

    @Test func errorsOfTheStoreKeepTheChanges() throws {
        let sample = try #require(try context.fetch(FetchDescriptor<Sample>()).first)
        sample.label = "changed"
        configuration.isOffline = true
        #expect(throws: RowStoreConfiguration.Failure.self) { try context.save() }
        #expect(throws: RowStoreConfiguration.Failure.self) {
            try ModelContext(context.container).fetch(FetchDescriptor<Sample>())
        }
        #expect(context.hasChanges && context.changedModelsArray.count == 1)
        configuration.isOffline = false
        try context.save()
        let labels = try ModelContext(context.container).fetch(FetchDescriptor<Sample>()).map(\.label)
        #expect(labels.contains("changed"))
    }

    @Test func erasing() throws {
        try context.container.erase()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Sample>()).isEmpty)
        #expect(throws: (any Error).self) {
            try ModelContainer(for: Sample.self, configurations: RowStoreConfiguration(name: ""))
        }
    }
}

/// A store whose history has its own tokens.
@Suite struct LogStoreTests {
    @Test func theHistoryOfTheStore() throws {
        let context = ModelContext(
            try ModelContainer(for: Entry.self, configurations: LogStoreConfiguration(name: "log")))
        context.author = "app"
        let entry = Entry(text: "first")
        context.insert(entry)
        try context.save()
        let inserts = try context.fetchHistory(HistoryDescriptor<LogTransaction>())
        #expect(inserts.map(\.author) == ["app"] && inserts.map(\.changes.count) == [1])
        let token = try JSONDecoder().decode(
            LogToken.self, from: JSONEncoder().encode(try #require(inserts.last).token))

        entry.text = "second"
        try context.save()
        let descriptor = HistoryDescriptor<LogTransaction>(predicate: #Predicate { $0.token > token })
        let changes = try context.fetchHistory(descriptor).flatMap(\.changes)
        #expect(changes.map(\.changedPersistentIdentifier) == [entry.persistentModelID])
        guard case .update(let update as LogUpdate<Entry>) = try #require(changes.first) else {
            Issue.record("The change is not an update.")
            return
        }
        #expect(update.updatedAttributes as [PartialKeyPath<Entry>] == [\.text])

        try context.deleteHistory(HistoryDescriptor<LogTransaction>(predicate: #Predicate { $0.token <= token }))
        #expect(try context.fetchHistory(HistoryDescriptor<LogTransaction>()).map(\.transactionIdentifier) == [2])
    }
}
