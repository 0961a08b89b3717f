import Synchronization

/// The model classes of a container or store, with their entities, properties and relationships.
///
/// A schema contains the classes that you specify and all classes that they are related to. ``validate()`` and the initializer of a
/// container throw an error for an invalid declaration, which names the model and the property, before a file is opened.
///
/// A decoded schema describes the same entities without model classes, for programs that read a store of another program: stores
/// open with it, and ``Property/decode(_:)`` returns values of Swift types. A ``ModelContainer`` requires model classes.
public final class Schema: Sendable {
    /// Each entity with subentities, and the names of it and of all that inherit from it, directly or not.
    private let kinds: [String: Set<String>]
    /// The entities, sorted by name.
    public let entities: [Entity]
    /// The entities by name.
    public let entitiesByName: [String: Entity]
    /// The relationships that are stored as links, sorted by name.
    public let links: [Links]
    private let entitiesByType: [ObjectIdentifier: Entity]
    private let linksByProperty: [ObjectIdentifier: Links]
    private let inverses: [ObjectIdentifier: Property]
    private let validationError: (any Error)?
    /// The version that the schema was created with, or `nil`. A store keeps the version only if it was declared; see ``version``.
    public let declaredVersion: Version?
    /// Whether a save must validate relationships; see ``RelationshipCheck``.
    let validatesRelationships: Bool

    /// Creates a schema with the given model classes and all classes that they are related to.
    ///
    /// If a declaration is invalid, the schema is empty and ``validate()`` throws the error.
    ///
    /// - Parameters:
    ///   - types: The model classes.
    ///   - version: The version of the schema, or `nil` for a schema without a version.
    public convenience init(_ types: [any PersistentModel.Type], version: Version? = nil) {
        self.init(version: version) { try SchemaBuilder().entities(of: types) }
    }

    /// If the function throws an error, the schema is empty.
    init(version: Version? = nil, _ makeEntities: () throws -> [Entity]) {
        declaredVersion = version
        do { (entities, validationError) = (try makeEntities(), nil) } catch {
            (entities, validationError) = ([], error)
        }
        entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        var kinds: [String: Set<String>] = [:]
        for entity in entities {
            var superentity = entity.superentity
            while let current = superentity {
                kinds[current.name, default: [current.name]].insert(entity.name)
                superentity = current.superentity
            }
        }
        self.kinds = kinds
        entitiesByType = Dictionary(
            entities.lazy.filter(\.hasModelClass).map { (ObjectIdentifier($0.type), $0) },
            uniquingKeysWith: { first, _ in first })
        var inverses: [ObjectIdentifier: Property] = [:]
        for property in entities.flatMap(\.relationshipProperties) {
            guard let relationship = property.relationship, let name = relationship.inverseName else { continue }
            inverses[ObjectIdentifier(property)] =
                entitiesByName[relationship.destination]?.propertiesByName[name]
        }
        self.inverses = inverses
        validatesRelationships = entities.contains { !$0.counted.isEmpty || !$0.denying.isEmpty }
        links = Links.all(in: entitiesByName)
        linksByProperty = Dictionary(
            links.flatMap { links in links.properties.map { (ObjectIdentifier($0), links) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Creates a schema with the given model classes, like the initializer with an array of them.
    ///
    /// - Parameters:
    ///   - types: The model classes.
    ///   - version: The version of the schema, or `nil` for a schema without a version.
    public convenience init(_ types: any PersistentModel.Type..., version: Version? = nil) {
        self.init(types, version: version)
    }

    /// Validates the declarations of the models. Containers call this; call it yourself when you open a store directly.
    ///
    /// - Throws: ``SwiftDataError/invalidModel`` for an invalid declaration, for example an inverse that does not match;
    ///   ``SwiftDataError/unsupportedAttributeType`` for an attribute whose type cannot be stored. Correct the declaration that the
    ///   error names.
    public func validate() throws {
        if let validationError { throw validationError }
    }

    private var isValid: Bool { validationError == nil }

    /// Returns the name of the entity of a model class.
    ///
    /// - Parameter type: The model class.
    /// - Returns: ``PersistentModel/entityName``, the name of the class by default.
    public static func entityName(for type: any PersistentModel.Type) -> String { type.entityName }

    /// Returns the entity of a model class.
    ///
    /// - Parameter type: The model class.
    /// - Returns: The entity, or `nil` if the schema does not contain the class.
    public func entity(for type: any PersistentModel.Type) -> Entity? {
        entitiesByType[ObjectIdentifier(type)]
    }

    /// Returns the names of an entity and of all entities that inherit from it, directly or not, whose rows a fetch returns.
    ///
    /// - Parameter entityName: The name of an entity.
    /// - Returns: The names; only the name itself for an entity without subentities.
    public func kinds(of entityName: String) -> Set<String> { kinds[entityName] ?? [entityName] }

    /// Returns whether other entities of the schema inherit from an entity.
    ///
    /// - Parameter entity: An entity of the schema.
    /// - Returns: `true` if the entity has subentities.
    public func hasSubentities(_ entity: Entity) -> Bool { !kinds.isEmpty && kinds[entity.name] != nil }

    /// Returns the delete rule that applies to rows whose to-one relationship references a deleted model.
    ///
    /// This is the delete rule of the inverse, or *nullify* if there is no inverse. If the relationship is not optional, or any of
    /// the entities that ``mergingSubentities()`` merged requires it, *deny* replaces *nullify*. For *deny*, a store must throw
    /// ``SwiftDataError/deleteDenied`` for a save after which a row would reference a model that the save deletes.
    ///
    /// - Parameter relationship: A to-one relationship of this schema.
    /// - Returns: The delete rule.
    public func deleteRule(towards relationship: Relationship) -> Relationship.DeleteRule {
        let rule = inverse(of: relationship)?.relationship?.deleteRule ?? .nullify
        let isRequired = !relationship.isOptional || relationship.isRequiredBySubentity
        return rule == .nullify && isRequired ? .deny : rule
    }

    /// Returns the inverse of a relationship.
    ///
    /// - Parameter relationship: A relationship of this schema.
    /// - Returns: The property of the destination, or `nil` if the relationship has no inverse.
    public func inverse(of relationship: Relationship) -> Property? {
        relationship.inverseName.flatMap { entitiesByName[relationship.destination]?.propertiesByName[$0] }
    }

    /// Takes constant time and does not compare names.
    func inverse(of property: Property) -> Property? { inverses[ObjectIdentifier(property)] }

    /// Returns the links that store a relationship.
    ///
    /// - Parameter property: A relationship of this schema.
    /// - Returns: The links, or `nil` if the relationship is not stored as links.
    public func links(of property: Property) -> Links? {
        linksByProperty[ObjectIdentifier(property)]
    }
}

extension Schema {
    /// The description of a model class in a schema.
    public final class Entity: Sendable {
        /// The name of the entity, which is the name of the class by default.
        public let name: String
        /// The model class, or ``UntypedModel`` if the schema was decoded; see ``hasModelClass``.
        public let type: any PersistentModel.Type
        /// All properties in the order of ``PersistentModel/properties``. ``Property/index`` is an index of this array.
        public let properties: [Property]
        /// The properties whose values are part of a row: attributes and to-one relationships. ``Property/slot`` is an index of
        /// this array.
        public let storedProperties: [Property]
        /// The properties by name.
        public let propertiesByName: [String: Property]
        /// The sets of properties whose combined values must be unique, including single properties with the option `unique`.
        public let uniqueProperties: [[Property]]
        /// The sets of properties for which the store creates an index.
        public let indexedProperties: [[Property]]
        let requiredCount: Int
        /// The slots of attributes by the offsets of their wrappers.
        let slots: SlotTable
        /// The attributes that a save reads directly from their wrappers, by slot.
        let directAttributes: [DirectAttribute?]
        let allSlots: PropertySet
        let relationshipProperties: [Property]
        let hasEphemeralAttributes: Bool
        /// The entity that this entity inherits from, or `nil`. Both share the inherited ``properties``, which come first.
        public let superentity: Entity?
        /// The name of the entity that this entity inherits from, or `nil`.
        public let superentityName: String?
        /// The name of the entity that this entity inherits from, directly or not, and that inherits from no other; ``name``
        /// without inheritance.
        public let rootName: String
        private let subclasses = Mutex<[WeakEntity]>([])
        let requiredReferences: [Property]
        /// The relationships with a minimum or maximum model count.
        let counted: [Property]
        /// The relationships with the delete rule *deny*.
        let denying: [Property]
        /// Whether deleting a model may delete others.
        let cascades: Bool
        private let propertiesByKeyPath: KeyPathTable

        init(
            name: String, type: any PersistentModel.Type, properties: [Property], uniqueness: [[Property]],
            indices: [[Property]], hasEphemeralAttributes: Bool, superentity: Entity? = nil,
            superentityName: String? = nil,
            inheritedKeyPaths: [(keyPath: AnyKeyPath, property: Property)] = []
        ) {
            self.hasEphemeralAttributes = hasEphemeralAttributes
            self.superentity = superentity
            self.superentityName = superentity?.name ?? superentityName
            rootName = superentity?.rootName ?? name
            self.name = name
            self.type = type
            self.properties = properties
            storedProperties = properties.filter { $0.slot >= 0 }
            propertiesByName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
            propertiesByKeyPath = KeyPathTable(
                properties, inheritedKeyPaths,
                identifiers: type.identifierKeyPaths + (superentity?.propertiesByKeyPath.identifiers ?? []))
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
            cascades = relationshipProperties.contains { $0.relationship?.deleteRule == .cascade }
            uniqueProperties = uniqueness
            indexedProperties = indices
            requiredCount = properties.count { $0.isRequired }
            superentity?.subclasses.withLock { $0.append(WeakEntity(value: self)) }
        }

        /// The name of the entity before it was renamed, or ``name`` if it was not renamed.
        public var originalName: String {
            (superentityName == nil ? type.originalEntityName : type.ownSubclass?.originalName) ?? name
        }

        /// A superentity does not retain its subentities, which retain it.
        private struct WeakEntity {
            weak let value: Entity?
        }

        /// The entities that inherit directly from this entity.
        public var subentities: Set<Entity> { Set(subclasses.withLock { $0.compactMap(\.value) }) }

        /// Whether the entity has a model class. It is `false` if the schema was decoded.
        public var hasModelClass: Bool { type != UntypedModel.self }

        /// Returns the property with a given key path.
        ///
        /// - Parameter keyPath: A key path of the model class.
        /// - Returns: The property, or `nil` if the key path is not a stored property.
        public func property(at keyPath: AnyKeyPath) -> Property? {
            propertiesByKeyPath.values[keyPath]
        }

        func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
            propertiesByKeyPath.identifiers.contains(keyPath)
        }

        /// Returns the property with a given name.
        ///
        /// - Parameter name: The name of the property.
        /// - Returns: The property, or `nil` if the entity has no such property.
        public func property(named name: String) -> Property? {
            propertiesByName[name]
        }
    }

    /// Reason for `@unchecked Sendable`: key paths of stored properties have no captures and are immutable, which their erased type
    /// does not express.
    private struct KeyPathTable: @unchecked Sendable {
        let values: [AnyKeyPath: Property]
        let identifiers: [AnyKeyPath]

        init(
            _ properties: [Property], _ inherited: [(keyPath: AnyKeyPath, property: Property)],
            identifiers: [AnyKeyPath]
        ) {
            self.identifiers = identifiers
            values = Dictionary(
                properties.compactMap { property in property.keyPath.map { ($0, property) } }
                    + inherited.map { ($0.keyPath, $0.property) },
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension Schema: Hashable {
    /// Compares the entities. An invalid schema equals only itself.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs || lhs.isValid && rhs.isValid && lhs.entities == rhs.entities
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}

// Properties with the names of SwiftData.
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
    /// The names of the properties whose combined values must be unique; see ``uniqueProperties``.
    public var uniquenessConstraints: [[String]] { uniqueProperties.map { $0.map(\.name) } }
    /// The names of the properties of each index; see ``indexedProperties``.
    public var indices: [[String]] { indexedProperties.map { $0.map(\.name) } }
    /// The properties that the entity inherits.
    public var inheritedProperties: [Schema.Property] { superentity?.properties ?? [] }
    /// The inherited properties by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] { superentity?.propertiesByName ?? [:] }

    /// Returns whether the entity declares a property itself and does not inherit it.
    ///
    /// - Parameter property: A property of the entity.
    /// - Returns: `true` if the property is not one of ``inheritedProperties``.
    public func declares(_ property: Schema.Property) -> Bool {
        property.index >= inheritedProperties.count
    }

    /// Returns whether the entity is another one or inherits from it, directly or not.
    ///
    /// - Parameter entityName: The name of the other entity.
    /// - Returns: `true` for the name of the entity and for the names of its superentities.
    /// - Complexity: O(*n*), where *n* is the number of superentities.
    public func isKind(of entityName: String) -> Bool {
        var entity: Schema.Entity? = self
        while let current = entity {
            if current.name == entityName { return true }
            entity = current.superentity
        }
        return false
    }
}

extension Schema.Entity: Hashable {
    /// Compares the model classes, names, properties, uniqueness constraints and indices. To compare a decoded entity with one that
    /// has a model class, encode both.
    ///
    /// - Complexity: O(*n*), where *n* is the number of properties; O(1) for the same instance.
    public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool {
        if lhs === rhs { return true }
        return lhs.type == rhs.type && lhs.name == rhs.name && lhs.properties == rhs.properties
            && lhs.uniquenessConstraints == rhs.uniquenessConstraints && lhs.indices == rhs.indices
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(ObjectIdentifier(type))
    }
}
