import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Every version of Chronicle reads the same models and the same history from the files of earlier versions.
@Suite struct FixtureTests {
    @Test(arguments: FixtureFile.all)
    func contentIsUnchanged(_ fixture: FixtureFile) throws {
        let file = try fixture.copy()
        // The first opening may upgrade the file.
        for _ in 0..<2 { try expectContent(of: fixture, in: FixtureFile.open(file)) }
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }

    @Test(arguments: FixtureFile.all)
    func contentIsReadableWithoutWriting(_ fixture: FixtureFile) throws {
        let file = try fixture.copy()
        let before = try Data(contentsOf: file)
        for _ in 0..<2 { try expectContent(of: fixture, in: FixtureFile.open(file, allowsSave: false)) }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(arguments: FixtureFile.all)
    func triggersAreValidBeforeTheFileIsOpened(_ fixture: FixtureFile) throws {
        var problems: [StoreProblem] = []
        try DefaultStore.verify(fileAt: fixture.copy()) { problems.append($0) }
        #expect(problems.filter { $0.kind == .trigger }.isEmpty)
    }

    @Test(arguments: FixtureFile.all)
    func tokensRemainValidAfterASave(_ fixture: FixtureFile) throws {
        let file = try fixture.copy()
        let tokens = try fixture.tokens()
        let expected = try fixture.expectedText().split(separator: "\n").filter { $0.hasPrefix("token ") }
        let container = try FixtureFile.open(file)
        let context = ModelContext(container)
        let token = try context.currentHistoryToken()
        context.author = "later"
        let person = FixtureModels.Person("Later")
        context.insert(person)
        try context.save()
        for container in [container, try FixtureFile.open(file)] {
            let description = FixtureDescription(container)
            #expect(try description.results(of: tokens, ignoring: "later") == expected.map(String.init))
            let transactions = try description.context.fetchHistory(.after(token)).filter { $0.author == "later" }
            #expect(transactions.map(\.line) == ["later: insert \(person.persistentModelID)"])
        }
    }

    /// Writes a new fixture, only if the environment variable contains its path.
    @Test(.enabled(if: FixtureFile.requested != nil))
    func writeRequestedFixture() throws {
        let fixture = try #require(FixtureFile.requested)
        try fixture.write()
        try expectContent(of: fixture, in: FixtureFile.open(fixture.copy()))
    }

    private func expectContent(
        of fixture: FixtureFile, in container: ModelContainer, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let text = try FixtureDescription(container).text(fixture.tokens())
        let difference = try firstDifference(text, fixture.expectedText())
        #expect(difference == nil, sourceLocation: location)
    }

    /// Returns the first line that differs, with its number; `nil` if the texts are the same.
    private func firstDifference(_ text: String, _ expected: String) -> String? {
        let (lines, expectedLines) = (text.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
        for index in 0..<max(lines.count, expectedLines.count) {
            let line = index < lines.count ? lines[index] : "<end>"
            let expectedLine = index < expectedLines.count ? expectedLines[index] : "<end>"
            if line != expectedLine { return "line \(index + 1) is\n\(line)\ninstead of\n\(expectedLine)" }
        }
        return nil
    }
}
