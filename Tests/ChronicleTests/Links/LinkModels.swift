import Chronicle
import Foundation

/// Has every kind of relationship that is kept as links.
final class LinkItem: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var number = 0
    /// Both sides lead to many.
    @Relationship var tags: [LinkTag]
    /// Nothing leads back.
    @Relationship(deleteRule: .cascade) var photos: [LinkPhoto]
    @Relationship var covers: Set<LinkPhoto>
    @Relationship var sketches: [LinkPhoto]?
    /// Its own inverse.
    @Relationship(inverse: LinkItem.back) var friends: [LinkItem]
    static var back: AnyKeyPath { \LinkItem.friends }
    /// The same class, and nothing leads back.
    @Relationship var idols: [LinkItem]
    /// The same class, and another property leads back.
    @Relationship(inverse: \LinkItem.students) var teachers: [LinkItem]
    @Relationship var students: [LinkItem]

    static let properties: PropertyMap<LinkItem> = [
        "name": \.name, "number": \.number, "tags": \.tags, "photos": \.photos, "covers": \.covers,
        "sketches": \.sketches, "friends": \.friends, "idols": \.idols, "teachers": \.teachers, "students": \.students,
    ]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ name: String, tags: [LinkTag] = []) {
        persistentBackingData = BackingData()
        self.name = name
        self.tags = tags
    }
}

final class LinkTag: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var weight = 0
    @Relationship var items: [LinkItem]

    static let properties: PropertyMap<LinkTag> = ["name": \.name, "weight": \.weight, "items": \.items]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ name: String, weight: Int = 0) {
        persistentBackingData = BackingData()
        self.name = name
        self.weight = weight
    }
}

final class LinkPhoto: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String

    static let properties: PropertyMap<LinkPhoto> = ["name": \.name]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = BackingData()
        self.name = name
    }
}

extension ModelContext {
    func items() throws -> [LinkItem] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkItem.name)])) }
    func tags() throws -> [LinkTag] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkTag.name)])) }
    func photos() throws -> [LinkPhoto] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkPhoto.name)])) }
}

extension Sequence<LinkItem> {
    var names: [String] { map(\.name).sorted() }
}

extension Sequence<LinkTag> {
    var names: [String] { map(\.name).sorted() }
}

extension Sequence<LinkPhoto> {
    var names: [String] { map(\.name).sorted() }
}

extension TestStore {
    /// What a context finds that has seen nothing yet. It stays until the answer is there: models need their context.
    func reading<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        let context = context()
        return try withExtendedLifetime(context) { try body(context) }
    }
}
