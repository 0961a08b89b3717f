import Chronicle
import ChronicleTestSupport
import Testing

/// Two to-many relationships that name the same inverse.
@Suite("Lists with one inverse")
struct SharedInverseTests {
    @Model
    final class Album {
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track] = []
        @Relationship(deleteRule: .nullify, inverse: \Track.album) var bonus: [Track] = []

        init(_ title: String) { self.title = title }
    }

    @Model
    final class Track {
        var name: String
        var album: Album?

        init(_ name: String) { self.name = name }
    }

    /// The to-one relationship determines its list.
    @Model
    final class Shop {
        @Relationship(inverse: \Visitor.shop) var former: [Visitor] = []
        @Relationship(inverse: \Visitor.shop) var present: [Visitor] = []

        init() {}
    }

    @Model
    final class Visitor {
        var name: String
        @Relationship var shop: Shop?

        init(_ name: String) { self.name = name }
    }

    @Test func firstListHasTheInverse() throws {
        let schema = Schema(Album.self)
        try schema.validate()
        let album = try #require(schema.entity(for: Album.self))
        #expect(album.property(named: "tracks")?.relationship?.inverseName == "album")
        #expect(album.property(named: "bonus")?.relationship?.inverseName == nil)
        #expect(schema.links.map(\.name) == ["Album.bonus"])
        try Schema(Shop.self).validate()
    }

    @Test("Both lists keep their contents", arguments: StoreKind.allCases)
    func contents(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Album.self])
        let context = store.context()
        let album = Album("a")
        let (one, two, three) = (Track("1"), Track("2"), Track("3"))
        context.insert(album)
        album.tracks = [one, two]
        album.bonus = [two, three]
        try context.save()
        #expect(one.album === album && two.album === album && three.album == nil)
        three.album = album
        try context.save()
        try store.reading { (reader: ModelContext) throws in
            let album = try #require(try reader.fetch(FetchDescriptor<Album>()).first)
            #expect(album.tracks.map(\.name).sorted() == ["1", "2", "3"])
            #expect(album.bonus.map(\.name).sorted() == ["2", "3"])
        }
        album.tracks = []
        try context.save()
        try store.reading { (reader: ModelContext) throws in
            let album = try #require(try reader.fetch(FetchDescriptor<Album>()).first)
            #expect(album.tracks.isEmpty && album.bonus.map(\.name).sorted() == ["2", "3"])
        }
        context.delete(album)
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<Track>()) == 3)
    }

    @Test("Two to-one relationships with one inverse remain an error")
    func toOne() throws {
        let error = try #require(try failure(of: { try Schema(Pair.self).validate() }))
        #expect(error == .invalidModel && error.entityName == "Pair")
    }

    @Model
    final class Pair {
        @Relationship(inverse: \Item.pair) var first: Item?
        @Relationship(inverse: \Item.pair) var second: Item?

        init() {}
    }

    @Model
    final class Item {
        @Relationship var pair: Pair?

        init() {}
    }
}
