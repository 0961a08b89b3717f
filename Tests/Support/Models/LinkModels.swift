package import Chronicle
import Foundation

/// A model with every kind of relationship that is stored as links.
package final class LinkItem: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String
    @Attribute package var number = 0
    /// Many to many.
    @Relationship package var tags: [LinkTag]
    /// Without an inverse.
    @Relationship(deleteRule: .cascade) package var photos: [LinkPhoto]
    @Relationship package var covers: Set<LinkPhoto>
    @Relationship package var sketches: [LinkPhoto]?
    /// Its own inverse.
    @Relationship(inverse: LinkItem.back) package var friends: [LinkItem]
    package static var back: AnyKeyPath { \LinkItem.friends }
    /// To its own class, without an inverse.
    @Relationship package var idols: [LinkItem]
    /// To its own class, with another property as its inverse.
    @Relationship(inverse: \LinkItem.students) package var teachers: [LinkItem]
    @Relationship package var students: [LinkItem]

    package static let properties: PropertyMap<LinkItem> = [
        "name": \.name, "number": \.number, "tags": \.tags, "photos": \.photos, "covers": \.covers,
        "sketches": \.sketches, "friends": \.friends, "idols": \.idols, "teachers": \.teachers, "students": \.students,
    ]
    package let persistentBackingData: any BackingData<LinkItem>
    package init(backingData: any BackingData<LinkItem>) { persistentBackingData = backingData }
    package init(_ name: String, tags: [LinkTag] = []) {
        persistentBackingData = LinkItem.createBackingData()
        self.name = name
        self.tags = tags
    }
}

package final class LinkTag: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String
    @Attribute package var weight = 0
    @Relationship package var items: [LinkItem]

    package static let properties: PropertyMap<LinkTag> = ["name": \.name, "weight": \.weight, "items": \.items]
    package let persistentBackingData: any BackingData<LinkTag>
    package init(backingData: any BackingData<LinkTag>) { persistentBackingData = backingData }
    package init(_ name: String, weight: Int = 0) {
        persistentBackingData = LinkTag.createBackingData()
        self.name = name
        self.weight = weight
    }
}

package final class LinkPhoto: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String

    package static let properties: PropertyMap<LinkPhoto> = ["name": \.name]
    package let persistentBackingData: any BackingData<LinkPhoto>
    package init(backingData: any BackingData<LinkPhoto>) { persistentBackingData = backingData }
    package init(_ name: String) {
        persistentBackingData = LinkPhoto.createBackingData()
        self.name = name
    }
}

extension ModelContext {
    package func items() throws -> [LinkItem] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkItem.name)])) }
    package func linkTags() throws -> [LinkTag] { try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkTag.name)])) }
    package func photos() throws -> [LinkPhoto] {
        try fetch(FetchDescriptor(sortBy: [SortDescriptor(\LinkPhoto.name)]))
    }
}

extension Sequence<LinkItem> {
    package var names: [String] { map(\.name).sorted() }
}

extension Sequence<LinkTag> {
    package var names: [String] { map(\.name).sorted() }
}

extension Sequence<LinkPhoto> {
    package var names: [String] { map(\.name).sorted() }
}

extension TestStore {
    /// What a new context fetches. It exists until the body returns, because models need their context.
    package func reading<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        let context = context()
        return try withExtendedLifetime(context) { try body(context) }
    }
}
