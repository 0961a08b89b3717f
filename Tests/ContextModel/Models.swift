package import Chronicle
package import Foundation

/// A string enumeration, which is stored as text.
package enum ModelLevel: String, Codable, CaseIterable { case low, middle, high }

/// A structure, which is stored in encoded form.
package struct ModelInfo: Codable, Hashable, Sendable { var text: String, number: Int? }

/// Owns items, which a delete deletes, and denies its delete while notes reference it.
@Model package final class ModelFolder {
    package var key: String
    package var name = ""
    package var size: Int?
    package var info: ModelInfo?
    @Relationship(deleteRule: .cascade, inverse: \ModelItem.folder) package var items: [ModelItem] = []
    @Relationship(deleteRule: .deny, inverse: \ModelNote.folder) package var notes: [ModelNote] = []
    package init(key: String) { self.key = key }
}

/// Owns a badge, which a delete deletes, is referenced by notes, and is linked to tags.
@Model package final class ModelItem {
    package var key: String
    package var name = ""
    package var rank = 0
    package var level = ModelLevel.low
    package var folder: ModelFolder?
    @Relationship(deleteRule: .cascade, inverse: \ModelBadge.item) package var badge: ModelBadge?
    @Relationship(inverse: \ModelNote.item) package var notes: [ModelNote] = []
    @Relationship(inverse: \ModelTag.items) package var tags: [ModelTag] = []
    package init(key: String) { self.key = key }
}

/// References an item and a folder.
@Model package final class ModelNote {
    package var key: String
    package var name = ""
    package var rank = 0
    package var item: ModelItem?
    package var folder: ModelFolder?
    package init(key: String) { self.key = key }
}

/// Belongs to at most one item.
@Model package final class ModelBadge {
    package var key: String
    package var name = ""
    package var item: ModelItem?
    package init(key: String) { self.key = key }
}

/// Linked to items, with a unique code: inserting a tag with the code of a row updates the row.
@Model package final class ModelTag {
    package var key: String
    @Attribute(.unique) package var code: String
    package var rank = 0
    package var level: ModelLevel?
    package var items: [ModelItem] = []
    package init(key: String) { (self.key, code) = (key, "code \(key)") }
}

/// Stored in another store than the other models, if there are several.
@Model package final class ModelLog {
    package var key: String
    package var name = ""
    package var rank = 0
    package init(key: String) { self.key = key }
}

/// Access to the properties of a test model by name.
package protocol TestModel: PersistentModel {
    static var entity: Entity { get }
    var key: String { get set }
    init(key: String)
    /// The key paths of the attributes and relationships.
    static var members: [Member<Self>] { get }
    static var keyPath: any KeyPath<Self, String> & Sendable { get }
    static var namePath: any KeyPath<Self, String> & Sendable { get }
    /// A to-one relationship, and the name of its destination.
    static var destination: (name: String, path: any KeyPath<Self, String?> & Sendable)? { get }
    static func predicate(_ query: Query) -> Predicate<Self>?
}

/// A property of a test model.
package enum Member<Model> {
    case text(String, ReferenceWritableKeyPath<Model, String>)
    case int(String, ReferenceWritableKeyPath<Model, Int>)
    case optionalInt(String, ReferenceWritableKeyPath<Model, Int?>)
    case level(String, ReferenceWritableKeyPath<Model, ModelLevel>)
    case optionalLevel(String, ReferenceWritableKeyPath<Model, ModelLevel?>)
    case info(String, ReferenceWritableKeyPath<Model, ModelInfo?>)
    case toFolder(String, ReferenceWritableKeyPath<Model, ModelFolder?>)
    case toItem(String, ReferenceWritableKeyPath<Model, ModelItem?>)
    case toBadge(String, ReferenceWritableKeyPath<Model, ModelBadge?>)
    case items(String, ReferenceWritableKeyPath<Model, [ModelItem]>)
    case notes(String, ReferenceWritableKeyPath<Model, [ModelNote]>)
    case tags(String, ReferenceWritableKeyPath<Model, [ModelTag]>)

    /// The key path of a relationship.
    var relationship: (any PartialKeyPath<Model> & Sendable)? {
        let path: PartialKeyPath<Model>? =
            switch self {
            case .toFolder(_, let path): path
            case .toItem(_, let path): path
            case .toBadge(_, let path): path
            case .items(_, let path): path
            case .notes(_, let path): path
            case .tags(_, let path): path
            default: nil
            }
        // Key paths of properties are sendable.
        return path.map { unsafeBitCast($0, to: (any PartialKeyPath<Model> & Sendable).self) }
    }

    var name: String {
        switch self {
        case .text(let name, _), .int(let name, _), .optionalInt(let name, _), .level(let name, _),
            .optionalLevel(let name, _), .info(let name, _), .toFolder(let name, _), .toItem(let name, _),
            .toBadge(let name, _), .items(let name, _), .notes(let name, _), .tags(let name, _):
            name
        }
    }
}

extension TestModel {
    private func member(_ name: String) -> Member<Self> {
        guard let member = Self.members.first(where: { $0.name == name }) else { fatalError("no property \(name)") }
        return member
    }

    /// Returns the value of an attribute.
    func attribute(_ name: String) -> Value {
        switch member(name) {
        case .text(_, let path): .text(self[keyPath: path])
        case .int(_, let path): .int(self[keyPath: path])
        case .optionalInt(_, let path): self[keyPath: path].map(Value.int) ?? .null
        case .level(_, let path): .text(self[keyPath: path].rawValue)
        case .optionalLevel(_, let path): (self[keyPath: path]?.rawValue).map(Value.text) ?? .null
        case .info(_, let path): self[keyPath: path].map { .text($0.text) } ?? .null
        default: fatalError("\(name) is a relationship")
        }
    }

    func setAttribute(_ name: String, _ value: Value) {
        switch member(name) {
        case .text(_, let path): self[keyPath: path] = value.text ?? ""
        case .int(_, let path): self[keyPath: path] = value.int ?? 0
        case .optionalInt(_, let path): self[keyPath: path] = value.int
        case .level(_, let path): self[keyPath: path] = ModelLevel(rawValue: value.text ?? "") ?? .low
        case .optionalLevel(_, let path): self[keyPath: path] = value.text.flatMap(ModelLevel.init)
        case .info(_, let path):
            self[keyPath: path] = value.text.map { ModelInfo(text: $0, number: $0.count.isMultiple(of: 2) ? nil : 1) }
        default: fatalError("\(name) is a relationship")
        }
    }

    /// Returns the destination of a to-one relationship.
    func destination(_ name: String) -> (any TestModel)? {
        switch member(name) {
        case .toFolder(_, let path): self[keyPath: path]
        case .toItem(_, let path): self[keyPath: path]
        case .toBadge(_, let path): self[keyPath: path]
        default: fatalError("\(name) is not a to-one relationship")
        }
    }

    func setDestination(_ name: String, _ model: (any TestModel)?) {
        switch member(name) {
        case .toFolder(_, let path): self[keyPath: path] = model as? ModelFolder
        case .toItem(_, let path): self[keyPath: path] = model as? ModelItem
        case .toBadge(_, let path): self[keyPath: path] = model as? ModelBadge
        default: fatalError("\(name) is not a to-one relationship")
        }
    }

    /// Returns the destinations of a to-many relationship.
    func list(_ name: String) -> [any TestModel] {
        switch member(name) {
        case .items(_, let path): self[keyPath: path]
        case .notes(_, let path): self[keyPath: path]
        case .tags(_, let path): self[keyPath: path]
        default: fatalError("\(name) is not a to-many relationship")
        }
    }

    func setList(_ name: String, _ models: [any TestModel]) {
        switch member(name) {
        case .items(_, let path): self[keyPath: path] = models.compactMap { $0 as? ModelItem }
        case .notes(_, let path): self[keyPath: path] = models.compactMap { $0 as? ModelNote }
        case .tags(_, let path): self[keyPath: path] = models.compactMap { $0 as? ModelTag }
        default: fatalError("\(name) is not a to-many relationship")
        }
    }

    /// Appends to a to-many relationship in place.
    func append(_ name: String, _ model: any TestModel) {
        switch (member(name), model) {
        case (.items(_, let path), let model as ModelItem): self[keyPath: path].append(model)
        case (.notes(_, let path), let model as ModelNote): self[keyPath: path].append(model)
        case (.tags(_, let path), let model as ModelTag): self[keyPath: path].append(model)
        default: fatalError("\(name) is not a to-many relationship")
        }
    }

    /// Removes from a to-many relationship in place.
    func remove(_ name: String, _ model: any TestModel) {
        switch member(name) {
        case .items(_, let path): self[keyPath: path].removeAll { $0 === model }
        case .notes(_, let path): self[keyPath: path].removeAll { $0 === model }
        case .tags(_, let path): self[keyPath: path].removeAll { $0 === model }
        default: fatalError("\(name) is not a to-many relationship")
        }
    }

    static func fresh(_ key: String) -> any TestModel { Self(key: key) }
}

extension ModelFolder: TestModel {
    package static let entity = Entity.folder
    package static var keyPath: any KeyPath<ModelFolder, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelFolder, String> & Sendable { \.name }
    package static var destination: (name: String, path: any KeyPath<ModelFolder, String?> & Sendable)? { nil }
    package static var members: [Member<ModelFolder>] {
        [
            .text("key", \.key), .text("name", \.name), .optionalInt("size", \.size), .info("info", \.info),
            .items("items", \.items), .notes("notes", \.notes),
        ]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelFolder>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name: return #Predicate { $0.name == text }
        case .number: return #Predicate { $0.size == number }
        case .optional: return #Predicate { $0.size == nil }
        case .other: return #Predicate { $0.info?.text == text }
        case .toOne: return #Predicate { $0.items.contains { $0.name == text } }
        case .toMany: return #Predicate { $0.items.isEmpty }
        case .count: return #Predicate { $0.items.count == number }
        }
    }
}

extension ModelItem: TestModel {
    package static let entity = Entity.item
    package static var keyPath: any KeyPath<ModelItem, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelItem, String> & Sendable { \.name }
    package static var destination: (name: String, path: any KeyPath<ModelItem, String?> & Sendable)? {
        ("folder", \.folder?.name)
    }
    package static var members: [Member<ModelItem>] {
        [
            .text("key", \.key), .text("name", \.name), .int("rank", \.rank), .level("level", \.level),
            .toFolder("folder", \.folder), .toBadge("badge", \.badge), .notes("notes", \.notes), .tags("tags", \.tags),
        ]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelItem>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name: return #Predicate { $0.name == text }
        case .number: return #Predicate { $0.rank < number }
        case .optional: return #Predicate { $0.folder == nil }
        case .other: return #Predicate { $0.badge != nil }
        case .toOne: return #Predicate { $0.folder?.name == text }
        case .toMany: return #Predicate { $0.tags.contains { $0.rank == number } }
        case .count: return #Predicate { $0.notes.isEmpty }
        }
    }
}

extension ModelNote: TestModel {
    package static let entity = Entity.note
    package static var keyPath: any KeyPath<ModelNote, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelNote, String> & Sendable { \.name }
    package static var destination: (name: String, path: any KeyPath<ModelNote, String?> & Sendable)? {
        ("item", \.item?.name)
    }
    package static var members: [Member<ModelNote>] {
        [
            .text("key", \.key), .text("name", \.name), .int("rank", \.rank), .toItem("item", \.item),
            .toFolder("folder", \.folder),
        ]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelNote>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name: return #Predicate { $0.name == text }
        case .number: return #Predicate { $0.rank < number }
        case .optional: return #Predicate { $0.item == nil }
        case .other: return #Predicate { $0.folder == nil || $0.rank == number }
        case .toOne: return #Predicate { $0.item?.name == text }
        case .toMany: return #Predicate { $0.item?.folder?.name == text }
        case .count: return #Predicate { $0.folder?.size == number }
        }
    }
}

extension ModelBadge: TestModel {
    package static let entity = Entity.badge
    package static var keyPath: any KeyPath<ModelBadge, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelBadge, String> & Sendable { \.name }
    package static var destination: (name: String, path: any KeyPath<ModelBadge, String?> & Sendable)? {
        ("item", \.item?.name)
    }
    package static var members: [Member<ModelBadge>] {
        [.text("key", \.key), .text("name", \.name), .toItem("item", \.item)]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelBadge>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name, .number: return #Predicate { $0.name == text }
        case .optional, .other: return #Predicate { $0.item == nil }
        case .toOne: return #Predicate { $0.item?.name == text }
        case .toMany, .count: return #Predicate { $0.item?.rank == number }
        }
    }
}

extension ModelTag: TestModel {
    package static let entity = Entity.tag
    package static var keyPath: any KeyPath<ModelTag, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelTag, String> & Sendable { \.code }
    package static var destination: (name: String, path: any KeyPath<ModelTag, String?> & Sendable)? { nil }
    package static var members: [Member<ModelTag>] {
        [
            .text("key", \.key), .text("code", \.code), .int("rank", \.rank), .optionalLevel("level", \.level),
            .items("items", \.items),
        ]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelTag>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name: return #Predicate { $0.code == text }
        case .number: return #Predicate { $0.rank < number }
        case .optional, .other: return #Predicate { $0.rank == number || $0.code == text }
        case .toOne: return #Predicate { $0.items.contains { $0.name == text } }
        case .toMany: return #Predicate { $0.items.isEmpty }
        case .count: return #Predicate { $0.items.count == number }
        }
    }
}

extension ModelLog: TestModel {
    package static let entity = Entity.log
    package static var keyPath: any KeyPath<ModelLog, String> & Sendable { \.key }
    package static var namePath: any KeyPath<ModelLog, String> & Sendable { \.name }
    package static var destination: (name: String, path: any KeyPath<ModelLog, String?> & Sendable)? { nil }
    package static var members: [Member<ModelLog>] {
        [.text("key", \.key), .text("name", \.name), .int("rank", \.rank)]
    }
    package static func predicate(_ query: Query) -> Predicate<ModelLog>? {
        let (text, number) = (query.text, query.number)
        switch query.kind {
        case .all: return nil
        case .name, .optional, .toOne: return #Predicate { $0.name == text }
        case .number, .other, .toMany, .count: return #Predicate { $0.rank < number }
        }
    }
}
