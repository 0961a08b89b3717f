import Chronicle
import SampleTrips
import Testing

@testable import TripSearch

/// What users type, and what they find.
@Suite struct SearchTests {
    private func fixture(_ names: String...) throws -> SearchFixture {
        let fixture = try SearchFixture()
        for name in names { fixture.context.insert(BucketListItem(title: name)) }
        try fixture.context.save()
        try fixture.update()
        return fixture
    }

    @Test func findsAllKindsOfModels() throws {
        let fixture = try fixture()
        let found = try ["oslo", "tea", "casa"].map { try #require(try fixture.index().search($0).first?.id.kind) }
        #expect(found == [.trip, .bucketListItem, .livingAccommodation])
    }

    @Test func highlightsEveryWord() throws {
        let fixture = try fixture("The tea house of the old tea master")
        #expect(try fixture.search("tea house") == ["[Tea] [house]", "The [tea] [house] of the old [tea] master"])
        #expect(try fixture.index().search("norway").map(\.detail) == ["[Norway]"])
    }

    @Test func matchesTheBeginningOfTheLastWordOnly() throws {
        let fixture = try fixture()
        #expect(try fixture.search("fushimi ina") == ["[Fushimi] [Inari]"])
        #expect(try fixture.search("fushi inari") == [])
        #expect(try fixture.search("colo") == ["[Colosseum]"])
    }

    @Test func ignoresCaseAndDiacritics() throws {
        let fixture = try fixture()
        #expect(try fixture.search("pensao central") == ["[Pensão] [Central]"])
        #expect(try fixture.search("PENSÃO") == ["[Pensão] Central"])
    }

    @Test func titlesComeBeforeDetails() throws {
        let fixture = try fixture()
        let trip = Trip(name: "Winter", destination: "Rome", startDate: .now, endDate: .now)
        fixture.context.insert(trip)
        try fixture.context.save()
        try fixture.update()
        #expect(try fixture.search("rome") == ["[Rome]", "Winter"])
    }

    @Test(arguments: [
        "\"colosseum", "colosseum\"", "\"\"colosseum\"\"", "(colosseum", "colosseum)", "colosseum*", "^colosseum",
        "-colosseum", "+ colosseum", "colosseum - ' ;", "{colosseum}", "colosseum:",
    ])
    func punctuationHasNoMeaning(_ text: String) throws {
        #expect(try fixture().search(text) == ["[Colosseum]"])
    }

    @Test func nulCharactersSeparateWords() throws {
        let fixture = try fixture()
        #expect(try fixture.search("tea\0house") == ["[Tea] [house]"])
        #expect(try fixture.search("\0") == [])
    }

    @Test func operatorsAreWords() throws {
        let fixture = try fixture("Romeo AND Juliet", "NEAR the NOT")
        #expect(try fixture.search("romeo and juliet") == ["[Romeo] [AND] [Juliet]"])
        #expect(try fixture.search("AND") == ["Romeo [AND] Juliet"])
        #expect(try fixture.search("rome OR oslo") == [])
        #expect(try fixture.search("NEAR NOT") == ["[NEAR] the [NOT]"])
        #expect(try fixture.search("title:rome") == [])
    }

    @Test(arguments: ["", " \n\t", "\"", "\"\"", "*", "- ' ()", "🏝"])
    func textWithoutWordsFindsNothing(_ text: String) throws {
        #expect(try fixture().search(text) == [])
    }
}
