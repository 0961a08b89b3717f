extension Schema {
    /// A stored property of a model: an attribute or a relationship.
    public final class Property: Sendable {
        /// The name in the class's map, and in the store.
        public let name: String
        /// The name that the property had before it was renamed, if the declaration says so.
        public let originalName: String?
        /// The place among the entity's ``Entity/properties``.
        public let index: Int
        /// The place among the entity's ``Entity/storedProperties``; -1 for a to-many relationship, whose destinations
        /// have the value.
        public let slot: Int
        /// The place among what can change in a model: the slot, or for links a number behind all slots; -1 for what only
        /// the other side knows.
        let mark: Int
        /// Where the wrapper stands in the model, in bytes; known of attributes of direct types, see
        /// ``PropertyValue/direct(as:)``.
        let offset: Int?
        /// What it is.
        public let kind: Kind
        /// The encoded default of an attribute that declares one.
        public let defaultValue: PropertyValue?
        let access: any PropertyAccess

        /// An attribute with what it stores, or a relationship with where it leads.
        public enum Kind: Sendable {
            case attribute(Attribute)
            case relationship(Relationship)
        }

        init(
            name: String, originalName: String?, index: Int, slot: Int, mark: Int, offset: Int?, kind: Kind,
            defaultValue: PropertyValue?, access: any PropertyAccess
        ) {
            self.name = name
            self.originalName = originalName
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

        public var attribute: Attribute? {
            if case .attribute(let attribute) = kind { attribute } else { nil }
        }

        public var relationship: Relationship? {
            if case .relationship(let relationship) = kind { relationship } else { nil }
        }

        /// Whether a model may have no value for it.
        public var isOptional: Bool { attribute?.isOptional ?? relationship?.isOptional ?? true }

        var isAttribute: Bool { attribute != nil }
        var codec: (any AnyPropertyCodec)? { access.codec }
        /// Whether the property was declared to be unique by itself.
        var isUnique: Bool {
            attribute?.options.contains(.unique) == true || relationship?.options.contains(.unique) == true
        }
        /// Whether a program has to set it before a save.
        var isRequired: Bool { isAttribute && !access.hasDefault }
    }

    /// What an attribute stores. The guide *Models* lists the encodings of the types.
    public struct Attribute: Sendable {
        public let options: Options
        /// The form that values take in a store.
        public let storage: Storage
        /// Whether the Swift type is optional.
        public let isOptional: Bool
        /// The Swift type of the property.
        public let valueType: any Any.Type

        /// What a store does with the values of an attribute.
        public struct Options: OptionSet, Sendable {
            public let rawValue: UInt8

            @inlinable
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may have the same value.
            @inlinable public static var unique: Options { Options(rawValue: 1) }
            /// The history of a delete keeps the value, in its tombstone.
            @inlinable public static var preserveValueOnDeletion: Options { Options(rawValue: 2) }

            /// Allowed, and without effect: the value stays in its row, where SQLite keeps large ones apart from the rest.
            @inlinable public static var externalStorage: Options { [] }
            /// Allowed, and without effect: no store of this package is searched by a system.
            @inlinable public static var spotlight: Options { [] }
            /// Allowed, and without effect: no store of this package is synchronised by a system.
            @inlinable public static var allowsCloudEncryption: Options { [] }

            /// The value stays in the model and is not stored, as if the property were `@Transient` (by hand: had no
            /// wrapper). It needs a default or an optional type, is in no history, and setting it is no change to save.
            @inlinable public static var ephemeral: Options { Options(rawValue: 4) }

            @available(*, unavailable, message: "use a type that is Codable")
            public static func transformable(by transformer: Any) -> Options { [] }
        }

        /// The form that values of an attribute take in a store, besides null.
        public enum Storage: String, Sendable {
            /// ``PropertyValue/integer(_:)``
            case integer
            /// ``PropertyValue/real(_:)``
            case real
            /// ``PropertyValue/text(_:)``
            case text
            /// ``PropertyValue/blob(_:)``
            case blob
            /// ``PropertyValue/text(_:)`` holding the decimal digits of a number: equal numbers have equal texts, but the
            /// texts are not in the order of the numbers.
            case decimal
            /// ``PropertyValue/text(_:)`` holding JSON.
            case json
        }
    }

    /// Where a relationship leads.
    public struct Relationship: Sendable {
        public let deleteRule: DeleteRule
        /// The entity of the destinations.
        public let destination: String
        public let isToMany: Bool
        /// Whether a model may do without a destination; a to-many relationship says so by ``minimumModelCount``.
        public let isOptional: Bool
        /// The destination's property that leads back.
        public let inverseName: String?
        /// Whether it is kept as links, pairs of models that a store has beside its rows: a to-many relationship whose
        /// inverse leads to many as well, or that has none. See ``Schema/links(of:)``.
        public let isLinked: Bool
        /// What was declared beside.
        public let options: Options
        /// How many destinations a save asks for at least, of models whose destinations it changes.
        public let minimumModelCount: Int
        /// How many destinations it allows; 0 for any number.
        public let maximumModelCount: Int

        /// What a store does with a relationship.
        public struct Options: OptionSet, Sendable {
            public let rawValue: UInt8

            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// No two models of the entity may lead to the same destination.
            public static var unique: Options { Options(rawValue: 1) }
        }

        /// What a delete of a model does to the destinations of a relationship.
        public enum DeleteRule: String, Sendable {
            /// They are deleted too.
            case cascade
            /// They lead nowhere from now on.
            case nullify
            /// Nothing; they keep an identifier of a model that is gone.
            case noAction
            /// A save that deletes the model, and leaves a destination, is refused with
            /// ``SwiftDataError/deleteDenied``.
            case deny
        }
    }
}

extension Schema.Relationship {
    var hasCounts: Bool { minimumModelCount > 0 || maximumModelCount > 0 }
}
