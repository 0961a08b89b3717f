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

    /// The index of `Visit_stop.name` would have the name of that of `Visit.stop_name`.
    @Test(
        arguments: [
            [[Stopping.self], [Stopping.self, Stop.self]], [[Stop.self], [Stopping.self, Stop.self]],
            [[Stop.self], [Stopping.self]], [[Stopping.self, Stop.self]], [[Stopping.self, Stop.self], [Stop.self]],
        ] as [[[any PersistentModel.Type]]])
    func classesWhoseIndexesWouldHaveOneName(_ openings: [[any PersistentModel.Type]]) throws {
        let store = try TestStore(.file, openings[0])
        for models in openings.dropFirst() { _ = try store.reopened(models) }
        let models = openings.last ?? []
        for _ in 0..<2 {
            let context = ModelContext(try store.reopened(models))
            for model in models {
                for _ in 0..<2 {
                    if model == Stop.self { context.insert(Stop()) } else { context.insert(Stopping()) }
                    try context.save()
                }
            }
            let counts = try [
                models.contains { $0 == Stop.self } ? context.fetchCount(FetchDescriptor<Stop>()) : 1,
                models.contains { $0 == Stopping.self } ? context.fetchCount(FetchDescriptor<Stopping>()) : 1,
            ]
            #expect(counts == [1, 1])
            let before = try store.shell("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
            _ = try store.reopened(models)
            #expect(try store.shell("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'") == before)
        }
        #expect(try VerificationTests.problems(in: store.url) == [])
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
private final class Stopping {
    @Attribute(.unique) var stop_name = "Vík"
    static let entityName = "Visit"
    init() {}
}

@Model
private final class Stop {
    @Attribute(.unique) var name = "Höfn"
    static let entityName = "Visit_stop"
    init() {}
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
