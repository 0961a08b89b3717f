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
}
