import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// What the errors of a store say, without statements of SQL that Chronicle generates.
@Suite struct StoreErrorTextTests {
    struct Address: Codable, Hashable, Sendable {
        var city: String
        var lines: [Int] = []
    }

    @Model final class Guest {
        @Attribute(.unique) var name: String
        var address: Address

        init(name: String) {
            self.name = name
            address = Address(city: "Rome")
        }
    }

    /// JSON that another program wrote, and what is wrong with it.
    @Test(arguments: [
        ("{}", "the member city is missing"), (#"{"city":"secret","lines":[1,"secret"]}"#, "is not a Int"),
        (#"{"city":null,"lines":[]}"#, "the member city is null"), ("secret", "the value is not valid"),
        (#"{"city":7,"lines":[]}"#, "the member city is not a String"),
    ])
    func undecodableMembersAreNamed(_ json: String, _ reason: String) throws {
        let store = try TestStore(.file, [Guest.self])
        let context = store.context()
        context.insert(Guest(name: "a"))
        try context.save()
        try store.shell("UPDATE Guest SET address = '\(json)'")
        let other = store.context()
        let error = try #require(throws: SwiftDataError.self) { try other.fetch(FetchDescriptor<Guest>()) }
        #expect(error == .undecodableValue)
        let text = error.localizedDescription
        #expect(text.contains("Guest.address (Guest/1)") && text.contains(reason), "\(text)")
        #expect(!text.contains("secret") && text.contains("correct the value"), "\(text)")
        // The attribute of the history says the same.
        let property = try #require(store.container.schema.entitiesByName["Guest"]?.property(named: "address"))
        let decoding = try #require(throws: SwiftDataError.self) { try property.decode(.text(json)) }
        #expect(decoding.localizedDescription.contains(reason))
    }

    @Test func uniquenessViolationsContainNoStatements() throws {
        let store = try TestStore(.file, [Guest.self])
        let context = store.context()
        context.mergePolicy = .error
        for name in ["a", "b"] { context.insert(Guest(name: name)) }
        try context.save()
        let guests = try context.fetch(FetchDescriptor<Guest>(sortBy: [SortDescriptor(\.name)]))
        guests[0].name = "b"
        let error = try #require(throws: SwiftDataError.self) { try context.save() }
        #expect(error == .uniquenessViolation)
        let text = error.localizedDescription
        #expect(!text.contains("UPDATE") && !text.contains("INSERT") && !text.contains("while running"), "\(text)")
        #expect(text.contains("another Guest has the same name; change it and save again"), "\(text)")
        #expect((error.underlying as? DatabaseError)?.sql?.isEmpty == false)
    }

    @Test func otherFilesAreDescribedOnce() throws {
        let file = try TemporaryDirectory().file("notes.txt")
        try Data(String(repeating: "This is a text. ", count: 100).utf8).write(to: file)
        let error = try #require(throws: SwiftDataError.self) {
            try ModelContainer(for: Guest.self, configurations: ModelConfiguration(url: file))
        }
        #expect(error == .notADatabase)
        let text = error.localizedDescription
        #expect(text.contains(file.path) && text.components(separatedBy: " database").count == 2, "\(text)")
    }
}
