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

    @Test func theTablesServeAllPrograms() throws {
        #expect(try store.checkThatTablesServeAllPrograms() == [])
        let schema = try DefaultStore.schema(ofFileAt: file)
        #expect(schema.entitiesByName["Journey"]?.propertiesByName["code"]?.isUnique == true)
        #expect(schema.entitiesByName["Ferry"] != nil)
        #expect(try VerificationTests.problems(in: file).isEmpty)
    }

    @Test(arguments: [SharingClash.toMany, SharingClash.links])
    func relationshipsRemainWhereOtherProgramsStoreThem(_ models: [any PersistentModel.Type]) throws {
        #expect(try store.checkThatRelationshipsStay(models) == [])
    }

    @Test func updatesMoveRelationships() throws {
        #expect(try store.checkThatUpdatesMoveRelationships() == [])
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
