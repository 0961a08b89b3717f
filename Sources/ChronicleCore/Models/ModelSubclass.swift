/// The declarations of a model class that inherits from another model class.
///
/// `@Model` writes ``PersistentModel/modelSubclass`` for a subclass. By hand, the superclass must declare the property as `class
/// var`, and each subclass overrides it. The map also lists the inherited properties, with key paths of the subclass:
///
/// ```swift
/// class Trip: PersistentModel {
///     @Attribute var name: String
///
///     static let properties: PropertyMap<Trip> = ["name": \.name]
///     class var modelSubclass: ModelSubclass? { nil }
///     let persistentBackingData: any BackingData<Trip> = Trip.createBackingData()
///     required init(backingData: any BackingData<Trip>) { persistentBackingData.adopt(backingData) }
/// }
///
/// final class BusinessTrip: Trip {
///     @Attribute var perDiem: Double
///
///     override class var modelSubclass: ModelSubclass? {
///         ModelSubclass(["name": \BusinessTrip.name, "perDiem": \.perDiem])
///     }
///     required init(backingData: any BackingData<Trip>) { super.init(backingData: backingData) }
/// }
/// ```
public struct ModelSubclass: Sendable {
    let type: any PersistentModel.Type
    let originalName: String?
    /// The map of the subclass, which is generic over its class.
    private let properties: any Sendable
    private let uniqueness: any Sendable
    private let indices: any Sendable

    /// Creates the declarations of a subclass.
    ///
    /// - Parameters:
    ///   - properties: All stored properties of the subclass, including those that it inherits.
    ///   - uniqueness: The constraints that the subclass adds. Each must contain a property that the subclass declares.
    ///   - indices: The indices that the subclass adds.
    ///   - originalName: The name of the entity before it was renamed, or `nil`; replaces ``PersistentModel/originalEntityName``.
    public init<Model: PersistentModel>(
        _ properties: PropertyMap<Model>, uniqueness: Uniqueness<Model> = [], indices: Indices<Model> = [],
        originalName: String? = nil
    ) {
        type = Model.self
        self.originalName = originalName
        self.properties = properties
        self.uniqueness = uniqueness
        self.indices = indices
    }

    /// Returns `nil` if a superclass declared the map.
    func properties<Model: PersistentModel>(of model: Model.Type) -> PropertyMap<Model>? {
        properties as? PropertyMap<Model>
    }

    func uniqueness<Model: PersistentModel>(of model: Model.Type) -> Uniqueness<Model> {
        uniqueness as? Uniqueness<Model> ?? []
    }

    func indices<Model: PersistentModel>(of model: Model.Type) -> Indices<Model> {
        indices as? Indices<Model> ?? []
    }
}

extension PersistentModel {
    static var isSubclass: Bool { ModelClass.self != Self.self }

    /// Returns `nil` if the class is not a subclass or does not declare any.
    static var ownSubclass: ModelSubclass? {
        guard isSubclass, let subclass = modelSubclass, subclass.type == Self.self else { return nil }
        return subclass
    }

    static var allProperties: PropertyMap<Self> {
        if let properties = ownSubclass?.properties(of: Self.self) { return properties }
        // The classes are equal, or the subclass declares nothing, which the schema reports.
        return unsafeBitCast(properties, to: PropertyMap<Self>.self)
    }
}
