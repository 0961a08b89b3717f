extension Schema {
    /// A stored property of a model: an attribute or a relationship.
    public final class Property: Sendable {
        /// The name of the property in its class, and in the store.
        public let name: String
        /// The name of the property before it was renamed, or `nil` if it was not renamed.
        public let previousName: String?
        /// The index of the property in the ``Entity/properties`` of the entity.
        public let index: Int
        /// The index of the property in the ``Entity/storedProperties`` of the entity; -1 for a to-many relationship,
        /// which is stored in the rows of the destinations or as links.
        public let slot: Int
        /// The index of the property among those that can change in a model: its slot, or a number after all slots if
        /// the relationship is stored as links; -1 for a relationship that is stored in the rows of the destinations.
        let mark: Int
        /// The offset of the wrapper in the model, in bytes. Known for attributes of direct types; see
        /// ``PropertyValue/direct(as:)``.
        let offset: Int?
        /// The kind of the property, with the description of the attribute or relationship.
        public let kind: Kind
        // Reason for `nonisolated(unsafe)`: key paths of stored properties have no captures and are immutable, which
        // their erased type does not express.
        /// The key path of the property in its class, or `nil` if the schema was decoded and contains no class.
        public nonisolated(unsafe) let keyPath: AnyKeyPath?
        /// The codec of an attribute, or `nil` for a relationship.
        let codec: (any AnyPropertyCodec)?
        /// The direct type of an attribute, or `nil` for other types and for a relationship.
        let directType: DirectType?
        /// The encoded default value of an attribute, or `nil` if there is none.
        public let defaultValue: PropertyValue?
        /// Access to the values of an attribute, or `nil` for a relationship and without a model class.
        let attributeAccess: (any AttributeAccess)?
        /// Access to the destinations of a relationship, or `nil` for an attribute and without a model class.
        let relationshipAccess: (any RelationshipAccess)?

        /// The kind of a property.
        public enum Kind: Sendable {
            /// An attribute.
            case attribute(Attribute)
            /// A relationship.
            case relationship(Relationship)
        }

        init(
            name: String, keyPath: AnyKeyPath?, previousName: String?, position: PropertyPositions.Position,
            offset: Int?, kind: Kind, defaultValue: PropertyValue?, attributeAccess: (any AttributeAccess)? = nil,
            relationshipAccess: (any RelationshipAccess)? = nil
        ) {
            self.name = name
            self.keyPath = keyPath
            self.previousName = previousName
            index = position.index
            slot = position.slot
            mark = position.mark
            self.offset = offset
            self.kind = kind
            if case .attribute(let attribute) = kind {
                (codec, directType) = (attribute.codec, DirectType(attribute.valueType))
            } else {
                (codec, directType) = (nil, nil)
            }
            self.defaultValue = defaultValue
            self.attributeAccess = attributeAccess
            self.relationshipAccess = relationshipAccess
        }

        /// Creates a property of a decoded entity, without a model class.
        convenience init(_ kind: Kind, at position: PropertyPositions.Position) {
            switch kind {
            case .attribute(let attribute):
                self.init(
                    name: attribute.name, keyPath: nil, previousName: attribute.previousName, position: position,
                    offset: nil, kind: kind, defaultValue: attribute.encodedDefault)
            case .relationship(let relationship):
                self.init(
                    name: relationship.name, keyPath: nil, previousName: relationship.previousName,
                    position: position, offset: nil, kind: kind, defaultValue: nil)
            }
        }

        /// The description of the attribute, or `nil` for a relationship.
        public var attribute: Attribute? {
            if case .attribute(let attribute) = kind { attribute } else { nil }
        }

        /// The description of the relationship, or `nil` for an attribute.
        public var relationship: Relationship? { kind.relationship }

        /// Whether the property is a relationship that is stored as links. Does not copy the description of the
        /// relationship, which takes many retains.
        var isLinked: Bool { slot < 0 && mark >= 0 }
        /// Whether the property must be set before a save.
        var isRequired: Bool { attributeAccess?.hasDefault == false }
    }
}

extension Schema.Property: SchemaProperty {
    /// The name of the property before it was renamed, or ``name`` if it was not renamed.
    public var originalName: String { previousName ?? name }
    /// The Swift type of the property.
    public var valueType: any Any.Type { attribute?.valueType ?? relationship?.valueType ?? Never.self }
    /// The Swift type of the property, without the optional of ``valueType``.
    public var unwrappedValueType: any Any.Type { unwrapped(valueType) }
    /// Whether the property is an attribute.
    public var isAttribute: Bool { attribute != nil }
    /// Whether a model may have no value for the property.
    public var isOptional: Bool { attribute?.isOptional ?? relationship?.isOptional ?? true }
    /// Whether the values of the property must be unique, because of its own options.
    public var isUnique: Bool { attribute?.isUnique ?? relationship?.isUnique ?? false }

    /// Returns whether two values describe the same property of the same class.
    ///
    /// - Returns: `true` if the key paths, the positions and the descriptions of the properties are the same.
    public static func == (lhs: Schema.Property, rhs: Schema.Property) -> Bool {
        if lhs === rhs { return true }
        guard lhs.keyPath == rhs.keyPath, lhs.index == rhs.index else { return false }
        return switch (lhs.kind, rhs.kind) {
        case (.attribute(let a), .attribute(let b)): a == b
        case (.relationship(let a), .relationship(let b)): a == b
        default: false
        }
    }

    /// Hashes the name and the key path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(keyPath)
    }
}

extension Schema.Property.Kind {
    /// The description of the relationship, or `nil` for an attribute.
    @inline(__always)
    var relationship: Schema.Relationship? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }
}

extension Schema.Property.Kind: Codable {
    private enum CodingKeys: CodingKey { case kind }
    private enum Name: String, Codable { case attribute, relationship }

    /// Decodes the kind of a property and its description.
    ///
    /// - Throws: The errors of ``Schema/Attribute/init(from:)`` and ``Schema/Relationship/init(from:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Name.self, forKey: .kind) {
        case .attribute: self = .attribute(try Schema.Attribute(from: decoder))
        case .relationship: self = .relationship(try Schema.Relationship(from: decoder))
        }
    }

    /// Encodes the description of the attribute or relationship, with the additional key `kind`, whose value is
    /// `attribute` or `relationship`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .attribute(let attribute):
            try container.encode(Name.attribute, forKey: .kind)
            try attribute.encode(to: encoder)
        case .relationship(let relationship):
            try container.encode(Name.relationship, forKey: .kind)
            try relationship.encode(to: encoder)
        }
    }
}
