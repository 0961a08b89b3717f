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
        for listed in try pendingModels(of: contextEntity(for: Model.self)) where listed.backing.hasChanges {
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
        func comesBefore(_ a: Model, _ b: Model) -> Bool {
            for comparator in descriptor.sortBy {
                let order = comparator.compare(a, b)
                if order != .orderedSame { return order == .orderedAscending }
            }
            let (a, b) = (a.persistentBackingData, b.persistentBackingData)
            guard a.hasRow, b.hasRow else { return a.hasRow && !b.hasRow }
            return a.identifier < b.identifier
        }
        return try page(
            descriptor, pending, rows: { try fetchStored($0, entity) }, identifier: \.persistentBackingData.identifier,
            element: { $0 }, comesBefore)
    }

    /// The identifiers of the models that match, without the models.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchIdentifiers<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
        try throwForFetch()
        let store = try coordinator.store(for: Model.self)
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try identifiers(request(descriptor), of: store) }
        // What is sorted has to be known.
        guard descriptor.sortBy.isEmpty else { return try find(descriptor).map(\.persistentModelID) }
        try refresh(pending)
        return try page(
            descriptor, pending, isRefreshed: true, rows: { try identifiers($0, of: store) }, identifier: { $0 },
            element: \.persistentModelID, <)
    }

    /// A page of what the store has, without the rows that the context has changed, and of the models that it has changed
    /// or inserted.
    ///
    /// - Parameters:
    ///   - isRefreshed: Whether the changed models are up to date; if not, fetching their rows refreshes them.
    ///   - rows: Fetches from the store.
    ///   - identifier: The identifier of an element.
    ///   - element: The element for a model.
    ///   - comesBefore: The order of the elements.
    private func page<Model, Element>(
        _ descriptor: FetchDescriptor<Model>, _ pending: Pending<Model>, isRefreshed: Bool = false,
        rows: (DataStoreFetchRequest<Model>) throws -> [Element], identifier: (Element) -> PersistentIdentifier,
        element: (Model) -> Element, _ comesBefore: (Element, Element) -> Bool
    ) throws -> [Element] {
        let (offset, limit) = (max(descriptor.fetchOffset ?? 0, 0), descriptor.fetchLimit.map { max($0, 0) })
        let matcher = try Matcher(descriptor, contextEntity(for: Model.self).entity)
        // How many matching rows come before those that are fetched.
        var start = 0
        var (found, isLast): ([Element], Bool)
        var asked = descriptor
        if offset > 0 || isRefreshed, try pending.excluded.isEmpty || canExclude(Model.self) {
            if !isRefreshed { try refresh(pending) }
            // As many rows before the page as there are models that may come before it.
            let earlier = pending.changed.count + (descriptor.sortBy.isEmpty ? 0 : pending.inserted.count)
            start = max(offset - earlier, 0)
            asked.fetchOffset = start
            asked.fetchLimit = limit.map { $0.addingClamped(offset - start) }
            found = try rows(request(asked, excluding: pending.excluded))
            isLast = asked.fetchLimit.map { found.count < $0 } ?? true
            if start > 0, found.isEmpty {
                // The page begins behind the last row, wherever that is.
                (asked.fetchOffset, asked.fetchLimit) = (nil, nil)
                start = max(try count(asked, excluding: pending.excluded) - earlier, 0)
                asked.fetchOffset = start
                found = try rows(request(asked, excluding: pending.excluded))
            }
        } else {
            // Those to leave out are among as many rows more.
            asked.fetchOffset = nil
            asked.fetchLimit = limit.map { $0.addingClamped(offset).addingClamped(pending.excluded.count) }
            found = try rows(request(asked))
            isLast = asked.fetchLimit.map { found.count < $0 } ?? true
            found.removeAll { pending.excluded.contains(identifier($0)) }
        }
        // What was fetched is up to date now.
        var matches = try pending.changed.filter { try isMatch($0, matcher) }
        if !descriptor.sortBy.isEmpty { matches += try pending.inserted.filter { try isMatch($0, matcher) } }
        merge(matches.map(element), into: &found, comesBefore)
        var page = Array(found.dropFirst(offset - start).prefix(limit ?? .max))
        guard descriptor.sortBy.isEmpty, isLast else { return page }

        // The new models, no more of them than there is room for.
        var skipped = max(offset - start - found.count, 0)
        for model in pending.inserted where page.count < limit ?? .max {
            guard try isMatch(model, matcher) else { continue }
            if skipped > 0 { skipped -= 1 } else { page.append(element(model)) }
        }
        return page
    }

    private func canExclude(_ type: any PersistentModel.Type) throws -> Bool {
        try coordinator.store(for: type) is any DataStoreExcluding
    }

    /// Brings the models that the context has changed up to date, except for what was changed.
    private func refresh<Model>(_ pending: Pending<Model>) throws {
        guard !pending.changed.isEmpty else { return }
        let identifiers = Set(pending.changed.map { $0.persistentBackingData.identifier })
        _ = try fetchStored(FetchDescriptor<Model>(identifiers: identifiers), contextEntity(for: Model.self))
    }

    /// How many models match.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchCount<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        try throwForFetch()
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try count(descriptor, excluding: []) }
        try refresh(pending)
        var all = descriptor
        (all.fetchOffset, all.fetchLimit) = (nil, nil)
        all.sortBy = []
        let matcher = try Matcher(all, contextEntity(for: Model.self).entity)
        let matches = try (pending.changed + pending.inserted).count { try isMatch($0, matcher) }
        let total = try count(all, excluding: pending.excluded) + matches
        return min(max(total - max(descriptor.fetchOffset ?? 0, 0), 0), max(descriptor.fetchLimit ?? .max, 0))
    }

    private func count<Model>(
        _ descriptor: FetchDescriptor<Model>, excluding excluded: Set<PersistentIdentifier>
    ) throws -> Int {
        let store = try coordinator.store(for: Model.self)
        if try excluded.isEmpty || canExclude(Model.self) {
            return try count(request(descriptor, excluding: excluded), of: store)
        }
        return try identifiers(request(descriptor), of: store).count { !excluded.contains($0) }
    }

    private func isMatch<Model>(_ model: Model, _ matcher: Matcher<Model>) throws -> Bool {
        // A getter could only trap.
        if matcher.reads { try checkComplete(model.persistentBackingData, matcher.entity) }
        return try matcher.evaluator?.matches(model) ?? true
    }

    /// What decides whether a model belongs to a fetch.
    private struct Matcher<Model: PersistentModel> {
        let evaluator: PredicateEvaluator<Model>?
        let entity: Schema.Entity
        /// Whether properties of the models are read.
        let reads: Bool

        init(_ descriptor: FetchDescriptor<Model>, _ entity: Schema.Entity) throws {
            evaluator = try descriptor.predicate.map(PredicateEvaluator.init)
            self.entity = entity
            reads = descriptor.predicate != nil || !descriptor.sortBy.isEmpty
        }
    }

    /// Merges elements that are in no order into others that are.
    private func merge<Element>(
        _ elements: [Element], into found: inout [Element], _ comesBefore: (Element, Element) -> Bool
    ) {
        guard !elements.isEmpty else { return }
        // Those that are equal stay in their order.
        let sorted = elements.enumerated().sorted { a, b in
            comesBefore(a.element, b.element) || !comesBefore(b.element, a.element) && a.offset < b.offset
        }
        var merged: [Element] = []
        merged.reserveCapacity(found.count + elements.count)
        var next = found.startIndex
        for element in sorted.lazy.map(\.element) {
            while next < found.endIndex, !comesBefore(element, found[next]) {
                merged.append(found[next])
                next += 1
            }
            merged.append(element)
        }
        found = merged + found[next...]
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
