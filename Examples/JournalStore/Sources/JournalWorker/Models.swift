import Chronicle
import Foundation

/// A note for tests, with pages that are deleted with it.
final class Note: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var text: String
    @Attribute var number: Int
    @Attribute var data: Data?
    @Relationship(deleteRule: .cascade, inverse: \Page.note) var pages: [Page]

    static let properties: PropertyMap<Note> = ["text": \.text, "number": \.number, "data": \.data, "pages": \.pages]
    let persistentBackingData: any BackingData<Note>
    init(backingData: any BackingData<Note>) { persistentBackingData = backingData }

    init(_ text: String, _ number: Int = 0) {
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

    init(_ body: String, of note: Note? = nil) {
        persistentBackingData = Page.createBackingData()
        self.body = body
        self.note = note
    }
}
