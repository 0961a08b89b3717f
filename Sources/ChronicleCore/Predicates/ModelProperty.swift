public import Foundation

/// A property of a model in a predicate.
public enum ModelProperty: PredicateProperty {
    /// The model's ``PersistentModel/persistentModelID``; also for the key path `id`.
    case identifier
    /// An attribute or a relationship.
    case stored(Schema.Property)
    /// The name of the model's own entity, for `is` in a hierarchy of models.
    case entityName
    /// The model itself if it is of the entity with this name or of one of its subentities, and nil otherwise: `as?` in a hierarchy
    /// of models.
    case cast(entityName: String)
    /// A member of the value before it in a path: of an attribute that stores a `Codable` structure as JSON, of another member, or
    /// of an element of an array.
    case member(CodableMember)

    public var name: String {
        switch self {
        case .identifier: "persistentModelID"
        case .stored(let property): property.name
        case .entityName: "entityName"
        case .cast(let entityName): "as? \(entityName)"
        case .member(let member): member.name
        }
    }

    public var isToMany: Bool {
        if case .stored(let property) = self { property.relationship?.isToMany == true } else { false }
    }

    public static func == (lhs: ModelProperty, rhs: ModelProperty) -> Bool {
        switch (lhs, rhs) {
        case (.identifier, .identifier), (.entityName, .entityName): true
        case (.stored(let a), .stored(let b)): a === b
        case (.cast(let a), .cast(let b)): a == b
        case (.member(let a), .member(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .identifier, .entityName: break
        case .stored(let property): hasher.combine(ObjectIdentifier(property))
        case .cast(let entityName): hasher.combine(entityName)
        case .member(let member): hasher.combine(member)
        }
    }
}

extension PredicateTree where Property == ModelProperty {
    /// Creates the tree of a predicate on models.
    ///
    /// - Parameters:
    ///   - predicate: The predicate to translate.
    ///   - schema: The schema that contains the model and the models related to it.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part, which the detail names, cannot be translated. Rewrite the
    ///   predicate, or filter the fetched models.
    public init<Model: PersistentModel>(_ predicate: Predicate<Model>, schema: Schema) throws {
        self = try PredicateWalker.tree(of: predicate, ModelKeyPaths(schema: schema))
    }
}

struct ModelKeyPaths: PredicateResolver {
    let schema: Schema

    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> ModelProperty? {
        guard let model = type as? any PersistentModel.Type, let entity = schema.entity(for: model) else { return nil }
        return ModelProperty(keyPath, of: entity)
    }

    func cast(to type: Any.Type) -> ModelProperty? {
        (type as? any PersistentModel.Type).flatMap(schema.entity).map { .cast(entityName: $0.name) }
    }

    func kinds(of type: Any.Type) -> (property: ModelProperty, names: [PropertyValue])? {
        guard let entity = (type as? any PersistentModel.Type).flatMap(schema.entity) else { return nil }
        return (.entityName, schema.kinds(of: entity.name).sorted().map(PropertyValue.text))
    }

    func members(at keyPath: AnyKeyPath, of type: Any.Type) throws -> [ModelProperty]? {
        guard !(type is any PersistentModel.Type), JSONForm(type) == .json else { return nil }
        return try CodableMember.members("\(keyPath)".dropFirst("\\\(type)".count), of: type).map { .member($0) }
    }

    func isJSON(_ property: ModelProperty) -> Bool { property.isJSON }
}

extension ModelProperty {
    var valueType: any Any.Type {
        switch self {
        case .identifier, .cast: PersistentIdentifier.self
        case .entityName: String.self
        case .stored(let property): property.valueType
        case .member(let member): member.valueType
        }
    }

    var isJSON: Bool {
        switch self {
        case .identifier, .entityName, .cast: false
        case .stored(let property): property.attribute?.storage == .json
        case .member(let member): member.form == .json
        }
    }

    /// The form of the elements of an attribute or a member that contains an array or a set of values; `nil` for other properties.
    public var elementForm: JSONForm? {
        guard isJSON, let collection = unwrapped(valueType) as? any ValueCollection.Type else { return nil }
        return JSONForm(collection.elementType)
    }

    /// Whether elements of the array or the set may be nil.
    public var hasOptionalElements: Bool {
        (unwrapped(valueType) as? any ValueCollection.Type)?.elementType is any OptionalValue.Type
    }

    /// The order of the values in a store.
    public enum StoredOrder: Sendable {
        /// Stored values have the order of the property's values.
        case plain
        /// The values are texts, whose order is that of the numbers that they represent.
        case decimal
    }

    /// The order of the values, or `nil` if they are not comparable, or in another order than their stored form.
    public var storedOrder: StoredOrder? {
        switch unwrapped(valueType) {
        case is Decimal.Type: .decimal
        case let type: ChronicleCore.StoredOrder.isKnown(type) ? .plain : nil
        }
    }
}

extension ModelProperty {
    /// Creates the property of an entity for a key path, or returns `nil` for one through several properties or not stored.
    ///
    /// - Parameters:
    ///   - keyPath: A key path of a single property.
    ///   - entity: The entity of the model.
    public init?(_ keyPath: AnyKeyPath, of entity: Schema.Entity) {
        if let property = entity.property(at: keyPath) {
            self = .stored(property)
        } else if entity.isIdentifier(keyPath) {
            self = .identifier
        } else {
            return nil
        }
    }
}

extension Schema.Property {
    /// Whether the stored values have the same order as the property's values, so that a store can sort by them: `true` for
    /// numbers, text, dates and UUIDs; `false` for `Decimal` and for other `Comparable` types.
    public var hasStoredOrder: Bool {
        attribute.map { StoredOrder.isKnown($0.valueType) } ?? false
    }
}
