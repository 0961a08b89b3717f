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

    private func expectNoProblems(_ location: SourceLocation = #_sourceLocation) throws {
        var problems: [String] = []
        try DefaultStore.verify(fileAt: file) { problems.append("\($0)") }
        #expect(problems == [], sourceLocation: location)
    }
}
