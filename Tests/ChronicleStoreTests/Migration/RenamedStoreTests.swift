import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Files in which later versions of the models, or other programs, rename or remove classes and properties.
@Suite struct RenamedStoreTests {
    private let file: URL
    private let store: RenamedStore

    init() throws {
        let file = try TemporaryDirectory().file("renamed.store")
        self.file = file
        store = RenamedStore(indexQuery: "SELECT name FROM sqlite_schema WHERE type = 'index'") { schema, plan in
            try ModelContainer(
                for: schema, migrationPlan: plan,
                configurations: ModelConfiguration(url: file, durability: .relaxed, preservesValues: true))
        } sql: {
            try Shell.sqlite3(file, $0)
        } inspect: { entity in
            _ = try DefaultStore(readingHistoryAt: file)
            let schema = try DefaultStore.schema(ofFileAt: file)
            let definitions = try Shell.sqlite3(file, "SELECT * FROM sqlite_schema")
            var configuration = ModelConfiguration(schema: schema, url: file, durability: .relaxed)
            configuration.isInspector = true
            let store = try DefaultStore(configuration, migrationPlan: nil)
            #expect(try Shell.sqlite3(file, "SELECT * FROM sqlite_schema") == definitions)
            var rows: [[String: PropertyValue]] = []
            try store.fetchRows(ofEntity: entity) { row in
                let properties = schema.entitiesByName[entity]?.storedProperties ?? []
                rows.append(
                    Dictionary(uniqueKeysWithValues: properties.map { ($0.name, row.values[$0.slot]) }))
            }
            return (schema, rows)
        }
    }

    private func expectNoProblems() throws {
        #expect(try VerificationTests.problems(in: file).map { "\($0)" } == [])
    }

    @Test(arguments: RenamedStore.Change.allCases) func valuesAndRulesRemain(_ change: RenamedStore.Change) throws {
        #expect(try store.check(change) == [])
        try expectNoProblems()
    }

    @Test func valuesOfAnotherProgramRemainIfNamesDifferInTheirCase() throws {
        #expect(try store.checkNamesThatDifferInTheirCase() == [])
        try expectNoProblems()
    }
}
