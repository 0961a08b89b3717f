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

    /// What the restorations of a step added to the destinations of a model (1), or removed from them (-1).
    typealias Difference = (source: PersistentIdentifier, destination: PersistentIdentifier, count: Int)

    private let rows: PresentRelationships
    private var references: [ObjectIdentifier: PastReferences] = [:]
    private var links: [String: PastLinks] = [:]
    private var existence: [PersistentIdentifier: Bool] = [:]
    /// The number of relationships that were visited, from which tests conclude the complexity.
    private(set) var visits = 0

    init(_ rows: PresentRelationships) { self.rows = rows }

    // MARK: Undoing changes

    mutating func restore(_ restoration: Restoration) {
        visits += 1
        switch restoration {
        case .reference(let property, let model, let reference):
            references[property, default: PastReferences()].set(model, reference)
        case .link(let name, let link, let isLive):
            links[name, default: PastLinks()].set(link, isLive, existence)
        case .unknownLinks(let name, let model, let propertyName):
            links[name, default: PastLinks()].setUnknown(model, propertyName, existence)
        case .existence(let model, let exists):
            guard existence[model] ?? true != exists else { return }
            for name in Array(links.keys) { visits += links[name]?.willToggle(model, exists: exists, existence) ?? 0 }
            existence[model] = exists
        }
    }

    /// Ends the step whose restorations ``differences(of:)`` returns.
    mutating func endStep() {
        for property in Array(references.keys) { references[property]?.endStep() }
        for name in Array(links.keys) { links[name]?.endStep() }
    }

    // MARK: Destinations

    /// Returns what the restorations of the step changed of a relationship, of the models whose destinations were read before.
    mutating func differences(of hop: RelationshipHop) -> [Difference] {
        let differences: [Difference]
        switch hop.form {
        case .reference:
            differences = references[ObjectIdentifier(hop.property)]?.differences.map { ($0, $1, $2) } ?? []
        case .inverse(let inverse):
            differences = references[ObjectIdentifier(inverse)]?.differences.map { ($1, $0, $2) } ?? []
        case .links(let definition):
            let isOwner = definition.property === hop.property
            differences =
                links[definition.name]?.differences(existence).map { link, count in
                    isOwner ? (link.owner, link.destination, count) : (link.destination, link.owner, count)
                } ?? []
        }
        visits += differences.count
        return differences
    }

    /// Returns the destinations of each model. Those that the history does not contain are missing.
    mutating func destinations(
        _ hop: RelationshipHop, of models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier] {
        guard !models.isEmpty else { return [] }
        let destinations =
            switch hop.form {
            case .reference: try referenced(hop, models)
            case .inverse(let inverse): try referring(hop, inverse, models)
            case .links(let definition): try connected(hop, definition, models)
            }
        visits += models.count + destinations.count
        return destinations
    }

    private mutating func referenced(
        _ hop: RelationshipHop, _ models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier] {
        var known = references.removeValue(forKey: ObjectIdentifier(hop.property)) ?? PastReferences()
        defer { references[ObjectIdentifier(hop.property)] = known }
        let unread = models.filter { known.reference(of: $0) == nil }
        if !unread.isEmpty {
            let found = try rows.references(hop, of: unread)
            for model in unread { known.read(model, found[model] ?? nil) }
        }
        return models.compactMap { model in
            if case .destination(let destination) = known.reference(of: model) { destination } else { nil }
        }
    }

    private mutating func referring(
        _ hop: RelationshipHop, _ inverse: Schema.Property, _ models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier] {
        var known = references.removeValue(forKey: ObjectIdentifier(inverse)) ?? PastReferences()
        defer { references[ObjectIdentifier(inverse)] = known }
        // Subtracting would visit all destinations that were read.
        let unread = models.filter { !known.readDestinations.contains($0) }
        if !unread.isEmpty {
            let found = try rows.referrers(inverse, of: hop.destination, to: unread)
            for (model, referrers) in found { for referrer in referrers { known.read(referrer, model) } }
            known.readDestinations.formUnion(unread)
        }
        return models.flatMap { known.referrers[$0] ?? [] }
    }

    private mutating func connected(
        _ hop: RelationshipHop, _ definition: Schema.Links, _ models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier] {
        var known = links.removeValue(forKey: definition.name) ?? PastLinks()
        defer { links[definition.name] = known }
        let isOwner = definition.property === hop.property
        let property = ObjectIdentifier(hop.property)
        let readModels = known.readModels.removeValue(forKey: property) ?? []
        let unread = models.filter { !readModels.contains($0) }
        known.readModels[property] = readModels
        if !unread.isEmpty {
            for (model, others) in try rows.linked(hop, definition, of: unread) {
                for other in others {
                    known.read(
                        isOwner ? Link(owner: model, destination: other) : Link(owner: other, destination: model))
                }
            }
            known.readModels[property, default: []].formUnion(unread)
        }
        return models.filter { existence[$0] != false }.flatMap { model in
            (known.models(linkedWith: model, isOwner: isOwner)).filter { existence[$0] != false }
        }
    }

    // MARK: Unknown destinations

    /// Throws ``SwiftDataError/historyValueMissing`` if the history does not contain the destinations of models.
    ///
    /// - Parameters:
    ///   - added: The models that were not among those of the last step.
    ///   - models: All models.
    func requireDestinations(
        _ hop: RelationshipHop, added: Set<PersistentIdentifier>, models: [PersistentIdentifier: Int]
    ) throws {
        guard !models.isEmpty else { return }
        switch hop.form {
        case .reference:
            guard let known = references[ObjectIdentifier(hop.property)], !known.unknown.isEmpty else { return }
            let candidates = added.union(known.newlyUnknown.filter { models[$0] != nil })
            guard let model = candidates.filter(known.unknown.contains).min() else { return }
            throw Self.missing(hop.property.name, of: model)
        case .inverse(let inverse):
            // It may have referenced one of the models.
            guard let model = references[ObjectIdentifier(inverse)]?.unknown.min() else { return }
            throw Self.missing(inverse.name, of: model)
        case .links(let definition):
            guard let known = links[definition.name], !known.unknown.isEmpty else { return }
            // A model at the other end may have been linked by any owner.
            let isOwner = definition.property === hop.property && !definition.isSymmetric
            let candidates = added.union(known.newlyUnknown.filter { models[$0] != nil })
            let unknown = isOwner ? candidates.filter { known.unknown[$0] != nil } : Set(known.unknown.keys)
            guard let model = unknown.min(), let name = known.unknown[model] else { return }
            throw Self.missing(name, of: model)
        }
    }

    private static func missing(_ propertyName: String, of model: PersistentIdentifier) -> SwiftDataError {
        .historyValueMissing.with(
            detail: "the history does not contain the destination of this relationship before a change; enable "
                + "preserving values for later changes, and begin after this change",
            entityName: model.entityName, propertyName: propertyName, persistentIdentifier: model)
    }
}
