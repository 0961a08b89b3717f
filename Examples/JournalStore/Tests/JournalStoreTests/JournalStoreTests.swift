import Chronicle
import Foundation
import Testing

@testable import JournalStore
@testable import JournalWorker

@Suite struct JournalStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture(durability: .full) }

    /// A context applies delete rules to the rows that it has loaded; the store applies them to the others.
    @Test func deleteRulesApplyToUnloadedRows() throws {
        let (mine, theirs) = (fixture.context(), fixture.context())
        mine.insert(Note("one"))
        try mine.save()
        let note = try #require(try mine.fetch(FetchDescriptor<Note>()).first)
        #expect(note.pages.isEmpty)
        let known = try #require(try theirs.fetch(FetchDescriptor<Note>()).first)
        theirs.insert(Page("unseen", of: known))
        try theirs.save()

        mine.delete(note)
        try mine.save()
        #expect(try fixture.context().fetchCount(FetchDescriptor<Page>()) == 0)
        let changes = try #require(try fixture.history().last).changes
        #expect(changes.map(\.changedPersistentIdentifier.entityName) == ["Note", "Page"])

        theirs.insert(Page("late", of: known))
        let error = try #require(throws: SwiftDataError.self) { try theirs.save() }
        #expect(error == .modelValidationFailure && error.propertyName == "note")
        #expect(try fixture.history().count == 3)
    }

    @Test func storeReadsSavesOfAnotherStore() throws {
        let other = try fixture.again()
        for number in 0..<10 {
            try [fixture, other][number % 2].write("\(number)")
            #expect(try fixture.texts() == other.texts())
            #expect(try fixture.store.currentHistoryToken() == other.store.currentHistoryToken())
        }
        #expect(try other.history().map(\.transactionIdentifier) == Array(1...10))
        #expect(fixture.store.identifier == other.store.identifier)
    }

    /// A program with fewer entities and attributes keeps rows, and a program with more reads them.
    @Test func schemaChangesKeepRows() throws {
        try fixture.write("one", "two")
        let newer = ModelContext(
            try ModelContainer(for: Newer.Note.self, configurations: JournalStoreConfiguration(url: fixture.url)))
        let notes = try newer.fetch(FetchDescriptor<Newer.Note>())
        #expect(notes.map(\.stars) == [3, 3])
        notes[0].text = "uno"
        notes[1].likes = 5
        try newer.save()
        #expect(try fixture.texts() == ["uno", "two"])
        let updates = try fixture.history().suffix(1).flatMap(\.changes).compactMap { change in
            if case .update(let update as JournalUpdate<Note>) = change { update.updatedAttributeNames } else { nil }
        }
        #expect(updates == [["text"], ["likes"]])

        // With the smaller schema.
        try fixture.context().deleteHistory(HistoryDescriptor<JournalTransaction>())
        try fixture.store.compact()
        let again = try newer.fetch(FetchDescriptor<Newer.Note>())
        #expect(again.map(\.stars) == [3, 3] && again.map(\.likes) == [0, 5])
    }

    @Test func incompatibleSchemasThrow() throws {
        try fixture.write("one", "two")
        let configuration = JournalStoreConfiguration(url: fixture.url)
        #expect(throws: SwiftDataError.backwardMigration) {
            try ModelContainer(for: Demanding.Note.self, configurations: configuration)
        }
        #expect(throws: SwiftDataError.backwardMigration) {
            try ModelContainer(for: Renamed.Note.self, configurations: configuration)
        }
        #expect(try fixture.again().texts() == ["one", "two"])
    }

    @Test func fetchingByIdentifierReadsNoOtherRows() throws {
        try fixture.write("one", "two")
        let identifier = try #require(try fixture.history().last?.changes.first).changedPersistentIdentifier
        let context = fixture.context()
        #expect((try context.existingModel(for: identifier) as? Note)?.text == "two")
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 2)
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text, order: .reverse)])
        descriptor.fetchLimit = 1
        #expect(try context.fetch(descriptor).map(\.text) == ["two"])
    }

    @Test func checksumsMatchKnownCRC32CValues() throws {
        // Known CRC-32C values of these texts.
        #expect(Checksum.of(Array("123456789".utf8)) == 0xE306_9283)
        let bytes = (0..<100).map { UInt8($0) }
        #expect(Checksum.of(bytes[33...], after: Checksum.of(bytes[..<33])) == Checksum.of(bytes))
    }
}

private enum Newer {
    final class Note: PersistentModel {
        @Attribute var text: String
        @Attribute var stars = 3
        @Attribute var likes = 0

        static let properties: PropertyMap<Note> = ["text": \.text, "stars": \.stars, "likes": \.likes]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
    }
}

private enum Demanding {
    final class Note: PersistentModel {
        @Attribute var owner: String

        static let properties: PropertyMap<Note> = ["owner": \.owner]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
    }
}

private enum Renamed {
    final class Note: PersistentModel {
        @Attribute(originalName: "text") var title: String?

        static let properties: PropertyMap<Note> = ["title": \.title]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
    }
}
