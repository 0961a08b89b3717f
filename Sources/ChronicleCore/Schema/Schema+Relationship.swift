extension Schema {
    /// A relationship of a model class, with its destination, inverse and rules.
    public struct Relationship: @unchecked Sendable {
        // Reason for `@unchecked Sendable`: key paths of stored properties have no captures and are immutable, which
        // their erased type does not express.

        /// The name of the relationship in its class, and in the store.
        public let name: String
        /// The name of the relationship before it was renamed, or ``name`` if it was not renamed.
        public let originalName: String
        /// The key path of the relationship in its class.
        public let keypath: AnyKeyPath
        /// The key path of the inverse in the class of the destination, or `nil` if the relationship has no inverse.
        public let inverseKeyPath: AnyKeyPath?
        /// The Swift type of the property.
        public let valueType: any Any.Type
        /// The effect on the destinations when the model is deleted.
        public let deleteRule: DeleteRule
        /// The name of the destinations' entity.
        public let destination: String
        /// Whether the relationship can have several destinations.
        public let isToMany: Bool
        /// Whether a model may have no destination.
        ///
        /// For a to-many relationship, specify ``minimumModelCount`` to require destinations.
        public let isOptional: Bool
        /// The name of the inverse in the class of the destination, or `nil` if the relationship has no inverse.
        public let inverseName: String?
        /// Whether the relationship is stored as links, which are pairs of models separate from their rows.
        ///
        /// It is `true` for a to-many relationship whose inverse is to-many as well, or that has no inverse. See
        /// ``Schema/links(of:)``.
        public let isLinked: Bool
        /// The options of the declaration.
        public let options: [Option]
        /// The minimum number of destinations. A save checks it for models whose destinations changed.
        public let minimumModelCount: Int
        /// The maximum number of destinations, or 0 for no limit. A save checks it for models whose destinations
        /// changed.
        public let maximumModelCount: Int

        /// Whether the relationship can have at most one destination.
        public var isToOneRelationship: Bool { !isToMany }

        /// An option of a relationship.
        public struct Option: OptionSet, Hashable, Sendable {
            /// The bits of the options.
            public let rawValue: UInt8

            /// Creates a set of options.
            ///
            /// - Parameter rawValue: The bits of the options.
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same destination.
            public static var unique: Option { Option(rawValue: 1) }

            /// The options of the set, one by one.
            var elements: [Option] { contains(.unique) ? [.unique] : [] }
        }

        /// The effect on the destinations of a relationship when the model is deleted.
        public enum DeleteRule: String, Sendable {
            /// The destinations are deleted as well.
            case cascade
            /// The inverse relationship of the destinations no longer references the model.
            case nullify
            /// The destinations remain unchanged and keep the identifier of a model that no longer exists.
            case noAction
            /// A save throws ``SwiftDataError/deleteDenied`` if the relationship still has a destination.
            case deny
        }
    }
}

extension Schema.Relationship: SchemaProperty {
    /// `false`.
    public var isAttribute: Bool { false }
    /// Whether the relationship has the option ``Option/unique``.
    public var isUnique: Bool { options.contains(.unique) }

    /// Returns whether two values describe the same relationship of the same class.
    ///
    /// - Parameters:
    ///   - lhs: A relationship.
    ///   - rhs: Another relationship.
    /// - Returns: `true` if the key paths are the same.
    public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool { lhs.keypath == rhs.keypath }

    /// Hashes the key path.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) { hasher.combine(keypath) }
}

extension Schema.Relationship {
    var hasCounts: Bool { minimumModelCount > 0 || maximumModelCount > 0 }
}
