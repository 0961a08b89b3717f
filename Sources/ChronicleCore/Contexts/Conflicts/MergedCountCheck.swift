/// Validates the numbers of destinations after inserted models were merged into rows with the same unique values.
///
/// ``RelationshipCheck`` has validated the inserted models, but the rows that they become may have further destinations, and may
/// leave the lists of other rows. Only lists that the save changes are validated.
struct MergedCountCheck {
    private let context: ModelContext
    private let original: StoreSave
    private let matches: UniqueMatches
    private let save: StoreSave
    private let schema: Schema
    private let deleted: Set<PersistentIdentifier>

    private typealias Lists = [PersistentIdentifier: Set<PersistentIdentifier>]

    init(_ context: ModelContext, _ original: StoreSave, _ matches: UniqueMatches, _ save: StoreSave) {
        self.context = context
        self.original = original
        self.matches = matches
        self.save = save
        schema = context.coordinator.schema
        deleted = Set(save.deleted.snapshots.map(\.persistentIdentifier))
    }

    /// Throws ``SwiftDataError/modelValidationFailure``.
    func check() throws {
        let counted = schema.entities.flatMap(\.counted).filter { $0.relationship?.isToMany == true }
        guard save.hasReferences, !counted.isEmpty else { return }
        let owners = owners()
        var known: Set<ObjectIdentifier> = []
        for property in counted where known.insert(ObjectIdentifier(property)).inserted {
            if property.isLinked {
                try checkLinks(property)
            } else if let owners = owners[ObjectIdentifier(property)] {
                try checkReferences(property, owners)
            }
        }
    }

    /// By the property.
    private func owners() -> [ObjectIdentifier: Set<PersistentIdentifier>] {
        var owners: [ObjectIdentifier: Set<PersistentIdentifier>] = [:]
        original.inserted.forEachSnapshot { index, backing, _ in
            guard let group = matches.group(of: index), let entity = backing.membership?.entity else { return }
            for property in entity.counted { owners[ObjectIdentifier(property), default: []].insert(group.identifier) }
            for property in entity.relationshipProperties where property.slot >= 0 {
                guard let inverse = schema.inverse(of: property), inverse.relationship?.hasCounts == true else {
                    continue
                }
                for values in [group.row?.values, group.values] {
                    guard case .reference(let owner)? = values?[property.slot] else { continue }
                    owners[ObjectIdentifier(inverse), default: []].insert(save.targets[owner] ?? owner)
                }
            }
        }
        return owners
    }

    private func checkReferences(_ property: Schema.Property, _ owners: Set<PersistentIdentifier>) throws {
        guard let inverse = schema.inverse(of: property), inverse.slot >= 0, let relationship = property.relationship,
            let entity = schema.entitiesByName[relationship.destination]
        else { return }
        let rows = owners.filter { !$0.isTemporary }
        var before: Lists = [:]
        if !rows.isEmpty {
            try context.forEachRow(of: entity, in: original.store, .references(inverse, to: rows)) {
                identifier, values in
                guard case .reference(let owner) = values[inverse.slot], rows.contains(owner) else { return }
                before[owner, default: []].insert(identifier)
            }
        }
        let kinds = schema.kinds(of: entity.name)
        var (moved, added) = (deleted, Lists())
        for snapshot in save.inserted.snapshots + save.updated.snapshots + save.merged.snapshots + save.related
        where snapshot.changed.contains(inverse.slot) && kinds.contains(snapshot.persistentIdentifier.entityName) {
            moved.insert(snapshot.persistentIdentifier)
            guard case .reference(let owner) = snapshot.values[inverse.slot] else { continue }
            added[owner, default: []].insert(snapshot.persistentIdentifier)
        }
        try check(property, owners, before) { owner, destinations in
            destinations.subtracting(moved).union(added[owner] ?? [])
        }
    }

    private func checkLinks(_ property: Schema.Property) throws {
        guard let links = schema.links(of: property) else { return }
        let isOfOwners = links.property === property
        func ends(_ link: DataStoreLink) -> [(PersistentIdentifier, PersistentIdentifier)] {
            let (end, other) = isOfOwners ? (link.owner, link.destination) : (link.destination, link.owner)
            return links.isSymmetric ? [(end, other), (other, end)] : [(end, other)]
        }
        func lists(_ changes: [DataStoreLink]) -> Lists {
            var lists: Lists = [:]
            for (end, other) in changes.lazy.filter({ $0.name == links.name }).flatMap(ends) {
                lists[end, default: []].insert(other)
            }
            return lists
        }
        let (added, removed) = (lists(save.linked), lists(save.unlinked))
        let owners = Set(added.keys).union(removed.keys)
        let rows = owners.filter { !$0.isTemporary }
        let before =
            rows.isEmpty
            ? [:]
            : try context.loadLinked(rows, property).mapValues { destinations in
                Set(destinations.compactMap { property.relationshipAccess?.model($0).persistentModelID })
            }
        try check(property, owners, before) { owner, destinations in
            destinations.subtracting(removed[owner] ?? []).union(added[owner] ?? []).subtracting(deleted)
        }
    }

    private func check(
        _ property: Schema.Property, _ owners: Set<PersistentIdentifier>, _ before: Lists,
        after: (PersistentIdentifier, Set<PersistentIdentifier>) -> Set<PersistentIdentifier>
    ) throws {
        guard let relationship = property.relationship else { return }
        for owner in owners where !deleted.contains(owner) {
            let stored = before[owner] ?? []
            let current = after(owner, stored)
            guard current != stored, !relationship.allows(current.count) else { continue }
            throw relationship.countError(current.count)
                .with(entityName: owner.entityName, propertyName: property.name, persistentIdentifier: owner)
        }
    }
}
