extension Schema {
    /// A relationship of a model class, with its destination, inverse and rules.
    ///
    /// Schemas create their relationships from the model classes. Those that you create describe a property in code for SwiftData.
    public final class Relationship: @unchecked Sendable {
        // Reason for `@unchecked Sendable`: key paths of stored properties have no captures and are immutable, which
        // their erased type does not express.

        public let name: String
        public let originalName: String
        /// The key path of the relationship in its class, or `nil` if the schema was decoded and contains no class.
        public let keypath: AnyKeyPath?
        /// The key path of the inverse in the class of the destination, or `nil` without an inverse or a class.
        public let inverseKeyPath: AnyKeyPath?
        /// The Swift type of the property. In a decoded schema, ``UntypedModel`` replaces the class of the destination.
        public let valueType: any Any.Type
        /// The effect on the destinations when the model is deleted.
        public let deleteRule: DeleteRule
        /// The name of the destinations' entity.
        public let destination: String
        /// Whether the relationship can have several destinations.
        public let isToMany: Bool
        /// Whether a model may have no destination. For a to-many relationship, specify ``minimumModelCount`` to require
        /// destinations.
        public let isOptional: Bool
        /// The name of the inverse in the class of the destination, or `nil` if the relationship has no inverse.
        public let inverseName: String?
        /// Whether the relationship is stored as links, pairs of models separate from their rows: it is to-many, and has no inverse
        /// or one that is to-many as well. See ``Schema/links(of:)``.
        public let isLinked: Bool
        /// The options of the declaration.
        public let options: [Option]
        /// The minimum number of destinations. A save checks it for models whose destinations changed.
        public let minimumModelCount: Int
        /// The maximum number of destinations, or 0 for no limit. A save checks it for models whose destinations changed.
        public let maximumModelCount: Int

        /// The value that was passed to the initializer. Chronicle does not compare versions of a property by hash.
        public let hashModifier: String?
        /// Whether the relationship is optional only because ``Schema/mergingSubentities()`` merged an entity that requires it.
        let isRequiredBySubentity: Bool

        init(
            name: String, originalName: String, keypath: AnyKeyPath?, inverseKeyPath: AnyKeyPath?,
            valueType: any Any.Type, deleteRule: DeleteRule, destination: String, isToMany: Bool, isOptional: Bool,
            inverseName: String?, isLinked: Bool, options: [Option], minimumModelCount: Int, maximumModelCount: Int,
            hashModifier: String? = nil, isRequiredBySubentity: Bool = false
        ) {
            self.name = name
            self.originalName = originalName
            self.keypath = keypath
            self.inverseKeyPath = inverseKeyPath
            self.valueType = valueType
            self.deleteRule = deleteRule
            self.destination = destination
            self.isToMany = isToMany
            self.isOptional = isOptional
            self.inverseName = inverseName
            self.isLinked = isLinked
            self.options = options
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.hashModifier = hashModifier
            self.isRequiredBySubentity = isRequiredBySubentity
        }

        /// Creates a description of a relationship without a name and a destination.
        ///
        /// - Parameters:
        ///   - options: The options of the relationship.
        ///   - deleteRule: The effect on the destinations when the model is deleted.
        ///   - minimumModelCount: The minimum number of destinations.
        ///   - maximumModelCount: The maximum number of destinations, or 0 for no limit.
        ///   - originalName: The previous name of the property, if it was renamed.
        ///   - inverse: The key path of the inverse in the class of the destination.
        ///   - hashModifier: A value that is kept and not used.
        public convenience init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            self.init(
                name: "", originalName: originalName ?? "", keypath: nil, inverseKeyPath: inverse, valueType: Any.self,
                deleteRule: deleteRule, destination: "", isToMany: false, isOptional: true, inverseName: nil,
                isLinked: false, options: options.flatMap(\.elements), minimumModelCount: minimumModelCount ?? 0,
                maximumModelCount: maximumModelCount ?? 0, hashModifier: hashModifier)
        }

        /// Whether the relationship can have at most one destination.
        public var isToOneRelationship: Bool { !isToMany }

        /// An option of a relationship.
        public struct Option: OptionSet, Hashable, Sendable {
            public let rawValue: UInt8

            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same destination.
            public static var unique: Option { Option(rawValue: 1) }

            var elements: [Option] { contains(.unique) ? [.unique] : [] }
        }

        /// The effect on the destinations of a relationship when the model is deleted.
        public enum DeleteRule: String, Codable, Sendable {
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
    public var isAttribute: Bool { false }
    public var isUnique: Bool { options.contains(.unique) }

    /// Compares the key paths, the names, the destination and all rules.
    public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool {
        lhs.keypath == rhs.keypath && lhs.name == rhs.name && lhs.originalName == rhs.originalName
            && lhs.destination == rhs.destination && lhs.inverseName == rhs.inverseName
            && lhs.inverseKeyPath == rhs.inverseKeyPath && lhs.valueType == rhs.valueType
            && lhs.deleteRule == rhs.deleteRule && lhs.isLinked == rhs.isLinked && lhs.options == rhs.options
            && lhs.minimumModelCount == rhs.minimumModelCount && lhs.maximumModelCount == rhs.maximumModelCount
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(destination)
    }
}

extension Schema.Relationship {
    var hasCounts: Bool { minimumModelCount > 0 || maximumModelCount > 0 }

    static func validationError(
        isToMany: Bool, options: Option, counts: (minimum: Int, maximum: Int)
    ) -> String? {
        if isToMany, options.contains(.unique) { return "only a to-one relationship can be unique" }
        if counts.minimum < 0 || counts.maximum < 0 { return "a model count cannot be negative" }
        if !isToMany, counts.minimum > 1 { return "a to-one relationship cannot require \(counts.minimum) models" }
        if counts.maximum > 0, counts.minimum > counts.maximum {
            return "minimumModelCount (\(counts.minimum)) exceeds maximumModelCount (\(counts.maximum))"
        }
        return nil
    }
}

extension Schema.Relationship: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, originalName, destination, inverse, deleteRule, isToMany, isOptional, isLinked, options
        case minimumModelCount, maximumModelCount
    }

    /// Decodes the description of a relationship without a model class and key paths. Options that this version does not support
    /// are ignored.
    ///
    /// - Throws: `DecodingError` if the data is not the description of a relationship, or its delete rule is unknown;
    ///   ``SwiftDataError/invalidModel`` if the options and counts contradict each other. Discard the data, or update the program
    ///   to the version that encoded it.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .name)
        let isToMany = try container.decode(Bool.self, forKey: .isToMany)
        let isOptional = try container.decode(Bool.self, forKey: .isOptional)
        let options = try container.decodeIfPresent(Option.self, forKey: .options) ?? []
        let counts = (
            minimum: try container.decodeIfPresent(Int.self, forKey: .minimumModelCount) ?? 0,
            maximum: try container.decodeIfPresent(Int.self, forKey: .maximumModelCount) ?? 0
        )
        if let detail = Self.validationError(isToMany: isToMany, options: options, counts: counts) {
            throw SwiftDataError.invalidModel.with(detail: detail, propertyName: name)
        }
        self.init(
            name: name, originalName: try container.decodeIfPresent(String.self, forKey: .originalName) ?? name,
            keypath: nil, inverseKeyPath: nil, valueType: Self.valueType(isToMany: isToMany, isOptional: isOptional),
            deleteRule: try container.decode(DeleteRule.self, forKey: .deleteRule),
            destination: try container.decode(String.self, forKey: .destination), isToMany: isToMany,
            isOptional: isOptional, inverseName: try container.decodeIfPresent(String.self, forKey: .inverse),
            isLinked: try container.decode(Bool.self, forKey: .isLinked), options: options.elements,
            minimumModelCount: counts.minimum, maximumModelCount: counts.maximum)
    }

    private static func valueType(isToMany: Bool, isOptional: Bool) -> Any.Type {
        switch (isToMany, isOptional) {
        case (false, false): UntypedModel.self
        case (false, true): UntypedModel?.self
        case (true, false): [UntypedModel].self
        case (true, true): [UntypedModel]?.self
        }
    }

    /// Encodes the description of the relationship as a keyed container.
    ///
    /// The keys are `name`, `originalName` (absent if it is the name), `destination` (the name of an entity), `inverse` (the name
    /// of a property, or absent), `deleteRule`, `isToMany`, `isOptional`, `isLinked`, `options` (names such as `unique`),
    /// `minimumModelCount` and `maximumModelCount`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        if originalName != name { try container.encode(originalName, forKey: .originalName) }
        try container.encode(destination, forKey: .destination)
        try container.encodeIfPresent(inverseName, forKey: .inverse)
        try container.encode(deleteRule, forKey: .deleteRule)
        try container.encode(isToMany, forKey: .isToMany)
        try container.encode(isOptional, forKey: .isOptional)
        try container.encode(isLinked, forKey: .isLinked)
        try container.encode(isUnique ? Option.unique : [], forKey: .options)
        try container.encode(minimumModelCount, forKey: .minimumModelCount)
        try container.encode(maximumModelCount, forKey: .maximumModelCount)
    }
}

extension Schema.Relationship.Option: Codable, CustomDebugStringConvertible {
    /// Decodes a set of options from an array of their names. Names that this version does not support are ignored.
    public init(from decoder: any Decoder) throws {
        self = try [String](from: decoder).contains("unique") ? .unique : []
    }

    /// Encodes the options as an array of their names, such as `unique`.
    public func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }

    public var debugDescription: String { "[\(names.joined(separator: ", "))]" }

    private var names: [String] { contains(.unique) ? ["unique"] : [] }
}
