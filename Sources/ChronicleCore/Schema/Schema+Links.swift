extension Schema {
    /// A relationship that no row has a value for: pairs of models, an *owner* and a *destination*, each pair once.
    ///
    /// Both sides of a many-to-many relationship are the same pairs, read from one end and from the other. Which of the two
    /// owns them follows from the names alone: the one whose ``name`` comes first. Where the sides are one property
    /// (``isSymmetric``), a pair counts both ways.
    public struct Links: Sendable {
        /// The entity of the owners.
        public let owner: String
        /// The owner's property.
        public let property: Property
        /// The entity of the destinations.
        public let destination: String
        /// The destination's property, the same one where the relationship is its own inverse; `nil` when nothing leads back.
        public let inverse: Property?

        /// Tells the links from all others of a schema: `Item.tags`.
        public var name: String { "\(owner).\(property.name)" }
        /// Whether the relationship is its own inverse, as friends are: with every pair the reversed one is meant as well.
        public var isSymmetric: Bool { inverse === property }

        /// The properties that lead along the links, the owner's first.
        var properties: [Property] { [property] + (isSymmetric ? [] : inverse.map { [$0] } ?? []) }

        static func all(in entities: [String: Entity]) -> [Links] {
            var found: [Links] = []
            for entity in entities.values {
                for property in entity.relationshipProperties {
                    guard let relationship = property.relationship, relationship.isLinked else { continue }
                    let inverse = relationship.inverseName.flatMap {
                        entities[relationship.destination]?.propertiesByName[$0]
                    }
                    let links = Links(
                        owner: entity.name, property: property, destination: relationship.destination, inverse: inverse)
                    let other = inverse.map { "\(relationship.destination).\($0.name)" }
                    // By their bytes, which are the same order everywhere.
                    if other.map({ links.name.utf8.lexicographicallyPrecedes($0.utf8) || links.name == $0 }) ?? true {
                        found.append(links)
                    }
                }
            }
            return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}
