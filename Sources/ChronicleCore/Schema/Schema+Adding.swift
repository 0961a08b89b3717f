extension Schema {
    /// Returns a schema that also contains what other programs declare, for stores that programs with different models can share.
    ///
    /// A store that completes its tables for the resulting schema does not remove the indexes, relationships and delete actions of
    /// other programs. If both schemas describe a property, the description of this schema applies. A relationship without an
    /// inverse gets the inverse that another program declares. An added attribute of an entity that inherits has the type of the
    /// attribute of its name in this schema, with which it shares a column.
    ///
    /// - Parameters:
    ///   - others: The entities of the other programs, such as those that a store describes. Where they contradict each other, what
    ///     does not match is left out.
    ///   - newName: A closure that returns the present name of an entity. By default, no entity was renamed.
    ///   - newPropertyName: A closure that returns the present name of a property of an entity, whose present name is the second
    ///     argument. By default, no property was renamed.
    ///   - isIncluded: A closure that returns whether to add a property that this schema does not describe, or to apply the delete
    ///     rule *cascade* or *deny* of a relationship that this schema describes with *nullify*.
    ///   - isConstraint: A closure that returns whether to add a uniqueness constraint (the last argument is `true`) or an index of
    ///     properties, which this schema or another one describes.
    /// - Returns: The schema. Its entities have no model classes, unless nothing is added.
    /// - Throws: ``SwiftDataError/invalidModel`` if the schemas cannot be combined. Rename the property that the error names.
    /// - Complexity: O(*n*), where *n* is the number of properties of all entities.
    public func adding(
        _ others: [Entity], newName: (String) -> String = { $0 },
        newPropertyName: (String, String) -> String = { name, _ in name },
        including isIncluded: (Entity, Property) -> Bool, constraints isConstraint: (Entity, [String], Bool) -> Bool
    ) throws -> Schema {
        var drafts = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, EntityDraft($0)) })
        let superentities = Dictionary(
            others.map { (newName($0.name), $0.superentityName.map(newName)) }, uniquingKeysWith: { first, _ in first })
        func attribute(_ property: String, inTableOf entity: String) -> Attribute? {
            var name = entity
            // Damaged descriptions could inherit from each other.
            for _ in others {
                guard entitiesByName[name] == nil, let next = superentities[name] ?? nil else { break }
                name = next
            }
            guard let root = entitiesByName[name]?.rootName else { return nil }
            return entities.lazy.filter { $0.rootName == root }.compactMap { $0.propertiesByName[property]?.attribute }
                .first
        }
        var isChanged = false
        for other in others.sorted(by: { $0.name < $1.name }) {
            let name = newName(other.name)
            let known = entitiesByName[name]
            // A subentity of this schema may describe a property that another program moved to the superentity.
            let inSubentities = Set(
                entities.filter { known != nil && $0.isKind(of: name) && $0.name != name }.flatMap(\.properties).map(
                    \.name))
            var draft = drafts[name] ?? EntityDraft(name: name, superentity: other.superentityName.map(newName))
            let replaced = other.replacedNames { newPropertyName($0, name) }
            let added = other.properties.filter { property in
                let names = [property.name, newPropertyName(property.name, name)]
                return names.allSatisfy { known?.propertiesByName[$0] == nil && !inSubentities.contains($0) }
                    && draft.property(names[1]) == nil && !replaced.contains(property.name)
                    && isIncluded(other, property)
            }
            if known == nil, added.isEmpty, !other.properties.isEmpty { continue }
            for property in other.relationshipProperties {
                let propertyName = newPropertyName(property.name, name)
                guard let rule = property.relationship?.deleteRule, rule == .cascade || rule == .deny,
                    known?.propertiesByName[propertyName]?.relationship?.deleteRule == .nullify,
                    isIncluded(other, property)
                else { continue }
                draft.replaceRelationships { $0.name == propertyName ? $0.with(deleteRule: rule) : $0 }
                isChanged = true
            }
            draft.kinds.insert(
                added.map { property in
                    let kind = property.kind.renamed(in: name, newName, newPropertyName)
                    return attribute(kind.name, inTableOf: name).map(kind.adoptingType) ?? kind
                },
                inOrderOf: other.properties.map { newPropertyName($0.name, name) }, by: \.name)
            func insert(_ sets: [[String]], into own: inout [[String]], isUnique: Bool) {
                // Those of a property whose name another one receives are left out.
                let sets = sets.filter(replaced.isDisjoint).map { $0.map { newPropertyName($0, name) } }
                let new = sets.filter { names in
                    !own.contains(names) && names.allSatisfy(draft.hasColumn) && isConstraint(other, names, isUnique)
                }
                own.insert(new, inOrderOf: sets, by: \.self)
                isChanged = isChanged || !new.isEmpty
            }
            var (uniqueness, indices) = (draft.uniqueness, draft.indices)
            insert(other.uniquenessConstraints, into: &uniqueness, isUnique: true)
            insert(other.indices, into: &indices, isUnique: false)
            (draft.uniqueness, draft.indices) = (uniqueness, indices)
            isChanged = isChanged || !added.isEmpty
            drafts[name] = draft
        }
        guard isChanged else { return self }
        do { return try drafts.schema() } catch let error as SwiftDataError where error == .invalidModel {
            // The relationships contradict each other.
            for name in drafts.keys { drafts[name]?.removeProperties { $0.relationship != nil } }
            return try drafts.schema()
        }
    }
}

extension Schema.Entity {
    /// Returns the description of the entity with the present names of entities and properties, for stores that contain
    /// descriptions of entities which no program declares any more.
    ///
    /// A property is left out if another one receives its name.
    ///
    /// - Parameters:
    ///   - newName: A closure that returns the present name of an entity.
    ///   - newPropertyName: A closure that returns the present name of a property of an entity, whose present name is the second
    ///     argument.
    /// - Returns: The description, without the model class.
    /// - Throws: ``SwiftDataError/invalidModel`` if a uniqueness constraint or an index lists a property without a column. Correct
    ///   the declaration.
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public func renaming(
        newName: (String) -> String, newPropertyName: (String, String) -> String
    ) throws -> Schema.Entity {
        let name = newName(name)
        let replaced = replacedNames { newPropertyName($0, name) }
        func renamed(_ sets: [[String]]) -> [[String]] {
            sets.filter(replaced.isDisjoint).map { $0.map { newPropertyName($0, name) } }
        }
        var draft = EntityDraft(name: name, superentity: superentityName.map(newName))
        for property in properties where !replaced.contains(property.name) {
            let kind = property.kind.renamed(in: name, newName, newPropertyName)
            if draft.property(kind.name) == nil { draft.kinds.append(kind) }
        }
        (draft.uniqueness, draft.indices) = (renamed(uniquenessConstraints), renamed(indices))
        return try draft.entity()
    }

    /// Returns the names that other properties receive.
    fileprivate func replacedNames(_ newName: (String) -> String) -> Set<String> {
        let names = properties.map(\.name)
        let received = Set(names.filter { newName($0) != $0 }.map(newName))
        return received.intersection(names.filter { newName($0) == $0 })
    }
}

/// An entity of ``Schema/adding(_:newName:including:constraints:)`` whose relationships may not match yet.
private struct EntityDraft {
    let name: String
    let superentity: String?
    var kinds: [Schema.Property.Kind] = []
    /// The names of the properties that the receiver describes.
    private var own: Set<String> = []
    var uniqueness: [[String]] = []
    var indices: [[String]] = []

    init(name: String, superentity: String?) { (self.name, self.superentity) = (name, superentity) }

    init(_ entity: Schema.Entity) {
        self.init(name: entity.name, superentity: entity.superentityName)
        kinds = entity.properties.map(\.kind)
        own = Set(kinds.map(\.name))
        (uniqueness, indices) = (entity.uniquenessConstraints, entity.indices)
    }

    func hasColumn(_ name: String) -> Bool {
        property(name).map { $0.relationship?.isToMany != true } ?? false
    }

    func isOwn(_ name: String) -> Bool { own.contains(name) }

    func property(_ name: String) -> Schema.Property.Kind? { kinds.first { $0.name == name } }

    mutating func removeProperties(where isRemoved: (Schema.Property.Kind) -> Bool) {
        let removed = Set(kinds.filter { !own.contains($0.name) && isRemoved($0) }.map(\.name))
        kinds.removeAll { removed.contains($0.name) }
        uniqueness.removeAll { !removed.isDisjoint(with: $0) }
        indices.removeAll { !removed.isDisjoint(with: $0) }
    }

    mutating func removeProperty(_ name: String) { removeProperties { $0.name == name } }

    mutating func replaceRelationships(_ change: (Schema.Relationship) -> Schema.Relationship) {
        kinds = kinds.map { kind in
            if case .relationship(let relationship) = kind { .relationship(change(relationship)) } else { kind }
        }
    }

    func entity() throws -> Schema.Entity {
        var positions = PropertyPositions(storedCount: kinds.count { $0.relationship?.isToMany != true })
        let properties = kinds.map { kind in
            Schema.Property(
                kind,
                at: positions.next(
                    isToMany: kind.relationship?.isToMany == true, isLinked: kind.relationship?.isLinked == true))
        }
        return try Schema.Entity(
            name: name, type: UntypedModel.self, properties: properties, uniqueness: uniqueness, indices: indices,
            hasEphemeralAttributes: false, superentityName: superentity,
            property: { name in properties.first { $0.name == name } }, unknown: { "\($0), which is not a property" })
    }
}

extension [String: EntityDraft] {
    fileprivate func schema() throws -> Schema {
        var drafts = self
        drafts.removeUnconnected()
        drafts.connectInverses()
        let schema = Schema(entities: try drafts.values.map { try $0.entity() })
        try schema.validate()
        return schema
    }

    /// Removes added entities without their superentity, and added relationships without their destination.
    fileprivate mutating func removeUnconnected() {
        while let orphan = values.first(where: { draft in draft.superentity.map { self[$0] == nil } ?? false }) {
            removeValue(forKey: orphan.name)
        }
        let names = Set(keys)
        let roots = [String: String](
            uniqueKeysWithValues: names.map { ($0, superentities(of: $0).last?.name ?? $0) })
        // Classes that share a table also share the links of relationships with one name.
        var links: [String: Set<String>] = [:]
        for draft in values {
            let own = draft.kinds.filter { draft.isOwn($0.name) && $0.isLinked }.map(\.name)
            links[roots[draft.name] ?? draft.name, default: []].formUnion(own)
        }
        for name in names {
            self[name]?.removeProperties { kind in
                guard let relationship = kind.relationship else { return false }
                return !names.contains(relationship.destination)
                    || kind.isLinked && links[roots[name] ?? name]?.contains(kind.name) == true
            }
        }
        // Added properties of a superentity that its subentities describe as well are inherited.
        for name in names {
            for superentity in superentities(of: name) {
                for kind in superentity.kinds where self[name]?.property(kind.name) == nil {
                    self[name]?.kinds.append(kind)
                }
            }
        }
    }

    private func superentities(of name: String) -> [EntityDraft] {
        var found: [EntityDraft] = []
        // Damaged descriptions could inherit from each other.
        while let next = (found.last ?? self[name])?.superentity, let draft = self[next], found.count < count {
            found.append(draft)
        }
        return found
    }

    private func isKind(_ name: String, of other: String) -> Bool {
        name == other || superentities(of: name).contains { $0.name == other }
    }

    /// Makes both sides of each relationship name each other, and stores them in one place.
    fileprivate mutating func connectInverses() {
        for name in keys.sorted() {
            for kind in self[name]?.kinds ?? [] {
                let property = kind.name
                // The class that declares a relationship determines its inverse.
                guard let relationship = kind.relationship, let inverse = relationship.inverseName,
                    !superentities(of: name).contains(where: { $0.property(property) != nil })
                else { continue }
                let owner = self[relationship.destination]
                let other = owner?.property(inverse)?.relationship
                guard let owner, let other, matches(property, of: name, relationship, other) else {
                    if self[name]?.isOwn(property) != true {
                        if relationship.isToMany {
                            for kind in keys where isKind(kind, of: name) { self[kind]?.removeProperty(property) }
                        } else {
                            setInverse(nil, of: property, in: name)
                        }
                    }
                    continue
                }
                if other.inverseName == nil { setInverse(property, of: inverse, in: owner.name) }
            }
        }
        for name in keys {
            let drafts = self
            self[name]?.replaceRelationships { relationship in
                let inverse = relationship.inverseName.flatMap {
                    drafts[relationship.destination]?.property($0)?.relationship
                }
                return relationship.with(isLinked: relationship.isToMany && inverse?.isToMany != false)
            }
        }
    }

    private func matches(
        _ property: String, of entity: String, _ relationship: Schema.Relationship, _ other: Schema.Relationship
    ) -> Bool {
        guard isKind(entity, of: other.destination), other.inverseName ?? property == property else { return false }
        // Without an inverse until now: both are declared by the classes that are the destinations.
        return other.inverseName != nil
            || self[other.destination]?.property(property)?.relationship?.inverseName == other.name
                && !superentities(of: relationship.destination).contains { $0.property(other.name) != nil }
    }

    private mutating func setInverse(_ inverse: String?, of property: String, in entity: String) {
        for name in keys where isKind(name, of: entity) {
            self[name]?.replaceRelationships {
                $0.name == property ? $0.with(inverseName: .some(inverse)) : $0
            }
        }
    }
}

extension Schema.Property.Kind {
    fileprivate var isLinked: Bool { relationship?.isLinked == true }

    fileprivate var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// Returns an attribute with the type of another one.
    fileprivate func adoptingType(of other: Schema.Attribute) -> Self {
        guard case .attribute(let attribute) = self,
            attribute.storage != other.storage || attribute.valueTypeName != other.valueTypeName
        else { return self }
        // The default value has the previous type.
        return .attribute(
            Schema.Attribute(
                name: attribute.name, originalName: attribute.originalName, options: attribute.options,
                encodedDefault: nil, hasConstantDefault: true, codec: other.codec, storage: other.storage,
                isOptional: attribute.isOptional, valueType: other.valueType, valueTypeName: other.valueTypeName,
                hashModifier: attribute.hashModifier))
    }

    /// - Parameter entity: The present name of the entity.
    fileprivate func renamed(
        in entity: String, _ newName: (String) -> String, _ newPropertyName: (String, String) -> String
    ) -> Self {
        let name = newPropertyName(name, entity)
        switch self {
        case .attribute(let attribute): return name == attribute.name ? self : .attribute(attribute.with(name: name))
        case .relationship(let relationship):
            let destination = newName(relationship.destination)
            return .relationship(
                relationship.with(
                    name: name, destination: destination,
                    inverseName: relationship.inverseName.map { newPropertyName($0, destination) }))
        }
    }
}

extension Array {
    /// Inserts elements after those that precede them in an order.
    fileprivate mutating func insert<Key: Hashable>(
        _ elements: [Element], inOrderOf order: [Key], by key: (Element) -> Key
    ) {
        for element in elements {
            let earlier = Set(order.prefix { $0 != key(element) })
            let index = lastIndex { earlier.contains(key($0)) }.map { $0 + 1 } ?? 0
            insert(element, at: index)
        }
    }
}
