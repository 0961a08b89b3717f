/// Relationships at a position of the history: the present ones, without the changes that were undone.
///
/// As in a read as of a position, the first change after the position decides what a reference or a link was, and whether a model
/// existed. Only what changed is kept in memory, and what was read.
struct PastRelationships {
    /// What undoing a change restores.
    enum Restoration {
        case reference(ObjectIdentifier, PersistentIdentifier, Reference)
        case link(String, Link, exists: Bool)
        case unknownLinks(String, PersistentIdentifier, propertyName: String)
        case existence(PersistentIdentifier, Bool)
    }

    enum Reference: Hashable {
        case destination(PersistentIdentifier?)
        case unknown(propertyName: String)
    }

    struct Link: Hashable {
        let owner: PersistentIdentifier
        let destination: PersistentIdentifier
    }

    /// The references of one property.
    fileprivate struct References {
        var changed: [PersistentIdentifier: Reference] = [:]
        var referrers: [PersistentIdentifier: Set<PersistentIdentifier>] = [:]
        var unknown: Set<PersistentIdentifier> = []
        var present: [PersistentIdentifier: PersistentIdentifier?] = [:]
        var presentReferrers: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    }

    /// The links of one name.
    fileprivate struct Links {
        var changed: [Link: Bool] = [:]
        /// The changed links of a model at either end.
        var linksByModel: [PersistentIdentifier: Set<Link>] = [:]
        var unknown: [PersistentIdentifier: String] = [:]
        /// By the property at the source of the link.
        var present: [ObjectIdentifier: [PersistentIdentifier: [PersistentIdentifier]]] = [:]
    }

    private let rows: PresentRelationships
    private var references: [ObjectIdentifier: References] = [:]
    private var links: [String: Links] = [:]
    private var existence: [PersistentIdentifier: Bool] = [:]
    /// The models at the ends of links that were read or changed. Whether they exist decides what the links connect.
    private(set) var linked: Set<PersistentIdentifier> = []

    init(_ rows: PresentRelationships) { self.rows = rows }

    // MARK: Undoing changes

    mutating func restore(_ restoration: Restoration) {
        switch restoration {
        case .reference(let property, let model, let reference):
            references[property, default: References()].set(model, reference)
        case .link(let name, let link, let exists):
            links[name, default: Links()].set(link, exists)
            linked.formUnion([link.owner, link.destination])
        case .unknownLinks(let name, let model, let propertyName):
            links[name, default: Links()].unknown[model] = propertyName
        case .existence(let model, let exists): existence[model] = exists
        }
    }

    // MARK: Destinations

    /// Throws ``SwiftDataError/historyValueMissing`` if the history does not contain the destinations.
    mutating func destinations(
        _ hop: RelationshipHop, of models: Set<PersistentIdentifier>
    ) throws -> Set<PersistentIdentifier> {
        guard !models.isEmpty else { return [] }
        switch hop.form {
        case .reference: return try referenced(hop, models)
        case .inverse(let inverse): return try referring(hop, inverse, models)
        case .links(let links): return try connected(hop, links, models)
        }
    }

    private mutating func referenced(
        _ hop: RelationshipHop, _ models: Set<PersistentIdentifier>
    ) throws -> Set<PersistentIdentifier> {
        var known = references.removeValue(forKey: ObjectIdentifier(hop.property)) ?? References()
        defer { references[ObjectIdentifier(hop.property)] = known }
        let unread = models.filter { known.changed[$0] == nil && known.present[$0] == nil }
        if !unread.isEmpty {
            let found = try rows.references(hop, of: unread)
            for model in unread { known.present[model] = .some(found[model] ?? nil) }
        }
        var destinations: Set<PersistentIdentifier> = []
        for model in models {
            switch known.changed[model] ?? .destination(known.present[model] ?? nil) {
            case .destination(let destination): if let destination { destinations.insert(destination) }
            case .unknown(let name): throw Self.missing(name, of: model)
            }
        }
        return destinations
    }

    private mutating func referring(
        _ hop: RelationshipHop, _ inverse: Schema.Property, _ models: Set<PersistentIdentifier>
    ) throws -> Set<PersistentIdentifier> {
        var known = references.removeValue(forKey: ObjectIdentifier(inverse)) ?? References()
        defer { references[ObjectIdentifier(inverse)] = known }
        // It may have referenced one of the models.
        if let model = known.unknown.min() { throw Self.missing(inverse.name, of: model) }
        let unread = models.filter { known.presentReferrers[$0] == nil }
        if !unread.isEmpty {
            let found = try rows.referrers(inverse, of: hop.destination, to: unread)
            for model in unread { known.presentReferrers[model] = found[model] ?? [] }
        }
        var destinations: Set<PersistentIdentifier> = []
        for model in models {
            destinations.formUnion((known.presentReferrers[model] ?? []).filter { known.changed[$0] == nil })
            destinations.formUnion(known.referrers[model] ?? [])
        }
        return destinations
    }

    private mutating func connected(
        _ hop: RelationshipHop, _ definition: Schema.Links, _ models: Set<PersistentIdentifier>
    ) throws -> Set<PersistentIdentifier> {
        var known = links.removeValue(forKey: definition.name) ?? Links()
        defer { links[definition.name] = known }
        let isOwner = definition.property === hop.property
        for (model, name) in known.unknown where existence[model] != false {
            // A model at the other end may have been linked by any owner.
            if !isOwner || definition.isSymmetric || models.contains(model) { throw Self.missing(name, of: model) }
        }
        let property = ObjectIdentifier(hop.property)
        let unread = models.filter { known.present[property]?[$0] == nil }
        if !unread.isEmpty {
            let found = try rows.linked(hop, definition, of: unread)
            for model in unread { known.present[property, default: [:]][model] = found[model] ?? [] }
            linked.formUnion(unread)
            linked.formUnion(found.values.joined())
        }
        var destinations: Set<PersistentIdentifier> = []
        for model in models where existence[model] != false {
            func link(_ other: PersistentIdentifier) -> Link {
                isOwner ? Link(owner: model, destination: other) : Link(owner: other, destination: model)
            }
            for other in known.present[property]?[model] ?? [] where known.changed[link(other)] == nil {
                destinations.insert(other)
            }
            for link in known.linksByModel[model] ?? [] where known.changed[link] == true {
                if isOwner, link.owner == model { destinations.insert(link.destination) }
                if !isOwner, link.destination == model { destinations.insert(link.owner) }
            }
        }
        return destinations.filter { existence[$0] != false }
    }

    private static func missing(_ propertyName: String, of model: PersistentIdentifier) -> SwiftDataError {
        .historyValueMissing.with(
            detail: "the history does not contain the destination of this relationship before a change; enable "
                + "preserving values for later changes, and begin after this change",
            entityName: model.entityName, propertyName: propertyName, persistentIdentifier: model)
    }
}

extension PastRelationships.References {
    fileprivate mutating func set(_ model: PersistentIdentifier, _ reference: PastRelationships.Reference) {
        if case .destination(let destination?) = changed[model] { referrers[destination]?.remove(model) }
        changed[model] = reference
        unknown.remove(model)
        switch reference {
        case .destination(let destination): if let destination { referrers[destination, default: []].insert(model) }
        case .unknown: unknown.insert(model)
        }
    }
}

extension PastRelationships.Links {
    fileprivate mutating func set(_ link: PastRelationships.Link, _ exists: Bool) {
        changed[link] = exists
        linksByModel[link.owner, default: []].insert(link)
        linksByModel[link.destination, default: []].insert(link)
    }
}
