import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

/// A genre that gets its code after it was created.
final class Genre: PersistentModel {
    @Attribute(.unique) var code: String
    @Relationship(deleteRule: .noAction, inverse: \Novel.genre) var novels: [Novel]

    static let properties: PropertyMap<Genre> = ["code": \.code, "novels": \.novels]
    let persistentBackingData: any BackingData<Genre>
    init(backingData: any BackingData<Genre>) { persistentBackingData = backingData }
    init() { persistentBackingData = Genre.createBackingData() }
}

@Model
final class Novel {
    var title: String
    @Relationship var genre: Genre
    init(_ title: String, _ genre: Genre) { (self.title, self.genre) = (title, genre) }
}

/// Fetches through a relationship whose destination has no values yet, or no row any more.
@Suite struct UnavailableDestinationTests {
    private static let descriptors: [@Sendable () -> FetchDescriptor<Novel>] = [
        { FetchDescriptor(predicate: #Predicate { $0.genre.code == "x" }) },
        { FetchDescriptor(sortBy: [SortDescriptor(\Novel.genre.code)]) },
    ]

    @Test(arguments: StoreKind.allCases, descriptors.indices)
    func aDestinationWithoutAValueIsAnError(_ kind: StoreKind, _ number: Int) throws {
        let context = try TestStore(kind, [Genre.self, Novel.self]).context()
        let genre = Genre()
        context.insert(Novel("a", genre))
        context.insert(Novel("b", genre))
        let error = #expect(throws: SwiftDataError.modelValidationFailure) {
            try context.fetch(Self.descriptors[number]())
        }
        #expect(error?.entityName == "Genre" && error?.propertyName == "code")
        genre.code = "x"
        #expect(try context.fetch(Self.descriptors[number]()).map(\.title) == ["a", "b"])
        try context.save()
    }

    /// Evaluations by the database and by the context both find no values.
    @Test(arguments: StoreKind.allCases) func aDestinationWithoutARowHasNoValues(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Genre.self, Novel.self])
        let context = store.context()
        let genre = Genre()
        genre.code = "z"
        let (empty, named) = (Novel("b", genre), Novel("a", Genre()))
        named.genre.code = "x"
        context.insert(empty)
        context.insert(named)
        try context.save()
        let other = store.context()
        other.delete(
            try #require(try other.fetch(FetchDescriptor<Genre>(predicate: #Predicate { $0.code == "z" })).first))
        try other.save()

        let reader = store.context()
        let predicate = #Predicate<Novel> { $0.genre.code < "y" }
        func expectNamed() throws {
            #expect(try reader.fetch(FetchDescriptor(predicate: predicate)).map(\.title) == ["a"])
            #expect(try reader.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
            let sorted = try reader.fetch(FetchDescriptor<Novel>(sortBy: [SortDescriptor(\.genre.code)]))
            #expect(sorted.map { String($0.title.prefix(1)) } == ["b", "a"])
        }
        try expectNamed()
        let novel = try #require(
            try reader.fetch(FetchDescriptor<Novel>(predicate: #Predicate { $0.title == "b" })).first)
        novel.title = "b!"
        try expectNamed()
        try reader.save()
        try expectNamed()
    }
}
