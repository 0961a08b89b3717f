/// The changes of one store.
///
/// The list of pending models retains the models during a save, so this type does not. Retaining and releasing ten thousand models
/// in every step would take a third of a save, because they do not fit into the processor's cache.
struct StoreSave {
    struct Changes {
        private var models: [Unmanaged<AnyBackingData>] = []
        private(set) var snapshots: [DefaultSnapshot] = []

        var count: Int { models.count }

        /// At most `count` models remain to be added.
        mutating func add(_ model: AnyBackingData, _ snapshot: DefaultSnapshot, of count: Int) {
            if models.isEmpty {
                models.reserveCapacity(count)
                snapshots.reserveCapacity(count)
            }
            models.append(.passUnretained(model))
            snapshots.append(snapshot)
        }

        var identifiers: [(AnyBackingData, PersistentIdentifier)] {
            zip(models, snapshots).map { ($0.takeUnretainedValue(), $1.persistentIdentifier) }
        }

        func backings(of kinds: Set<String>) -> [PersistentIdentifier: AnyBackingData] {
            Dictionary(
                identifiers.lazy.filter { kinds.contains($1.entityName) }.map { ($1, $0) },
                uniquingKeysWith: { first, _ in first })
        }

        func forEachModel(_ body: (Int, AnyBackingData) throws -> Void) rethrows {
            for index in models.indices { try body(index, models[index].takeUnretainedValue()) }
        }

        func forEachSnapshot(_ body: (Int, AnyBackingData, DefaultSnapshot) throws -> Void) rethrows {
            for index in models.indices { try body(index, models[index].takeUnretainedValue(), snapshots[index]) }
        }

        /// Returns whether this is the first change of the row, or `nil` if it does not reference the model.
        mutating func clearReference(to identifier: PersistentIdentifier, _ slot: Int, at index: Int) -> Bool? {
            guard let cleared = snapshots[index].clearingReference(to: identifier, slot) else { return nil }
            defer { snapshots[index] = cleared }
            return snapshots[index].changed.isEmpty
        }

        @inline(__always)
        mutating func forEach(_ body: (Int, AnyBackingData, inout DataStoreRow) -> Void) {
            snapshots.withUnsafeMutableBufferPointer { snapshots in
                for index in models.indices {
                    models[index]._withUnsafeGuaranteedRef { body(index, $0, &snapshots[index].row) }
                }
            }
        }

        mutating func remap(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) {
            for index in snapshots.indices { snapshots[index].values = snapshots[index].values.remapped(identifiers) }
        }
    }

    let store: any DataStore
    var inserted = Changes()
    /// Includes models without an actual change, whose properties were set to their stored values.
    var updated = Changes()
    var deleted = Changes()
    /// Inserted models that are saved as updates of rows with the same unique values.
    var merged = Changes()
    /// Inserted models that are not saved, because another inserted model has the same unique values.
    var replaced = Changes()
    /// Changed models that are not saved, because their rows were deleted.
    var dropped = Changes()
    /// Dropped models that the save only links, and which no list of pending models retains.
    var linkedModels: [any PersistentModel] = []
    /// The rows of dropped models to which the deletes cascade only if the dropped references are saved.
    var cascaded: [DefaultSnapshot] = []
    /// The temporary identifiers of inserted models that other inserted models were merged into.
    var adopting: Set<PersistentIdentifier> = []
    var targets: [PersistentIdentifier: PersistentIdentifier] = [:]
    /// Updates of rows that are not changed by their models.
    var related: [DefaultSnapshot] = []
    var linked: [DataStoreLink] = []
    var unlinked: [DataStoreLink] = []
    /// The consumer whose position moves with the save.
    var acknowledgement: HistoryAcknowledgement?
    /// Whether one of the models has relationships.
    var hasReferences = false
    var insertedIdentifiers: [PersistentIdentifier] = []
    var historyToken: (any HistoryToken)?
    var isWritten = false
    var savedCount = 0
    private var changedCount = 0

    init(store: any DataStore) { self.store = store }

    mutating func addUpdate(_ model: AnyBackingData, _ snapshot: DefaultSnapshot, of count: Int) {
        updated.add(model, snapshot, of: count)
        if !snapshot.changed.isEmpty { changedCount += 1 }
    }

    /// The snapshots of the updated rows. Setting a property to its stored value is not a change.
    var changedSnapshots: [DefaultSnapshot] {
        let changed =
            changedCount == updated.count ? updated.snapshots : updated.snapshots.filter { !$0.changed.isEmpty }
        guard isResolved else { return changed }
        return changed + merged.snapshots.filter { !$0.changed.isEmpty } + related
    }

    var updatedIdentifiers: [PersistentIdentifier] {
        // Links are changes of models without other changes.
        let ends = Set((linked + unlinked).flatMap { [$0.owner, $0.destination] })
        return (updated.snapshots + merged.snapshots + related).compactMap {
            $0.changed.isEmpty && !ends.contains($0.persistentIdentifier) ? nil : $0.persistentIdentifier
        }
    }

    /// The snapshots of the deleted rows.
    var deletedSnapshots: [DefaultSnapshot] { cascaded.isEmpty ? deleted.snapshots : deleted.snapshots + cascaded }

    var deletedIdentifiers: [PersistentIdentifier] { deletedSnapshots.map(\.persistentIdentifier) }

    var hasChanges: Bool {
        changedCount + inserted.count + deleted.count + linked.count + unlinked.count + related.count > 0
            || merged.snapshots.contains { !$0.changed.isEmpty }
    }

    var isResolved: Bool {
        merged.count + replaced.count + dropped.count + related.count > 0
    }

    /// The identifiers of the models that the save has inserted or merged into others, by their temporary ones.
    var permanentIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
        let inserted = Dictionary(
            zip(self.inserted.snapshots.lazy.map(\.persistentIdentifier), insertedIdentifiers),
            uniquingKeysWith: { first, _ in first })
        return inserted.merging(targets.mapValues { inserted[$0] ?? $0 }) { first, _ in first }
    }

    enum Place {
        case inserted(Int), updated(Int), merged(Int), related(Int)
    }

    var places: [PersistentIdentifier: Place] {
        var places: [PersistentIdentifier: Place] = [:]
        for (index, snapshot) in inserted.snapshots.enumerated() {
            places[snapshot.persistentIdentifier] = .inserted(index)
        }
        for (index, snapshot) in updated.snapshots.enumerated() {
            places[snapshot.persistentIdentifier] = .updated(index)
        }
        for (index, snapshot) in merged.snapshots.enumerated() {
            places[snapshot.persistentIdentifier] = .merged(index)
        }
        for (index, snapshot) in related.enumerated() { places[snapshot.persistentIdentifier] = .related(index) }
        return places
    }

    /// Returns whether the row references the model.
    mutating func clearReference(to identifier: PersistentIdentifier, _ slot: Int, at place: Place) -> Bool {
        switch place {
        case .inserted(let index): return inserted.clearReference(to: identifier, slot, at: index) != nil
        case .merged(let index): return merged.clearReference(to: identifier, slot, at: index) != nil
        case .updated(let index):
            let isFirst = updated.clearReference(to: identifier, slot, at: index)
            if isFirst == true { changedCount += 1 }
            return isFirst != nil
        case .related(let index):
            guard let cleared = related[index].clearingReference(to: identifier, slot) else { return false }
            related[index] = cleared
            return true
        }
    }

    /// - Parameter identifiers: The permanent identifiers of the inserted models.
    mutating func replaceIdentifiers(_ identifiers: [PersistentIdentifier]) {
        guard !identifiers.isEmpty else { return }
        var replaced: [PersistentIdentifier: PersistentIdentifier] = [:]
        replaced.reserveCapacity(identifiers.count)
        for (snapshot, identifier) in zip(inserted.snapshots, identifiers) {
            replaced[snapshot.persistentIdentifier] = identifier
        }
        inserted.remap(replaced)
        updated.remap(replaced)
        guard isResolved else { return }
        merged.remap(replaced)
        self.replaced.remap(replaced)
        dropped.remap(replaced)
        related = related.map { $0.copy(persistentIdentifier: $0.persistentIdentifier, remappedIdentifiers: replaced) }
    }
}

extension DefaultSnapshot {
    /// Returns `nil` if the snapshot does not reference the model.
    fileprivate func clearingReference(to identifier: PersistentIdentifier, _ slot: Int) -> DefaultSnapshot? {
        guard values[slot] == .reference(identifier) else { return nil }
        var (values, changed) = (values, changed)
        values[slot] = .null
        changed.insert(slot)
        return DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }
}
