import Foundation

// Fetches of a context with unsaved changes: rows of the store, without those that were changed here, and the models that
// have not been saved.
extension ModelContext {
    /// What a context has not saved of one entity.
    private struct Pending<Model: PersistentModel> {
        /// The rows that the store would judge by what it has.
        var excluded: Set<PersistentIdentifier> = []
        /// The models of these rows, but for the deleted ones.
        var changed: [Model] = []
        /// The new models, in the order of their inserts.
        var inserted: [Model] = []

        var isEmpty: Bool { excluded.isEmpty && inserted.isEmpty }
    }

    /// Takes time in proportion to the pending models of the entity.
    private func pending<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Pending<Model> {
        var pending = Pending<Model>()
        guard descriptor.includePendingChanges else { return pending }
        for listed in listing(of: try contextEntity(for: Model.self)) where listed.backing.hasChanges {
            let model = unsafeDowncast(listed.model, to: Model.self)
            switch listed.backing.status {
            case .inserted: pending.inserted.append(model)
            case .saved:
                pending.excluded.insert(listed.backing.identifier)
                pending.changed.append(model)
            case .deleted: pending.excluded.insert(listed.backing.identifier)
            case .detached: break
            }
        }
        return pending
    }

    /// The models that match, with the unsaved changes of this context.
    ///
    /// Rows come before new models where the sort makes no difference, rows in the order of their keys and new models in
    /// that of their inserts.
    func find<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try throwForFetch()
        let entity = try contextEntity(for: Model.self)
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try fetchStored(descriptor, entity) }
        let (offset, limit) = (max(descriptor.fetchOffset ?? 0, 0), descriptor.fetchLimit.map { max($0, 0) })
        var page = try rows(descriptor, entity, pending, from: offset, limit)
        // What was fetched is up to date now.
        var matches = try pending.changed.filter { try isMatch($0, descriptor) }
        if !descriptor.sortBy.isEmpty { matches += try pending.inserted.filter { try isMatch($0, descriptor) } }
        merge(matches, into: &page.models, by: descriptor.sortBy)
        var models = Array(page.models.dropFirst(offset - page.start).prefix(limit ?? .max))
        guard descriptor.sortBy.isEmpty, page.isLast else { return models }

        // The new models, no more of them than there is room for.
        var skipped = max(offset - page.start - page.models.count, 0)
        if page.start > 0, page.models.isEmpty {
            // The page begins behind the last row, wherever that is.
            var all = descriptor
            (all.fetchOffset, all.fetchLimit) = (nil, nil)
            skipped = max(offset - matches.count - (try count(all, excluding: pending.excluded)), 0)
        }
        for model in pending.inserted where models.count < limit ?? .max {
            guard try isMatch(model, descriptor) else { continue }
            if skipped > 0 { skipped -= 1 } else { models.append(model) }
        }
        return models
    }

    /// Rows of the store, without those that the context has changed.
    private struct Page<Model> {
        /// How many matching rows come before the first.
        var start = 0
        var models: [Model] = []
        /// Whether no matching row comes after them.
        var isLast: Bool
    }

    /// The rows that a page is made of.
    private func rows<Model>(
        _ descriptor: FetchDescriptor<Model>, _ entity: ContextEntity, _ pending: Pending<Model>, from offset: Int,
        _ limit: Int?
    ) throws -> Page<Model> {
        var rows = descriptor
        let canExclude = try coordinator.store(for: Model.self) is any DataStoreExcluding
        guard offset > 0, canExclude, !pending.excluded.isEmpty else {
            // Those to leave out are among as many rows more.
            rows.fetchOffset = nil
            rows.fetchLimit = limit.map { $0.addingClamped(offset).addingClamped(pending.excluded.count) }
            let found = try fetchStored(rows, entity)
            return Page(
                models: found.filter { !pending.excluded.contains($0.persistentBackingData.identifier) },
                isLast: rows.fetchLimit.map { found.count < $0 } ?? true)
        }
        try refresh(pending, entity)
        // As many rows before the page as there are models that may come before it.
        let start = max(offset - pending.changed.count - pending.inserted.count, 0)
        rows.fetchOffset = start
        rows.fetchLimit = limit.map { $0.addingClamped(offset - start) }
        let found = try fetchStored(request(rows, excluding: pending.excluded), entity)
        return Page(start: start, models: found, isLast: rows.fetchLimit.map { found.count < $0 } ?? true)
    }

    /// Brings the models that the context has changed up to date, except for what was changed.
    private func refresh<Model>(_ pending: Pending<Model>, _ entity: ContextEntity) throws {
        guard !pending.changed.isEmpty else { return }
        let identifiers = Set(pending.changed.map { $0.persistentBackingData.identifier })
        _ = try fetchStored(FetchDescriptor<Model>(identifiers: identifiers), entity)
    }

    /// How many models match.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchCount<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        try throwForFetch()
        let entity = try contextEntity(for: Model.self)
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try count(descriptor, excluding: []) }
        try refresh(pending, entity)
        var all = descriptor
        (all.fetchOffset, all.fetchLimit) = (nil, nil)
        all.sortBy = []
        let matches = try (pending.changed + pending.inserted).count { try isMatch($0, all) }
        let total = try count(all, excluding: pending.excluded) + matches
        return min(max(total - max(descriptor.fetchOffset ?? 0, 0), 0), max(descriptor.fetchLimit ?? .max, 0))
    }

    /// The identifiers of the models that match, without the models.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchIdentifiers<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
        try throwForFetch()
        _ = try contextEntity(for: Model.self)
        guard try pending(descriptor).isEmpty else { return try find(descriptor).map(\.persistentModelID) }
        return try identifiers(request(descriptor), of: coordinator.store(for: Model.self))
    }

    private func count<Model>(
        _ descriptor: FetchDescriptor<Model>, excluding excluded: Set<PersistentIdentifier>
    ) throws -> Int {
        let store = try coordinator.store(for: Model.self)
        if excluded.isEmpty || store is any DataStoreExcluding {
            return try count(request(descriptor, excluding: excluded), of: store)
        }
        return try identifiers(request(descriptor), of: store).count { !excluded.contains($0) }
    }

    private func isMatch<Model>(_ model: Model, _ descriptor: FetchDescriptor<Model>) throws -> Bool {
        // A getter could only trap.
        if descriptor.predicate != nil || !descriptor.sortBy.isEmpty {
            try checkComplete(model.persistentBackingData, contextEntity(for: Model.self).entity)
        }
        return try descriptor.predicate?.evaluate(model) ?? true
    }

    /// Merges models that are in no order into rows that are in that of the descriptor.
    private func merge<Model: PersistentModel>(
        _ models: [Model], into rows: inout [Model], by sort: [SortDescriptor<Model>]
    ) {
        guard !models.isEmpty else { return }
        func comesBefore(_ a: Model, _ b: Model) -> Bool {
            for comparator in sort {
                let order = comparator.compare(a, b)
                if order != .orderedSame { return order == .orderedAscending }
            }
            let (a, b) = (a.persistentBackingData, b.persistentBackingData)
            guard a.hasRow, b.hasRow else { return a.hasRow }
            return a.identifier < b.identifier
        }
        // New models that are equal stay in the order of their inserts.
        let sorted = models.enumerated().sorted { a, b in
            comesBefore(a.element, b.element) || !comesBefore(b.element, a.element) && a.offset < b.offset
        }
        var merged: [Model] = []
        merged.reserveCapacity(rows.count + models.count)
        var next = rows.startIndex
        for model in sorted.lazy.map(\.element) {
            while next < rows.endIndex, !comesBefore(model, rows[next]) {
                merged.append(rows[next])
                next += 1
            }
            merged.append(model)
        }
        rows = merged + rows[next...]
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
