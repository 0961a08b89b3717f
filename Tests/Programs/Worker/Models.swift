import Chronicle
import Foundation

/// A model that the worker inserts, updates, and deletes, with a relationship and a tombstone.
final class Note: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var text: String
    @Attribute var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Page.note) var pages: [Page]

    static let properties: PropertyMap<Note> = ["text": \.text, "number": \.number, "pages": \.pages]
    let persistentBackingData: any BackingData<Note>
    init(backingData: any BackingData<Note>) { persistentBackingData = backingData }

    init(text: String, number: Int) {
        persistentBackingData = Note.createBackingData()
        self.text = text
        self.number = number
    }
}

final class Page: PersistentModel {
    @Attribute var body: String
    @Relationship var note: Note?

    static let properties: PropertyMap<Page> = ["body": \.body, "note": \.note]
    let persistentBackingData: any BackingData<Page>
    init(backingData: any BackingData<Page>) { persistentBackingData = backingData }

    init(body: String) {
        persistentBackingData = Page.createBackingData()
        self.body = body
    }
}

/// A model with a unique value that several processes insert.
final class Tally: PersistentModel {
    @Attribute(.unique) var key: String
    @Attribute var count: Int

    static let properties: PropertyMap<Tally> = ["key": \.key, "count": \.count]
    let persistentBackingData: any BackingData<Tally>
    init(backingData: any BackingData<Tally>) { persistentBackingData = backingData }

    init(key: String, count: Int) {
        persistentBackingData = Tally.createBackingData()
        self.key = key
        self.count = count
    }
}
