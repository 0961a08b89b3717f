import Decoding
import Foundation
import SwiftData
import Testing

@Suite struct DecodingTests {
    private static let json = Data(
        """
        [{"founded":"2001-01-01T00:00:00Z","id":"7D3F3E8C-2F0C-4B0E-9D43-0F9A4C9E2E11","name":"Chess","people":[\
        {"age":31,"contact":{"phone":{"country":44,"number":7}},"name":"Ada"},\
        {"contact":{"none":{}},"name":"Ben"}],"tags":["indoor","quiet"]}]
        """.utf8)

    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Club.self, Member.self, Badge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
            ))
    }

    @Test func modelsThatDecodeThemselves() throws {
        let context = try context()
        let importer = ClubImporter(context: context)
        try importer.import(Self.json)
        let members = try context.fetch(FetchDescriptor<Member>()).sorted()
        #expect(members.map(\.description) == ["Ada (31)", "Ben (?)"])
        #expect(members.map(\.club?.name) == ["Chess", "Chess"])
        #expect(try importer.export() == Self.json)
        // An upsert, because the identifier is unique.
        try importer.import(Self.json)
        #expect(try context.fetchCount(FetchDescriptor<Club>()) == 1)
        #expect(try context.fetch(FetchDescriptor<Club>()).map(\.tags) == [["indoor", "quiet"]])
    }

    @Test func anotherContextReadsTheValues() throws {
        let context = try context()
        try ClubImporter(context: context).import(Self.json)
        let other = ModelContext(context.container)
        let members = try other.fetch(FetchDescriptor<Member>()).sorted()
        #expect(members.map(\.contact) == [.phone(country: 44, number: 7), .none])
    }

    @Test func initializersThatThrow() throws {
        #expect(throws: Member.Failure.emptyName) { try Member(name: "") }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Member.self, from: Data("{}".utf8)) }
        #expect(Member(row: [:]) == nil && Member(row: ["name": ""]) == nil)
        let member = try #require(Member(row: ["name": "Eve", "age": "40"]))
        let context = try context()
        context.insert(member)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Member>()).map(\.age) == [40])
    }

    /// Contexts tell models apart by their identity, whatever their class says about equality.
    @Test func modelsWithTheirOwnEquality() throws {
        let context = try context()
        let badges = [Badge(title: "gold", level: 1), Badge(title: "gold", level: 2), Badge(title: "tin", level: 3)]
        badges.forEach(context.insert)
        #expect(badges[0] == badges[1] && Set(badges).count == 2)
        #expect(context.insertedModelsArray.count == 3)
        try context.save()
        badges[1].level = 5
        #expect(context.changedModelsArray.count == 1)
        context.delete(badges[0])
        try context.save()
        let levels = try ModelContext(context.container).fetch(FetchDescriptor<Badge>()).map(\.level)
        #expect(levels.sorted() == [3, 5])
    }
}
