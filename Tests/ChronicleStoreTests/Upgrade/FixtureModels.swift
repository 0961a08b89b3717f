import Chronicle
import Foundation

/// The models of the checked-in store files, in their current version.
///
/// Never change them: the files in the folder `Files` and their descriptions depend on every name, type and option.
enum FixtureModels {
    static let types: [any PersistentModel.Type] = [
        Album.self, Badge.self, Note.self, Person.self, Photo.self, Specimen.self, Tag.self, Ticket.self, Track.self,
        Wide.self,
    ]

    /// A list with an inverse, and a list without one that cascades through links.
    final class Album: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var title: String
        @Attribute var year = 2000
        @Relationship(deleteRule: .cascade, inverse: \Track.album) var tracks: [Track]
        @Relationship(deleteRule: .cascade) var photos: [Photo]

        static let properties: PropertyMap<Album> = [
            "title": \.title, "year": \.year, "tracks": \.tracks, "photos": \.photos,
        ]
        static let indices: Indices<Album> = [[\.year, \.title]]
        let persistentBackingData: any BackingData<Album>
        init(backingData: any BackingData<Album>) { persistentBackingData = backingData }
        init(_ title: String) {
            persistentBackingData = Album.createBackingData()
            self.title = title
        }
    }

    final class Track: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var title: String
        @Attribute(.preserveValueOnDeletion) var seconds: Double = -0.0
        @Relationship var album: Album?
        @Relationship(inverse: \Tag.tracks) var tags: [Tag]

        static let properties: PropertyMap<Track> = [
            "title": \.title, "seconds": \.seconds, "album": \.album, "tags": \.tags,
        ]
        static let uniqueness: Uniqueness<Track> = [[\.title, \.seconds]]
        let persistentBackingData: any BackingData<Track>
        init(backingData: any BackingData<Track>) { persistentBackingData = backingData }
        init(_ title: String) {
            persistentBackingData = Track.createBackingData()
            self.title = title
        }
    }

    final class Tag: PersistentModel {
        @Attribute(.unique, .preserveValueOnDeletion) var name: String
        @Attribute(.preserveValueOnDeletion) var weight: Int?
        @Relationship var tracks: [Track]
        @Relationship(inverse: \Specimen.tags) var specimens: Set<Specimen>

        static let properties: PropertyMap<Tag> = [
            "name": \.name, "weight": \.weight, "tracks": \.tracks, "specimens": \.specimens,
        ]
        let persistentBackingData: any BackingData<Tag>
        init(backingData: any BackingData<Tag>) { persistentBackingData = backingData }
        init(_ name: String, weight: Int? = nil) {
            persistentBackingData = Tag.createBackingData()
            self.name = name
            self.weight = weight
        }
    }

    final class Photo: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var content: Data

        static let properties: PropertyMap<Photo> = ["content": \.content]
        let persistentBackingData: any BackingData<Photo>
        init(backingData: any BackingData<Photo>) { persistentBackingData = backingData }
        init(_ content: Data) {
            persistentBackingData = Photo.createBackingData()
            self.content = content
        }
    }

    /// To-one relationships, a pair, and relationships to the same class.
    final class Person: PersistentModel {
        @Attribute(.unique, .preserveValueOnDeletion) var code: String?
        @Attribute(.preserveValueOnDeletion) var name: String
        /// Its own inverse.
        @Relationship(inverse: Person.back) var friends: [Person]
        static var back: AnyKeyPath { \Person.friends }
        /// Without an inverse.
        @Relationship var idols: [Person]?
        @Relationship(inverse: \Person.previous) var next: Person?
        @Relationship var previous: Person?
        @Relationship var favourite: Track?

        static let properties: PropertyMap<Person> = [
            "code": \.code, "name": \.name, "friends": \.friends, "idols": \.idols, "next": \.next,
            "previous": \.previous, "favourite": \.favourite,
        ]
        let persistentBackingData: any BackingData<Person>
        init(backingData: any BackingData<Person>) { persistentBackingData = backingData }
        init(_ name: String, code: String? = nil) {
            persistentBackingData = Person.createBackingData()
            self.name = name
            self.code = code
        }
    }

    /// A required relationship.
    final class Ticket: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var price: Decimal
        @Relationship(inverse: \Badge.tickets) var badge: Badge

        static let properties: PropertyMap<Ticket> = ["price": \.price, "badge": \.badge]
        let persistentBackingData: any BackingData<Ticket>
        init(backingData: any BackingData<Ticket>) { persistentBackingData = backingData }
        init(_ price: Decimal, _ badge: Badge) {
            persistentBackingData = Ticket.createBackingData()
            self.price = price
            self.badge = badge
        }
    }

    /// An attribute with the name of the primary key.
    final class Badge: PersistentModel, Identifiable {
        @Attribute(.unique, .preserveValueOnDeletion) var id: String
        @Relationship(deleteRule: .cascade) var tickets: [Ticket]

        static let properties: PropertyMap<Badge> = ["id": \.id, "tickets": \.tickets]
        let persistentBackingData: any BackingData<Badge>
        init(backingData: any BackingData<Badge>) { persistentBackingData = backingData }
        init(_ id: String) {
            persistentBackingData = Badge.createBackingData()
            self.id = id
        }
    }

    /// The second version of ``EarlierFixtureModels/Note``: an attribute was renamed, several were removed, and one was
    /// added.
    final class Note: PersistentModel {
        @Attribute(.preserveValueOnDeletion, originalName: "text") var body: String
        @Attribute(.preserveValueOnDeletion) var mood: Specimen.Mood?
        @Attribute(.preserveValueOnDeletion) var rating = 3

        static let properties: PropertyMap<Note> = ["body": \.body, "mood": \.mood, "rating": \.rating]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
        init(_ body: String) {
            persistentBackingData = Note.createBackingData()
            self.body = body
        }
    }
}

/// The models of the first saves in the checked-in store files. Never change them either.
enum EarlierFixtureModels {
    static let types: [any PersistentModel.Type] = [Legacy.self, Note.self]

    final class Note: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var text: String
        @Attribute(.preserveValueOnDeletion) var rank = 0
        @Attribute(.preserveValueOnDeletion) var size = 0.0
        @Attribute(.preserveValueOnDeletion) var content = Data()
        @Attribute(.preserveValueOnDeletion) var isOpen = false
        @Attribute(.preserveValueOnDeletion) var labels: [String] = []
        @Attribute(.preserveValueOnDeletion) var day = Date(timeIntervalSinceReferenceDate: 0)
        @Attribute(.preserveValueOnDeletion) var mood: FixtureModels.Specimen.Mood?
        @Attribute var colour: String?

        static let properties: PropertyMap<Note> = [
            "text": \.text, "rank": \.rank, "size": \.size, "content": \.content, "isOpen": \.isOpen,
            "labels": \.labels, "day": \.day, "mood": \.mood, "colour": \.colour,
        ]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
        init(_ text: String) {
            persistentBackingData = Note.createBackingData()
            self.text = text
        }
    }

    /// An entity that the current version no longer has.
    final class Legacy: PersistentModel {
        @Attribute(.unique, .preserveValueOnDeletion) var name: String
        @Attribute(.preserveValueOnDeletion) var amount: Decimal?
        @Relationship var note: Note?

        static let properties: PropertyMap<Legacy> = ["name": \.name, "amount": \.amount, "note": \.note]
        let persistentBackingData: any BackingData<Legacy>
        init(backingData: any BackingData<Legacy>) { persistentBackingData = backingData }
        init(_ name: String) {
            persistentBackingData = Legacy.createBackingData()
            self.name = name
        }
    }
}
