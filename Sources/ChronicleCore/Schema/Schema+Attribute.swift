extension Schema {
    /// An attribute of a model class, with its options and the stored form of its values.
    public struct Attribute: Sendable {
        /// The name of the attribute in its class, and in the store.
        public let name: String
        /// The name of the attribute before it was renamed, or ``name`` if it was not renamed.
        public let originalName: String
        /// The options of the declaration.
        public let options: [Option]
        let encodedDefault: PropertyValue?
        let codec: any AnyPropertyCodec
        /// The stored form of the values.
        public let storage: Storage
        /// Whether the Swift type is optional.
        public let isOptional: Bool
        /// The Swift type of the property.
        public let valueType: any Any.Type

        /// An option of an attribute.
        ///
        /// The initializers of the `@Attribute` wrapper take up to three options.
        public struct Option: OptionSet, Hashable, Sendable {
            /// The bits of the options.
            public let rawValue: UInt8

            /// Creates a set of options.
            ///
            /// - Parameter rawValue: The bits of the options.
            @inlinable
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same value.
            @inlinable public static var unique: Option { Option(rawValue: 1) }
            /// The history preserves the value in the tombstone of a deleted model; see ``HistoryTombstone``.
            @inlinable public static var preserveValueOnDeletion: Option { Option(rawValue: 2) }
            /// Ignored. The value is part of its row, and SQLite stores large values on separate pages.
            @inlinable public static var externalStorage: Option { Option(rawValue: 8) }
            /// Ignored. Operating systems do not index Chronicle stores.
            @inlinable public static var spotlight: Option { Option(rawValue: 16) }
            /// Ignored. Operating systems do not synchronize Chronicle stores.
            @inlinable public static var allowsCloudEncryption: Option { Option(rawValue: 32) }

            /// The value is part of the model and is not stored, like that of a `@Transient` property.
            ///
            /// The property requires a default value or an optional type. Setting it is not an unsaved change, and the
            /// history does not contain it.
            @inlinable public static var ephemeral: Option { Option(rawValue: 4) }

            /// Unavailable; use a `Codable` type for the attribute.
            ///
            /// - Parameter transformer: The value transformer.
            /// - Returns: An empty set of options.
            @available(*, unavailable, message: "use a type that is Codable")
            public static func transformable(by transformer: Any) -> Option { [] }

            /// The options of the set, one by one.
            var elements: [Option] {
                (0..<6).map { Option(rawValue: 1 << $0) }.filter(contains)
            }
        }

        /// The stored form of the values of an attribute that are not null.
        public enum Storage: String, Sendable {
            /// An integer, ``PropertyValue/integer(_:)``.
            case integer
            /// A floating-point number, ``PropertyValue/real(_:)``.
            case real
            /// A string, ``PropertyValue/text(_:)``.
            case text
            /// Binary data, ``PropertyValue/blob(_:)``.
            case blob
            /// The decimal digits of a number as ``PropertyValue/text(_:)``.
            ///
            /// Equal numbers have equal texts, but the order of the texts differs from that of the numbers.
            case decimal
            /// JSON as ``PropertyValue/text(_:)``.
            case json
        }
    }
}

extension Schema.Attribute: SchemaProperty {
    /// The declared default value, of the type ``valueType``; `nil` if there is none.
    public var defaultValue: Any? {
        // Decoded on every access, because the value can be a reference that must not be shared between threads.
        encodedDefault.flatMap(codec.decodeAny)
    }

    /// `true`.
    public var isAttribute: Bool { true }
    /// Whether the attribute has the option ``Option/unique``.
    public var isUnique: Bool { options.contains(.unique) }

    /// Returns whether two attributes have the same names, type and options.
    ///
    /// - Parameters:
    ///   - lhs: An attribute.
    ///   - rhs: Another attribute.
    /// - Returns: `true` if the names, the type, the stored form and the options are the same.
    public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
        lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
            && lhs.storage == rhs.storage && lhs.valueType == rhs.valueType
    }

    /// Hashes the name.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
