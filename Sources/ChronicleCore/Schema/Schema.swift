/// The models of a container: their entities, properties and relationships.
///
/// Made from model classes, together with every class that these are related to. Making a schema checks the
/// declarations; what is wrong is an error of whoever uses the schema first, a container above all, which names model and
/// property before anything touches a file.
public final class Schema: Sendable {
    /// The entities, in order of their names.
    public let entities: [Entity]
    /// The entities by name.
    public let entitiesByName: [String: Entity]
    /// The relationships that are kept as links, in order of their names.
    public let links: [Links]
    private let entitiesByType: [ObjectIdentifier: Entity]
    private let linksByProperty: [ObjectIdentifier: Links]
    /// By the property.
    private let inverses: [ObjectIdentifier: Property]
    private let mistake: (any Error)?
    /// Whether there is something to look at before a save, see ``RelationshipCheck``.
    let asksOfRelationships: Bool

    /// Makes the schema of these classes and of those they are related to. With a mistake in one of them it is empty; see
    /// ``validate()``.
    public init(_ types: [any PersistentModel.Type]) {
        do { (entities, mistake) = (try SchemaBuilder().entities(of: types), nil) } catch {
            (entities, mistake) = ([], error)
        }
        entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        entitiesByType = Dictionary(uniqueKeysWithValues: entities.map { (ObjectIdentifier($0.type), $0) })
        var inverses: [ObjectIdentifier: Property] = [:]
        for property in entities.flatMap(\.relationshipProperties) {
            guard let relationship = property.relationship, let name = relationship.inverseName else { continue }
            inverses[ObjectIdentifier(property)] =
                entitiesByName[relationship.destination]?.propertiesByName[name]
        }
        self.inverses = inverses
        asksOfRelationships = entities.contains { !$0.counted.isEmpty || !$0.denying.isEmpty }
        links = Links.all(in: entitiesByName)
        linksByProperty = Dictionary(
            links.flatMap { links in links.properties.map { (ObjectIdentifier($0), links) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Makes the schema of these classes and of those they are related to.
    public convenience init(_ types: any PersistentModel.Type...) {
        self.init(types)
    }

    /// Says what is wrong with the classes. Containers ask; so should who makes a store without one.
    ///
    /// - Throws: ``SwiftDataError/invalidModel`` for a property that is forgotten, named twice or not there, and for
    ///   relationships whose inverses do not fit; ``SwiftDataError/unsupportedAttributeType`` for an attribute whose type
    ///   cannot be stored.
    public func validate() throws {
        if let mistake { throw mistake }
    }

    private var isValid: Bool { mistake == nil }

    /// Returns the name of a model class's entity.
    ///
    /// - Parameter type: The class.
    /// - Returns: ``PersistentModel/entityName``, the name of the class by default.
    public static func entityName(for type: any PersistentModel.Type) -> String { type.entityName }

    /// The entity of a model class.
    public func entity(for type: any PersistentModel.Type) -> Entity? {
        entitiesByType[ObjectIdentifier(type)]
    }

    /// What a delete of a model does to the rows that lead to it with a to-one relationship: the delete rule of the property
    /// that leads back. Without one it is *nullify*; and where that cannot be, because the relationship is not optional,
    /// it is *deny*.
    ///
    /// With *deny* a store refuses a save after which a row would lead to a model that the save deleted, with
    /// ``SwiftDataError/deleteDenied``.
    public func deleteRule(towards relationship: Relationship) -> Relationship.DeleteRule {
        let rule = inverse(of: relationship)?.relationship?.deleteRule ?? .nullify
        return rule == .nullify && !relationship.isOptional ? .deny : rule
    }

    /// The property of the destination that leads back; `nil` when there is none.
    public func inverse(of relationship: Relationship) -> Property? {
        relationship.inverseName.flatMap { entitiesByName[relationship.destination]?.propertiesByName[$0] }
    }

    /// The property of the destination that leads back from a relationship of this schema. Constant time, without comparing
    /// names.
    func inverse(of property: Property) -> Property? { inverses[ObjectIdentifier(property)] }

    /// The links that a relationship is kept as; `nil` for one that is not. Constant time.
    public func links(of property: Property) -> Links? {
        linksByProperty[ObjectIdentifier(property)]
    }
}

extension Schema {
    /// A model class in the schema.
    public final class Entity: Sendable {
        public let name: String
        public let type: any PersistentModel.Type
        /// All properties, in the order of the class's map; ``Property/index`` is the place in it.
        public let properties: [Property]
        /// The properties that a row has a value for: attributes and to-one relationships. ``Property/slot`` is the place
        /// in it, and in ``DataStoreSnapshot/values``.
        public let storedProperties: [Property]
        /// The properties by name.
        public let propertiesByName: [String: Property]
        /// The sets of properties that are unique together, with those that are unique by themselves.
        public let uniqueProperties: [[Property]]
        /// The sets of properties that have an index.
        public let indexedProperties: [[Property]]
        /// How many attributes have no value until a program sets them.
        let requiredCount: Int
        /// The slots of attributes by where their wrappers stand.
        let slots: SlotTable
        /// By slot, the attributes that a save reads from their wrappers.
        let directAttributes: [DirectAttribute?]
        /// All slots: what an insert changes.
        let allSlots: PropertySet
        let relationshipProperties: [Property]
        /// Whether the class has attributes that are not stored.
        let hasEphemeralAttributes: Bool
        /// The relationships to one model that are not optional.
        let requiredReferences: [Property]
        /// The relationships with a model count.
        let counted: [Property]
        /// The relationships that deny a delete.
        let denying: [Property]
        private let propertiesByKeyPath: KeyPathTable

        init(
            type: any PersistentModel.Type, properties: [Property], uniqueness: [[Property]], indices: [[Property]],
            hasEphemeralAttributes: Bool
        ) {
            self.hasEphemeralAttributes = hasEphemeralAttributes
            name = type.entityName
            self.type = type
            self.properties = properties
            storedProperties = properties.filter { $0.slot >= 0 }
            propertiesByName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
            propertiesByKeyPath = KeyPathTable(properties, identifiers: type.identifierKeyPaths)
            slots = SlotTable(properties)
            directAttributes = storedProperties.map { property in
                property.offset.flatMap { DirectAttribute(property.attribute?.valueType ?? Never.self, at: $0) }
            }
            var allSlots = PropertySet()
            for property in storedProperties { allSlots.insert(property.slot) }
            self.allSlots = allSlots
            relationshipProperties = properties.filter { $0.relationship != nil }
            requiredReferences = relationshipProperties.filter { !$0.isOptional }
            counted = relationshipProperties.filter { $0.relationship?.hasCounts == true }
            denying = relationshipProperties.filter { $0.relationship?.deleteRule == .deny }
            uniqueProperties = uniqueness
            indexedProperties = indices
            requiredCount = properties.count { $0.isRequired }
        }

        /// The property that a key path leads to. Constant time.
        public func property(at keyPath: AnyKeyPath) -> Property? {
            propertiesByKeyPath.values[keyPath]
        }

        /// Whether a key path leads to the models' ``PersistentModel/persistentModelID``.
        func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
            propertiesByKeyPath.identifiers.contains(keyPath)
        }

        /// The property with this name.
        public func property(named name: String) -> Property? {
            propertiesByName[name]
        }
    }

    /// `@unchecked Sendable`: key paths of stored properties without captures are immutable values; the standard library
    /// only lacks the conformance for the erased type. Nothing changes after `init`.
    private struct KeyPathTable: @unchecked Sendable {
        let values: [AnyKeyPath: Property]
        let identifiers: [AnyKeyPath]

        init(_ properties: [Property], identifiers: [AnyKeyPath]) {
            self.identifiers = identifiers
            values = Dictionary(properties.map { ($0.keyPath, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}

extension Schema: Hashable {
    /// Returns whether both have the same model classes.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs || lhs.isValid && rhs.isValid && lhs.entities == rhs.entities
    }

    /// Hashes the model classes.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}

// The names of SwiftData.
extension Schema.Entity {
    /// The attributes.
    public var attributes: Set<Schema.Attribute> { Set(properties.compactMap(\.attribute)) }
    /// The attributes by name.
    public var attributesByName: [String: Schema.Attribute] { propertiesByName.compactMapValues(\.attribute) }
    /// The relationships.
    public var relationships: Set<Schema.Relationship> { Set(properties.compactMap(\.relationship)) }
    /// The relationships by name.
    public var relationshipsByName: [String: Schema.Relationship] { propertiesByName.compactMapValues(\.relationship) }
    /// The attributes and relationships by name.
    public var storedPropertiesByName: [String: any SchemaProperty] { propertiesByName }
    /// The names of the properties that are unique together, with those that are unique by themselves.
    public var uniquenessConstraints: [[String]] { uniqueProperties.map { $0.map(\.name) } }
    /// The names of the properties that have an index together.
    public var indices: [[String]] { indexedProperties.map { $0.map(\.name) } }
    /// The name of the entity that this one inherits from: always `nil`, because models are not inherited.
    public var superentityName: String? { nil }
    /// The entity that this one inherits from: always `nil`, because models are not inherited.
    public var superentity: Schema.Entity? { nil }
    /// The entities that inherit from this one: always empty, because models are not inherited.
    public var subentities: Set<Schema.Entity> { [] }
}

extension Schema.Entity: Hashable {
    /// Returns whether both are entities of the same class.
    public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool { lhs.type == rhs.type }

    /// Hashes the class.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
