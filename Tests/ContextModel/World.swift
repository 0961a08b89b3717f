/// A value of a property in the reference. A to-one relationship has the number of its destination.
package enum Value: Hashable, Sendable {
    case null, int(Int), text(String), model(Int)

    var int: Int? { if case .int(let int) = self { int } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var model: Int? { if case .model(let model) = self { model } else { nil } }
}

/// The classes of the test, with their attributes and relationships.
package enum Entity: String, CaseIterable, Sendable {
    case folder, item, note, badge, tag, log

    var type: any TestModel.Type {
        switch self {
        case .folder: ModelFolder.self
        case .item: ModelItem.self
        case .note: ModelNote.self
        case .badge: ModelBadge.self
        case .tag: ModelTag.self
        case .log: ModelLog.self
        }
    }

    /// The name of the class.
    var name: String { "Model" + rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    init?(name: String) { self.init(rawValue: name.dropFirst("Model".count).lowercased()) }

    /// The attributes that the test sets.
    var attributes: [String] {
        switch self {
        case .folder: ["name", "size", "info"]
        case .item: ["name", "rank", "level"]
        case .note, .log: ["name", "rank"]
        case .badge: ["name"]
        case .tag: ["rank", "level"]
        }
    }

    var references: [Reference] { Reference.all.filter { $0.entity == self } }

    /// The classes with rows that deletes of this class may delete or change.
    var affectedByDeletes: Set<Entity> {
        var entities: Set = [self]
        func referring(_ isIncluded: (Reference) -> Bool) -> Set<Entity> {
            Set(Reference.all.filter { entities.contains($0.destination) && isIncluded($0) }.map(\.entity))
        }
        while true {
            let deleted = entities.union(referring { $0.rule == .cascade })
            if deleted == entities { break }
            entities = deleted
        }
        return entities.union(referring { _ in true })
    }

    /// The to-many relationships whose inverse is to-one.
    var lists: [List] { List.all.filter { $0.entity == self } }

    var links: String? {
        switch self {
        case .item: "tags"
        case .tag: "items"
        default: nil
        }
    }
}

package enum DeleteRule: Sendable { case cascade, nullify, deny }

/// A to-one relationship.
package struct Reference: Hashable, Sendable {
    let entity: Entity
    let name: String
    let destination: Entity
    /// What a delete of the destination does.
    let rule: DeleteRule
    /// The name of the inverse, if it is to-one.
    var inverse: String?

    static let all = [
        Reference(entity: .item, name: "folder", destination: .folder, rule: .cascade),
        Reference(entity: .item, name: "badge", destination: .badge, rule: .nullify, inverse: "item"),
        Reference(entity: .note, name: "item", destination: .item, rule: .nullify),
        Reference(entity: .note, name: "folder", destination: .folder, rule: .deny),
        Reference(entity: .badge, name: "item", destination: .item, rule: .cascade, inverse: "badge"),
    ]

    static func named(_ name: String, of entity: Entity) -> Reference {
        all.first { $0.entity == entity && $0.name == name }!
    }
}

/// A to-many relationship whose inverse is to-one.
package struct List: Hashable, Sendable {
    let entity: Entity
    let name: String
    let inverse: Reference

    static let all = [
        List(entity: .folder, name: "items", inverse: .named("folder", of: .item)),
        List(entity: .folder, name: "notes", inverse: .named("folder", of: .note)),
        List(entity: .item, name: "notes", inverse: .named("item", of: .note)),
    ]
}

/// A row: its class and its values.
package struct Row: Hashable, Sendable {
    var entity: Entity
    var values: [String: Value]

    /// The values of a new model.
    init(_ entity: Entity, key: String) {
        self.entity = entity
        values = ["key": .text(key)]
        switch entity {
        case .folder: values.merge(["name": .text(""), "size": .null, "info": .null]) { $1 }
        case .item: values.merge(["name": .text(""), "rank": .int(0), "level": .text("low")]) { $1 }
        case .note, .log: values.merge(["name": .text(""), "rank": .int(0)]) { $1 }
        case .badge: values.merge(["name": .text("")]) { $1 }
        case .tag: values.merge(["code": .text("code \(key)"), "rank": .int(0), "level": .null]) { $1 }
        }
        for reference in entity.references { values[reference.name] = .null }
    }

    subscript(name: String) -> Value {
        get { values[name] ?? .null }
        set { values[name] = newValue }
    }
}

/// A link between an item and a tag.
package struct Link: Hashable, Sendable {
    let item: Int
    let tag: Int

    func contains(_ model: Int) -> Bool { item == model || tag == model }
}

/// The committed rows and links.
package struct World: Equatable, Sendable {
    var rows: [Int: Row] = [:]
    var links: Set<Link> = []

    /// Deletes rows with everything that the delete rules of the rows require.
    ///
    /// - Returns: The deleted rows, or `nil` if a rule denies the delete.
    mutating func delete(_ models: some Sequence<Int>) -> Set<Int>? {
        var waiting = models.filter { rows[$0] != nil }
        var deleted = Set(waiting)
        while let model = waiting.popLast() {
            for (other, row) in rows {
                for reference in row.entity.references
                where reference.rule == .cascade && row[reference.name] == .model(model) {
                    if deleted.insert(other).inserted { waiting.append(other) }
                }
            }
        }
        for model in deleted { rows[model] = nil }
        for (other, row) in rows {
            for reference in row.entity.references {
                guard let model = row[reference.name].model, deleted.contains(model) else { continue }
                if reference.rule == .deny { return nil }
                rows[other]?[reference.name] = .null
            }
        }
        links = links.filter { !deleted.contains($0.item) && !deleted.contains($0.tag) }
        return deleted
    }

    /// What the history has to record for the changes up to another state: inserted and deleted rows, and the names of
    /// the changed properties.
    func changes(to other: World) -> [Int: Change] {
        var changes: [Int: Change] = [:]
        for (model, row) in rows {
            guard let now = other.rows[model] else {
                changes[model] = .delete
                continue
            }
            let names = row.values.keys.filter { row[$0] != now[$0] }
            if !names.isEmpty { changes[model] = .update(Set(names)) }
        }
        for model in other.rows.keys where rows[model] == nil { changes[model] = .insert }
        for link in links.symmetricDifference(other.links) {
            for (model, name) in [(link.item, "tags"), (link.tag, "items")] {
                switch changes[model] {
                case nil: changes[model] = .update([name])
                case .update(let names): changes[model] = .update(names.union([name]))
                default: break
                }
            }
        }
        return changes
    }

    enum Change: Hashable { case insert, delete, update(Set<String>) }

    /// Returns the state in which the differences between two earlier states are reversed.
    ///
    /// - Returns: `nil` if a row or link that differs was changed since, or if the result breaks a rule.
    func replacing(_ before: World, by after: World) -> World? {
        if self == before { return after }
        var result = self
        for number in Set(before.rows.keys).union(after.rows.keys) where before.rows[number] != after.rows[number] {
            guard rows[number] == before.rows[number] else { return nil }
            result.rows[number] = after.rows[number]
        }
        for link in before.links.symmetricDifference(after.links) {
            guard links.contains(link) == before.links.contains(link) else { return nil }
            if after.links.contains(link) { result.links.insert(link) } else { result.links.remove(link) }
        }
        return result.isConsistent ? result : nil
    }

    /// Whether references and links have destinations, both sides of one-to-one relationships agree, and codes are unique.
    private var isConsistent: Bool {
        var codes: Set<Value> = []
        for (number, row) in rows {
            if row.entity == .tag, !codes.insert(row["code"]).inserted { return false }
            for reference in row.entity.references {
                guard let model = row[reference.name].model else { continue }
                guard let other = rows[model] else { return false }
                if let inverse = reference.inverse, other[inverse] != .model(number) { return false }
            }
        }
        return links.allSatisfy { rows[$0.item] != nil && rows[$0.tag] != nil }
    }
}

/// The predicate of a fetch.
package struct Query: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable { case all, name, number, optional, other, toOne, toMany, count }

    let entity: Entity
    let kind: Kind
    var text = "a"
    var number = 1

    package var description: String {
        "\(entity) where \(kind.rawValue) (text \"\(text)\", number \(number))"
    }

    /// Whether the predicate reads properties of other models.
    var crossesRelationship: Bool {
        switch (entity, kind) {
        case (.log, _), (_, .all), (_, .name), (_, .number), (_, .optional), (_, .other): false
        default: true
        }
    }

    /// Returns whether a model matches.
    ///
    /// - Parameter view: The values of all models.
    func matches(_ model: Int, in view: World) -> Bool {
        guard let row = view.rows[model], row.entity == entity else { return false }
        func target(_ name: String) -> Row? { row[name].model.flatMap { view.rows[$0] } }
        func members(_ entity: Entity, _ name: String) -> [Row] {
            view.rows.values.filter { $0.entity == entity && $0[name] == .model(model) }
        }
        func linked() -> [Row] {
            view.links.filter { $0.contains(model) }.compactMap { view.rows[$0.item == model ? $0.tag : $0.item] }
        }
        let (text, number) = (Value.text(text), self.number)
        switch (entity, kind) {
        case (_, .all): return true
        case (.log, .name), (.log, .optional), (.log, .toOne): return row["name"] == text
        case (.log, _): return row["rank"].int! < number
        case (.folder, .name), (.item, .name), (.note, .name), (.badge, .name), (.badge, .number):
            return row["name"] == text
        case (.folder, .number): return row["size"] == .int(number)
        case (.folder, .optional): return row["size"] == .null
        case (.folder, .other): return row["info"] == text
        case (.folder, .toOne): return members(.item, "folder").contains { $0["name"] == text }
        case (.folder, .toMany): return members(.item, "folder").isEmpty
        case (.folder, .count): return members(.item, "folder").count == number
        case (.item, .number), (.note, .number), (.tag, .number): return row["rank"].int! < number
        case (.item, .optional): return row["folder"] == .null
        case (.item, .other): return row["badge"] != .null
        case (.item, .toOne): return target("folder")?["name"] == text
        case (.item, .toMany): return linked().contains { $0["rank"] == .int(number) }
        case (.item, .count): return !view.rows.values.contains { $0.entity == .note && $0["item"] == .model(model) }
        case (.note, .optional): return row["item"] == .null
        case (.note, .other): return row["folder"] == .null || row["rank"] == .int(number)
        case (.note, .toOne): return target("item")?["name"] == text
        case (.note, .toMany):
            return target("item").flatMap { $0["folder"].model }.flatMap { view.rows[$0] }?["name"] == text
        case (.note, .count): return target("folder")?["size"] == .int(number)
        case (.badge, .optional), (.badge, .other): return row["item"] == .null
        case (.badge, .toOne): return target("item")?["name"] == text
        case (.badge, .toMany), (.badge, .count): return target("item")?["rank"] == .int(number)
        case (.tag, .name): return row["code"] == text
        case (.tag, .optional), (.tag, .other): return row["rank"] == .int(number) || row["code"] == text
        case (.tag, .toOne): return linked().contains { $0["name"] == text }
        case (.tag, .toMany): return linked().isEmpty
        case (.tag, .count): return linked().count == number
        }
    }
}
