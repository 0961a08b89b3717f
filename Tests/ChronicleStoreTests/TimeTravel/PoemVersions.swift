import Chronicle
import Foundation

/// A class of one of several versions of a schema. The versions have the same entities, so that one workload can use them
/// all.
protocol AnyPoem: PersistentModel {
    associatedtype Author: AnyPoet where Author.Poem == Self
    associatedtype Subject: AnyTheme where Subject.Poem == Self

    /// All classes of the version.
    static var models: [any PersistentModel.Type] { get }
    /// The name of the attribute that a version renames.
    static var titleName: String { get }
    /// The values of the attributes that earlier versions do not have.
    static var addedDefaults: [String: String] { get }
    /// The attributes of earlier versions that the version does not have.
    static var removedNames: [String] { get }

    init(code: String, title: String)
    var code: String { get set }
    var text: String { get set }
    var lines: Int { get set }
    var poet: Author? { get set }
    var themes: [Subject] { get set }
    /// Without an inverse.
    var echoes: [Subject] { get set }
    /// Without an inverse, of the same class.
    var sequels: [Self] { get set }
    /// The values of the attributes that not all versions have.
    var otherValues: [String: Any?] { get }

    /// Changes an attribute that not all versions have.
    func changeOther(_ number: Int)
    static func deleteAll(lines: Int, in context: ModelContext) throws
    static func updateAll(lines: Int, to new: Int, in context: ModelContext) throws
    /// Inserts a model of an entity that not all versions have.
    static func insertOther(_ number: Int, of poem: Self?, into context: ModelContext)
    static func others(in context: ModelContext) throws -> [(any PersistentModel, [String: Any?])]
}

protocol AnyPoet: PersistentModel {
    associatedtype Poem: AnyPoem
    init(name: String)
    var name: String { get set }
    var poems: [Poem] { get set }
}

protocol AnyTheme: PersistentModel {
    associatedtype Poem: AnyPoem
    init(name: String)
    var name: String { get set }
    var poems: [Poem] { get set }
}

extension AnyPoem {
    static var removedNames: [String] { [] }
    static func insertOther(_ number: Int, of poem: Self?, into context: ModelContext) {}
    static func others(in context: ModelContext) throws -> [(any PersistentModel, [String: Any?])] { [] }
}

/// The versions of the schema, oldest first.
enum PoemVersions {
    static let all: [any AnyPoem.Type] = [
        First.Poem.self, WithAddedAttribute.Poem.self, WithRenamedAttribute.Poem.self,
        WithRemovedAttributeAndAddedEntity.Poem.self,
    ]

    enum First {
        @Model final class Poem {
            #Unique<Poem>([\.code])
            #Index<Poem>([\.lines])
            var code: String
            var title: String
            var lines = 0
            var memo: String?
            var poet: Poet?
            var themes: [Theme] = []
            var echoes: [Theme] = []
            var sequels: [Poem] = []
            init(code: String, title: String) { (self.code, self.title) = (code, title) }
        }

        @Model final class Poet {
            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Poem.poet) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }

        @Model final class Theme {
            var name: String
            @Relationship(inverse: \Poem.themes) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }
    }

    enum WithAddedAttribute {
        @Model final class Poem {
            #Unique<Poem>([\.code])
            #Index<Poem>([\.lines])
            var code: String
            var title: String
            var lines = 0
            var memo: String?
            var stars = 3
            var poet: Poet?
            var themes: [Theme] = []
            var echoes: [Theme] = []
            var sequels: [Poem] = []
            init(code: String, title: String) { (self.code, self.title) = (code, title) }
        }

        @Model final class Poet {
            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Poem.poet) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }

        @Model final class Theme {
            var name: String
            @Relationship(inverse: \Poem.themes) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }
    }

    enum WithRenamedAttribute {
        @Model final class Poem {
            #Unique<Poem>([\.code])
            #Index<Poem>([\.lines])
            var code: String
            @Attribute(originalName: "title") var heading: String
            var lines = 0
            var memo: String?
            var stars = 3
            var poet: Poet?
            var themes: [Theme] = []
            var echoes: [Theme] = []
            var sequels: [Poem] = []
            init(code: String, title: String) { (self.code, self.heading) = (code, title) }
        }

        @Model final class Poet {
            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Poem.poet) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }

        @Model final class Theme {
            var name: String
            @Relationship(inverse: \Poem.themes) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }
    }

    enum WithRemovedAttributeAndAddedEntity {
        @Model final class Poem {
            #Unique<Poem>([\.code])
            #Index<Poem>([\.lines])
            var code: String
            @Attribute(originalName: "title") var heading: String
            var lines = 0
            var stars = 3
            var poet: Poet?
            var themes: [Theme] = []
            var echoes: [Theme] = []
            var sequels: [Poem] = []
            @Relationship(deleteRule: .cascade, inverse: \Review.poem) var reviews: [Review] = []
            init(code: String, title: String) { (self.code, self.heading) = (code, title) }
        }

        @Model final class Review {
            var words: String
            var poem: Poem?
            init(words: String, poem: Poem?) { (self.words, self.poem) = (words, poem) }
        }

        @Model final class Poet {
            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Poem.poet) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }

        @Model final class Theme {
            var name: String
            @Relationship(inverse: \Poem.themes) var poems: [Poem] = []
            init(name: String) { self.name = name }
        }
    }
}

extension PoemVersions.First.Poet: AnyPoet {}
extension PoemVersions.First.Theme: AnyTheme {}
extension PoemVersions.WithAddedAttribute.Poet: AnyPoet {}
extension PoemVersions.WithAddedAttribute.Theme: AnyTheme {}
extension PoemVersions.WithRenamedAttribute.Poet: AnyPoet {}
extension PoemVersions.WithRenamedAttribute.Theme: AnyTheme {}
extension PoemVersions.WithRemovedAttributeAndAddedEntity.Poet: AnyPoet {}
extension PoemVersions.WithRemovedAttributeAndAddedEntity.Theme: AnyTheme {}

// Key paths of a protocol are not those of a class, so each class has its own batch operations.

extension PoemVersions.First.Poem: AnyPoem {
    static var models: [any PersistentModel.Type] {
        [Self.self, PoemVersions.First.Poet.self, PoemVersions.First.Theme.self]
    }
    static var titleName: String { "title" }
    static var addedDefaults: [String: String] { [:] }
    var text: String {
        get { title }
        set { title = newValue }
    }
    var otherValues: [String: Any?] { ["memo": memo] }

    func changeOther(_ number: Int) { memo = number % 3 == 0 ? nil : "m\(number)" }
    static func deleteAll(lines: Int, in context: ModelContext) throws {
        try context.delete(model: PoemVersions.First.Poem.self, where: #Predicate { $0.lines == lines })
    }
    static func updateAll(lines: Int, to new: Int, in context: ModelContext) throws {
        try context.update(
            model: PoemVersions.First.Poem.self, where: #Predicate { $0.lines == lines }, set: \.lines, to: new)
    }
}

extension PoemVersions.WithAddedAttribute.Poem: AnyPoem {
    static var models: [any PersistentModel.Type] {
        [Self.self, PoemVersions.WithAddedAttribute.Poet.self, PoemVersions.WithAddedAttribute.Theme.self]
    }
    static var titleName: String { "title" }
    static var addedDefaults: [String: String] { ["stars": "3"] }
    var text: String {
        get { title }
        set { title = newValue }
    }
    var otherValues: [String: Any?] { ["memo": memo, "stars": stars] }

    func changeOther(_ number: Int) {
        if number % 2 == 0 { memo = number % 3 == 0 ? nil : "m\(number)" } else { stars = number % 5 }
    }
    static func deleteAll(lines: Int, in context: ModelContext) throws {
        try context.delete(model: PoemVersions.WithAddedAttribute.Poem.self, where: #Predicate { $0.lines == lines })
    }
    static func updateAll(lines: Int, to new: Int, in context: ModelContext) throws {
        try context.update(
            model: PoemVersions.WithAddedAttribute.Poem.self, where: #Predicate { $0.lines == lines }, set: \.lines,
            to: new)
    }
}

extension PoemVersions.WithRenamedAttribute.Poem: AnyPoem {
    static var models: [any PersistentModel.Type] {
        [Self.self, PoemVersions.WithRenamedAttribute.Poet.self, PoemVersions.WithRenamedAttribute.Theme.self]
    }
    static var titleName: String { "heading" }
    static var addedDefaults: [String: String] { ["stars": "3"] }
    var text: String {
        get { heading }
        set { heading = newValue }
    }
    var otherValues: [String: Any?] { ["memo": memo, "stars": stars] }

    func changeOther(_ number: Int) {
        if number % 2 == 0 { memo = number % 3 == 0 ? nil : "m\(number)" } else { stars = number % 5 }
    }
    static func deleteAll(lines: Int, in context: ModelContext) throws {
        try context.delete(model: PoemVersions.WithRenamedAttribute.Poem.self, where: #Predicate { $0.lines == lines })
    }
    static func updateAll(lines: Int, to new: Int, in context: ModelContext) throws {
        try context.update(
            model: PoemVersions.WithRenamedAttribute.Poem.self, where: #Predicate { $0.lines == lines }, set: \.lines,
            to: new)
    }
}

extension PoemVersions.WithRemovedAttributeAndAddedEntity.Poem: AnyPoem {
    private typealias Version = PoemVersions.WithRemovedAttributeAndAddedEntity
    static var models: [any PersistentModel.Type] {
        [Self.self, Version.Poet.self, Version.Theme.self, Version.Review.self]
    }
    static var removedNames: [String] { ["memo"] }
    static var titleName: String { "heading" }
    static var addedDefaults: [String: String] { ["stars": "3"] }
    var text: String {
        get { heading }
        set { heading = newValue }
    }
    var otherValues: [String: Any?] { ["stars": stars] }

    func changeOther(_ number: Int) { stars = number % 5 }
    static func deleteAll(lines: Int, in context: ModelContext) throws {
        try context.delete(model: Version.Poem.self, where: #Predicate { $0.lines == lines })
    }
    static func updateAll(lines: Int, to new: Int, in context: ModelContext) throws {
        try context.update(
            model: Version.Poem.self, where: #Predicate { $0.lines == lines }, set: \.lines, to: new)
    }
    static func insertOther(
        _ number: Int, of poem: PoemVersions.WithRemovedAttributeAndAddedEntity.Poem?, into context: ModelContext
    ) {
        context.insert(Version.Review(words: "w\(number)", poem: poem))
    }
    static func others(in context: ModelContext) throws -> [(any PersistentModel, [String: Any?])] {
        try context.fetch(FetchDescriptor<Version.Review>()).map { review in
            (review, ["words": review.words, "poem": review.poem?.persistentModelID])
        }
    }
}
