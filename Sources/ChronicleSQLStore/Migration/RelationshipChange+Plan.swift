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
                    try plan.earlierColumn(of: new).map(exists) != true
                else { continue }
                for earlier in plan.tables[entity.name]?.earlierPlaces(property.name) ?? []
                where earlier.destination.map(plan.root) == destination {
                    let storages = earlier.storages(of: entity.name, destination, oldName: plan.oldName)
                    guard let old = try storages.first(where: exists), old.place != new.place else { continue }
                    changes.append(RelationshipChange(entity: entity, property: property, old: old, new: new))
                }
            }
        }
        return changes
    }
}

extension SchemaPlan.Table {
    /// Returns the property that a property of the table continues for each place in which classes have it.
    func earlierPlaces(_ name: String) -> [StoredProperty] {
        ([earlier(name)] + classes.map { $0.earlier[name] }).compactMap(\.self).reduce(into: []) { found, property in
            if !found.contains(where: { $0.place == property.place }) { found.append(property) }
        }
    }
}

extension SchemaPlan {
    /// Returns whether a class in a table has a property in a column after the opening, also a class that no program declares
    /// any more: its rows remain.
    package func hasColumn(_ name: String, of table: String) -> Bool {
        func isColumn(_ property: StoredProperty) -> Bool { property.place == .column && property.name == name }
        // A class that no program declares has inherited what its superclass no longer has.
        let isRemoved = entities[table]?.removed.contains(where: isColumn) == true
        return entities.contains { key, entity in
            root(of: key) == table && (!isRemoved || opening.schemas.use(key)) && entity.live.contains(where: isColumn)
        }
    }

    /// Returns whether a class in a table has the values of a removed relationship in a column, also if it moves for another class.
    func keepsColumn(_ name: String, of table: String) -> Bool {
        entities.contains { key, entity in
            root(of: key) == table
                && (entity.live + entity.removed).contains {
                    $0.place == .column && $0.name == name && $0.isRelationship
                }
        }
    }

    /// Returns the column, under its earlier name, that has the destinations of another relationship already.
    fileprivate func earlierColumn(of storage: RelationshipStorage) -> RelationshipStorage? {
        switch storage {
        case .links, .column: nil
        case .inverseColumn(let table, let name):
            if let earlier = tables[table]?.earlier(name), earlier.place == .column {
                .column(table: table, name: earlier.name)
            } else {
                nil
            }
        }
    }
}
