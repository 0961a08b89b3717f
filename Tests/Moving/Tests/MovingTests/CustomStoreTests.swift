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
