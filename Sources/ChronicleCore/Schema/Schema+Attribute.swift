extension Schema {
    /// An attribute of a model class, with its options and the stored form of its values.
    ///
    /// Schemas create their attributes from the model classes. Those that you create describe a property in code for SwiftData.
    public class Attribute: Codable, @unchecked Sendable {
        // Reason for `@unchecked Sendable`: all properties are constants of Sendable types, in the only subclass as well.

        public let name: String
        public let originalName: String
        /// The options of the declaration.
        public let options: [Option]
        let encodedDefault: PropertyValue?
        /// Whether the default value is the same for every model, unlike that of `Date()`.
        public let hasConstantDefault: Bool
        let codec: (any AnyPropertyCodec)?
        /// The stored form of the values.
        public let storage: Storage
        /// Whether the Swift type is optional.
        public let isOptional: Bool
        /// The Swift type of the property.
        ///
        /// In a decoded schema without model classes, it is the type of the values that ``Schema/Property/decode(_:)`` returns, or
        /// its optional, which differs from that of the class only if ``valueTypeName`` cannot identify the type.
        public let valueType: any Any.Type
        /// The name of the Swift type, or of the type that it is the optional of, such as `Date` or `Array<Int>`.
        ///
        /// The name does not contain modules and enclosing types. It is stable for `String`, `Bool`, `Data`, `Date`, `Double`,
        /// `Float`, `UUID`, `URL`, `Decimal` and the integer types, which a decoded schema identifies by this name. Values of other
        /// types are decoded to their stored form: JSON to a `String` with its text, and a `RawRepresentable` to its raw value. The
        /// name of a type of your program that has one of these names is preceded by that of its module.
        public let valueTypeName: String
        /// The value that was passed to the initializer. Chronicle does not compare versions of a property by hash.
        public let hashModifier: String?

        init(
            name: String, originalName: String, options: [Option], encodedDefault: PropertyValue?,
            hasConstantDefault: Bool, codec: (any AnyPropertyCodec)?, storage: Storage, isOptional: Bool,
            valueType: any Any.Type, valueTypeName: String, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName
            self.options = options
            self.encodedDefault = encodedDefault
            self.hasConstantDefault = hasConstantDefault
            self.codec = codec
            self.storage = storage
            self.isOptional = isOptional
            self.valueType = valueType
            self.valueTypeName = valueTypeName
            self.hashModifier = hashModifier
        }

        /// Creates a description of an attribute without a name and a type.
        ///
        /// - Parameters:
        ///   - options: The options of the attribute.
        ///   - originalName: The previous name of the property, if it was renamed.
        ///   - hashModifier: A value that is kept and not used.
        public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            self.init(
                name: "", originalName: originalName, options: options, valueType: Any.self, hashModifier: hashModifier)
        }

        /// Creates a description of an attribute.
        ///
        /// - Parameters:
        ///   - name: The name of the property.
        ///   - originalName: The previous name of the property, if it was renamed.
        ///   - options: The options of the attribute.
        ///   - valueType: The Swift type of the property.
        ///   - defaultValue: The default value. A value that `valueType` cannot store is ignored.
        ///   - hashModifier: A value that is kept and not used.
        public convenience init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            let codec = PropertyCodecs.codec(of: valueType)
            var encodedDefault: PropertyValue?
            if let codec, let defaultValue {
                do { encodedDefault = try codec.encodeAny(defaultValue) } catch { encodedDefault = nil }
            }
            self.init(
                name: name, originalName: originalName ?? name, options: options.flatMap(\.elements),
                encodedDefault: encodedDefault, hasConstantDefault: true, codec: codec,
                storage: codec?.storage ?? .json,
                isOptional: valueType is any OptionalValue.Type, valueType: valueType,
                valueTypeName: PropertyCodecs.name(of: valueType), hashModifier: hashModifier)
        }

        private enum CodingKeys: String, CodingKey {
            case name, originalName, type, storage, isOptional, options, `default`
        }

        /// Decodes the description of an attribute.
        ///
        /// The attribute has no model class; see ``valueType``. Options that this version does not support are ignored.
        ///
        /// - Throws: `DecodingError` if the data is not the description of an attribute, or its stored form is unknown;
        ///   ``SwiftDataError/invalidModel`` if the default value is not a value of the type. Discard the data, or update the
        ///   program to the version that encoded it.
        public required convenience init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let name = try container.decode(String.self, forKey: .name)
            let typeName = try container.decode(String.self, forKey: .type)
            let isOptional = try container.decode(Bool.self, forKey: .isOptional)
            let codec = PropertyCodecs.codec(
                named: typeName, try container.decode(Storage.self, forKey: .storage), isOptional: isOptional)
            let declaredDefault = try container.decodeIfPresent(PropertyValue.self, forKey: .default)
            if let declaredDefault, !codec.isValid(declaredDefault) {
                throw SwiftDataError.invalidModel.with(
                    detail: "its default value, \(declaredDefault.formName), is not a valid \(typeName)",
                    propertyName: name
                )
            }
            let options = try container.decodeIfPresent([String].self, forKey: .options) ?? []
            self.init(
                name: name, originalName: try container.decodeIfPresent(String.self, forKey: .originalName) ?? name,
                options: Option(names: options).elements,
                // As for a property of a class, the default value of an optional attribute is `nil`.
                encodedDefault: declaredDefault ?? (isOptional ? .null : nil), hasConstantDefault: true,
                codec: codec, storage: codec.storage, isOptional: isOptional, valueType: codec.valueType,
                valueTypeName: typeName)
        }

        /// Encodes the description of the attribute as a keyed container.
        ///
        /// The keys are `name`, `originalName` (absent if it is the name), `type` (see ``valueTypeName``), `storage`,
        /// `isOptional`, `options` (names such as `unique`) and `default` (a ``PropertyValue``; absent for `nil` and for
        /// values that differ each time, such as `Date()`).
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            if originalName != name { try container.encode(originalName, forKey: .originalName) }
            try container.encode(valueTypeName, forKey: .type)
            try container.encode(storage, forKey: .storage)
            try container.encode(isOptional, forKey: .isOptional)
            try container.encode(options.compactMap(\.name), forKey: .options)
            if let encodedDefault, hasConstantDefault, !encodedDefault.isNull {
                try container.encode(encodedDefault, forKey: .default)
            }
        }

        /// An option of an attribute. The initializers of the `@Attribute` wrapper take up to three options.
        public struct Option: OptionSet, Hashable, Sendable {
            public let rawValue: UInt8

            @inlinable
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same value.
            @inlinable public static var unique: Option { Option(rawValue: 1) }
            /// The history preserves the value in the tombstone of a deleted model; see ``HistoryTombstone``.
            @inlinable public static var preserveValueOnDeletion: Option { Option(rawValue: 2) }
            /// The history preserves the value before and after each update that changes it; see
            /// ``DefaultHistoryUpdate/previousValue(_:)-(KeyPath<Model,Value>)``. SwiftData has no such option.
            @inlinable public static var preserveValueOnUpdate: Option { Option(rawValue: 64) }
            /// No option. SwiftData requires it for some `Codable` types; Chronicle stores every `Codable` type without it.
            @inlinable public static var codable: Option { [] }
            /// Ignored: the value remains in its row. When a store with such an attribute is opened, its logger receives the
            /// message `externalStorageIgnored`; see ``StoreLogger``.
            @inlinable public static var externalStorage: Option { Option(rawValue: 8) }
            /// Ignored. Operating systems do not index Chronicle stores.
            @inlinable public static var spotlight: Option { Option(rawValue: 16) }
            /// Ignored. Operating systems do not synchronize Chronicle stores.
            @inlinable public static var allowsCloudEncryption: Option { Option(rawValue: 32) }

            /// The value is part of the model and is not stored, like that of a `@Transient` property.
            ///
            /// The property requires a default value or an optional type. Setting it is not an unsaved change.
            @inlinable public static var ephemeral: Option { Option(rawValue: 4) }

            /// No option. Chronicle uses no value transformer; a container throws ``SwiftDataError/unsupportedAttributeType`` for a
            /// type that is not `Codable`.
            ///
            /// - Parameter transformerName: The name of a value transformer, which is not used.
            /// - Returns: An empty set of options.
            @inlinable public static func transformable(by transformerName: String) -> Option { [] }

            /// No option. Chronicle uses no value transformer.
            ///
            /// - Parameter transformer: The class of a value transformer, which is not used.
            /// - Returns: An empty set of options.
            @inlinable public static func transformable(by transformer: AnyClass) -> Option { [] }

            var elements: [Option] {
                (0..<7).map { Option(rawValue: 1 << $0) }.filter(contains)
            }
        }

        /// The stored form of the values of an attribute that are not null.
        public enum Storage: String, Codable, Sendable {
            /// An integer, ``PropertyValue/integer(_:)``.
            case integer
            /// A floating-point number, ``PropertyValue/real(_:)``.
            case real
            /// A string, ``PropertyValue/text(_:)``.
            case text
            /// Binary data, ``PropertyValue/blob(_:)``.
            case blob
            /// The decimal digits of a number as ``PropertyValue/text(_:)``. Equal numbers have equal texts, but texts have another
            /// order.
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
        encodedDefault.flatMap { codec?.decodeAny($0) }
    }

    /// `false`, because Chronicle uses no value transformers.
    public var isTransformable: Bool { false }
    public var isAttribute: Bool { true }
    /// Whether values are stored in the form that their `Codable` conformance defines, as JSON; see ``storage``.
    public var isCodable: Bool { storage == .json }
    /// Whether the attribute has the option ``Option/unique``.
    public var isUnique: Bool { options.contains(.unique) }

    /// Compares the names, the type, the stored form and the options, but not the default values, which may differ each time, such
    /// as `Date()`.
    public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
        lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
            && lhs.storage == rhs.storage && lhs.valueType == rhs.valueType && lhs.valueTypeName == rhs.valueTypeName
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension AnyPropertyCodec {
    fileprivate func isValid(_ value: PropertyValue) -> Bool {
        switch value {
        case .reference, .references: false
        case .null: isOptional
        case .integer, .real, .text, .blob: decodeAny(value) != nil
        }
    }
}

extension Schema.Attribute.Option: Codable, CustomDebugStringConvertible {
    /// Decodes a set of options from an array of their names. Names that this version does not support are ignored.
    public init(from decoder: any Decoder) throws {
        self.init(names: try [String](from: decoder))
    }

    /// Encodes the options as an array of their names, such as `unique`. ``ephemeral`` is not encoded, because the description of a
    /// schema contains only stored attributes.
    public func encode(to encoder: any Encoder) throws { try elements.compactMap(\.name).encode(to: encoder) }

    public var debugDescription: String {
        let other = (contains(.ephemeral) ? ["ephemeral"] : []) + (contains(.relationship) ? ["relationship"] : [])
        return "[\((elements.compactMap(\.name) + other).joined(separator: ", "))]"
    }

    /// The options in descriptions of attributes, without ``ephemeral``, because a schema contains only stored attributes.
    private static let names: [(name: String, option: Self)] = [
        ("unique", .unique), ("preserveValueOnDeletion", .preserveValueOnDeletion),
        ("preserveValueOnUpdate", .preserveValueOnUpdate),
        ("externalStorage", .externalStorage), ("spotlight", .spotlight),
        ("allowsCloudEncryption", .allowsCloudEncryption),
    ]

    fileprivate var name: String? { Self.names.first { $0.option == self }?.name }

    fileprivate init(names: [String]) {
        self = []
        for (name, option) in Self.names where names.contains(name) { insert(option) }
    }
}
