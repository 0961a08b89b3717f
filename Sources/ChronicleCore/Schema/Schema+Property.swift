import Foundation

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
            name: String, originalName: String?, index: Int, slot: Int, offset: Int?, kind: Kind,
            defaultValue: PropertyValue?, access: any PropertyAccess
        ) {
            self.name = name
            self.originalName = originalName
            self.index = index
            self.slot = slot
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

        var isAttribute: Bool { attribute != nil }
        var codec: (any AnyPropertyCodec)? { access.codec }
        /// Whether a program has to set it before a save.
        var isRequired: Bool { isAttribute && !access.hasDefault }
    }

    /// What an attribute stores. The encodings of the types are listed in the guide *Attribute types*.
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

            @available(*, unavailable, message: "use a property without wrapper, or @Transient")
            public static var ephemeral: Options { [] }
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
        /// The destination's property that leads back.
        public let inverseName: String?

        /// What a delete of a model does to the destinations of a relationship.
        public enum DeleteRule: String, Sendable {
            /// They are deleted too.
            case cascade
            /// They lead nowhere from now on.
            case nullify
            /// Nothing; they keep an identifier of a model that is gone.
            case noAction

            @available(*, unavailable, message: "not supported yet: look at the destinations before you delete")
            public static var deny: DeleteRule { .noAction }
        }
    }
}

/// How the values of a property get out of a model, with the types that the schema erases.
protocol PropertyAccess: Sendable {
    var anyKeyPath: AnyKeyPath { get }
    var codec: (any AnyPropertyCodec)? { get }
    var hasDefault: Bool { get }
    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue
    func destinations(_ model: any PersistentModel) -> [any PersistentModel]
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel)
    /// A value of the property's type that leads to these models.
    func value<Value>(leadingTo destinations: [any PersistentModel], as: Value.Type) -> Value?
    /// The models that a value of the property's type leads to.
    func destinations<Value>(in value: Value) -> [any PersistentModel]
    /// The `Predicate` of the models whose to-one relationship leads to this one.
    func predicate(leadingTo identifier: PersistentIdentifier) -> Any?
}

/// `@unchecked Sendable`: a key path of a stored property without captures is immutable; only the conformance is
/// missing from what a cast can find.
struct AttributeAccess<Model: PersistentModel, Value>: PropertyAccess, @unchecked Sendable {
    let keyPath: KeyPath<Model, Value>
    let typedCodec: PropertyCodec<Value>
    let hasDefault: Bool

    var anyKeyPath: AnyKeyPath { keyPath }
    var codec: (any AnyPropertyCodec)? { typedCodec }

    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue {
        do {
            return try typedCodec.encode(unsafeDowncast(model, to: Model.self)[keyPath: keyPath])
        } catch let error as SwiftDataError {
            throw error.adding(entityName: Model.entityName, propertyName: property.name)
        } catch {
            throw SwiftDataError.modelValidationFailure.adding(
                detail: "the value cannot be encoded", entityName: Model.entityName, propertyName: property.name,
                underlying: error)
        }
    }

    func destinations(_ model: any PersistentModel) -> [any PersistentModel] { [] }
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel) {}
    func value<Other>(leadingTo destinations: [any PersistentModel], as: Other.Type) -> Other? { nil }
    func destinations<Other>(in value: Other) -> [any PersistentModel] { [] }
    func predicate(leadingTo identifier: PersistentIdentifier) -> Any? { nil }
}

/// `@unchecked Sendable`: as for ``AttributeAccess``; what the shape captures are types.
struct RelationshipAccess<Model: PersistentModel, Value>: PropertyAccess, @unchecked Sendable {
    let keyPath: ReferenceWritableKeyPath<Model, Value>
    let shape: RelationshipShape<Value>

    var anyKeyPath: AnyKeyPath { keyPath }
    var codec: (any AnyPropertyCodec)? { nil }
    var hasDefault: Bool { true }

    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue { .null }

    func destinations(_ model: any PersistentModel) -> [any PersistentModel] {
        shape.models(unsafeDowncast(model, to: Model.self)[keyPath: keyPath])
    }

    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel) {
        unsafeDowncast(model, to: Model.self)[keyPath: keyPath] = shape.value(destinations)
    }

    func value<Other>(leadingTo destinations: [any PersistentModel], as: Other.Type) -> Other? {
        Other.self == Value.self ? unsafeBitCast(shape.value(destinations), to: Other.self) : nil
    }

    func destinations<Other>(in value: Other) -> [any PersistentModel] {
        Other.self == Value.self ? shape.models(unsafeBitCast(value, to: Value.self)) : []
    }

    func predicate(leadingTo identifier: PersistentIdentifier) -> Any? {
        predicate(leadingTo: identifier, shape.destination)
    }

    private func predicate<Destination: PersistentModel>(
        leadingTo identifier: PersistentIdentifier, _: Destination.Type
    ) -> Predicate<Model>? {
        guard let keyPath = anyKeyPath as? KeyPath<Model, Destination?> else { return nil }
        // { $0[keyPath: keyPath]?.persistentModelID == identifier }
        let sought: PersistentIdentifier? = identifier
        // A key path of a stored property has no captures and is immutable, whatever its static type says.
        let sendable = unsafeBitCast(keyPath, to: (any KeyPath<Model, Destination?> & Sendable).self)
        return Predicate<Model> { model in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: model, keyPath: sendable)
                ) { destination in
                    PredicateExpressions.build_KeyPath(root: destination, keyPath: \Destination.persistentModelID)
                },
                rhs: PredicateExpressions.build_Arg(sought))
        }
    }
}
