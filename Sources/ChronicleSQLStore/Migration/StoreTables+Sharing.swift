package import ChronicleCore
import ChronicleSQL

extension StoreTables {
    /// Returns the models with what the other programs that use the store declare in addition.
    ///
    /// The tables have the indexes, delete actions and triggers of all of them, so that no opening removes what another
    /// program relies on.
    ///
    /// - Parameter plan: The plan of the opening. The tables still have their old names.
    /// - Throws: `SwiftDataError.backwardMigration` if this program would store a relationship in another place than the
    ///   others: a place that they use would be removed.
    package func sharedModels(_ plan: SchemaPlan) throws -> Schema {
        let definitions = try catalog.definitionsByName()
        let roots = Dictionary(
            try catalog.entities().map { ($0.name, $0.rootName) }, uniquingKeysWith: { first, _ in first })
        var present: [String: Set<String>] = [:]
        for (name, entity) in definitions {
            for property in entity.properties where try isPresent(property, of: roots[name] ?? name, roots) {
                present[name, default: []].insert(property.name)
            }
        }
        var removed: [String: Set<String>] = [:]
        while true {
            let shared = try models.adding(
                Array(definitions.values), newName: plan.newName, newPropertyName: plan.newPropertyName
            ) { entity, property in
                let name = plan.newName(entity.name)
                let propertyName = plan.newPropertyName(property.name, name)
                if models.entitiesByName[name]?.propertiesByName[propertyName] != nil {
                    let rule = property.relationship?.deleteRule
                    return plan.opening.schemas.useDeleteRule(rule, of: propertyName, in: name)
                }
                guard present[entity.name]?.contains(property.name) == true,
                    removed[name]?.contains(property.name) != true,
                    models.entitiesByName[name] != nil || plan.opening.schemas.use(name),
                    let live = plan.entities[name]?.property(named: propertyName)
                else { return false }
                // The description of a property that no program uses may have an earlier form, and gets that of this program.
                let own = schema.entitiesByName[plan.root(of: name)]?.propertiesByName[propertyName]
                let described = StoredProperty(property)
                return live.place == described.place && (own != nil || live.storage == described.storage)
            } constraints: { entity, properties, isUnique in
                let name = plan.newName(entity.name)
                let isOwn = properties.allSatisfy { models.entitiesByName[name]?.propertiesByName[$0] != nil }
                return plan.opening.schemas.useConstraint(properties, isUnique: isUnique, of: name, inAny: !isOwn)
            }
            guard let moved = movedRelationship(shared) else { return shared }
            // The program removes the inverse that it declared before, or another schema of it has.
            let lineage = sequence(first: moved.destination, next: \.superentity).map(\.name)
            let schemas = plan.opening.schemas
            guard
                plan.opening.stage != nil || schemas.remove(moved.inverse, ofFirst: lineage)
                    || !schemas.useElsewhere(moved.inverse, ofFirst: lineage)
            else {
                throw SwiftDataError.backwardMigration.with(
                    detail: "another program that uses the \(Catalog.Meta.noun) declares the inverse relationship "
                        + "\(moved.destination.name).\(moved.inverse), which determines where the relationship is stored; "
                        + "declare it as well",
                    entityName: moved.entity, propertyName: moved.property)
            }
            // Subclasses inherit the property.
            for entity in shared.entities where entity.rootName == moved.destination.rootName {
                removed[entity.name, default: []].insert(moved.inverse)
            }
        }
    }

    /// Returns whether the tables contain the values of a property that the store describes.
    private func isPresent(_ property: Schema.Property, of table: String, _ roots: [String: String]) throws -> Bool {
        guard let relationship = property.relationship else { return try columns(of: table)[property.name] != nil }
        let destination = roots[relationship.destination] ?? relationship.destination
        return try StoredProperty(property).storages(of: table, destination).contains(where: contains)
    }

    /// Returns a relationship that the shared models store in another place because of an inverse that this program does not
    /// declare.
    private func movedRelationship(
        _ shared: Schema
    ) -> (entity: String, property: String, destination: Schema.Entity, inverse: String)? {
        let merged = shared.mergingSubentities()
        for entity in schema.entities {
            for property in entity.properties {
                guard let storage = RelationshipStorage(property, of: entity, in: schema),
                    let other = merged.entitiesByName[entity.name],
                    let sharedProperty = other.propertiesByName[property.name],
                    let inverse = sharedProperty.relationship?.inverseName,
                    RelationshipStorage(sharedProperty, of: other, in: merged) != storage
                else { continue }
                // The class that declares the inverse may inherit from that of the table.
                let table = sharedProperty.relationship?.destination ?? ""
                let destination = shared.entities.first {
                    $0.rootName == table && $0.propertiesByName[inverse] != nil
                        && models.entitiesByName[$0.name]?.propertiesByName[inverse] == nil
                }
                guard let destination else { continue }
                return (entity.name, property.name, destination, inverse)
            }
        }
        return nil
    }
}
