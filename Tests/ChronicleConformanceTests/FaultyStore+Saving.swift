import Chronicle
import Foundation
import Synchronization

@testable import ExampleStore

extension FaultyStore {
    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let result = try write(request)
        reportCommit()
        return result
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        switch fault {
        case .leavesPartsOfFailedSaves, .ignoresMissingRows, .recordsFailedSaves, .failsForMissingRows:
            try saveAfterFailure(request)
        case .writesInTwoSteps, .splitsCascades, .losesSaves, .reusesKeys: try saveOddly(request)
        case .repeatsIdentifiers, .losesThePosition: response(try base.save(request))
        case .ignoresOtherStores, .skipsOthersHistory: try saveAndRemember(request)
        case .movesLinks, .replacesLinks, .keepsLinks, .recordsEveryLink, .linksToMissingRows, .keepsLinksOfFailedSaves:
            try saveLinks(request)
        case .savesWithoutAcknowledging, .acknowledgesFailedSaves: try saveAcknowledging(request)
        case .comparesMissingValues
        where request.inserted.count > 1 && request.inserted.allSatisfy { $0.values.contains(.null) }:
            throw SwiftDataError.uniquenessViolation
        default: try base.save(spoiled(request))
        }
    }

    private func saveAcknowledging(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        do { return try base.save(request) } catch {
            guard let acknowledgement = request.acknowledgement else { throw error }
            if fault == .savesWithoutAcknowledging { return try base.save(request.withoutAcknowledgement) }
            try memory.change { try acknowledgement.apply(to: &$0.consumers[acknowledgement.consumerName]) }
            throw error
        }
    }

    private func saveAndRemember(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let result = try base.save(request)
        known.withLock { known in
            for identifier in result.remappedIdentifiers.values {
                known.keys[identifier.entityName] = identifier.integerPrimaryKey
            }
            if let position = (result.historyToken as? DefaultHistoryToken)?.position(in: identifier) {
                known.positions.insert(position)
            }
        }
        return result
    }

    private func spoiled(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
        let (inserted, updated, deleted) = (request.inserted, request.updated, request.deleted)
        return switch fault {
        case .losesAChange: request.with(updated: updated.map { $0.changing($0.changed.dropLast()) })
        case .losesReferences:
            request.with(inserted: inserted.map { $0.with($0.values.map { $0.isReference ? .null : $0 }) })
        case .swapsReferences: request.with(inserted: inserted.map { $0.with($0.values(referringLike: inserted)) })
        case .keepsReferences:
            request.with(
                updated: updated.map { row in row.changing(row.changed.filter { !row.values[$0].isReference }) })
        case .keepsNullifiedReferences:
            request.with(updated: updated.map { row in row.changing(row.changed.filter { !row.values[$0].isNull }) })
        case .writesUnchangedValues: request.with(updated: updated.map { $0.changing($0.values.indices) })
        case .keepsOneListMember: request.with(updated: updated.withOneOfEachList)
        case .doesNotUpdateInverses:
            request.with(
                updated: updated.map { row in
                    row.persistentIdentifier.entityName == "Card"
                        ? row.changing(row.changed.filter { !row.values[$0].isNull }) : row
                })
        case .losesSelfReferences:
            request.with(inserted: inserted.map { row in row.with(row.values.map { $0.references(row) ? .null : $0 }) })
        case .deletesWithoutCascade: request.with(deleted: Array(deleted.prefix(1)))
        case .cascadesOneLevel: request.with(deleted: Array(deleted.prefix(2)))
        case .keepsDeletedRows: request.with(deleted: [])
        case .forgetsAuthors: request.with(author: nil)
        default: request
        }
    }

    private func response(
        _ result: DataStoreSaveChangesResult<DefaultSnapshot>
    ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard fault == .repeatsIdentifiers else {
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: result.remappedIdentifiers)
        }
        var first: [String: PersistentIdentifier] = [:]
        return DataStoreSaveChangesResult(
            for: identifier,
            remappedIdentifiers: result.remappedIdentifiers.mapValues { identifier in
                first[identifier.entityName] = first[identifier.entityName] ?? identifier
                return first[identifier.entityName] ?? identifier
            })
    }

    private func saveAfterFailure(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        do { return try base.save(request) } catch {
            switch fault {
            case .leavesPartsOfFailedSaves:
                _ = try base.save(request.with(inserted: Array(request.inserted.prefix(1))))
            case .failsForMissingRows:
                throw SwiftDataError.modelNotFound ~= error ? SwiftDataError.storeFailure : error
            case .ignoresMissingRows:
                return try base.save(request.with(updated: Array(request.updated.prefix(1))))
            default:
                try memory.change {
                    _ = $0.history.record(
                        request.updated.map { .delete($0.persistentIdentifier, kept: []) }, request.editingState,
                        storeIdentifier: identifier)
                }
            }
            throw error
        }
    }

    private func saveOddly(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let before = memory.contents
        if fault == .splitsCascades, request.deleted.count > 1 {
            for row in request.deleted { _ = try base.save(request.with(deleted: [row])) }
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: [:])
        }
        if fault == .writesInTwoSteps, request.inserted.count > 1 {
            let (head, tail) = (request.inserted.prefix(1), request.inserted.dropFirst())
            let first = try base.save(request.with(inserted: Array(head))).remappedIdentifiers
            // The fault: waits until a reader has seen half of the first save, if there is a reader.
            let end = ContinuousClock.now + .seconds(10)
            while !hasCountedOne.load(ordering: .acquiring), ContinuousClock.now < end { sched_yield() }
            let rest = try base.save(request.with(inserted: Array(tail))).remappedIdentifiers
            return DataStoreSaveChangesResult(
                for: identifier, remappedIdentifiers: first.merging(rest) { first, _ in first })
        }
        let result = try base.save(request)
        if fault == .losesSaves, saves.add(1, ordering: .relaxed).newValue.isMultiple(of: 7) {
            try memory.change { for (name, table) in before.tables { $0.tables[name]?.rows = table.rows } }
        }
        if fault == .reusesKeys, !request.deleted.isEmpty {
            try memory.change { $0.tables = $0.tables.mapValues { $0.with(lastKey: $0.rows.keys.max() ?? 0) } }
        }
        return result
    }
}
