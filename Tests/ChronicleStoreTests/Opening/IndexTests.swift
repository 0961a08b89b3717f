import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Indexes declared by a class.
@Suite struct IndexTests {
    private func indices(_ store: TestStore) throws -> [String] {
        try store.shell(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'chronicle_index_%' ORDER BY name"
        ).split(separator: "\n").map(String.init)
    }

    @Test func fileContainsDeclaredIndexes() throws {
        let store = try TestStore(.file, [Indexed.self])
        #expect(try indices(store) == ["chronicle_index_Visit_day", "chronicle_index_Visit_place,day"])
        #expect(
            try store.shell("EXPLAIN QUERY PLAN SELECT * FROM Visit WHERE place = 'x' AND day > 3")
                .contains("chronicle_index_Visit_place,day"))
    }

    @Test func indexesFollowTheDeclaration() throws {
        let store = try TestStore(.file, [Unindexed.self])
        #expect(try indices(store).isEmpty)
        _ = try store.reopened([Indexed.self])
        #expect(try indices(store).count == 2)
        _ = try store.reopened([Unindexed.self])
        #expect(try indices(store).isEmpty)
    }

    @Test func unrelatedIndexWithTheNameThrows() {
        let error = #expect(throws: SwiftDataError.self) { try Schema(WronglyIndexed.self).validate() }
        #expect(error == .invalidModel && error.map { "\($0)".contains("an index lists") } == true)
    }
}

@Model
private final class Indexed {
    #Index<Indexed>([\.day], [\.place, \.day])
    var place = ""
    var day = 0
    static let entityName = "Visit"
}

@Model
private final class Unindexed {
    var place = ""
    var day = 0
    static let entityName = "Visit"
}

private final class WronglyIndexed: PersistentModel {
    @Attribute var day = 0
    var length: Int { day }
    static let properties: PropertyMap<WronglyIndexed> = ["day": \.day]
    static let indices: Indices<WronglyIndexed> = [[\.length]]
    let persistentBackingData: any BackingData<WronglyIndexed> = WronglyIndexed.createBackingData()
    init(backingData: any BackingData<WronglyIndexed>) { persistentBackingData.adopt(backingData) }
}
