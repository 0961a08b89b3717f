/// The changes of one store.
///
/// The list of pending models retains the models during a save, so this type does not. Retaining and releasing ten
/// thousand models in every step would take a third of a save, because they do not fit into the processor's cache.
struct StoreSave {
    /// Models with snapshots of their current values.
    struct Changes {
        private var models: [Unmanaged<AnyBackingData>] = []
        private(set) var snapshots: [DefaultSnapshot] = []

        var count: Int { models.count }

        /// Adds a model, of at most `count` that remain.
        mutating func add(_ model: AnyBackingData, _ snapshot: DefaultSnapshot, of count: Int) {
            if models.isEmpty {
                models.reserveCapacity(count)
                snapshots.reserveCapacity(count)
            }
            models.append(.passUnretained(model))
            snapshots.append(snapshot)
        }

        /// The models with the identifiers of their snapshots.
        var identifiers: [(AnyBackingData, PersistentIdentifier)] {
            zip(models, snapshots).map { ($0.takeUnretainedValue(), $1.persistentIdentifier) }
        }

        /// Calls a closure with each model, its index, and the values of its snapshot.
        @inline(__always)
        mutating func forEach(_ body: (Int, AnyBackingData, inout [PropertyValue]) -> Void) {
            snapshots.withUnsafeMutableBufferPointer { snapshots in
                for index in models.indices {
                    models[index]._withUnsafeGuaranteedRef { body(index, $0, &snapshots[index].values) }
                }
            }
        }

        /// Replaces temporary references in the values.
        mutating func remap(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) {
            for index in snapshots.indices { snapshots[index].values = snapshots[index].values.remapped(identifiers) }
        }
    }

    let store: any DataStore
    var inserted = Changes()
    /// Includes models without an actual change, whose properties were set to their stored values.
    var updated = Changes()
    var deleted = Changes()
    var linked: [DataStoreLink] = []
    var unlinked: [DataStoreLink] = []
    /// The consumer whose position moves with the save.
    var acknowledgement: HistoryAcknowledgement?
    /// Whether one of the models has relationships.
    var hasReferences = false
    /// The permanent identifiers of the inserted models, once they are written.
    var insertedIdentifiers: [PersistentIdentifier] = []
    /// The token that the store returned.
    var historyToken: (any HistoryToken)?
    /// Whether the store wrote the changes.
    var isWritten = false
    /// The number of models that have no unsaved changes since the save.
    var savedCount = 0
    /// The number of models in ``updated`` that have an actual change.
    private var changedCount = 0

    init(store: any DataStore) { self.store = store }

    mutating func addUpdate(_ model: AnyBackingData, _ snapshot: DefaultSnapshot, of count: Int) {
        updated.add(model, snapshot, of: count)
        if !snapshot.changed.isEmpty { changedCount += 1 }
    }

    /// The snapshots of the updated models. Setting a property to its stored value is not a change.
    var changedSnapshots: [DefaultSnapshot] {
        changedCount == updated.count ? updated.snapshots : updated.snapshots.filter { !$0.changed.isEmpty }
    }

    /// The identifiers of the models that the save updates.
    var updatedIdentifiers: [PersistentIdentifier] {
        // Links are changes of models without other changes.
        let ends = Set((linked + unlinked).flatMap { [$0.owner, $0.destination] })
        return updated.snapshots.compactMap {
            $0.changed.isEmpty && !ends.contains($0.persistentIdentifier) ? nil : $0.persistentIdentifier
        }
    }

    /// The identifiers of the models that the save deletes.
    var deletedIdentifiers: [PersistentIdentifier] { deleted.snapshots.map(\.persistentIdentifier) }

    /// Whether there is something to write.
    var hasChanges: Bool {
        changedCount + inserted.count + deleted.count + linked.count + unlinked.count > 0
    }

    /// Replaces temporary references in the values of the snapshots by permanent ones.
    ///
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
    }
}
