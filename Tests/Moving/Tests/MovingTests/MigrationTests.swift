import Foundation
import Migrations
import SwiftData
import Testing

/// Versions of a schema, and a plan with an automatic and a custom stage.
@Suite struct MigrationTests {
    @Test func aFileOfTheFirstVersionIsMigrated() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Contacts.store")
        do {
            let container = try ModelContainer(
                for: Schema(versionedSchema: ContactsSchemaV1.self), configurations: [ModelConfiguration(url: url)])
            let context = ModelContext(container)
            for (name, mail) in [
                ("Ada Lovelace", "ada@x"), ("Charles Babbage", "charles@x"), ("William King", "ada@x"),
            ] {
                context.insert(ContactsSchemaV1.Contact(fullName: name, mail: mail))
            }
            try context.save()
        }

        let book = try ContactBook(url: url)
        #expect(try book.contacts().map(\.address) == ["ada@x", "charles@x"])
        #expect(try book.contacts().map(\.givenName) == ["Ada", "Charles"])
        #expect(try book.contacts().map(\.familyName) == ["Lovelace", "Babbage"])
        #expect(book.container.migrationPlan is ContactsMigrationPlan.Type)

        // The next opening has nothing to migrate.
        let context = ModelContext(try ContactBook(url: url).container)
        let ada = try #require(try context.fetch(FetchDescriptor<Contact>(sortBy: [SortDescriptor(\.address)])).first)
        ada.group = ContactsSchemaV3.Group(name: "Science")
        try context.save()
        #expect(try ContactBook(url: url).contacts().map { $0.group?.name } == ["Science", nil])
    }

    @Test func aNewStoreHasTheLastVersion() throws {
        let book = try ContactBook(inMemory: true)
        #expect(book.container.schema.version == Schema.Version(3, 0, 0))
        let context = ModelContext(book.container)
        context.insert(Contact(address: "ada@x", givenName: "Ada", familyName: "Lovelace"))
        try context.save()
        #expect(try book.contacts().map(\.fullName) == ["Ada Lovelace"])
    }
}
