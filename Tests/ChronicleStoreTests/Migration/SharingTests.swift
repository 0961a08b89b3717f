import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Programs with different models that share a file.
@Suite struct SharingTests {
    private let file: URL
    private let store: SharedStore

    init() throws {
        let file = try TemporaryDirectory().file("shared.store")
        self.file = file
        store = SharedStore(definitionQueries: "SELECT type, name, sql FROM sqlite_schema") { models in
            try ModelContainer(
                for: Schema(models),
                configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)])
        } sql: {
            try Shell.sqlite3(file, $0)
        }
    }

    private func expectNoProblems() throws {
        let problems = try VerificationTests.problems(in: file).map { "\($0)" }
        #expect(problems == [])
    }

    @Test func theTablesServeAllPrograms() throws {
        #expect(try store.checkThatTablesServeAllPrograms() == [])
        let schema = try DefaultStore.schema(ofFileAt: file)
        #expect(schema.entitiesByName["Journey"]?.propertiesByName["code"]?.isUnique == true)
        #expect(schema.entitiesByName["Ferry"] != nil)
        try expectNoProblems()
    }

    @Test(arguments: [SharingClash.toMany, SharingClash.links])
    func relationshipsRemainWhereOtherProgramsStoreThem(_ models: [any PersistentModel.Type]) throws {
        #expect(try store.checkThatRelationshipsStay(models) == [])
    }

    @Test func updatesMoveRelationships() throws {
        #expect(try store.checkThatUpdatesMoveRelationships() == [])
        try expectNoProblems()
    }

    @Test(arguments: [false, true]) func listsOfRenamedClassesRemain(_ hasDestination: Bool) throws {
        let models: [any PersistentModel.Type] =
            [WrittenText.Renamed.Writer.self] + (hasDestination ? [WrittenText.Renamed.Text.self] : [])
        #expect(try store.checkThatListsRemain(models) == [])
        try expectNoProblems()
    }

    @Test func renamesKeepRules() throws {
        #expect(try store.checkThatRenamesKeepRules() == [])
        try expectNoProblems()
    }

    @Test func subclassesKeepValues() throws {
        #expect(try store.checkThatSubclassesKeepValues() == [])
    }

    @Test func propertiesOfSubclassesChange() throws {
        #expect(try store.checkThatPropertiesOfSubclassesChange() == [])
        try expectNoProblems()
    }

    @Test func movedPropertiesKeepValues() throws {
        #expect(try store.checkThatMovedPropertiesKeepValues() == [])
        try expectNoProblems()
    }

    @Test func removedClassesKeepNoNames() throws {
        #expect(try store.checkThatRemovedClassesKeepNoNames(expectNoProblems) == [])
        try expectNoProblems()
    }

    @Test func referencesHaveNoDefaultValues() throws {
        #expect(try store.checkThatReferencesHaveNoDefaultValues() == [])
    }

    @Test func originalNamesAreRemembered() throws {
        #expect(try store.checkThatOriginalNamesAreRemembered() == [])
    }

    @Test func renamesKeepValues() throws {
        #expect(try store.checkThatRenamesKeepValues() == [])
        try expectNoProblems()
    }

    @Test func aConstraintThatNoProgramDeclaresIsRemoved() throws {
        let unique: [any PersistentModel.Type] = [Unique.Port.self]
        let indexed: [any PersistentModel.Type] = [Indexed.Port.self]
        _ = try store.open(unique, as: "app", isNew: true)
        _ = try store.open(unique, as: "extension")
        func insertPorts() throws -> Int {
            let context = ModelContext(try store.open(indexed, as: "app"))
            for _ in 0..<2 {
                context.insert(Indexed.Port())
                try context.save()
            }
            return try context.fetchCount(FetchDescriptor<Indexed.Port>())
        }
        // The other program relies on the constraint until it is updated.
        #expect(throws: SwiftDataError.uniquenessViolation) { try insertPorts() }
        _ = try store.open(indexed, as: "extension")
        #expect(try insertPorts() > 1)
    }

    @Test func aConstraintOfARemovedPropertyIsRemoved() throws {
        _ = try store.open([Unique.Port.self], as: "app", isNew: true)
        let context = ModelContext(try store.open([Indexed.Port.self], as: "extension"))
        _ = try store.open([Nameless.Port.self], as: "app")
        for _ in 0..<2 { context.insert(Indexed.Port()) }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Indexed.Port>()) == 2)
        _ = try store.open([Indexed.Port.self], as: "extension")
        try expectNoProblems()
    }

    @Test func aRuleThatIsTakenBackIsNoGap() throws {
        let (plain, cascading) =
            ([Plain.Band.self, Plain.Song.self], [Cascading.Band.self, Cascading.Song.self])
            as ([any PersistentModel.Type], [any PersistentModel.Type])
        let app = ModelContext(try store.open(plain, as: "app", isNew: true))
        app.insert(Plain.Band())
        try app.save()
        let token = try app.currentHistoryToken()
        _ = try store.open(plain, as: "extension")
        _ = try store.open(cascading, as: "app")
        _ = try store.open(plain, as: "extension")
        let context = ModelContext(try store.open(plain, as: "app"))
        #expect(try context.fetchHistory(.after(token)).isEmpty)
    }

    /// A program moves a relationship to a subclass, and the other one still has it in the superclass.
    @Test func aRelationshipOfASubclassCanBeThatOfTheSuperclass() throws {
        let (earlier, later) =
            ([Whole.Trip.self, Whole.Leg.self, Whole.Flight.self], [Part.Trip.self, Part.Leg.self, Part.Flight.self])
            as ([any PersistentModel.Type], [any PersistentModel.Type])
        let context = ModelContext(try store.open(earlier, as: "extension", isNew: true))
        let flight = Whole.Flight()
        flight.trip = Whole.Trip()
        context.insert(flight)
        try context.save()
        for _ in 0..<2 {
            let app = ModelContext(try store.open(later, as: "app"))
            #expect(try app.fetch(FetchDescriptor<Part.Trip>()).first?.flights.count == 1)
            let other = ModelContext(try store.open(earlier, as: "extension"))
            #expect(try other.fetch(FetchDescriptor<Whole.Flight>()).first?.trip != nil)
        }
    }

    @Test func propertiesThatAllProgramsRemoveAreRemoved() throws {
        let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
        app.insert(SharingApp.Journey("Ring Road", code: "a"))
        try app.save()
        _ = try store.open(SharingApp.models, as: "extension")
        for program in ["app", "extension"] { _ = try store.open(SharingWidget.models, as: program) }
        // The property is another one, and the constraint is gone.
        let later = ModelContext(try store.open([Later.Journey.self, Later.Stop.self], as: "app"))
        #expect(try later.fetch(FetchDescriptor<Later.Journey>()).map(\.code) == ["new"])
        later.insert(Later.Journey())
        try later.save()
        #expect(try later.fetchCount(FetchDescriptor<Later.Journey>()) == 2)
    }
}

private enum Later {
    @Model fileprivate final class Journey {
        var name: String = ""
        var stars: Int = 0
        var code: String = "new"
        init() {}
    }

    @Model fileprivate final class Stop {
        var label: String = ""
        var journey: Journey?
        init() {}
    }
}

private enum Unique {
    @Model fileprivate final class Port {
        @Attribute(.unique) var code: String = ""
        init() {}
    }
}

private enum Nameless {
    @Model fileprivate final class Port { init() {} }
}

private enum Indexed {
    @Model fileprivate final class Port {
        #Index<Port>([\.code])
        var code: String = ""
        init() {}
    }
}

private enum Plain {
    @Model fileprivate final class Band {
        var songs: [Song] = []
        init() {}
    }

    @Model fileprivate final class Song {
        @Relationship(inverse: \Band.songs) var bands: [Band] = []
        init() {}
    }
}

private enum Cascading {
    @Model fileprivate final class Band {
        @Relationship(deleteRule: .cascade) var songs: [Song] = []
        init() {}
    }

    @Model fileprivate final class Song {
        @Relationship(inverse: \Band.songs) var bands: [Band] = []
        init() {}
    }
}

private enum Whole {
    @Model fileprivate final class Trip { init() {} }

    @Model fileprivate class Leg {
        var trip: Trip?
        init() {}
    }

    @Model fileprivate final class Flight: Leg {}
}

private enum Part {
    @Model fileprivate final class Trip {
        @Relationship(inverse: \Flight.trip) var flights: [Flight] = []
        init() {}
    }

    @Model fileprivate class Leg { init() {} }

    @Model fileprivate final class Flight: Leg {
        var trip: Trip?
    }
}
