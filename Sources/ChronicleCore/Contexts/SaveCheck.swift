/// Looks at the result of a save: every new model has got a permanent identifier of its own, and the rest of the answer
/// can be taken over.
struct SaveCheck<Store: DataStore> {
    private let store: Store
    private let storeIdentifier: String

    init(_ store: Store) {
        self.store = store
        storeIdentifier = store.identifier
    }

    /// - Parameters:
    ///   - snapshots: The inserted models, of a type that loops need not be generic over.
    ///   - registry: The models that the context has, the new ones among them under temporary identifiers.
    /// - Returns: The permanent identifiers of the inserted models.
    /// - Throws: ``SwiftDataError/invalidStoreResponse`` naming the rule that the answer breaks,
    ///   ``SwiftDataError/undecodableValue``.
    func check(
        _ result: DataStoreSaveChangesResult<Store.Snapshot>, of inserted: [Store.Snapshot],
        _ snapshots: [DefaultSnapshot], beside registry: ModelRegistry
    ) throws -> [PersistentIdentifier] {
        guard result.storeIdentifier == storeIdentifier else {
            throw broken("the result of a save has the identifier of the store, not \"\(result.storeIdentifier)\"")
        }
        let identifiers = result.identifiers(of: inserted)
        guard identifiers.count == inserted.count else {
            let known = result.remappedIdentifiers
            throw broken(
                "the result of a save has an identifier for every inserted model",
                inserted.lazy.map(\.persistentIdentifier).first { known[$0] == nil })
        }
        try check(identifiers, of: snapshots)
        if let known = registry.first(of: identifiers) { throw repeated(known) }
        for (identifier, snapshot) in result.snapshotsToReregister {
            try check(snapshot)
            guard identifier == snapshot.persistentIdentifier else {
                throw broken("the rows in the result of a save have their identifiers as keys", identifier)
            }
        }
        if let token = result.historyToken, let provider = store as? any HistoryProviding, !isToken(token, of: provider)
        {
            throw broken("the token of a save is of the type of the store's transactions, not a \(type(of: token))")
        }
        return identifiers
    }

    private func isToken<Provider: HistoryProviding>(_ token: any HistoryToken, of provider: Provider) -> Bool {
        token is Provider.HistoryType.TokenType
    }

    // MARK: Identifiers

    private func check(_ identifiers: [PersistentIdentifier], of inserted: [DefaultSnapshot]) throws {
        // The latest key of each entity. As long as they grow, none comes twice.
        var latest: [(origin: PersistentIdentifier.Origin, temporary: ObjectIdentifier, number: Int64)] = []
        var current = 0
        var mayRepeat = false
        for (index, identifier) in identifiers.enumerated() {
            // New models of one entity have this in common.
            let temporary = ObjectIdentifier(inserted[index].persistentIdentifier.origin)
            if current >= latest.count || latest[current].origin !== identifier.origin {
                current = latest.firstIndex { $0.origin === identifier.origin } ?? latest.count
            }
            if current < latest.count, latest[current].temporary == temporary {
                if identifier.number <= latest[current].number { mayRepeat = true }
                latest[current].number = identifier.number
                continue
            }
            try identifier.require(
                entityName: inserted[index].persistentIdentifier.entityName, storeIdentifier: storeIdentifier,
                in: "the result of a save")
            // Keys that are no integers stand in the origin, which then is one of many.
            if identifier.integerPrimaryKey == nil || latest.contains(where: { $0.origin.isEqual(identifier.origin) }) {
                mayRepeat = true
            } else {
                latest.append((identifier.origin, temporary, identifier.number))
            }
        }
        if mayRepeat { try requireDistinct(identifiers) }
    }

    private func requireDistinct(_ identifiers: [PersistentIdentifier]) throws {
        var seen = Set<PersistentIdentifier>(minimumCapacity: identifiers.count)
        for identifier in identifiers where !seen.insert(identifier).inserted { throw repeated(identifier) }
    }

    private func repeated(_ identifier: PersistentIdentifier) -> SwiftDataError {
        broken("the result of a save gives every inserted model an identifier of its own", identifier)
    }

    // MARK: Rows

    private func check(_ snapshot: Store.Snapshot) throws {
        let identifier = snapshot.persistentIdentifier
        guard let entity = store.schema.entitiesByName[identifier.entityName] else {
            throw broken("the rows in the result of a save are of entities that the store keeps", identifier)
        }
        try identifier.require(
            entityName: entity.name, storeIdentifier: storeIdentifier, in: "the result of a save")
        _ = try RowChecker(entity, storeIdentifier: storeIdentifier).check(snapshot.values, identifier)
    }

    private func broken(_ rule: String, _ identifier: PersistentIdentifier? = nil) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: rule, entityName: identifier?.entityName, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }
}

extension ModelContext {
    /// Brings the models of rows that a store wrote differently than it was asked to up to date.
    func takeOver<Store: DataStore>(_ snapshots: some Collection<Store.Snapshot>, of store: Store) {
        for snapshot in snapshots {
            guard let known = registeredBacking(snapshot.persistentIdentifier), let entity = known.membership?.entity,
                known.row != snapshot.values
            else { continue }
            // The save is done, whatever comes of this.
            deferring { try refresh(known, snapshot.values, RowChecker(entity, storeIdentifier: store.identifier)) }
        }
    }
}
