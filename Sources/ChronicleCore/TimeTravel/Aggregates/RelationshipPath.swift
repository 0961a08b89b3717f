/// A path of relationships from a model to the models that it consists of, for ``ModelContext/history(of:including:_:after:order:)``.
///
/// A path is written as a key path. Unlike a key path of a model, it continues after a to-many relationship:
///
/// ```swift
/// let entries = try context.history(of: order, including: \.lines, \.lines.product, \.shipments)
/// ```
///
/// Each component is a relationship that is stored; an attribute does not compile. For a relationship that only a subclass declares,
/// use the methods with names: `"lines.product"`.
@dynamicMemberLookup
public struct RelationshipPath<Model: PersistentModel>: Sendable {
    fileprivate let pathNames: [String]

    /// The path that continues with a to-one relationship.
    ///
    /// - Parameter keyPath: The key path of the relationship.
    public subscript<Destination: PersistentModel>(
        dynamicMember keyPath: KeyPath<Model, Destination>
    ) -> RelationshipPath<Destination> { appending(keyPath) }

    /// The path that continues with an optional to-one relationship.
    ///
    /// - Parameter keyPath: The key path of the relationship.
    public subscript<Destination: PersistentModel>(
        dynamicMember keyPath: KeyPath<Model, Destination?>
    ) -> RelationshipPath<Destination> { appending(keyPath) }

    /// The path that continues with a to-many relationship.
    ///
    /// - Parameter keyPath: The key path of the relationship.
    public subscript<Destinations: Collection>(
        dynamicMember keyPath: KeyPath<Model, Destinations>
    ) -> RelationshipPath<Destinations.Element> where Destinations.Element: PersistentModel { appending(keyPath) }

    /// The path that continues with an optional to-many relationship.
    ///
    /// - Parameter keyPath: The key path of the relationship.
    public subscript<Destinations: Collection>(
        dynamicMember keyPath: KeyPath<Model, Destinations?>
    ) -> RelationshipPath<Destinations.Element> where Destinations.Element: PersistentModel { appending(keyPath) }

    private func appending<Destination>(_ keyPath: PartialKeyPath<Model>) -> RelationshipPath<Destination> {
        // The text of another key path is not the name of a relationship, which the resolution of the path reports.
        RelationshipPath<Destination>(pathNames: pathNames + [Model.allProperties.name(of: keyPath) ?? "\(keyPath)"])
    }
}

private protocol NamedPath {
    var pathText: String { get }
}

extension RelationshipPath: NamedPath {
    fileprivate var pathText: String { pathNames.joined(separator: ".") }
}

extension RelationshipPath {
    /// Returns the names of paths, such as `lines.product`.
    static func names(_ paths: [PartialKeyPath<RelationshipPath>]) -> [String] {
        let root = RelationshipPath(pathNames: [])
        return paths.map { path in (root[keyPath: path] as? any NamedPath)?.pathText ?? "\(path)" }
    }
}
