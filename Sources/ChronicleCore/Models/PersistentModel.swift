public import Observation

/// A class whose instances are saved in a store and whose changes are tracked by a model context.
///
/// Declare a model with the `@Model` macro, or write the same conformance by hand:
///
/// ```swift
/// final class Trip: PersistentModel {
///     @Attribute(.preserveValueOnDeletion) var name: String
///     @Attribute var destination: String
///     @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]
///
///     static let properties: PropertyMap<Trip> = [
///         "name": \.name, "destination": \.destination, "bucketList": \.bucketList,
///     ]
///     let persistentBackingData: any BackingData<Trip> = Trip.createBackingData()
///     init(backingData: any BackingData<Trip>) { persistentBackingData.adopt(backingData) }
///
///     init(name: String, destination: String) {
///         self.name = name
///         self.destination = destination
///     }
/// }
/// ```
///
/// Properties with an ``Attribute`` or ``Relationship`` wrapper are stored, and ``properties`` must list each of them. Those
/// without a wrapper are not stored, like those that the macro excludes with `@Transient`. Creating a container throws an error for
/// an incorrect declaration, which names the model and the property.
///
/// A model belongs to the context that inserted or fetched it, which has one instance for each row, and is confined to the
/// isolation domain of that context. Models are not `Sendable`; pass their ``persistentModelID`` instead. Two models are equal only
/// if they are the same instance.
///
/// ## Observation
///
/// Every model is `Observable`. Code that reads stored properties in `withObservationTracking`, or in an `Observations` sequence,
/// is notified when one of them changes:
///
/// - The program sets the property, changes it in place, or sets the other side of a relationship.
/// - The context changes it: a fetch or a merge reads a row that another writer changed, or a rollback or a delete discards the
///   value. The observers are notified at the end of that operation.
///
/// An observer of a list is also notified when a merge, a rollback or a batch delete may have changed it. If only a fetch discards
/// a list, its observers are notified when the list is read again and differs. Properties that are not stored, ``hasChanges`` and
/// ``isDeleted`` are not observed.
public protocol PersistentModel: IdentifiableModel, Observable, Hashable, SendableMetatype {
    /// The model class, which Swift infers from ``properties``. With `Self` there instead, the class would have to be final.
    associatedtype ModelClass: PersistentModel = Self

    /// The stored properties, each with its name in the store and its key path.
    static var properties: PropertyMap<ModelClass> { get }
    /// The sets of properties whose combined values must be unique among the instances of the model. Empty by default.
    static var uniqueness: Uniqueness<ModelClass> { get }
    /// The sets of properties that the store indexes, to speed up fetches that filter or sort by them. Empty by default; unique
    /// properties and to-one relationships are indexed without being listed.
    static var indices: Indices<ModelClass> { get }
    /// The name of the entity. By default, the name of the class.
    static var entityName: String { get }
    /// The name of the entity before it was renamed, as in `@Model(originalName:)`, or `nil` by default.
    ///
    /// When a store is opened, it renames the entity with this name, unless the store also contains ``entityName``. A class that
    /// inherits from another model passes it to ``ModelSubclass``.
    static var originalEntityName: String? { get }
    /// The declarations of a class that inherits from a model; `nil` by default. A class with subclasses declares it as `class
    /// var`, so that the subclasses can override it; see ``ModelSubclass``.
    static var modelSubclass: ModelSubclass? { get }

    /// The properties of the class with their key paths and descriptions, for code that inspects models, such as custom stores that
    /// are written for SwiftData. Chronicle does not use them; the default implementation derives them from ``properties``.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }

    /// The state that the context keeps for this model. Create it with ``PersistentModel/createBackingData()`` for every instance.
    var persistentBackingData: any BackingData<Self> { get }
    /// Creates an instance for a row that a context fetched. Adopt or store the argument, and do nothing else.
    ///
    /// - Parameter backingData: The backing data of the row.
    init(backingData: any BackingData<Self>)
}

extension PersistentModel {
    public static var uniqueness: Uniqueness<ModelClass> { [] }
    public static var indices: Indices<ModelClass> { [] }
    /// The name of the class.
    public static var entityName: String { String(describing: Self.self) }
    public static var originalEntityName: String? { nil }
    public static var modelSubclass: ModelSubclass? { nil }

    /// The identifier of the model. It is temporary until the model is saved for the first time.
    public var persistentModelID: PersistentIdentifier {
        // The dynamic type, because `Self` may be a superclass.
        persistentBackingData.identifier(entityName: (type(of: self) as any PersistentModel.Type).entityName)
    }

    /// Whether the model has unsaved changes.
    public var hasChanges: Bool { persistentBackingData.hasChanges }

    /// Whether the model was deleted in its context, even if the delete is not saved yet. For a model that was deleted before its
    /// first save, the property is `false`, and ``modelContext`` is `nil`.
    public var isDeleted: Bool { persistentBackingData.state.isDeleted }

    /// Creates a model with sample values in no context, for a getter whose type requires a model when none is available.
    static func placeholder(for identifier: PersistentIdentifier? = nil) -> any PersistentModel {
        let model = probe()
        if let identifier { model.persistentBackingData.identifier = identifier }
        return model
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The model that stands for rows of a class that is not in the container's schema.
final class UnknownModel: PersistentModel {
    static let properties: PropertyMap<UnknownModel> = [:]
    let persistentBackingData: any BackingData<UnknownModel> = UnknownModel.createBackingData()
    init(backingData: any BackingData<UnknownModel>) { persistentBackingData.adopt(backingData) }
}

/// The stored properties of a model class, each with its name in the store and its key path, as a dictionary literal.
///
/// The name of an entry is the name of the property. To rename a property and keep its values, specify `originalName` in its
/// wrapper.
public struct PropertyMap<Model: PersistentModel>: ExpressibleByDictionaryLiteral, @unchecked Sendable {
    /// A property's name in the store and its key path.
    public typealias Element = (name: String, keyPath: any PartialKeyPath<Model> & Sendable)

    /// The properties in the order of the literal.
    public let elements: [Element]
    /// See ``overriding(_:)``.
    let overrides: [Element]
    // The reason for `@unchecked Sendable`: the keys are the `Sendable` key paths of the literal, which `AnyKeyPath`
    // cannot express.
    private let indexByKeyPath: [AnyKeyPath: Int]

    public init(dictionaryLiteral elements: (String, any PartialKeyPath<Model> & Sendable)...) {
        self.init(elements.map { (name: $0.0, keyPath: $0.1) }, overrides: [])
    }

    private init(_ elements: [Element], overrides: [Element]) {
        self.elements = elements
        self.overrides = overrides
        let indices = elements.enumerated().map { ($1.keyPath as AnyKeyPath, $0) }
        let overriding = overrides.compactMap { override in
            elements.firstIndex { $0.name == override.name }.map { (override.keyPath as AnyKeyPath, $0) }
        }
        indexByKeyPath = Dictionary(indices + overriding, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the name of the property with the given key path.
    ///
    /// - Parameter keyPath: A key path of the model.
    /// - Returns: The name, or `nil` if the map does not contain the key path.
    public func name(of keyPath: AnyKeyPath) -> String? {
        indexByKeyPath[keyPath].map { elements[$0].name }
    }

    /// Returns the key path of the property with the given name.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The key path, or `nil` if the map does not contain the name.
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public func keyPath(named name: String) -> (any PartialKeyPath<Model> & Sendable)? {
        elements.first { $0.name == name }?.keyPath
    }

    /// Returns the key path of the property with the given name, in code that is generic over models.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The key path, or `nil` if the map does not contain the name.
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public func keyPath<Root: PersistentModel>(
        named name: String
    ) -> (any PartialKeyPath<Root> & Sendable)? where Root.ModelClass == Model {
        Root.allProperties.keyPath(named: name)
    }

    /// Returns a map with additional properties. `@Model` uses it for the properties of a subclass.
    ///
    /// - Parameter other: The properties to add.
    /// - Returns: The properties of this map, followed by those of the other.
    public func adding(_ other: PropertyMap) -> PropertyMap {
        PropertyMap(elements + other.elements, overrides: overrides + other.overrides)
    }

    /// Returns a map that also finds properties by the key paths of their overrides, for which Swift makes other key paths.
    /// `@Model` uses it.
    ///
    /// - Parameter other: The properties of the superclass that the class overrides. Those that are not in this map are ignored.
    /// - Returns: The same properties, with additional key paths.
    public func overriding(_ other: PropertyMap) -> PropertyMap {
        PropertyMap(elements, overrides: overrides + other.elements)
    }
}

/// The uniqueness constraints of a model class, as a literal such as `[[\.email], [\.name, \.startDate]]`.
public struct Uniqueness<Model: PersistentModel>: ExpressibleByArrayLiteral, Sendable {
    /// The constraints, each a set of properties whose combined values must be unique.
    public let constraints: [[any PartialKeyPath<Model> & Sendable]]

    public init(arrayLiteral constraints: [any PartialKeyPath<Model> & Sendable]...) {
        self.constraints = constraints
    }
}

/// The indices of a model class, as a literal such as `[[\.startDate], [\.destination, \.startDate]]`.
public struct Indices<Model: PersistentModel>: ExpressibleByArrayLiteral, Sendable {
    /// The indices, each the list of its properties in index order.
    public let indices: [[any PartialKeyPath<Model> & Sendable]]

    public init(arrayLiteral indices: [any PartialKeyPath<Model> & Sendable]...) {
        self.indices = indices
    }
}
