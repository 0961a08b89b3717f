/// A class whose instances are saved, and whose changes are remembered.
///
/// `@Model` writes what follows; by hand it is the same model.
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
///     let persistentBackingData = BackingData()
///     init(backingData: BackingData) { persistentBackingData.adopt(backingData) }
///
///     init(name: String, destination: String) {
///         self.name = name
///         self.destination = destination
///     }
/// }
/// ```
///
/// Properties with ``Attribute`` or ``Relationship`` are stored, and ``properties`` names each of them; a property
/// without a wrapper is left alone (SwiftData's `@Transient`). What is wrong with a declaration is an error of
/// ``Schema/init(_:)`` that names model and property.
///
/// A model belongs to the context that it was inserted into or fetched by, and is confined to where that context is
/// used: models are not `Sendable`, their ``persistentModelID`` is. Two models are equal when they are one instance;
/// within a context there is one instance per row.
public protocol PersistentModel: IdentifiableModel, Hashable, SendableMetatype {
    /// The class itself, which Swift finds out from ``properties``. (With `Self` there, classes would have to be final.)
    associatedtype ModelClass: PersistentModel = Self

    /// The stored properties: the name in the store, and the key path.
    static var properties: PropertyMap<ModelClass> { get }
    /// The sets of properties whose values together no two models may share. Empty by default.
    static var uniqueness: Uniqueness<ModelClass> { get }
    /// The sets of properties that a store keeps an index of, for fetches that filter or sort by them. Empty by default.
    /// What is unique, and what leads to one model, has an index without being named.
    static var indices: Indices<ModelClass> { get }
    /// The name of the entity, by default the name of the class.
    static var entityName: String { get }

    /// What the context knows of this model: a new `BackingData()` for a new one.
    var persistentBackingData: BackingData { get }
    /// Makes the instance for a row that a context fetches. Adopt the argument, or hold it, and nothing else.
    init(backingData: BackingData)
}

extension PersistentModel {
    public static var uniqueness: Uniqueness<ModelClass> { [] }
    public static var indices: Indices<ModelClass> { [] }
    public static var entityName: String { String(describing: Self.self) }

    /// The model's identity, temporary until it is saved for the first time.
    public var persistentModelID: PersistentIdentifier {
        persistentBackingData.identifier(entityName: Self.entityName)
    }

    /// The context that the model was inserted into or fetched by; `nil` before that, and when the model was deleted and
    /// that was saved.
    ///
    /// If that context was released, another one with the same models, author and name, which saves their changes.
    public var modelContext: ModelContext? {
        let backing = persistentBackingData
        return backing.isDeletedInStore ? nil : backing.membership?.storage.context
    }

    /// Whether the model has changes that were not saved.
    public var hasChanges: Bool { persistentBackingData.hasChanges }

    /// Whether the model was deleted in its context, saved or not.
    public var isDeleted: Bool { persistentBackingData.status == .deleted }

    /// A model with some value for every property, which no context inserts: where there has to be one and none is there.
    static func placeholder(for identifier: PersistentIdentifier? = nil) -> any PersistentModel {
        let model = Self(backingData: .probe())
        if let identifier { model.persistentBackingData.identifier = identifier }
        return model
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A model of a class that the container does not know.
final class UnknownModel: PersistentModel {
    static let properties: PropertyMap<UnknownModel> = [:]
    let persistentBackingData = BackingData()
    init(backingData: BackingData) { persistentBackingData.adopt(backingData) }
}

/// The stored properties of a model class: each name in the store with its key path.
///
/// Written as a dictionary literal. The name is the property's own; to rename a property and keep its values, declare
/// the wrapper's `originalName`.
///
/// `@unchecked Sendable`: the dictionary's keys are the literal's key paths, which are `Sendable`; its type cannot say so.
public struct PropertyMap<Model: PersistentModel>: ExpressibleByDictionaryLiteral, @unchecked Sendable {
    public typealias Element = (name: String, keyPath: any PartialKeyPath<Model> & Sendable)

    /// The properties in the order of the literal.
    public let elements: [Element]
    private let places: [AnyKeyPath: Int]

    public init(dictionaryLiteral elements: (String, any PartialKeyPath<Model> & Sendable)...) {
        self.elements = elements.map { (name: $0.0, keyPath: $0.1) }
        places = Dictionary(elements.enumerated().map { ($1.1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of the property that a key path leads to.
    public func name(of keyPath: AnyKeyPath) -> String? {
        places[keyPath].map { elements[$0].name }
    }

    /// The key path of a property.
    public func keyPath(named name: String) -> (any PartialKeyPath<Model> & Sendable)? {
        elements.first { $0.name == name }?.keyPath
    }

    /// The same in code that is generic over models.
    public func keyPath<Root: PersistentModel>(
        named name: String
    ) -> (any PartialKeyPath<Root> & Sendable)? where Root.ModelClass == Model {
        // Only the compiler does not know that the two are one class.
        guard Root.self == Model.self, let keyPath: any PartialKeyPath<Model> & Sendable = keyPath(named: name) else {
            return nil
        }
        return unsafeBitCast(keyPath, to: (any PartialKeyPath<Root> & Sendable).self)
    }
}

/// The uniqueness constraints of a model class, written as a literal of key path arrays:
/// `[[\.email], [\.name, \.startDate]]`.
public struct Uniqueness<Model: PersistentModel>: ExpressibleByArrayLiteral, Sendable {
    public let constraints: [[any PartialKeyPath<Model> & Sendable]]

    public init(arrayLiteral constraints: [any PartialKeyPath<Model> & Sendable]...) {
        self.constraints = constraints
    }
}

/// The indices of a model class, written as a literal of key path arrays: `[[\.startDate], [\.destination, \.startDate]]`.
public struct Indices<Model: PersistentModel>: ExpressibleByArrayLiteral, Sendable {
    public let indices: [[any PartialKeyPath<Model> & Sendable]]

    public init(arrayLiteral indices: [any PartialKeyPath<Model> & Sendable]...) {
        self.indices = indices
    }
}
