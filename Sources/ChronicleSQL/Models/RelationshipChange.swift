public import ChronicleCore

/// A relationship that a new schema stores in another way, for example because it was to-one and is now to-many.
///
/// A migration copies the ``RelationshipStorage/pairs`` of the old storage before it removes it, and writes them to the new
/// one.
public struct RelationshipChange: Sendable {
    /// The entity in the new schema.
    public let entity: Schema.Entity
    /// The relationship in the new schema.
    public let property: Schema.Property
    /// Where the tables contain the destinations.
    public let old: RelationshipStorage
    /// Where the tables of the new schema contain the destinations.
    public let new: RelationshipStorage

    package init(
        entity: Schema.Entity, property: Schema.Property, old: RelationshipStorage, new: RelationshipStorage
    ) {
        (self.entity, self.property, self.old, self.new) = (entity, property, old, new)
    }

    /// Returns the relationships that a new schema stores in another way.
    ///
    /// - Parameters:
    ///   - definitions: The entities before, by their names before.
    ///   - schema: The new schema, in which an entity has the properties of its whole hierarchy.
    ///   - originalName: Returns the name of an entity before.
    ///   - exists: Returns whether the tables, which have their new names, contain a column or a table of links.
    /// - Returns: The relationships, in the order of the schema. Those whose new storage exists are omitted.
    /// - Throws: The errors of `exists`.
    /// - Complexity: Proportional to the number of properties.
    public static func changes(
        from definitions: [String: Schema.Entity], to schema: Schema, originalName: (String) -> String,
        exists: (RelationshipStorage) throws -> Bool
    ) rethrows -> [RelationshipChange] {
        let earlier = EarlierTables(definitions)
        var changes: [RelationshipChange] = []
        for entity in schema.entities {
            guard let before = definitions[entity.name] ?? definitions[originalName(entity.name)] else { continue }
            for property in entity.properties {
                guard let new = RelationshipStorage(property, of: entity, in: schema),
                    let old = try earlier.storage(of: property, of: entity, before, originalName, exists),
                    old.place != new.place, try !exists(new)
                else { continue }
                changes.append(RelationshipChange(entity: entity, property: property, old: old, new: new))
            }
        }
        return changes
    }
}

private struct EarlierTables {
    private let definitions: [String: Schema.Entity]
    /// The entities of each table, the root first.
    private let entities: [String: [Schema.Entity]]

    init(_ definitions: [String: Schema.Entity]) {
        self.definitions = definitions
        entities = Dictionary(grouping: definitions.values) { Self.root(of: $0.name, definitions) }
            .mapValues { $0.sorted { ($0.superentityName ?? "", $0.name) < ($1.superentityName ?? "", $1.name) } }
    }

    func storage(
        of property: Schema.Property, of entity: Schema.Entity, _ before: Schema.Entity,
        _ originalName: (String) -> String, _ exists: (RelationshipStorage) throws -> Bool
    ) rethrows -> RelationshipStorage? {
        let table = Self.root(of: before.name, definitions)
        let previous = property.originalName == property.name ? nil : property.originalName
        let known = self.property(property.name, of: table) ?? previous.flatMap { self.property($0, of: table) }
        guard let old = known, let relationship = old.relationship,
            let destination = property.relationship?.destination,
            [destination, originalName(destination)].contains(Self.root(of: relationship.destination, definitions))
        else { return nil }
        return try StoredProperty(old).storages(of: entity.name, destination).first(where: exists)
    }

    private func property(_ name: String, of table: String) -> Schema.Property? {
        entities[table]?.lazy.compactMap { $0.propertiesByName[name] }.first
    }

    private static func root(of name: String, _ definitions: [String: Schema.Entity]) -> String {
        var (root, count) = (name, 0)
        // The names in a damaged store may form a cycle.
        while let superentity = definitions[root]?.superentityName, count < definitions.count {
            (root, count) = (superentity, count + 1)
        }
        return root
    }
}
