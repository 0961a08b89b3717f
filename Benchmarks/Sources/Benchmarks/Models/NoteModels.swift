import Chronicle

/// A model with every kind of relationship except one without an inverse: one-to-many with both delete rules, and
/// one-to-one.
@Model
final class Folder {
    var name: String
    @Relationship(inverse: \Note.folder) var notes: [Note] = []
    @Relationship(deleteRule: .cascade, inverse: \Page.folder) var pages: [Page] = []
    @Relationship(inverse: \Cover.folder) var cover: Cover?

    init(_ name: String = "Travel") { self.name = name }
}

@Model
final class Note {
    var number: Int
    var folder: Folder?
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []

    init(_ number: Int) { self.number = number }
}

/// Deleted together with its folder.
@Model
final class Page {
    var number: Int
    var folder: Folder?

    init(_ number: Int) { self.number = number }
}

@Model
final class Cover {
    var number: Int
    var folder: Folder?

    init(_ number: Int) { self.number = number }
}

/// Related to notes through links: many-to-many.
@Model
final class Tag {
    var number: Int
    var notes: [Note] = []

    init(_ number: Int) { self.number = number }
}
