package import ChronicleCore
package import ChronicleSQL

extension RelationshipChange {
    /// Returns the relationships that a new schema stores in another way.
    ///
    /// - Parameters:
    ///   - plan: The plan of the opening. Tables and links have their new names, columns their old ones.
    ///   - schema: The new schema, in which an entity has the properties of its whole hierarchy.
    ///   - exists: A closure that returns whether the tables contain a column or a table of links.
    package static func changes(
        _ plan: SchemaPlan, to schema: Schema, exists: (RelationshipStorage) throws -> Bool
    ) rethrows -> [RelationshipChange] {
        var changes: [RelationshipChange] = []
        for entity in schema.entities {
            for property in entity.properties {
                guard let new = RelationshipStorage(property, of: entity, in: schema),
                    let destination = property.relationship?.destination,
                    let earlier = plan.tables[entity.name]?.earlier(property.name),
                    earlier.destination.map(plan.root) == destination,
                    case let storages = earlier.storages(of: entity.name, destination, oldName: plan.oldName),
                    let old = try storages.first(where: exists),
                    !old.isSameKind(as: new), try plan.earlierColumn(of: new).map(exists) != true
                else { continue }
                changes.append(RelationshipChange(entity: entity, property: property, old: old, new: new))
            }
        }
        return changes
    }
}

extension SchemaPlan {
    /// Returns the column, under its earlier name, that has the destinations of another relationship already.
    fileprivate func earlierColumn(of storage: RelationshipStorage) -> RelationshipStorage? {
        switch storage {
        case .links: nil
        case .column(let table, let name), .inverseColumn(let table, let name):
            if let earlier = tables[table]?.earlier(name), earlier.place == .column {
                .column(table: table, name: earlier.name)
            } else {
                nil
            }
        }
    }
}
