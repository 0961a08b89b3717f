/// A model of Core Data, from which ``AppleStoreScript`` writes the tables and the cached model.
package struct AppleStoreModel: Sendable {
    package struct Entity: Sendable {
        package var name: String
        package var superentity: String?
        package var isAbstract = false
        /// The properties that the entity declares itself.
        package var properties: [Property]
        package var uniqueness: [[String]] = []

        package init(
            _ name: String, superentity: String? = nil, isAbstract: Bool = false, uniqueness: [[String]] = [],
            _ properties: [Property]
        ) {
            (self.name, self.superentity, self.isAbstract) = (name, superentity, isAbstract)
            (self.uniqueness, self.properties) = (uniqueness, properties)
        }
    }

    package struct Property: Sendable {
        package enum Kind: Sendable {
            case attribute(type: Int64)
            case composite([Property])
            case toOne(String, inverse: String?)
            case toMany(String, inverse: String?)
            case fetched
        }

        package var name: String
        package var kind: Kind
        package var isOptional = false
        package var isTransient = false
        package var isPreserved = false
        package var deleteRule: Int64 = 1
        package var defaultValue: PropertyListValue?
    }

    package var entities: [Entity]

    package init(_ entities: [Entity]) { self.entities = entities }

    /// The entities in the order of their numbers: by name, each followed by those that inherit from it.
    package var numbered: [(number: Int64, entity: Entity)] {
        func visit(_ parent: String?) -> [Entity] {
            entities.filter { $0.superentity == parent }.sorted { $0.name < $1.name }.flatMap { [$0] + visit($0.name) }
        }
        return visit(nil).enumerated().map { (Int64($0 + 1), $1) }
    }

    package func number(of name: String) -> Int64 { numbered.first { $0.entity.name == name }?.number ?? 0 }

    /// Returns an entity and those from which it inherits, the root last.
    package func chain(of entity: Entity) -> [Entity] {
        var chain = [entity]
        while let name = chain[chain.count - 1].superentity, let parent = entities.first(where: { $0.name == name }) {
            chain.append(parent)
        }
        return chain
    }

    /// Returns all properties of an entity, in the order of their names.
    package func properties(of entity: Entity) -> [Property] {
        chain(of: entity).flatMap(\.properties).sorted { $0.name < $1.name }
    }
}

package typealias AppleProperty = AppleStoreModel.Property

extension AppleStoreModel.Property {
    package static func attribute(
        _ name: String, _ type: Int64, isOptional: Bool = false, isTransient: Bool = false, isPreserved: Bool = false,
        default defaultValue: PropertyListValue? = nil
    ) -> Self {
        Self(
            name: name, kind: .attribute(type: type), isOptional: isOptional, isTransient: isTransient,
            isPreserved: isPreserved, defaultValue: defaultValue)
    }

    package static func composite(_ name: String, _ elements: [Self]) -> Self {
        Self(name: name, kind: .composite(elements), isOptional: true)
    }

    package static func toOne(_ name: String, _ destination: String, inverse: String? = nil, isOptional: Bool = true)
        -> Self
    {
        Self(name: name, kind: .toOne(destination, inverse: inverse), isOptional: isOptional)
    }

    package static func toMany(_ name: String, _ destination: String, inverse: String? = nil, rule: Int64 = 1) -> Self {
        Self(name: name, kind: .toMany(destination, inverse: inverse), isOptional: true, deleteRule: rule)
    }
}
