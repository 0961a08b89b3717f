extension Schema {
    /// A relationship of a model class, and its destination.
    public struct Relationship: @unchecked Sendable {
        // `@unchecked Sendable`: the key paths are of stored properties without captures, which are immutable; their erased
        // type is not `Sendable`.

        /// The name of the relationship in its class, and in the store.
        public let name: String
        /// The name that the relationship had before it was renamed; ``name`` if it was not.
        public let originalName: String
        /// The key path of the relationship in its class.
        public let keypath: AnyKeyPath
        /// The key path of the inverse in the class of the destination; `nil` for a relationship without an inverse.
        public let inverseKeyPath: AnyKeyPath?
        /// The Swift type of the property.
        public let valueType: any Any.Type
        /// The effect of a delete of the model on the destinations.
        public let deleteRule: DeleteRule
        /// The name of the destinations' entity.
        public let destination: String
        /// Whether the relationship has any number of destinations.
        public let isToMany: Bool
        /// Whether a model may have no destination. A to-many relationship requires destinations by its
        /// ``minimumModelCount``.
        public let isOptional: Bool
        /// The name of the destination's property that is the inverse.
        public let inverseName: String?
        /// Whether the relationship is stored as links, pairs of models beside the rows: a to-many relationship whose inverse
        /// is to-many as well, or that has no inverse. See ``Schema/links(of:)``.
        public let isLinked: Bool
        /// The options of the declaration.
        public let options: [Option]
        /// The least number of destinations that a save accepts, for models whose destinations it changes.
        public let minimumModelCount: Int
        /// The greatest number of destinations that a save accepts; 0 for any number.
        public let maximumModelCount: Int

        /// Whether the relationship has one destination, or none.
        public var isToOneRelationship: Bool { !isToMany }

        /// An option of a relationship.
        public struct Option: OptionSet, Hashable, Sendable {
            public let rawValue: UInt8

            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same destination.
            public static var unique: Option { Option(rawValue: 1) }

            /// The single options of a set.
            var elements: [Option] { contains(.unique) ? [.unique] : [] }
        }

        /// The effect of a delete of a model on the destinations of a relationship.
        public enum DeleteRule: String, Sendable {
            /// The destinations are deleted, too.
            case cascade
            /// The inverse of the destinations becomes `nil`.
            case nullify
            /// Nothing; the destinations keep an identifier of a model that does not exist.
            case noAction
            /// A save that deletes the model, and leaves a destination, throws ``SwiftDataError/deleteDenied``.
            case deny
        }
    }
}

extension Schema.Relationship: SchemaProperty {
    public var isAttribute: Bool { false }
    public var isUnique: Bool { options.contains(.unique) }

    /// Returns whether both are the relationship of one class.
    public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool { lhs.keypath == rhs.keypath }

    /// Hashes the key path.
    public func hash(into hasher: inout Hasher) { hasher.combine(keypath) }
}

extension Schema.Relationship {
    var hasCounts: Bool { minimumModelCount > 0 || maximumModelCount > 0 }
}
