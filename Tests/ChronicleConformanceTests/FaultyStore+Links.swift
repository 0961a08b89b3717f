import Chronicle
import Foundation

@testable import ExampleStore

extension FaultyStore: DataStoreLinking {
    func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        let found = try base.fetchLinked(request)
        switch fault {
        case .readsLinksFromOneSide where !request.isOfOwners:
            return DataStoreLinksResult(fetchedSnapshots: [], destinations: [:])
        case .losesSymmetricLinks where request.links.isSymmetric:
            let owned = memory.contents.links.filter { request.identifiers.contains($0.owner) }
            return DataStoreLinksResult(
                fetchedSnapshots: found.fetchedSnapshots,
                destinations: request.destinations(in: owned).filter { request.identifiers.contains($0.key) })
        default: return found
        }
    }

    /// Saves with links that differ from those of the request.
    func saveLinks(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        switch fault {
        case .movesLinks:
            var seen = Set<PersistentIdentifier>()
            return try base.save(request.with(linked: request.linked.filter { seen.insert($0.destination).inserted }))
        case .replacesLinks:
            let ends = Set(request.linked.flatMap { [$0.owner, $0.destination] })
            try memory.change {
                $0.links = $0.links.filter { !ends.contains($0.owner) && !ends.contains($0.destination) }
            }
            return try base.save(request)
        case .keepsLinks: return try base.save(request.with(unlinked: []))
        case .recordsEveryLink where !request.linked.isEmpty: return try saveAndRecord(request)
        default: return try saveAfterRefusal(request)
        }
    }

    private func saveAndRecord(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let result = try base.save(request)
        try memory.change {
            _ = $0.history.record(
                request.linked.map { .update($0.owner, names: ["clubs"]) }, request.editingState,
                storeIdentifier: identifier)
        }
        return result
    }

    private func saveAfterRefusal(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        do { return try base.save(request) } catch {
            if fault == .linksToMissingRows { return try base.save(request.with(linked: [])) }
            if fault == .keepsLinksOfFailedSaves {
                _ = try base.save(request.with(inserted: [], updated: [], deleted: []))
            }
            throw error
        }
    }
}
