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
        store = SharedStore { models in
            try ModelContainer(
                for: Schema(models),
                configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)])
        } sql: {
            try Shell.sqlite3(file, $0)
        }
    }

    /// The definitions of the tables, and what the file describes.
    private func definitions() throws -> Set<String> {
        let text = try Shell.sqlite3(
            file, "SELECT type, name, sql FROM sqlite_schema; SELECT name, definition FROM chronicle_entity")
        return Set(text.split(separator: "\n").map(String.init))
    }

    private func expect(_ earlier: Set<String>) throws {
        let changes = try definitions().symmetricDifference(earlier)
        #expect(changes == [])
    }

    @Test func theTablesServeAllPrograms() throws {
        let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
        let journey = SharingApp.Journey("Ring Road", code: "a")
        journey.stops = [SharingApp.Stop("Vík")]
        let (crew, vessel) = (SharingApp.Crew("night"), SharingApp.Vessel("Edda"))
        for model in [journey, crew, vessel] as [any PersistentModel] { app.insert(model) }
        try app.save()
        let before = try definitions()
        for _ in 0..<2 {
            let widget = ModelContext(try store.open(SharingWidget.models, as: "widget"))
            try expect(before)
            widget.insert(SharingWidget.Vessel("Gullfoss"))
            try widget.save()
            _ = try store.open(SharingApp.models, as: "app")
            try expect(before)
        }
        // The container that was open all the time.
        app.insert(SharingApp.Journey("Westfjords", code: "a"))
        try app.save()
        #expect(try app.fetchCount(FetchDescriptor<SharingApp.Journey>()) == 1)
        let token = try app.currentHistoryToken()
        crew.vessels.append(vessel)
        try app.save()
        let changes = try app.fetchHistory(.after(token)).flatMap(\.changes)
        #expect(Set(changes.map(\.changedPersistentIdentifier.entityName)) == ["Crew", "Vessel"])
        try app.delete(model: SharingApp.Journey.self)
        try app.delete(model: SharingApp.Crew.self)
        try app.save()
        #expect(try app.fetchCount(FetchDescriptor<SharingApp.Stop>()) == 0)
        #expect(try app.fetch(FetchDescriptor<SharingApp.Vessel>()).map(\.name) == ["Gullfoss", "Gullfoss"])
        let schema = try DefaultStore.schema(ofFileAt: file)
        #expect(schema.entitiesByName["Journey"]?.propertiesByName["code"]?.isUnique == true)
        #expect(schema.entitiesByName["Ferry"] != nil)
        #expect(try VerificationTests.problems(in: file).isEmpty)
    }

    @Test(arguments: [SharingClash.toMany, SharingClash.links])
    func relationshipsRemainWhereOtherProgramsStoreThem(_ models: [any PersistentModel.Type]) throws {
        let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
        let journey = SharingApp.Journey("Ring Road", code: "a")
        journey.stops = [SharingApp.Stop("Vík"), SharingApp.Stop("Höfn")]
        let crew = SharingApp.Crew("night")
        crew.vessels = [SharingApp.Vessel("Edda")]
        app.insert(journey)
        app.insert(crew)
        try app.save()
        let before = try definitions()
        for _ in 0..<2 {
            #expect {
                try store.open(models, as: "other")
            } throws: { error in
                guard let error = error as? SwiftDataError, error == .backwardMigration else { return false }
                return error.detail?.contains("declare it as well") == true
            }
            try expect(before)
            let context = ModelContext(try store.open(SharingApp.models, as: "app"))
            let found = try #require(try context.fetch(FetchDescriptor<SharingApp.Journey>()).first)
            #expect(Set(found.stops.map(\.label)) == ["Vík", "Höfn"])
            #expect(try context.fetch(FetchDescriptor<SharingApp.Crew>()).first?.vessels.map(\.name) == ["Edda"])
        }
    }

    /// A program that removes an inverse in an update moves the relationship, and the program that has not been updated yet
    /// moves it back.
    @Test func updatesMoveRelationships() throws {
        let app = ModelContext(try store.open(SharingApp.models, as: "app", isNew: true))
        let journey = SharingApp.Journey("Ring Road", code: "a")
        journey.stops = [SharingApp.Stop("Vík"), SharingApp.Stop("Höfn")]
        app.insert(journey)
        try app.save()
        _ = try store.open(SharingApp.models, as: "extension")
        let updated = ModelContext(try store.open(SharingClash.toMany, as: "app"))
        #expect(
            Set(try updated.fetch(FetchDescriptor<SharingClash.Journey>()).first?.stops.map(\.label) ?? [])
                == ["Vík", "Höfn"])
        let older = ModelContext(try store.open(SharingApp.models, as: "extension"))
        #expect(
            Set(try older.fetch(FetchDescriptor<SharingApp.Journey>()).first?.stops.map(\.label) ?? [])
                == ["Vík", "Höfn"])
        // The update is in use already.
        let again = ModelContext(try store.open(SharingClash.toMany, as: "app"))
        #expect(
            Set(try again.fetch(FetchDescriptor<SharingClash.Journey>()).first?.stops.map(\.label) ?? [])
                == ["Vík", "Höfn"])
        let both = ModelContext(try store.open(SharingClash.toMany, as: "extension"))
        #expect(
            Set(try both.fetch(FetchDescriptor<SharingClash.Journey>()).first?.stops.map(\.label) ?? [])
                == ["Vík", "Höfn"])
        #expect(try VerificationTests.problems(in: file).isEmpty)
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

private enum Indexed {
    @Model fileprivate final class Port {
        #Index<Port>([\.code])
        var code: String = ""
        init() {}
    }
}
