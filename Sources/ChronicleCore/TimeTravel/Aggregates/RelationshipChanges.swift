/// Finds out what undoing a change restores of the relationships of an aggregate.
struct RelationshipChanges {
    private enum Part {
        case reference(Schema.Property)
        case list(Schema.Links, Schema.Property, isOwner: Bool)
        /// The models of the entity are at the ends of links.
        case end
    }

    private let schema: Schema
    private var references: [Schema.Property] = []
    private var links: [Schema.Links] = []
    private var partsByEntity: [String: [Part]] = [:]

    init(_ tree: RelationshipTree, _ schema: Schema) {
        self.schema = schema
        for hop in tree.nodes.flatMap(\.hops) {
            switch hop.form {
            case .reference: references.append(hop.property)
            case .inverse(let inverse): references.append(inverse)
            case .links(let links): self.links.append(links)
            }
        }
        var known: Set<ObjectIdentifier> = []
        references.removeAll { !known.insert(ObjectIdentifier($0)).inserted }
        links.removeAll { !known.insert(ObjectIdentifier($0.property)).inserted }
    }

    /// Returns an empty array for a change that does not concern the relationships.
    mutating func restorations(_ change: HistoryChange) -> [PastRelationships.Restoration] {
        let model = change.changedPersistentIdentifier
        let parts = parts(of: model.entityName)
        return parts.isEmpty ? [] : parts.flatMap { restorations(of: $0, change, model) }
    }

    private mutating func parts(of entityName: String) -> [Part] {
        if let known = partsByEntity[entityName] { return known }
        guard let entity = schema.entitiesByName[entityName] else { return [] }
        var parts = references.filter { entity.propertiesByName[$0.name] === $0 }.map(Part.reference)
        for links in links {
            for property in links.properties where entity.propertiesByName[property.name] === property {
                parts.append(.list(links, property, isOwner: property === links.property))
            }
        }
        if links.contains(where: { [$0.owner, $0.destination].contains(entity.rootName) }) { parts.append(.end) }
        partsByEntity[entityName] = parts
        return parts
    }

    private func restorations(
        of part: Part, _ change: HistoryChange, _ model: PersistentIdentifier
    ) -> [PastRelationships.Restoration] {
        switch part {
        case .reference(let property):
            return reference(property, change).map { [.reference(ObjectIdentifier(property), model, $0)] } ?? []
        case .list(let links, let property, let isOwner):
            return list(links, property, isOwner: isOwner, change, model)
        case .end:
            return switch change {
            case .insert: [.existence(model, false)]
            case .update: []
            case .delete: [.existence(model, true)]
            }
        }
    }

    private func reference(_ property: Schema.Property, _ change: HistoryChange) -> PastRelationships.Reference? {
        let preserved = change.preservedValues.first { $0.name == property.name }
        switch change {
        case .insert: return .destination(nil)
        case .update(let update):
            guard update.updatedAttributeNames.contains(property.name) else { return nil }
        case .delete:
            // A relationship that was added later had no destination.
            if preserved == nil, change.hasAllValues { return .destination(nil) }
        }
        switch preserved?.previousValue {
        case let destination as PersistentIdentifier: return .destination(destination)
        case nil where preserved != nil: return .destination(nil)
        default: return .unknown(propertyName: property.name)
        }
    }

    private func list(
        _ links: Schema.Links, _ property: Schema.Property, isOwner: Bool, _ change: HistoryChange,
        _ model: PersistentIdentifier
    ) -> [PastRelationships.Restoration] {
        let preserved = change.preservedValues.filter { $0.name == property.name }
        let isUnknown =
            switch change {
            case .insert: false
            case .update(let update): preserved.isEmpty && update.updatedAttributeNames.contains(property.name)
            // The other side records the links of a relationship with an inverse.
            case .delete: preserved.isEmpty && links.inverse == nil && !change.hasAllLinks
            }
        if isUnknown { return [.unknownLinks(links.name, model, propertyName: property.name)] }
        return preserved.flatMap { value in
            restorations(links, isOwner, model, value.previousValue, exists: true)
                + restorations(links, isOwner, model, value.value, exists: false)
        }
    }

    private func restorations(
        _ links: Schema.Links, _ isOwner: Bool, _ model: PersistentIdentifier, _ other: (any Sendable)?, exists: Bool
    ) -> [PastRelationships.Restoration] {
        guard let other = other as? PersistentIdentifier else { return [] }
        let (link, reverse) = (
            PastRelationships.Link(owner: model, destination: other),
            PastRelationships.Link(owner: other, destination: model)
        )
        return (links.isSymmetric ? [link, reverse] : [isOwner ? link : reverse])
            .map { .link(links.name, $0, exists: exists) }
    }
}
