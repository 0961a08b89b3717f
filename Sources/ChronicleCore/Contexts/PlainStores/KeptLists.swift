/// The lists of a save for a store that keeps them in the rows of their owners.
///
/// A store that uses only declarations of SwiftData replaces whole snapshots, so each must contain the current lists. They are read
/// from the store immediately before the save, because other contexts may have changed them since the models were fetched, and
/// receive the differences of the save.
struct KeptLists {
    private struct Difference {
        var added: [PersistentIdentifier] = []
        var removed: Set<PersistentIdentifier> = []
    }

    private let context: ModelContext
    private let schema: Schema
    private let deleted: Set<PersistentIdentifier>
    /// By owner and by property.
    private var differences: [PersistentIdentifier: [ObjectIdentifier: Difference]] = [:]
    private var stored: [PersistentIdentifier: (entity: Schema.Entity, row: DataStoreRow)] = [:]

    init(_ context: ModelContext, _ save: StoreSave, _ store: any DataStore) throws {
        self.context = context
        schema = context.coordinator.schema
        deleted = Set(save.deletedIdentifiers)
        let links = Dictionary(schema.links.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for link in save.unlinked {
            guard let links = links[link.name] else { continue }
            let key = ObjectIdentifier(links.property)
            differences[link.owner, default: [:]][key, default: Difference()].removed.insert(link.destination)
            if links.isSymmetric {
                differences[link.destination, default: [:]][key, default: Difference()].removed.insert(link.owner)
            }
        }
        for link in save.linked {
            guard let links = links[link.name] else { continue }
            let key = ObjectIdentifier(links.property)
            differences[link.owner, default: [:]][key, default: Difference()].added.append(link.destination)
        }
        try read(save, store)
    }

    private mutating func read(_ save: StoreSave, _ store: any DataStore) throws {
        let replaced = Set(save.changedSnapshots.map(\.persistentIdentifier)).union(differences.keys)
            .filter { !$0.isTemporary }
        var found = stored
        for links in schema.links {
            let owners = schema.kinds(of: links.owner)
            let destinations = schema.kinds(of: links.destination)
            let losesDestinations = deleted.contains { destinations.contains($0.entityName) }
            let identifiers = replaced.filter { owners.contains($0.entityName) }
            guard losesDestinations || !identifiers.isEmpty else { continue }
            try context.rowsWithLists(of: links, losesDestinations ? nil : .identifiers(identifiers), in: store) {
                identifier, entity, row in
                let list = try context.list(of: links.property, entity, row, identifier)
                if identifiers.contains(identifier) || !deleted.isDisjoint(with: list) {
                    found[identifier] = (entity, row)
                }
            }
        }
        stored = found
    }

    func updated(_ save: StoreSave) throws -> [DefaultSnapshot] {
        let changed = save.changedSnapshots
        var known = Set(changed.map(\.persistentIdentifier))
        var updated = try changed.map { try complete($0) }
        // Rows of which only the lists change.
        for snapshot in save.updated.snapshots + save.merged.snapshots
        where differences[snapshot.persistentIdentifier] != nil && known.insert(snapshot.persistentIdentifier).inserted
        {
            updated.append(try complete(snapshot))
        }
        for (identifier, (entity, row)) in stored.sorted(by: { $0.key < $1.key })
        where !deleted.contains(identifier) && known.insert(identifier).inserted {
            let values = Array(row.prefix(entity.storedProperties.count))
            updated.append(
                try complete(
                    DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())))
        }
        return updated.filter { !$0.changed.isEmpty }
    }

    func complete(_ snapshot: DefaultSnapshot) throws -> DefaultSnapshot {
        let identifier = snapshot.persistentIdentifier
        guard let entity = schema.entitiesByName[identifier.entityName] else { return snapshot }
        var (values, changed) = (snapshot.values, snapshot.changed)
        for property in schema.listsInRows(of: entity) {
            let row = stored[identifier]
            let before = try row.map { try context.list(of: property, $0.entity, $0.row, identifier) } ?? []
            let difference = differences[identifier]?[ObjectIdentifier(property)] ?? Difference()
            var after = before.filter { !difference.removed.contains($0) && !deleted.contains($0) }
            var members = Set(after)
            after += difference.added.filter { members.insert($0).inserted }
            if identifier.isTemporary || after != before { changed.insert(property.mark) }
            values.append(.references(after))
        }
        return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: changed)
    }
}
