import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A file that was created for another version of the models.
@Suite struct SchemaChangeTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("changing.store") }

    private func context(_ type: any PersistentModel.Type, recordsHistory: Bool = true) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(type),
                configurations: [
                    ModelConfiguration(url: file, durability: .relaxed, recordsHistory: recordsHistory)
                ]))
    }

    @Test func newAttributesHaveDefaultValues() throws {
        let old = try context(First.self)
        old.insert(First(title: "kept"))
        try old.save()
        let new = try context(Second.self)
        let read = try #require(try new.fetch(FetchDescriptor<Second>()).first)
        #expect(read.headline == "kept" && read.rating == 3 && read.note == nil)
        read.rating = 5
        try new.save()
        #expect(try Shell.sqlite3(file, "SELECT headline, rating FROM Document") == "kept|5")
    }

    /// SQLite compares names without case, so the new property would take the place of the old one.
    @Test(arguments: [true, false]) func namesThatDifferInCaseLoseNothing(_ isRename: Bool) throws {
        let old = try context(LowerLink.self)
        old.insert(LowerLink("https://a.example"))
        try old.save()
        let error = #expect(throws: SwiftDataError.self) {
            _ = isRename ? try context(RenamedLink.self) : try context(UpperLink.self)
        }
        #expect(error == .backwardMigration && error?.propertyName == "homeURL")
        #expect(try context(LowerLink.self).fetch(FetchDescriptor<LowerLink>()).map(\.homeUrl) == ["https://a.example"])
        let declared = try context(DeclaredLink.self).fetch(FetchDescriptor<DeclaredLink>())
        #expect(declared.map(\.homeURL) == ["https://a.example"])
    }

    @Test func renamedAttributeKeepsItsHistory() throws {
        let old = try context(First.self)
        let document = First(title: "a")
        old.insert(document)
        try old.save()
        document.title = "b"
        try old.save()
        let new = try context(Second.self)
        let update = try #require(
            try new.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes.first)
        guard case .update(let change as DefaultHistoryUpdate<Second>) = update else {
            Issue.record("\(update)")
            return
        }
        #expect(change.containsAttribute(\.headline))
    }

    @Test func newAttributeWithoutDefaultThrowsBeforeAnyChange() throws {
        let old = try context(First.self)
        old.insert(First(title: "kept"))
        try old.save()
        let before = try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name")
        do {
            _ = try context(Demanding.self)
            Issue.record("opening succeeded without a value for the new attribute")
        } catch let error as SwiftDataError {
            #expect(error == .backwardMigration)
            #expect(error.propertyName == "owner")
        }
        #expect(try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name") == before)
    }

    @Test func newRequiredRelationshipRequiresAnEmptyTable() throws {
        let old = try context(First.self)
        let document = First(title: "kept")
        old.insert(document)
        try old.save()
        let error = try #require(throws: SwiftDataError.self) { _ = try context(Owned.self) }
        #expect(error == .backwardMigration && error.propertyName == "author")
        old.delete(document)
        try old.save()
        let new = try context(Owned.self)
        new.insert(Owned("new", Author("Ada")))
        try new.save()
        #expect(try Shell.sqlite3(file, "SELECT author FROM Document") == "1")
        #expect(throws: SwiftDataError.deleteDenied) { try new.delete(model: Author.self) }
    }

    @Test func changedDeleteRuleAppliesAfterReopening() throws {
        let old = try context(Loose.self)
        let author = LoosePerson()
        for title in ["a", "b"] { old.insert(Loose(title, author)) }
        try old.save()
        let token = try old.currentHistoryToken()
        let new = try context(Tight.self)
        #expect(try new.fetch(FetchDescriptor<Tight>()).map(\.title) == ["a", "b"])
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
        _ = try Shell.sqlite3(file, "PRAGMA foreign_keys = ON; DELETE FROM Person")
        #expect(try new.fetchCount(FetchDescriptor<Tight>()) == 0)
        #expect(try new.fetchHistory(.after(token)).first?.changes.count == 3)

        // And the reverse.
        let back = try context(Loose.self)
        back.insert(Loose("c", LoosePerson()))
        try back.save()
        _ = try Shell.sqlite3(file, "PRAGMA foreign_keys = ON; DELETE FROM Person")
        #expect(try back.fetch(FetchDescriptor<Loose>()).map(\.title) == ["c"])
    }

    @Test func attributeMayBecomeOptionalAndRequiredAgain() throws {
        let strict = try context(StrictNote.self)
        strict.insert(StrictNote())
        try strict.save()
        let loose = try context(LooseNote.self)
        let note = try #require(try loose.fetch(FetchDescriptor<LooseNote>()).first)
        #expect(note.text == "it's (new), \"NOT NULL\"" && note.size == 1.5 && note.pages == 2)
        (note.text, note.size, note.pages) = (nil, nil, nil)
        try loose.save()
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok")

        let before = try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name")
        let error = try #require(throws: SwiftDataError.self) { _ = try context(StrictNote.self) }
        #expect(error == .backwardMigration && error.detail?.contains("without a value") == true)
        #expect(try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name") == before)
        (note.text, note.size, note.pages) = ("a", 1, 1)
        try loose.save()
        let again = try context(StrictNote.self)
        #expect(try again.fetch(FetchDescriptor<StrictNote>()).map(\.text) == ["a"])
        #expect(throws: (any Error).self) { try Shell.sqlite3(file, "UPDATE Note SET text = NULL") }
        _ = try Shell.sqlite3(file, "INSERT INTO Note(size, pages) VALUES (1, 1)")
        let withDefault = #Predicate<StrictNote> { $0.text.starts(with: "it") }
        #expect(try again.fetchCount(FetchDescriptor(predicate: withDefault)) == 1)
    }

    @Test func tableOfAnotherProgramIsNotChanged() throws {
        _ = try context(LooseNote.self)
        let other = "CREATE TABLE Note(id INTEGER PRIMARY KEY, text text, size, pages)"
        _ = try Shell.sqlite3(file, "DROP TABLE Note; \(other)")
        let before = try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name")
        let error = try #require(throws: SwiftDataError.self) { _ = try context(StrictNote.self) }
        #expect(error == .backwardMigration && error.entityName == "Note")
        #expect(try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema ORDER BY name") == before)
    }

    @Test func reopeningChangesNothing() throws {
        _ = try context(First.self)
        let version = try Shell.sqlite3(file, "PRAGMA schema_version")
        _ = try context(First.self)
        #expect(try Shell.sqlite3(file, "PRAGMA schema_version") == version)
    }

    @Test func unknownEntitiesAreRecorded() throws {
        _ = try context(First.self)
        let other = try context(BucketListItem.self)
        _ = try Shell.sqlite3(file, "INSERT INTO Document(title) VALUES ('by hand')")
        let changes = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
        guard case .insert(_ as DefaultHistoryInsert<UntypedModel>) = changes.first else {
            Issue.record("\(changes)")
            return
        }
        #expect(changes.map(\.changedPersistentIdentifier.entityName) == ["Document"])
    }

    @Test func disablingTheHistoryIsAGap() throws {
        let on = try context(First.self)
        on.insert(First(title: "recorded"))
        try on.save()
        let token = try on.currentHistoryToken()

        let off = try context(First.self, recordsHistory: false)
        off.insert(First(title: "not recorded"))
        try off.save()
        #expect(throws: SwiftDataError.historyDisabled) { try off.currentHistoryToken() }

        let again = try context(First.self)
        #expect(throws: SwiftDataError.historyTokenGap) { try again.fetchHistory(.after(token)) }
        let position = try again.currentHistoryToken()
        again.insert(First(title: "recorded again"))
        try again.save()
        #expect(try again.fetchHistory(.after(position)).count == 1)
        #expect(try again.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
        #expect(try again.fetchCount(FetchDescriptor<First>()) == 3)
    }
}

private final class First: PersistentModel {
    @Attribute var title: String
    static let entityName = "Document"
    static let properties: PropertyMap<First> = ["title": \.title]
    let persistentBackingData: any BackingData<First>
    init(backingData: any BackingData<First>) { persistentBackingData = backingData }
    init(title: String) {
        persistentBackingData = First.createBackingData()
        self.title = title
    }
}

private final class Second: PersistentModel {
    @Attribute(originalName: "title") var headline: String
    @Attribute var rating = 3
    @Attribute var note: String?
    static let entityName = "Document"
    static let properties: PropertyMap<Second> = ["headline": \.headline, "rating": \.rating, "note": \.note]
    let persistentBackingData: any BackingData<Second>
    init(backingData: any BackingData<Second>) { persistentBackingData = backingData }
}

private final class Demanding: PersistentModel {
    @Attribute var title: String
    @Attribute var owner: String
    static let entityName = "Document"
    static let properties: PropertyMap<Demanding> = ["title": \.title, "owner": \.owner]
    let persistentBackingData: any BackingData<Demanding>
    init(backingData: any BackingData<Demanding>) { persistentBackingData = backingData }
}

private final class Owned: PersistentModel {
    @Attribute var title: String
    @Relationship var author: Author
    static let entityName = "Document"
    static let properties: PropertyMap<Owned> = ["title": \.title, "author": \.author]
    let persistentBackingData: any BackingData<Owned> = Owned.createBackingData()
    init(backingData: any BackingData<Owned>) { persistentBackingData.adopt(backingData) }
    init(_ title: String, _ author: Author) {
        self.title = title
        self.author = author
    }
}

private final class Author: PersistentModel {
    @Attribute var name: String
    static let properties: PropertyMap<Author> = ["name": \.name]
    let persistentBackingData: any BackingData<Author> = Author.createBackingData()
    init(backingData: any BackingData<Author>) { persistentBackingData.adopt(backingData) }
    init(_ name: String) { self.name = name }
}

private final class Loose: PersistentModel {
    @Attribute var title: String
    @Relationship var author: LoosePerson?
    static let entityName = "Document"
    static let properties: PropertyMap<Loose> = ["title": \.title, "author": \.author]
    let persistentBackingData: any BackingData<Loose> = Loose.createBackingData()
    init(backingData: any BackingData<Loose>) { persistentBackingData.adopt(backingData) }
    init(_ title: String, _ author: LoosePerson?) {
        self.title = title
        self.author = author
    }
}

private final class LoosePerson: PersistentModel {
    @Relationship(deleteRule: .nullify, inverse: \Loose.author) var documents: [Loose]
    static let entityName = "Person"
    static let properties: PropertyMap<LoosePerson> = ["documents": \.documents]
    let persistentBackingData: any BackingData<LoosePerson> = LoosePerson.createBackingData()
    init(backingData: any BackingData<LoosePerson>) { persistentBackingData.adopt(backingData) }
    init() {}
}

private final class Tight: PersistentModel {
    @Attribute var title: String
    @Relationship var author: TightPerson?
    static let entityName = "Document"
    static let properties: PropertyMap<Tight> = ["title": \.title, "author": \.author]
    let persistentBackingData: any BackingData<Tight> = Tight.createBackingData()
    init(backingData: any BackingData<Tight>) { persistentBackingData.adopt(backingData) }
}

private final class TightPerson: PersistentModel {
    @Relationship(deleteRule: .cascade, inverse: \Tight.author) var documents: [Tight]
    static let entityName = "Person"
    static let properties: PropertyMap<TightPerson> = ["documents": \.documents]
    let persistentBackingData: any BackingData<TightPerson> = TightPerson.createBackingData()
    init(backingData: any BackingData<TightPerson>) { persistentBackingData.adopt(backingData) }
    init() {}
}

@Model private final class StrictNote {
    static let entityName = "Note"
    var text = "it's (new), \"NOT NULL\""
    var size = 1.5
    var pages: Int

    init(pages: Int = 2) { self.pages = pages }
}

@Model private final class LooseNote {
    static let entityName = "Note"
    var text: String?
    var size: Double?
    var pages: Int?
}

@Model private final class LowerLink {
    static let entityName = "Link"
    var homeUrl: String?
    var page: String?
    init(_ homeUrl: String) { self.homeUrl = homeUrl }
}

@Model private final class UpperLink {
    static let entityName = "Link"
    var homeURL: String?
    var page: String?
    init() {}
}

@Model private final class RenamedLink {
    static let entityName = "Link"
    @Attribute(originalName: "page") var homeURL: String?
    init() {}
}

@Model private final class DeclaredLink {
    static let entityName = "Link"
    @Attribute(originalName: "homeUrl") var homeURL: String?
    var page: String?
    init() {}
}
