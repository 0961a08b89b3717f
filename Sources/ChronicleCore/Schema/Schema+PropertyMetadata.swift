extension Schema {
    /// SwiftData's description of an attribute that consists of several properties.
    ///
    /// A schema of Chronicle has no such attribute: it stores the value of a `Codable` structure as one value, and predicates and
    /// sorts can use its members.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        /// An empty array.
        public var properties: [any SchemaProperty] { [] }
    }

    /// A property of a model class in its ``PersistentModel/schemaMetadata``.
    public struct PropertyMetadata {
        /// The name of the property in its class.
        public let name: String
        /// The key path of the property.
        public let keypath: AnyKeyPath
        /// The declared default value, or `nil` if there is none.
        public let defaultValue: Any?
        /// The ``Attribute`` or ``Relationship`` that describes the property, or `nil` for a property that is not stored.
        public let metadata: (any SchemaProperty)?

        /// Creates the metadata of a property.
        ///
        /// - Parameters:
        ///   - name: The name of the property in its class.
        ///   - keypath: The key path of the property.
        ///   - defaultValue: The default value.
        ///   - metadata: The description of the property.
        public init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}

extension PersistentModel {
    /// The properties in ``properties``, with the descriptions that a schema of the class has for them.
    public static var schemaMetadata: [Schema.PropertyMetadata] {
        let entity = Schema(Self.self).entity(for: Self.self)
        return allProperties.elements.map { name, keyPath in
            let property = entity?.propertiesByName[name]
            return Schema.PropertyMetadata(
                name: name, keypath: keyPath, defaultValue: property?.attribute?.defaultValue,
                metadata: property.flatMap { $0.attribute ?? $0.relationship })
        }
    }
}
