extension Schema {
    /// The relationships whose links a store without ``DataStoreLinking`` keeps in the rows of an entity, after its stored values.
    /// Only the owner of links keeps them, so that both sides cannot differ.
    func listsInRows(of entity: Entity) -> [Property] {
        if links.isEmpty { return [] }
        return entity.relationshipProperties.filter { links(of: $0)?.property === $0 }
    }

    /// A relationship that is stored as links: pairs of an *owner* and a *destination*, separate from their rows.
    ///
    /// The owner in a many-to-many relationship is the side whose ``name`` comes first in the order of UTF-8 code units. If the
    /// relationship is its own inverse (``isSymmetric``), a link connects its models in both directions.
    public struct Links: Sendable {
        /// The name of the owners' entity.
        public let owner: String
        /// The property of the owner.
        public let property: Property
        /// The name of the destinations' entity.
        public let destination: String
        /// The property of the destination, or `nil` if the relationship has no inverse. The ``property`` itself if it is its own
        /// inverse.
        public let inverse: Property?

        /// The name of the links, which is unique in the schema, such as `Item.tags`.
        public var name: String { "\(owner).\(property.name)" }
        /// Whether the relationship is its own inverse, like one between friends. A link then also represents its reverse.
        public var isSymmetric: Bool { inverse === property }

        var properties: [Property] { [property] + (isSymmetric ? [] : inverse.map { [$0] } ?? []) }

        static func all(in entities: [String: Entity]) -> [Links] {
            var found: [Links] = []
            for entity in entities.values {
                for property in entity.relationshipProperties where entity.declares(property) {
                    guard let relationship = property.relationship, relationship.isLinked else { continue }
                    let inverse = relationship.inverseName.flatMap {
                        entities[relationship.destination]?.propertiesByName[$0]
                    }
                    let destination = entities[relationship.destination]?.rootName ?? relationship.destination
                    let links = Links(
                        owner: entity.rootName, property: property, destination: destination, inverse: inverse)
                    let other = inverse.map { "\(destination).\($0.name)" }
                    // The order of the UTF-8 code units is the same on all platforms.
                    if other.map({ links.name.utf8.lexicographicallyPrecedes($0.utf8) || links.name == $0 }) ?? true {
                        found.append(links)
                    }
                }
            }
            return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}
