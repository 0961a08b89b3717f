/// The relationships along the paths of an aggregate. Paths with the same beginning share it.
struct RelationshipTree {
    /// A relationship from the models at the end of another one.
    struct Node {
        let name: String
        /// The index of the node before it, or `nil` for the model itself.
        let source: Int?
        /// Subclasses can declare different relationships of the same name.
        let hops: [RelationshipHop]
    }

    /// The names of the paths without repetitions, in the order in which they were given.
    private(set) var paths: [String] = []
    /// The node at the end of each path.
    private(set) var ends: [Int] = []
    /// A node follows its source.
    private(set) var nodes: [Node] = []

    /// Throws ``SwiftDataError/unsupportedKeyPath``.
    init(_ paths: [String], of entityName: String, _ schema: Schema) throws {
        guard let root = schema.entitiesByName[entityName] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the schema does not contain the entity of the model", entityName: entityName)
        }
        for path in paths where !self.paths.contains(path) {
            var end: Int?
            var entities = [root]
            for name in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
                let known = nodes.firstIndex { $0.source == end && $0.name == name }
                if known == nil {
                    nodes.append(Node(name: name, source: end, hops: try Self.hops(name, entities, path, schema)))
                }
                let index = known ?? nodes.count - 1
                end = index
                entities = nodes[index].hops.map(\.destination)
            }
            guard let end else { continue }
            self.paths.append(path)
            ends.append(end)
        }
    }

    private static func hops(
        _ name: String, _ entities: [Schema.Entity], _ path: String, _ schema: Schema
    ) throws -> [RelationshipHop] {
        let kinds = entities.flatMap { entity in
            [entity] + schema.kinds(of: entity.name).sorted().compactMap { schema.entitiesByName[$0] }
        }
        var found: [RelationshipHop] = []
        for entity in kinds {
            guard let property = entity.propertiesByName[name], !found.contains(where: { $0.property === property })
            else { continue }
            var source = entity
            while let superentity = source.superentity, superentity.propertiesByName[name] === property {
                source = superentity
            }
            if let hop = RelationshipHop(property, of: source, schema) { found.append(hop) }
        }
        guard found.isEmpty else { return found }
        let owner = entities.first?.name ?? ""
        let isAttribute = kinds.contains { $0.propertiesByName[name] != nil }
        let known = Set(kinds.flatMap(\.relationshipProperties).map(\.name)).sorted()
        throw SwiftDataError.unsupportedKeyPath.with(
            detail: (isAttribute ? "\(name) is an attribute" : "\(owner) has no relationship \(name)")
                + (path == name ? "" : ", in the path \(path)")
                + (known.isEmpty
                    ? "; \(owner) has no relationships"
                    : "; the relationships of \(owner) are \(known.joined(separator: ", "))"),
            entityName: owner, propertyName: name)
    }
}

/// One relationship, as the store keeps it.
struct RelationshipHop {
    enum Form {
        /// A reference in the row of the source.
        case reference
        /// A reference in the rows of the destinations.
        case inverse(Schema.Property)
        case links(Schema.Links)
    }

    let property: Schema.Property
    let form: Form
    let source: Schema.Entity
    let destination: Schema.Entity

    init?(_ property: Schema.Property, of source: Schema.Entity, _ schema: Schema) {
        guard let relationship = property.relationship,
            let destination = schema.entitiesByName[relationship.destination]
        else { return nil }
        if property.slot >= 0 {
            form = .reference
        } else if let links = schema.links(of: property) {
            form = .links(links)
        } else if let inverse = schema.inverse(of: property) {
            form = .inverse(inverse)
        } else {
            return nil
        }
        (self.property, self.source, self.destination) = (property, source, destination)
    }
}
