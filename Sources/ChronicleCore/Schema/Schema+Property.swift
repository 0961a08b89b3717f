extension Schema {
    /// A stored property of a model: an attribute or a relationship.
    public final class Property: Sendable {
        /// The name of the property in its class, and in the store.
        public let name: String
        /// The name that the property had before it was renamed; `nil` if the declaration has none.
        public let previousName: String?
        /// The position of the property among the entity's ``Entity/properties``.
        public let index: Int
        /// The position of the property among the entity's ``Entity/storedProperties``; -1 for a to-many relationship, whose
        /// value is in the rows of the destinations.
        public let slot: Int
        /// The position among the properties that can change in a model: the slot, or a number after all slots for links;
        /// -1 for a relationship whose value is in the rows of the destinations.
        let mark: Int
        /// The offset of the wrapper in the model, in bytes; known for attributes of direct types, see
        /// ``PropertyValue/direct(as:)``.
        let offset: Int?
        /// The attribute or relationship.
        public let kind: Kind
        /// The encoded default of an attribute that declares one.
        public let defaultValue: PropertyValue?
        let access: any PropertyAccess

        /// The kind of a property.
        public enum Kind: Sendable {
            /// An attribute, and how its values are stored.
            case attribute(Attribute)
            /// A relationship, and its destination.
            case relationship(Relationship)
        }

        init(
            name: String, previousName: String?, index: Int, slot: Int, mark: Int, offset: Int?, kind: Kind,
            defaultValue: PropertyValue?, access: any PropertyAccess
        ) {
            self.name = name
            self.previousName = previousName
            self.index = index
            self.slot = slot
            self.mark = mark
            self.offset = offset
            self.kind = kind
            self.defaultValue = defaultValue
            self.access = access
        }

        /// The key path of the property in its class.
        public var keyPath: AnyKeyPath { access.anyKeyPath }

        /// The attribute; `nil` for a relationship.
        public var attribute: Attribute? {
            if case .attribute(let attribute) = kind { attribute } else { nil }
        }

        /// The relationship; `nil` for an attribute.
        public var relationship: Relationship? {
            if case .relationship(let relationship) = kind { relationship } else { nil }
        }

        var codec: (any AnyPropertyCodec)? { access.codec }
        /// Whether a program has to set the property before a save.
        var isRequired: Bool { isAttribute && !access.hasDefault }
    }
}

extension Schema.Property: SchemaProperty {
    public var originalName: String { previousName ?? name }
    public var valueType: any Any.Type { attribute?.valueType ?? relationship?.valueType ?? Never.self }
    public var isAttribute: Bool { attribute != nil }
    public var isOptional: Bool { attribute?.isOptional ?? relationship?.isOptional ?? true }
    public var isUnique: Bool { attribute?.isUnique ?? relationship?.isUnique ?? false }

    /// Returns whether both are the property of one class.
    public static func == (lhs: Schema.Property, rhs: Schema.Property) -> Bool { lhs.keyPath == rhs.keyPath }

    /// Hashes the key path.
    public func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}
