import Chronicle
import Foundation

/// A model that the worker inserts, updates, and deletes, with a relationship and a tombstone.
final class Note: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var text: String
    @Attribute var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Page.note) var pages: [Page]

    static let properties: PropertyMap<Note> = ["text": \.text, "number": \.number, "pages": \.pages]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(text: String, number: Int) {
        persistentBackingData = BackingData()
        self.text = text
        self.number = number
    }
}

final class Page: PersistentModel {
    @Attribute var body: String
    @Relationship var note: Note?

    static let properties: PropertyMap<Page> = ["body": \.body, "note": \.note]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(body: String) {
        persistentBackingData = BackingData()
        self.body = body
    }
}
