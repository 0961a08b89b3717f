/// Updates the other sides of relationships of inserted models that are merged.
///
/// If an inserted model replaces a relationship of a row, the previous destinations lose their reference or their link to the row.
/// If it does not, because the row's values win, its own destination loses the reference. These changes become part of the save.
struct DestinationReplacement {
    private(set) var save: StoreSave
    private let context: ModelContext
    private let original: StoreSave
    private let matches: UniqueMatches
    private let schema: Schema
    private let deleted: Set<PersistentIdentifier>
    private var places: [PersistentIdentifier: StoreSave.Place] = [:]
    /// The instances that represent rows after the save.
    private var survivors: [PersistentIdentifier: AnyBackingData] = [:]
    /// The to-many relationships that inserted models replace.
    private var lists: [ObjectIdentifier: ReplacedList] = [:]
    /// The to-one relationships of rows whose other side has to be updated.
    private var references: [ObjectIdentifier: ReplacedReferences] = [:]
    /// The destinations of inserted models that do not become destinations of the row.
    private var superseded: [Superseded] = []

    private struct Superseded {
        let destination: PersistentIdentifier
        let inverse: Schema.Property
        let owner: PersistentIdentifier
    }

    private struct ReplacedList {
        let property: Schema.Property
        /// By the identifier of the owner.
        var kept: [PersistentIdentifier: Set<ObjectIdentifier>] = [:]
    }

    private struct ReplacedReferences {
        let inverse: Schema.Property
        /// By the identifier of the previous destination.
        var owners: [PersistentIdentifier: PersistentIdentifier] = [:]
    }

    init(_ context: ModelContext, _ original: StoreSave, _ matches: UniqueMatches, _ save: StoreSave) {
        self.context = context
        self.original = original
        self.matches = matches
        self.save = save
        schema = context.coordinator.schema
        deleted = Set(save.deleted.snapshots.map(\.persistentIdentifier))
    }

    /// Throws ``SwiftDataError/modelValidationFailure`` if a required relationship would lose its destination.
    mutating func replace() throws {
        guard save.hasReferences else { return }
        try findReplacements()
        guard !lists.isEmpty || !references.isEmpty || !superseded.isEmpty else { return }
        places = save.places
        for one in superseded {
            guard let place = places[one.destination] else { continue }
            try clear(one.inverse, of: one.destination, from: one.owner, at: place)
        }
        for list in lists.values.sorted(by: { $0.property.index < $1.property.index }) {
            if list.property.isLinked {
                try replaceLinks(list)
            } else {
                try replaceRows(list)
            }
        }
        for reference in references.values { try replaceReferences(reference) }
    }

    private mutating func findReplacements() throws {
        let replaces = context.mergePolicy == .mergeByPropertyObjectTrump
        try original.inserted.forEachSnapshot { index, backing, snapshot in
            guard let group = matches.group(of: index), let entity = backing.membership?.entity else { return }
            survivors[group.identifier] = backing
            for property in entity.relationshipProperties {
                if property.slot >= 0 {
                    find(property, group, snapshot)
                } else if replaces {
                    try find(property, group, backing)
                }
            }
        }
    }

    /// If several models become one row, the list of the last of them is kept, and the models that reference a later one.
    private mutating func find(
        _ property: Schema.Property, _ group: UniqueMatches.Group, _ backing: AnyBackingData
    ) throws {
        let known = lists[ObjectIdentifier(property)]?.kept[group.identifier]
        let isAssigned = backing.isListAssigned(property)
        guard isAssigned || known != nil else { return }
        let destinations = try ManagedRelationship(context, backing, property)?.models() ?? []
        let own = Set(destinations.map { ObjectIdentifier($0.persistentBackingData) })
        lists[ObjectIdentifier(property), default: ReplacedList(property: property)].kept[group.identifier] =
            isAssigned ? own : own.union(known ?? [])
    }

    /// For a destination of a one-to-one relationship that the row does not have any more, or does not receive.
    private mutating func find(_ property: Schema.Property, _ group: UniqueMatches.Group, _ inserted: DefaultSnapshot) {
        guard let inverse = schema.inverse(of: property), inverse.slot >= 0 else { return }
        func destination(_ values: [PropertyValue]) -> PersistentIdentifier? {
            if case .reference(let identifier) = values[property.slot] {
                save.targets[identifier] ?? identifier
            } else {
                nil
            }
        }
        let current = destination(group.values)
        if let own = destination(inserted.values), own != current {
            superseded.append(Superseded(destination: own, inverse: inverse, owner: group.identifier))
        }
        if let former = group.row.flatMap({ destination($0.values) }), former != current {
            references[ObjectIdentifier(property), default: ReplacedReferences(inverse: inverse)].owners[former] =
                group.identifier
        }
    }

    // MARK: Rows

    private mutating func replaceRows(_ list: ReplacedList) throws {
        guard let inverse = schema.inverse(of: list.property), let relationship = list.property.relationship,
            let entity = schema.entitiesByName[relationship.destination]
        else { return }
        let owners = Set(list.kept.keys.filter { !$0.isTemporary })
        var former: [DefaultSnapshot] = []
        try context.forEachRow(of: entity, in: original.store, .references(inverse, to: owners)) { identifier, values in
            former.append(
                DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()))
        }
        // Models that were inserted with another instance of the same row.
        let kinds = schema.kinds(of: entity.name)
        former += save.inserted.snapshots.filter { kinds.contains($0.persistentIdentifier.entityName) }
        let inserted = save.inserted.backings(of: kinds)
        for snapshot in former {
            guard case .reference(let owner) = snapshot.values[inverse.slot], let kept = list.kept[owner] else {
                continue
            }
            let identifier = snapshot.persistentIdentifier
            let instance = inserted[identifier] ?? survivors[identifier] ?? context.registeredBacking(identifier)
            if instance.map({ kept.contains(ObjectIdentifier($0)) }) != true {
                try detach(snapshot, inverse, from: owner)
            }
        }
    }

    /// Does nothing if the save deletes the row or changes the reference.
    private mutating func detach(
        _ snapshot: DefaultSnapshot, _ inverse: Schema.Property, from owner: PersistentIdentifier
    ) throws {
        let identifier = snapshot.persistentIdentifier
        guard !deleted.contains(identifier) else { return }
        if let place = places[identifier] {
            try clear(inverse, of: identifier, from: owner, at: place)
        } else {
            try requireOptional(inverse, of: identifier)
            var values = snapshot.values
            values[inverse.slot] = .null
            var changed = PropertySet()
            changed.insert(inverse.slot)
            places[identifier] = .related(save.related.count)
            save.related.append(
                DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: changed))
        }
    }

    private mutating func clear(
        _ inverse: Schema.Property, of identifier: PersistentIdentifier, from owner: PersistentIdentifier,
        at place: StoreSave.Place
    ) throws {
        if save.clearReference(to: owner, inverse.slot, at: place) { try requireOptional(inverse, of: identifier) }
    }

    private func requireOptional(_ inverse: Schema.Property, of identifier: PersistentIdentifier) throws {
        guard inverse.isOptional else {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "an inserted model replaces a row with the same unique values and its relationships, and the "
                    + "required relationship would lose its destination; keep it in the list of the inserted model, or "
                    + "delete the model that has it",
                entityName: identifier.entityName, propertyName: inverse.name, persistentIdentifier: identifier)
        }
    }

    private mutating func replaceReferences(_ replaced: ReplacedReferences) throws {
        for (name, identifiers) in Dictionary(grouping: replaced.owners.keys, by: \.entityName) {
            guard let entity = schema.entitiesByName[name] else { continue }
            var former: [DefaultSnapshot] = []
            let lookup = DataStoreLookup.identifiers(Set(identifiers))
            try context.forEachRow(of: entity, in: original.store, lookup) { identifier, values in
                former.append(
                    DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()))
            }
            for snapshot in former {
                guard let owner = replaced.owners[snapshot.persistentIdentifier],
                    snapshot.values[replaced.inverse.slot] == .reference(owner)
                else { continue }
                try detach(snapshot, replaced.inverse, from: owner)
            }
        }
    }

    // MARK: Links

    private mutating func replaceLinks(_ list: ReplacedList) throws {
        guard let links = schema.links(of: list.property) else { return }
        let isOfOwners = links.property === list.property
        // Links that were added to another instance of the same row.
        let instances = Dictionary(
            save.inserted.identifiers.map { ($1, ObjectIdentifier($0)) }, uniquingKeysWith: { first, _ in first })
        func instance(_ identifier: PersistentIdentifier) -> ObjectIdentifier? {
            instances[identifier] ?? survivors[identifier].map { ObjectIdentifier($0) }
                ?? context.registeredBacking(identifier).map { ObjectIdentifier($0) }
        }
        func isKept(_ owner: PersistentIdentifier, _ destination: PersistentIdentifier) -> Bool {
            guard let kept = list.kept[owner] else { return true }
            return instance(destination).map(kept.contains) ?? false
        }
        save.linked = save.linked.filter { link in
            guard link.name == links.name else { return true }
            if links.isSymmetric, !isKept(link.destination, link.owner) { return false }
            return isOfOwners ? isKept(link.owner, link.destination) : isKept(link.destination, link.owner)
        }
        let owners = Set(list.kept.keys.filter { !$0.isTemporary })
        guard !owners.isEmpty else { return }
        for (owner, destinations) in try context.loadLinked(owners, list.property) {
            for model in destinations {
                guard let destination = list.property.relationshipAccess?.model(model).persistentModelID,
                    !isKept(owner, destination)
                else { continue }
                save.unlinked.append(
                    isOfOwners
                        ? DataStoreLink(links, owner: owner, destination: destination)
                        : DataStoreLink(links, owner: destination, destination: owner))
            }
        }
    }
}
