extension Schema {
    /// An attribute of a model class, and how its values are stored.
    public struct Attribute: Sendable {
        /// The name of the attribute in its class, and in the store.
        public let name: String
        /// The name that the attribute had before it was renamed; ``name`` if it was not.
        public let originalName: String
        /// The options of the declaration.
        public let options: [Option]
        let encodedDefault: PropertyValue?
        let codec: any AnyPropertyCodec
        /// The form of the values in a store.
        public let storage: Storage
        /// Whether the Swift type is optional.
        public let isOptional: Bool
        /// The Swift type of the property.
        public let valueType: any Any.Type

        /// An option of an attribute.
        ///
        /// The initializers of the `@Attribute` wrapper take up to three options.
        public struct Option: OptionSet, Hashable, Sendable {
            public let rawValue: UInt8

            @inlinable
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same value.
            @inlinable public static var unique: Option { Option(rawValue: 1) }
            /// The history of a delete keeps the value, in its tombstone.
            @inlinable public static var preserveValueOnDeletion: Option { Option(rawValue: 2) }
            /// Ignored: the value stays in its row, and SQLite keeps large values on pages of their own.
            @inlinable public static var externalStorage: Option { Option(rawValue: 8) }
            /// Ignored: no operating system indexes the stores of this package.
            @inlinable public static var spotlight: Option { Option(rawValue: 16) }
            /// Ignored: no operating system synchronizes the stores of this package.
            @inlinable public static var allowsCloudEncryption: Option { Option(rawValue: 32) }

            /// The value stays in the model and is not stored, as if the property were `@Transient` (by hand: had no
            /// wrapper). It needs a default or an optional type, is in no history, and setting it is not a change to save.
            @inlinable public static var ephemeral: Option { Option(rawValue: 4) }

            @available(*, unavailable, message: "use a type that is Codable")
            public static func transformable(by transformer: Any) -> Option { [] }

            /// The single options of a set.
            var elements: [Option] {
                (0..<6).map { Option(rawValue: 1 << $0) }.filter(contains)
            }
        }

        /// The form of an attribute's values in a store, besides null.
        public enum Storage: String, Sendable {
            /// ``PropertyValue/integer(_:)``
            case integer
            /// ``PropertyValue/real(_:)``
            case real
            /// ``PropertyValue/text(_:)``
            case text
            /// ``PropertyValue/blob(_:)``
            case blob
            /// ``PropertyValue/text(_:)`` with the decimal digits of a number: equal numbers have equal texts, but the
            /// order of the texts is not that of the numbers.
            case decimal
            /// ``PropertyValue/text(_:)`` with JSON.
            case json
        }
    }
}

extension Schema.Attribute: SchemaProperty {
    /// The declared default, a value of ``valueType``; `nil` if there is none.
    public var defaultValue: Any? {
        // Decoded for each reader, because a reference must not be shared between threads.
        encodedDefault.flatMap(codec.decodeAny)
    }

    public var isAttribute: Bool { true }
    public var isUnique: Bool { options.contains(.unique) }

    /// Returns whether both have the same name, type and options.
    public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
        lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
            && lhs.storage == rhs.storage && lhs.valueType == rhs.valueType
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
