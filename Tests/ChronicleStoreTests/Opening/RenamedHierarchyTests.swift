import Chronicle
import ChronicleStore
import ChronicleTestSupport
import Foundation
import Testing

/// A file whose hierarchy of models has other names than when it was created.
@Suite struct RenamedHierarchyTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("harbor.store") }

    private func container(_ models: [any PersistentModel.Type], preservesValues: Bool) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(models),
            configurations: ModelConfiguration(url: file, durability: .relaxed, preservesValues: preservesValues))
    }

    private static let renamed: [any PersistentModel.Type] = [
        RenamedHarbor.Vessel.self, RenamedHarbor.Tug.self, RenamedHarbor.Towboat.self,
    ]

    /// Creates a file with one model of each class, of which the last one was deleted, and returns the token before that.
    private func makeFile(preservesValues: Bool) throws -> DefaultHistoryToken {
        let context = ModelContext(
            try container([Harbor.Ship.self, Harbor.Steamer.self, Harbor.Tug.self], preservesValues: preservesValues))
        let tug = Harbor.Tug(name: "Tug")
        for ship in [Harbor.Ship(name: "Ship"), Harbor.Steamer(name: "Steamer"), tug] { context.insert(ship) }
        try context.save()
        let token = try context.currentHistoryToken()
        context.delete(tug)
        try context.save()
        return token
    }

    @Test(arguments: [false, true]) func modelsAndHistoryKeepTheirClasses(_ preservesValues: Bool) throws {
        let token = try makeFile(preservesValues: preservesValues)
        let container = try container(Self.renamed, preservesValues: preservesValues)
        let context = ModelContext(container)
        let vessels = try context.fetch(FetchDescriptor<RenamedHarbor.Vessel>(sortBy: [SortDescriptor(\.name)]))
        #expect(vessels.map { "\(type(of: $0)) \($0.name)" } == ["Vessel Ship", "Tug Steamer"])
        #expect(try context.fetchCount(FetchDescriptor<RenamedHarbor.Tug>()) == 1)
        #expect(try context.fetchCount(FetchDescriptor<RenamedHarbor.Towboat>()) == 0)

        // Renaming is no change, and no token expires.
        let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
        let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
        #expect(try history.count == 2 && context.fetchHistory(later).count == 1)
        let changes = history.flatMap(\.changes)
        #expect(
            changes.contains {
                if case .insert(_ as DefaultHistoryInsert<RenamedHarbor.Tug>) = $0 { true } else { false }
            })
        #expect(
            changes.contains {
                if case .delete(_ as DefaultHistoryDelete<RenamedHarbor.Towboat>) = $0 { true } else { false }
            })
        if preservesValues {
            let past = try ModelContext(container, asOf: token)
            #expect(try past.fetch(FetchDescriptor<RenamedHarbor.Towboat>()).map(\.name) == ["Tug"])
            #expect(try past.fetchCount(FetchDescriptor<RenamedHarbor.Tug>()) == 2)
        }

        // Changes are recorded with the new names, also those of other programs.
        _ = try Shell.sqlite3(file, "UPDATE Vessel SET name = 'Other' WHERE chronicle_entity = 'Tug'")
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes)
        guard case .update(let update as DefaultHistoryUpdate<RenamedHarbor.Tug>) = last.first else {
            Issue.record("\(last)")
            return
        }
        #expect(last.count == 1 && update.containsAttribute(\.name))
        try expectNoProblems()
    }

    @Test func openingAgainChangesNothing() throws {
        _ = try makeFile(preservesValues: true)
        _ = try container(Self.renamed, preservesValues: true)
        let dump = try Shell.sqlite3(file, ".dump")
        _ = try container(Self.renamed, preservesValues: true)
        #expect(try Shell.sqlite3(file, ".dump") == dump)
        try expectNoProblems()
    }

    @Test func preservedTextsOfOtherAttributesRemain() throws {
        _ = try makeFile(preservesValues: true)
        let context = ModelContext(try container(Self.renamed, preservesValues: true))
        let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
        for case .delete(let delete as DefaultHistoryDelete<RenamedHarbor.Towboat>) in history.flatMap(\.changes) {
            #expect(delete.tombstone[\.name] == "Tug")
        }
        for case .insert(let insert as DefaultHistoryInsert<RenamedHarbor.Tug>) in history.flatMap(\.changes) {
            #expect(insert.value(\.name) == "Steamer")
        }
    }

    /// The name that a model receives is the previous name of another one, which the file does not contain.
    @Test func fileWithoutTheModelsInBetween() throws {
        let earlier = ModelContext(
            try container([EarlierHarbor.Ship.self, EarlierHarbor.Steamer.self], preservesValues: false))
        earlier.insert(EarlierHarbor.Steamer(name: "Steamer"))
        try earlier.save()
        let context = ModelContext(try container(Self.renamed, preservesValues: false))
        let vessels = try context.fetch(FetchDescriptor<RenamedHarbor.Vessel>())
        #expect(vessels.map { "\(type(of: $0)) \($0.name)" } == ["Tug Steamer"])
        #expect(try context.fetchCount(FetchDescriptor<RenamedHarbor.Towboat>()) == 0)
        try expectNoProblems()
    }

    /// The tables of renamed models are recorded while the opening changes their values.
    @Test func valuesThatTheOpeningSetsAreRecorded() throws {
        let earlier = ModelContext(
            try container([EarlierHarbor.Ship.self, EarlierHarbor.Steamer.self], preservesValues: true))
        earlier.insert(EarlierHarbor.Ship(name: nil))
        earlier.insert(EarlierHarbor.Steamer(name: nil))
        try earlier.save()
        let context = ModelContext(
            try container([NamedHarbor.Boat.self, NamedHarbor.Steamboat.self], preservesValues: true))
        let boats = try context.fetch(FetchDescriptor<NamedHarbor.Boat>())
        #expect(boats.map { "\(type(of: $0)) \($0.name)" } == ["Boat none", "Steamboat none"])
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(last.author == MigrationStage.author && last.changes.count == 2)
        try expectNoProblems()
    }

    /// Without a history, a rename changes no definition of the file.
    @Test func renamesCanBeTakenBack() throws {
        func context(_ models: [any PersistentModel.Type]) throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Schema(models),
                    configurations: ModelConfiguration(url: file, durability: .relaxed, recordsHistory: false)))
        }
        let first = try context([Taken.Ship.self, Taken.Steamer.self])
        first.insert(Taken.Steamer(name: "a"))
        try first.save()
        #expect(try context([Given.Ship.self, Given.Tug.self]).fetchCount(FetchDescriptor<Given.Tug>()) == 1)
        #expect(try context([Taken.Ship.self, Taken.Steamer.self]).fetchCount(FetchDescriptor<Taken.Steamer>()) == 1)
    }

    @Test func modelCannotMoveToAnotherHierarchy() throws {
        _ = try makeFile(preservesValues: false)
        let error = #expect(throws: SwiftDataError.self) {
            try container([Harbor.Ship.self, MovedHarbor.Raft.self, MovedHarbor.Boat.self], preservesValues: false)
        }
        #expect(error == .backwardMigration && error?.entityName == "Boat")
        let context = ModelContext(
            try container([Harbor.Ship.self, Harbor.Steamer.self, Harbor.Tug.self], preservesValues: false))
        #expect(try context.fetchCount(FetchDescriptor<Harbor.Steamer>()) == 1)
    }

    private func expectNoProblems(_ location: SourceLocation = #_sourceLocation) throws {
        var problems: [String] = []
        try DefaultStore.verify(fileAt: file) { problems.append("\($0)") }
        #expect(problems == [], sourceLocation: location)
    }
}

private enum NamedHarbor {
    @Model(originalName: "Ship")
    class Boat {
        var name = "none"

        init() {}
    }

    @Model(originalName: "Steamer")
    final class Steamboat: Boat {
        var boilers = 1
    }
}

private enum Taken {
    @Model
    class Ship {
        var name: String

        init(name: String) { self.name = name }
    }

    @Model(originalName: "Tug")
    final class Steamer: Ship {
        var power = 1
    }
}

private enum Given {
    @Model
    class Ship {
        var name: String

        init(name: String) { self.name = name }
    }

    @Model(originalName: "Steamer")
    final class Tug: Ship {
        var power = 1
    }
}

private enum MovedHarbor {
    @Model
    class Raft {
        var name = ""

        init() {}
    }

    @Model(originalName: "Steamer")
    final class Boat: Raft {
        var boilers = 1
    }
}
