/// Validates the result of a save: every inserted model must have a unique permanent identifier, for example.
struct SaveCheck<Store: DataStore> {
    private let store: Store
    private let storeIdentifier: String

    init(_ store: Store) {
        self.store = store
        storeIdentifier = store.identifier
    }

    /// Throws ``SwiftDataError/invalidStoreResponse`` or ``SwiftDataError/undecodableValue``.
    ///
    /// - Parameters:
    ///   - snapshots: The inserted models as ``DefaultSnapshot``, so that loops over them are not generic.
    ///   - registry: The models of the context, which include the inserted models under temporary identifiers.
    ///   - validToken: The type of the latest valid token. The same type is not checked again.
    /// - Returns: The permanent identifiers of the inserted models.
    @inline(__always)
    func check(
        _ result: DataStoreSaveChangesResult<Store.Snapshot>, of inserted: [Store.Snapshot],
        _ snapshots: [DefaultSnapshot], beside registry: ModelRegistry, _ validToken: inout ContextStorage.TokenType?
    ) throws -> [PersistentIdentifier] {
        guard result.storeIdentifier == storeIdentifier else {
            throw invalid("a save returned the result of another store, \"\(result.storeIdentifier)\"")
        }
        let identifiers = result.identifiers(of: inserted)
        guard identifiers.count == inserted.count else {
            let known = result.remappedIdentifiers
            throw invalid(
                "a save returned no identifier for an inserted model",
                inserted.lazy.map(\.persistentIdentifier).first { known[$0] == nil })
        }
        try check(identifiers, of: snapshots)
        if registry.count > 0, let known = try registry.first(of: new(identifiers, of: snapshots)) {
            throw repeated(known)
        }
        if result.changesRows { try check(result.snapshotsToReregister) }
        if let token = result.historyToken { try check(token, &validToken) }
        return identifiers
    }

    private func check(_ token: any HistoryToken, _ valid: inout ContextStorage.TokenType?) throws {
        let type = ContextStorage.TokenType(
            store: ObjectIdentifier(store), token: ObjectIdentifier(Swift.type(of: token)))
        // Conformances are expensive to look up.
        if type == valid { return }
        if let provider = store as? any HistoryProviding, !isToken(token, of: provider) {
            throw invalid(
                "a save returned a token of type \(Swift.type(of: token)), which is not the type of the store's "
                    + "transactions")
        }
        valid = type
    }

    /// Omits the identifiers of restored models, which the registry contains.
    private func new(
        _ identifiers: [PersistentIdentifier], of inserted: [DefaultSnapshot]
    ) throws -> [PersistentIdentifier] {
        guard inserted.contains(where: { !$0.persistentIdentifier.isTemporary }) else { return identifiers }
        var new: [PersistentIdentifier] = []
        for (identifier, snapshot) in zip(identifiers, inserted) {
            if snapshot.persistentIdentifier.isTemporary {
                new.append(identifier)
            } else if snapshot.persistentIdentifier != identifier {
                throw invalid("a save returned another identifier for a restored model", identifier)
            }
        }
        return new
    }

    private func isToken<Provider: HistoryProviding>(_ token: any HistoryToken, of provider: Provider) -> Bool {
        token is Provider.HistoryType.TokenType
    }

    // MARK: Identifiers

    private func check(_ identifiers: [PersistentIdentifier], of inserted: [DefaultSnapshot]) throws {
        if identifiers.count == 1 {
            return try identifiers[0].require(
                entityName: inserted[0].persistentIdentifier.entityName, storeIdentifier: storeIdentifier, in: "a save")
        }
        // The latest key of each entity. If the keys increase, none is repeated.
        var latest: [(origin: PersistentIdentifier.Origin, temporary: ObjectIdentifier, number: Int64)] = []
        var current = 0
        var mayRepeat = false
        for (index, identifier) in identifiers.enumerated() {
            // Temporary identifiers of one entity share their origin object.
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
                in: "a save")
            // Keys that are not integers are part of the origin, which therefore differs for every row.
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
        invalid("a save returned an identifier that another model already has", identifier)
    }

    // MARK: Rows

    private func check(_ snapshots: [PersistentIdentifier: Store.Snapshot]) throws {
        for (identifier, snapshot) in snapshots {
            try check(snapshot)
            guard identifier == snapshot.persistentIdentifier else {
                throw invalid("a save returned a row under the identifier of another row", identifier)
            }
        }
    }

    private func check(_ snapshot: Store.Snapshot) throws {
        let identifier = snapshot.persistentIdentifier
        guard let entity = store.schema.entitiesByName[identifier.entityName] else {
            throw invalid("a save returned a row of an entity that the store does not have", identifier)
        }
        try identifier.require(
            entityName: entity.name, storeIdentifier: storeIdentifier, in: "a save")
        let row = try snapshot.row(in: store.schema).withoutLists(of: entity, in: store.schema)
        _ = try RowChecker(entity, store.schema, storeIdentifier: storeIdentifier).check(row, identifier)
    }

    private func invalid(_ detail: String, _ identifier: PersistentIdentifier? = nil) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: detail, entityName: identifier?.entityName, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }
}
