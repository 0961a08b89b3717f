package import ChronicleCore

/// The deletes that follow from deleting rows with a statement, or that deny it.
package struct DeleteCascade {
    /// Whether the database can perform all of them, and no relationship has a minimum count to validate.
    package private(set) var isByDatabase = true
    /// They form a cycle, so that their depth depends on the rows.
    package private(set) var isRecursive = false
    private var visited: Set<String> = []
    private let schema: Schema
    private let linksCascade: Bool

    /// - Parameter entity: The entity of the deleted rows, or the one from which their entities inherit.
    /// - Parameter linksCascade: Whether the database deletes the destinations of links with the links.
    package init(from entity: Schema.Entity, _ schema: Schema, linksCascade: Bool) {
        (self.schema, self.linksCascade) = (schema, linksCascade)
        follow(kindsOf: entity.name, along: nil, path: [])
    }

    private mutating func follow(kindsOf name: String, along relationship: Schema.Relationship?, path: Set<String>) {
        for kind in schema.kinds(of: name).sorted() {
            if let entity = schema.entitiesByName[kind] { follow(entity, along: relationship, path: path) }
        }
    }

    /// - Parameter owner: The relationship along which a cascade deletes the rows. Its minimum count is not validated, because the
    ///   model that has it is deleted as well. `nil` for the rows of the statement itself.
    private mutating func follow(_ entity: Schema.Entity, along owner: Schema.Relationship?, path: Set<String>) {
        let counted = entity.properties.compactMap { $0.relationship.flatMap(schema.inverse)?.relationship }
        if counted.contains(where: { $0.minimumModelCount > 0 && (owner?.isLinked != false || $0 != owner) }) {
            isByDatabase = false
        }
        if path.contains(entity.name) { isRecursive = true }
        guard !path.contains(entity.name), !visited.contains(entity.name) else { return }
        for relationship in entity.properties.compactMap(\.relationship)
        where relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
            guard let destination = schema.entitiesByName[relationship.destination] else { continue }
            // The column of the inverse is the foreign key, which also denies deletes.
            let isByDatabase =
                relationship.isLinked
                ? linksCascade || relationship.deleteRule == .deny : (schema.inverse(of: relationship)?.slot ?? -1) >= 0
            if !isByDatabase { self.isByDatabase = false }
            guard relationship.deleteRule == .cascade else { continue }
            follow(kindsOf: destination.name, along: relationship, path: path.union([entity.name]))
        }
        visited.insert(entity.name)
    }
}

extension Schema {
    /// The references of an entity's rows along which a delete of the destination deletes the row.
    package func cascadeSlots(of entity: Entity) -> [Int] {
        entity.storedProperties.filter { property in
            property.relationship.map { deleteRule(towards: $0) == .cascade } ?? false
        }.map(\.slot)
    }
}
