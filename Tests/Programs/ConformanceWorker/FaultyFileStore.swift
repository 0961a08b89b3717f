import Chronicle
import Foundation
import Synchronization

/// A way to fail in a recovery, a batch delete or a batch update.
enum FileFault: String, CaseIterable, Sendable {
    case losesReturnedSaves, savesInHalves, losesTheLastTransaction, forgetsEarlierTokens
    case acceptsTokensAhead, acceptsForkedTokens, ignoresGaps
    case writesOverOthers, attributesOtherProcesses
    case deletesOtherRows, deletesInSteps, updatesOtherRows, updatesInSteps
    case reportsOneProcess
    case fetchesOneClass, deletesSubclasses, recordsSuperclasses
    case readsThePresent
    case losesRestoredModels, ignoresTakenIdentifiers
    case skipsModelHistory, continuesAfterDeletedHistory
    case movesTags, replacesTags, forgetsTags
    case ignoresMigrationPlans, keepsFailedMigrations, acceptsLaterVersions
    case exportsPartOfTheModels, forgetsReplays, overwritesReplicas
}

/// The default store with at most one fault, for rules about recovery that require a file, and about batch deletes.
final class FaultyFileStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = FaultyFileStore

        struct NoPlace: Error {}

        let name = "faulty file"
        var schema: Schema?
        var file: ModelConfiguration
        let fault: FileFault?

        init(url: URL, fault: FileFault?) {
            file = ModelConfiguration(url: url, durability: .relaxed, preservesValues: true)
            self.fault = fault
        }

        // MARK: For a worker

        /// `fault losesReturnedSaves a.store`
        var place: String { "fault \(fault?.rawValue ?? "none") \(file.url.path)" }

        static func isPlace(_ text: String) -> Bool { text.hasPrefix("fault ") }

        init(place: String) throws {
            let words = place.split(separator: " ", maxSplits: 2)
            guard words.count == 3 else { throw NoPlace() }
            self.init(url: URL(fileURLWithPath: String(words[2])), fault: FileFault(rawValue: String(words[1])))
        }
    }

    static var capabilities: DataStoreCapabilities { [.inheritance, .replay, .earlierPositions] }

    let configuration: Configuration
    let base: DefaultStore
    /// The end of the history when the store was opened.
    let opened: DefaultHistoryToken?
    let state = Mutex(State())

    struct State {
        var saves = 0
        /// The models that this store inserted.
        var known: Set<PersistentIdentifier> = []
        /// The tags that this store created.
        var tags: Set<String> = []
        /// The parts of returned saves that are not written yet.
        var rest: DataStoreSaveChangesRequest<DefaultSnapshot>?
    }

    var identifier: String { base.identifier }
    var schema: Schema { base.schema }
    var fault: FileFault? { configuration.fault }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try Self.open(configuration, schema, migrationPlan)
        opened = configuration.file.recordsHistory ? try base.currentHistoryToken() : nil
    }

    private static func open(
        _ configuration: Configuration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> DefaultStore {
        var file = configuration.file
        file.schema = schema
        do {
            let plan = configuration.fault == .ignoresMigrationPlans ? nil : migrationPlan
            return try DefaultStore(file, migrationPlan: plan)
        } catch  where configuration.fault == .keepsFailedMigrations && !(error is SwiftDataError) {
            _ = try DefaultStore(file, migrationPlan: nil)
            throw error
        } catch SwiftDataError.newerSchemaVersion where configuration.fault == .acceptsLaterVersions {
            return try DefaultStore(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true), migrationPlan: nil)
        }
    }

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let found = try base.fetch(request)
        guard fault == .fetchesOneClass else { return found }
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: found.fetchedSnapshots.filter {
                $0.persistentIdentifier.entityName == Model.entityName
            })
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        switch fault {
        case .losesReturnedSaves: try saveTheFirst(request)
        case .savesInHalves: try saveHalf(request)
        case .writesOverOthers: try saveOverOthers(request)
        case .losesRestoredModels, .ignoresTakenIdentifiers: try saveWithoutRestoring(request)
        case .overwritesReplicas: try saveOverReplica(request)
        default: try base.save(request)
        }
    }

    /// From the second save on, returns without saving.
    private func saveTheFirst(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let number = state.withLock { state in
            state.saves += 1
            return state.saves
        }
        guard number > 1 else { return try base.save(request) }
        let identifiers = try request.inserted.enumerated().map { index, row in
            try PersistentIdentifier.identifier(
                for: identifier, entityName: row.persistentIdentifier.entityName,
                primaryKey: Int64(number * 1_000_000 + index))
        }
        return DataStoreSaveChangesResult(for: identifier, inserted: request.inserted, insertedIdentifiers: identifiers)
    }

    /// Saves, and deletes the books that this store did not insert.
    private func saveOverOthers(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let others = try base.schema.entitiesByName["Book"].map { try rows(of: $0.type, request.editingState) } ?? []
        let otherBooks = others.filter { row in !state.withLock { $0.known.contains(row.persistentIdentifier) } }
        let result = try base.save(
            DataStoreSaveChangesRequest(
                editingState: request.editingState, inserted: request.inserted, updated: request.updated,
                deleted: otherBooks))
        state.withLock { $0.known.formUnion(result.remappedIdentifiers.values) }
        return result
    }

    func rows<Model: PersistentModel>(
        of type: Model.Type, _ editingState: EditingState
    ) throws -> [DefaultSnapshot] {
        let all = DataStoreFetchRequest<Model>(descriptor: FetchDescriptor(), editingState: editingState)
        return try base.fetch(all).fetchedSnapshots
    }

    /// Writes the updates of a save together with the next save.
    private func saveHalf(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        func part(
            _ inserted: [DefaultSnapshot], _ updated: [DefaultSnapshot], _ deleted: [DefaultSnapshot]
        ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
            DataStoreSaveChangesRequest(
                editingState: request.editingState, inserted: inserted, updated: updated, deleted: deleted)
        }
        let rest = state.withLock { state in
            defer { state.rest = part([], request.updated, []) }
            return state.rest
        }
        if let rest { _ = try base.save(rest) }
        return try base.save(part(request.inserted, [], request.deleted))
    }
}

extension FaultyFileStore {
    private func with(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, inserted: [DefaultSnapshot],
        replay: HistoryReplayStep?
    ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
        DataStoreSaveChangesRequest(
            editingState: request.editingState, inserted: inserted, updated: request.updated, deleted: request.deleted,
            linked: request.linked, unlinked: request.unlinked, acknowledgement: request.acknowledgement,
            replay: replay)
    }

    /// Omits rows with permanent identifiers: all of them, or those that exist.
    private func saveWithoutRestoring(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let books = try base.schema.entitiesByName["Book"].map { try rows(of: $0.type, request.editingState) } ?? []
        let taken = Set(books.map(\.persistentIdentifier))
        let inserted = request.inserted.filter { row in
            row.persistentIdentifier.isTemporary
                || fault == .ignoresTakenIdentifiers && !taken.contains(row.persistentIdentifier)
        }
        return try base.save(with(request, inserted: inserted, replay: request.replay))
    }

    /// Does not compare the rows of a replica with those of the source.
    private func saveOverReplica(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let replay = request.replay.map { HistoryReplayStep(previous: $0.previous, token: $0.token, expected: []) }
        return try base.save(with(request, inserted: request.inserted, replay: replay))
    }

    func replayedHistoryToken() throws -> DefaultHistoryToken? {
        fault == .forgetsReplays ? nil : try base.replayedHistoryToken()
    }
}

extension FaultyFileStore: HistoryPaging, DataStoreExporting {
    func fetchHistoryChanges(
        _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] {
        try base.fetchHistoryChanges(request)
    }

    func exportRows(
        _ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void
    ) throws -> DefaultHistoryToken {
        var isFirst = true
        return try base.exportRows { exported in
            if case .model(let model) = exported, model.persistentIdentifier.entityName == "Book", isFirst,
                fault == .exportsPartOfTheModels
            {
                isFirst = false
                return
            }
            try row(exported)
        }
    }
}

extension FaultyFileStore {
    func fetchModelHistory(
        _ request: ModelHistoryRequest<DefaultHistoryTransaction>
    ) throws -> ModelHistoryPage<DefaultHistoryTransaction> {
        do {
            var page = try base.fetchModelHistory(request)
            if fault == .skipsModelHistory, request.limit > 1 { page.entries = page.entries.dropLast() }
            return page
        } catch SwiftDataError.historyTokenExpired where fault == .continuesAfterDeletedHistory {
            return ModelHistoryPage(entries: [], continuation: nil, completeAfter: nil, visitedCount: 0)
        }
    }
}

extension FaultyFileStore: HistoryTagging {
    func historyTags() throws -> [HistoryTag<DefaultHistoryToken>] {
        let tags = try base.historyTags()
        switch fault {
        case .movesTags:
            let newest = try base.currentHistoryToken()
            return tags.map { HistoryTag(name: $0.name, token: newest ?? $0.token, date: $0.date) }
        case .forgetsTags:
            let known = state.withLock(\.tags)
            return tags.filter { known.contains($0.name) }
        default: return tags
        }
    }

    func tagHistory(_ name: String, replacing: Bool) throws -> HistoryTag<DefaultHistoryToken> {
        state.withLock { _ = $0.tags.insert(name) }
        return try base.tagHistory(name, replacing: replacing || fault == .replacesTags)
    }

    func deleteHistoryTag(_ name: String) throws -> Bool { try base.deleteHistoryTag(name) }
}

extension FaultyFileStore: DataStoreBatching {
    func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        switch fault {
        case .deletesOtherRows:
            try base.delete(DataStoreBatchDeleteRequest<Model>(predicate: nil, editingState: request.editingState))
        case .deletesSubclasses:
            try base.delete(
                DataStoreBatchDeleteRequest(predicate: request.predicate, editingState: request.editingState))
        case .deletesInSteps:
            let rows = try base.fetch(
                DataStoreFetchRequest<Model>(
                    descriptor: FetchDescriptor(predicate: request.predicate), editingState: request.editingState))
            for row in rows.fetchedSnapshots {
                _ = try base.save(
                    DataStoreSaveChangesRequest(
                        editingState: request.editingState, inserted: [], updated: [], deleted: [row]))
            }
        default: try base.delete(request)
        }
    }

    func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>) throws -> Int {
        func part(_ updates: [PropertyUpdate<Model>]) throws -> Int {
            try base.update(
                DataStoreBatchUpdateRequest(
                    predicate: fault == .updatesOtherRows ? nil : request.predicate, updates: updates,
                    editingState: request.editingState))
        }
        guard fault == .updatesInSteps else { return try part(request.updates) }
        _ = try part(request.updates)
        return try part(request.updates)
    }
}

extension FaultyFileStore: DataStoreNotifying {
    func observeCommits(_ handler: @escaping @Sendable () -> Void) throws -> CommitObservation {
        if fault == .reportsOneProcess { return CommitObservation {} }
        return base.observeCommits(handler)
    }
}

extension FaultyFileStore: HistoryProviding {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    func fetchHistory(_ descriptor: Descriptor) throws -> [DefaultHistoryTransaction] {
        let found: [DefaultHistoryTransaction]
        do { found = try base.fetchHistory(descriptor) } catch let error as SwiftDataError where passesOver(error) {
            return try descriptor.apply(to: base.fetchHistory(Descriptor()))
        }
        guard let opened else { return found }
        switch fault {
        case .attributesOtherProcesses:
            return found.map { $0.by(process: "\(ProcessInfo.processInfo.processIdentifier)") }
        case .recordsSuperclasses: return try found.map { try $0.ofRootEntities(base.schema) }
        case .losesTheLastTransaction: return found.filter { $0.token != opened }
        case .forgetsEarlierTokens where try HistoryTokenBounds(descriptor).lower.contains { $0.token < opened }:
            return found.filter { $0.token > opened }
        default: return found
        }
    }

    private func passesOver(_ error: SwiftDataError) -> Bool {
        switch fault {
        case .acceptsTokensAhead: error == .historyTokenAhead
        case .acceptsForkedTokens: error == .historyTokenForked || error == .historyTokenAhead
        case .ignoresGaps: error == .historyTokenGap
        default: false
        }
    }

    func deleteHistory(_ descriptor: Descriptor) throws { try base.deleteHistory(descriptor) }

    func currentHistoryToken() throws -> DefaultHistoryToken? { try base.currentHistoryToken() }
}

extension FaultyFileStore {
    func store(asOf token: DefaultHistoryToken) throws -> any DataStore {
        let past = try base.store(asOf: token)
        return fault == .readsThePresent ? base : past
    }
}

extension DefaultHistoryTransaction {
    /// Returns the same value with inserts of the entities from which those of the models inherit.
    fileprivate func ofRootEntities(_ schema: Schema) throws -> DefaultHistoryTransaction {
        let inserts = try changes.map { change in
            let model = change.changedPersistentIdentifier
            let root = try PersistentIdentifier.identifier(
                for: storeIdentifier, entityName: model.rootEntityName, primaryKey: model.integerPrimaryKey ?? 0)
            return HistoryChange.insert(
                of: root, changeIdentifier: 0, transactionIdentifier: transactionIdentifier, schema: schema)
        }
        return DefaultHistoryTransaction(
            transactionIdentifier: transactionIdentifier, storeIdentifier: storeIdentifier, token: token,
            timestamp: timestamp, author: author, contextName: contextName, bundleIdentifier: bundleIdentifier,
            processIdentifier: processIdentifier, metadata: metadata, changes: inserts)
    }

    /// Returns the same value as if another process had saved it.
    fileprivate func by(process: String) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: transactionIdentifier, storeIdentifier: storeIdentifier, token: token,
            timestamp: timestamp, author: author, contextName: contextName, bundleIdentifier: bundleIdentifier,
            processIdentifier: process, metadata: metadata, changes: changes)
    }
}
