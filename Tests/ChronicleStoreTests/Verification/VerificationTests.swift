import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A verification reports nothing in healthy files, and changes none.
@Suite struct VerificationTests {
    static func problems(in file: URL) throws -> [StoreProblem] {
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: file) { problems.append($0) }
        return problems
    }

    @Test func aHealthyFileHasNoProblems() throws {
        let file = try VerifiedStore.copy()
        let before = try Data(contentsOf: file)
        #expect(try Self.problems(in: file) == [])
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func anEmptyStoreHasNoProblems() throws {
        let store = try TestStore(.file, VerifiedStore.types)
        #expect(try Self.problems(in: store.url) == [])
    }

    @Test func progressEndsWithTheWhole() throws {
        var parts: [Double] = []
        try DefaultStore.verify(fileAt: VerifiedStore.copy(), progress: { parts.append($0) }) { _ in }
        #expect(parts == parts.sorted())
        #expect(parts.last == 1)
    }

    /// A random history contains deleted transactions, interrupted purges, gaps, and changes of other programs.
    @Test(arguments: 0..<6)
    func randomHistoriesHaveNoProblems(_ number: Int) throws {
        var history = try RandomHistory(TestSeed.generator(number))
        for step in 0..<12 {
            try history.step()
            #expect(try Self.problems(in: history.store.url) == [], "\(TestSeed.description), step \(step)")
        }
    }

    @Test(arguments: 0..<6, [false, true])
    func randomModelsHaveNoProblems(_ number: Int, preservesValues: Bool) throws {
        let types: [any PersistentModel.Type] = [Journey.self, GuidedJourney.self, Traveler.self, Topic.self]
        let test = try TestStore(.file, types, preservesValues: preservesValues)
        let store = try #require(test.container.stores.first as? DefaultStore)
        var writer = RandomJourneys(test.container, store, TestSeed.generator(number))
        for _ in 0..<40 { try writer.step() }
        #expect(try Self.problems(in: test.url) == [], "\(TestSeed.description)")
    }

    /// The current fixture contains two values that another program wrote with other types on purpose, and another one has a
    /// one-to-one relationship of which the other program wrote one side only.
    @Test(arguments: FixtureFile.all)
    func filesOfEarlierVersionsHaveNoProblems(_ fixture: FixtureFile) throws {
        let file = try fixture.copy()
        _ = try FixtureFile.open(file)
        let problems = try Self.problems(in: file).filter {
            ($0.kind != .column || $0.table != "Specimen") && ($0.kind != .inverse || $0.table != "Person")
        }
        #expect(problems == [])
    }

    @Test func aFileWithoutHistoryHasNoProblems() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("test.store")
        let configuration = ModelConfiguration(url: url, recordsHistory: false)
        let container = try ModelContainer(for: Schema(VerifiedStore.types), configurations: [configuration])
        let context = ModelContext(container)
        context.insert(LinkItem("a", tags: [LinkTag("t")]))
        try context.save()
        #expect(try Self.problems(in: url) == [])
    }

    /// Files without a store, for which no check can find a problem.
    @Test(arguments: ["", "PRAGMA application_id = 0x4368726e; PRAGMA user_version = 2"])
    func aFileWithoutAStoreIsNotValid(_ sql: String) throws {
        let file = try TemporaryDirectory().file("test.store")
        try Data().write(to: file)
        _ = try Shell.sqlite3(file, sql)
        let error = try #require(try failure(of: { try Self.problems(in: file) }))
        #expect(error == .loadIssueModelContainer && error.detail?.contains("contains no store") == true, "\(error)")
    }

    @Test func aMissingFileIsNotValid() throws {
        let file = try TemporaryDirectory().file("test.store")
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try Self.problems(in: file) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func theErrorOfTheClosureEndsTheVerification() throws {
        struct Stop: Error {}
        let file = try VerifiedStore.copy()
        _ = try Shell.sqlite3(file, "DELETE FROM chronicle_source")
        var count = 0
        #expect(throws: Stop.self) {
            try DefaultStore.verify(fileAt: file) { _ in
                count += 1
                throw Stop()
            }
        }
        #expect(count == 1)
    }
}
