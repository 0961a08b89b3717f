/// Resolves the conflicts of a save with the rows of its store.
///
/// A store reports the first conflict as an error and writes nothing. This type then fetches the rows that conflict and creates
/// another save without them. The models do not change before that save has succeeded, so that after an error the context still has
/// all its changes.
struct SaveConflicts {
    let original: StoreSave
    private let context: ModelContext
    private var findsMissingRows = false
    private var findsDeletedRows = false
    private var findsUniqueRows = false
    /// What the last attempt resolved. If an attempt fails in spite of it, and nothing else is found, the error is final.
    private var last = Resolution()

    private struct Resolution: Equatable {
        /// Updated models without a row after the save.
        var missing: Set<PersistentIdentifier> = []
        /// Those of them without a row before the save. Links of the others that the save removes must not cascade.
        var rowless: Set<PersistentIdentifier> = []
        /// Those of them that delete rules reach along references that the save changes.
        var cascaded: Set<PersistentIdentifier> = []
        /// The row or the inserted model that each merged model becomes.
        var targets: [PersistentIdentifier: PersistentIdentifier] = [:]
    }

    init(_ context: ModelContext, _ original: StoreSave) {
        self.context = context
        self.original = original
    }

    /// Returns a save without the conflict that the store reported, or `nil` if the error is not a conflict that the context's
    /// policy resolves. Other writers may change the rows before the next attempt, which then fails and is resolved again.
    ///
    /// Throws ``SwiftDataError/uniquenessViolation`` if a model conflicts with two rows, and
    /// ``SwiftDataError/modelValidationFailure`` if a required relationship would lose its destination, or if a row would have a
    /// number of destinations that is not allowed.
    mutating func resolve(after error: any Error) throws -> StoreSave? {
        guard context.mergePolicy != .error else {
            if let error = error as? SwiftDataError, error.code == .modelNotFound || isLinkError(error),
                let deleted = try rowsDeletedByRules().all.first
            {
                throw error.with(
                    detail: "another context has given the model to one that this save deletes, and whose delete rule "
                        + "would delete it; delete the model, or give it to another one, and save again",
                    persistentIdentifier: deleted)
            }
            return nil
        }
        switch (error as? SwiftDataError)?.code {
        case .uniquenessViolation: findsUniqueRows = true
        case .modelNotFound: (findsMissingRows, findsDeletedRows) = (true, true)
        case .modelValidationFailure where isLinkError(error): findsDeletedRows = true
        default: return nil
        }
        var resolution = Resolution()
        if findsMissingRows { resolution.rowless = try missingRows() }
        resolution.missing = resolution.rowless
        if findsDeletedRows {
            let deleted = try rowsDeletedByRules()
            resolution.missing.formUnion(deleted.all)
            resolution.cascaded = deleted.cascaded
        }
        var matches: UniqueMatches?
        if findsUniqueRows {
            let found = UniqueMatches(context, original)
            try found.find(excluding: resolution.missing)
            resolution.targets = found.targets
            matches = found
        }
        guard resolution != last else { return nil }
        last = resolution
        var resolved = save(resolution, matches)
        if let matches {
            var replacement = DestinationReplacement(context, original, matches, resolved)
            try replacement.replace()
            resolved = replacement.save
            try MergedCountCheck(context, original, matches, resolved).check()
        }
        return resolved
    }

    /// Whether the deletes of the save may have deleted the row at an end of a link that it adds.
    private func isLinkError(_ error: any Error) -> Bool {
        (error as? SwiftDataError)?.code == .modelValidationFailure && !original.linked.isEmpty
            && original.deleted.count > 0
    }

    private func missingRows() throws -> Set<PersistentIdentifier> {
        var missing = Set(original.updated.snapshots.map(\.persistentIdentifier))
        for (name, identifiers) in Dictionary(grouping: missing, by: \.entityName) {
            guard let entity = context.coordinator.schema.entitiesByName[name] else { continue }
            try context.forEachRow(of: entity, in: original.store, .identifiers(Set(identifiers))) { identifier, _ in
                missing.remove(identifier)
            }
        }
        return missing
    }

    /// Returns the updated models, and those at an end of an added link, that the store deletes in the same save, because other
    /// contexts have given them, or their owners, to models that are deleted; and those of them that delete rules reach along
    /// references that the save changes.
    private func rowsDeletedByRules() throws -> (all: Set<PersistentIdentifier>, cascaded: Set<PersistentIdentifier>) {
        let updated = Dictionary(
            original.updated.snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
        let changed = Set(updated.keys).union(original.linked.flatMap { [$0.owner, $0.destination] })
        guard !changed.isEmpty, original.deleted.count > 0 else { return ([], []) }
        let schema = context.coordinator.schema
        var moved: [PersistentIdentifier: [DefaultSnapshot]] = [:]
        for snapshot in updated.values {
            for slot in snapshot.changed {
                if case .reference(let owner) = snapshot.values[slot] { moved[owner, default: []].append(snapshot) }
            }
        }
        var cascaded: Set<PersistentIdentifier> = []
        let unlinked = Set(original.unlinked)
        var known = Set(original.deleted.snapshots.map(\.persistentIdentifier))
        var next = known
        while !next.isEmpty {
            var reached: Set<PersistentIdentifier> = []
            for (name, owners) in Dictionary(grouping: next, by: \.entityName) {
                for property in schema.entitiesByName[name]?.relationshipProperties ?? [] {
                    guard let relationship = property.relationship, relationship.deleteRule == .cascade,
                        let entity = schema.entitiesByName[relationship.destination]
                    else { continue }
                    if relationship.isLinked {
                        guard let links = schema.links(of: property), let access = property.relationshipAccess else {
                            continue
                        }
                        for (owner, destinations) in try context.loadLinked(Set(owners), property) {
                            for destination in destinations {
                                let identifier = access.model(destination).persistentModelID
                                // A link that the save removes is removed before the deletes.
                                let isOwner = links.property === property
                                let link = DataStoreLink(
                                    links, owner: isOwner ? owner : identifier,
                                    destination: isOwner ? identifier : owner)
                                if !unlinked.contains(link) { reached.insert(identifier) }
                            }
                        }
                    } else if let inverse = schema.inverse(of: relationship), inverse.slot >= 0 {
                        let owners = Set(owners)
                        let lookup = DataStoreLookup.references(inverse, to: owners)
                        try context.forEachRow(of: entity, in: original.store, lookup) { identifier, values in
                            guard case .reference(let owner) = values[inverse.slot], owners.contains(owner) else {
                                return
                            }
                            // A reference that the save changes is changed before the deletes.
                            if updated[identifier]?.changed.contains(inverse.slot) != true {
                                reached.insert(identifier)
                            }
                        }
                        let kinds = schema.kinds(of: entity.name)
                        for owner in owners {
                            for snapshot in moved[owner] ?? []
                            where kinds.contains(snapshot.persistentIdentifier.entityName)
                                && snapshot.changed.contains(inverse.slot)
                                && snapshot.values[inverse.slot] == .reference(owner)
                            {
                                reached.insert(snapshot.persistentIdentifier)
                                cascaded.insert(snapshot.persistentIdentifier)
                            }
                        }
                    }
                }
            }
            next = reached.subtracting(known)
            known.formUnion(next)
        }
        return (known.intersection(changed), cascaded)
    }

    private func save(_ resolution: Resolution, _ matches: UniqueMatches?) -> StoreSave {
        var save = StoreSave(store: original.store)
        save.acknowledgement = original.acknowledgement
        save.hasReferences = original.hasReferences
        save.targets = resolution.targets
        let count = original.inserted.count
        // Only references are replaced in the values.
        let targets = original.hasReferences ? resolution.targets : [:]
        original.inserted.forEachModel { index, backing in
            guard let matches, let number = matches.groupNumber(of: index) else {
                save.inserted.add(backing, original.inserted.snapshots[index].replacing(targets), of: count)
                return
            }
            guard matches.groups[number].survivor == index else {
                save.replaced.add(backing, original.inserted.snapshots[index].replacing(targets), of: count)
                return
            }
            let merged = matches.groups[number].snapshot(
                backing.membership?.entity, replacing: targets)
            if matches.groups[number].row == nil {
                save.inserted.add(backing, merged, of: count)
                save.adopting.insert(merged.persistentIdentifier)
            } else {
                save.merged.add(backing, merged, of: count)
            }
        }
        original.updated.forEachSnapshot { _, backing, snapshot in
            let identifier = snapshot.persistentIdentifier
            if resolution.missing.contains(identifier) {
                save.dropped.add(backing, snapshot, of: original.updated.count)
            } else if matches?.isMerged(identifier) != true {
                save.addUpdate(backing, snapshot.replacing(targets), of: original.updated.count)
            }
        }
        original.dropped.forEachSnapshot { _, backing, snapshot in
            save.dropped.add(backing, snapshot, of: original.dropped.count)
        }
        save.linkedModels = original.linkedModels
        // Models that the save only links. The list of the relationship may be that of the other end.
        var known = Set((original.updated.snapshots + original.dropped.snapshots).map(\.persistentIdentifier))
        for identifier in original.linked.flatMap({ [$0.owner, $0.destination] })
        where resolution.missing.contains(identifier) && known.insert(identifier).inserted {
            guard let backing = context.registeredBacking(identifier), let entity = backing.membership?.entity else {
                continue
            }
            let values = Array(repeating: PropertyValue.null, count: entity.storedProperties.count)
            let snapshot = DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())
            save.dropped.add(backing, snapshot, of: original.linked.count)
            // Only the links of the context may retain the model, and reporting another one removes them.
            if let model = backing.model { save.linkedModels.append(model) }
        }
        save.deleted = original.deleted
        save.cascaded = original.updated.snapshots.filter {
            resolution.cascaded.contains($0.persistentIdentifier)
        }
        func links(_ links: [DataStoreLink], without missing: Set<PersistentIdentifier>) -> [DataStoreLink] {
            links.filter { !missing.contains($0.owner) && !missing.contains($0.destination) }
        }
        save.linked = links(original.linked, without: resolution.missing)
            .map { $0.copy(remappedIdentifiers: resolution.targets) }
        save.unlinked = links(original.unlinked, without: resolution.rowless)
        return save
    }
}

extension DefaultSnapshot {
    fileprivate func replacing(_ targets: [PersistentIdentifier: PersistentIdentifier]) -> DefaultSnapshot {
        targets.isEmpty ? self : copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: targets)
    }
}

extension ModelContext {
    /// Creates no models. A store may ignore the lookup and return other rows as well.
    func forEachRow(
        of entity: Schema.Entity, in store: any DataStore, _ lookup: DataStoreLookup,
        _ body: (PersistentIdentifier, [PropertyValue]) throws -> Void
    ) throws {
        func rows<Model: PersistentModel>(_: Model.Type) throws {
            let request = DataStoreFetchRequest<Model>(
                descriptor: FetchDescriptor(), editingState: editingState, lookup: lookup)
            try self.rows(request, in: store, entity, body)
        }
        try rows(entity.type)
    }

    private func rows<Model>(
        _ request: DataStoreFetchRequest<Model>, in store: some DataStore, _ entity: Schema.Entity,
        _ body: (PersistentIdentifier, [PropertyValue]) throws -> Void
    ) throws {
        var checks = RowChecker(entity, coordinator.schema, storeIdentifier: store.identifier)
        var identifiers = FetchCheck(entity, coordinator.schema, storeIdentifier: store.identifier)
        try rows(request, of: store) { identifier, row in
            try identifiers.row(identifier)
            if identifier.entityName != checks.entity.name,
                let subentity = coordinator.schema.entitiesByName[identifier.entityName]
            {
                checks = RowChecker(subentity, coordinator.schema, storeIdentifier: store.identifier)
            }
            _ = try checks.check(row, identifier)
            try body(identifier, row.values)
        }
    }
}
