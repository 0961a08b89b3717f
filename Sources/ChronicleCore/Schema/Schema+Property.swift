extension Schema {
    /// A stored property of a model: an attribute or a relationship.
    public final class Property: Sendable {
        public let name: String
        /// The name of the property before it was renamed, or `nil` if it was not renamed.
        public let previousName: String?
        /// The index of the property in the ``Entity/properties`` of the entity.
        public let index: Int
        /// The index of the property in the ``Entity/storedProperties``; -1 for a to-many relationship, whose links or destinations
        /// store it.
        public let slot: Int
        /// The index of the property among those that can change in a model: its slot, or a number after all slots if the
        /// relationship is stored as links; -1 for a relationship that is stored in the rows of the destinations.
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
        let codec: (any AnyPropertyCodec)?
        let directType: DirectType?
        /// The encoded default value of an attribute, or `nil` if there is none.
        public let defaultValue: PropertyValue?
        let attributeAccess: (any AttributeAccess)?
        let relationshipAccess: (any RelationshipAccess)?

        /// The kind of a property, with its description.
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

        /// Does not copy the description of the relationship, which takes many retains.
        var isLinked: Bool { slot < 0 && mark >= 0 }
        var isRequired: Bool { attributeAccess?.hasDefault == false }
    }
}

extension Schema.Property: SchemaProperty {
    public var originalName: String { previousName ?? name }
    public var valueType: any Any.Type { attribute?.valueType ?? relationship?.valueType ?? Never.self }
    /// The Swift type of the property, without the optional of ``valueType``.
    public var unwrappedValueType: any Any.Type { unwrapped(valueType) }
    public var isAttribute: Bool { attribute != nil }
    public var isOptional: Bool { attribute?.isOptional ?? relationship?.isOptional ?? true }
    public var isUnique: Bool { attribute?.isUnique ?? relationship?.isUnique ?? false }

    /// Compares the key paths, the positions and the descriptions of the properties.
    public static func == (lhs: Schema.Property, rhs: Schema.Property) -> Bool {
        if lhs === rhs { return true }
        guard lhs.keyPath == rhs.keyPath, lhs.index == rhs.index else { return false }
        return switch (lhs.kind, rhs.kind) {
        case (.attribute(let a), .attribute(let b)): a == b
        case (.relationship(let a), .relationship(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(keyPath)
    }
}

extension Schema.Property.Kind {
    @inline(__always)
    var relationship: Schema.Relationship? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }
}

extension Schema.Property.Kind: Codable {
    private enum CodingKeys: CodingKey { case kind }
    private enum Name: String, Codable { case attribute, relationship }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Name.self, forKey: .kind) {
        case .attribute: self = .attribute(try Schema.Attribute(from: decoder))
        case .relationship: self = .relationship(try Schema.Relationship(from: decoder))
        }
    }

    /// Encodes the description of the attribute or relationship, with the additional key `kind`, whose value is `attribute` or
    /// `relationship`.
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
