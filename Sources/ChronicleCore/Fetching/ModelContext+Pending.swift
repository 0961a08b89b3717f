import Foundation

// Fetches in a context with unsaved changes. They combine the rows of the store, except for those that were changed in
// the context, with the changed and new models of the context.
extension ModelContext {
    private struct Pending<Model: PersistentModel> {
        var excluded: Set<PersistentIdentifier> = []
        /// The models with a row that the context evaluates.
        var changed: [Model] = []
        /// The new models in insertion order.
        var inserted: [Model] = []
        /// What the evaluation of these models reads.
        var related: RelatedModels?

        var isEmpty: Bool { excluded.isEmpty && inserted.isEmpty }
    }

    /// Reads the rows of the changed models and of those that their evaluation reads: the store evaluates the other rows in their
    /// current state.
    ///
    /// - Complexity: O(*n*), where *n* is the number of pending models of the entity and of the models that they reference.
    private func pending<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Pending<Model> {
        checkIsolation()
        var pending = Pending<Model>()
        guard descriptor.includePendingChanges, !pendingModels.isEmpty else { return pending }
        var related = try RelatedModels(self, descriptor)
        // A superclass may declare the relationship, so models of other classes can be affected.
        let affected = try related.affectedModels().compactMap { $0 as? Model }
        let entity = try contextEntity(for: Model.self)
        let listed = try pendingModels(of: entity)
        guard !listed.isEmpty || !affected.isEmpty else { return pending }
        try related.readRows(
            of: listed.filter { $0.backing.mayDifferFromRow }.map(\.model)
                + affected.filter { $0.persistentBackingData.state == .saved }, entity.entity)
        for listed in listed where listed.backing.hasChanges {
            let model = unsafeDowncast(listed.model, to: Model.self)
            switch listed.backing.state {
            case .new: pending.inserted.append(model)
            case .restored:
                pending.excluded.insert(listed.backing.identifier)
                pending.inserted.append(model)
            case .saved, .missing:
                pending.excluded.insert(listed.backing.identifier)
                pending.changed.append(model)
            case .deleted: pending.excluded.insert(listed.backing.identifier)
            case .detached, .discarded, .gone, .replaced: break
            }
        }
        for model in affected {
            let backing = model.persistentBackingData
            guard backing.state == .saved, pending.excluded.insert(backing.identifier).inserted else { continue }
            pending.changed.append(model)
        }
        try related.readDestinations(of: pending.changed + pending.inserted)
        pending.related = related
        return pending
    }

    /// Among models with the same sort values, rows precede new models. Rows are in the order of their stores and primary keys, and
    /// new models in insertion order.
    func find<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try throwForFetch()
        let entity = try contextEntity(for: Model.self)
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try fetchStored(descriptor, entity) }
        let modelOrder = ModelOrder(descriptor.sortBy, entity.entity, coordinator.schema)
        func comesBefore(_ a: Model, _ b: Model) -> Bool {
            let order = modelOrder.compare(a, b)
            if order != .orderedSame { return order == .orderedAscending }
            let (a, b) = (a.persistentBackingData, b.persistentBackingData)
            guard a.hasRow, b.hasRow else { return a.hasRow && !b.hasRow }
            return coordinator.precedes(a.identifier, b.identifier)
        }
        // The rows are merged with the changed models, so their sort values have to be current as well.
        var sorted = try RelatedModels(self, FetchDescriptor(sortBy: descriptor.sortBy))
        func rows(_ request: DataStoreFetchRequest<Model>) throws -> [Model] {
            let found = try fetchStored(request, entity)
            if !pending.changed.isEmpty || !pending.inserted.isEmpty { try sorted.readDestinations(of: found) }
            return found
        }
        return try withExtendedLifetime((pending, sorted)) {
            try page(
                descriptor, pending, rows: rows, identifier: \.persistentBackingData.identifier, element: { $0 },
                comesBefore)
        }
    }

    /// Returns the identifiers of the models that match a descriptor, without creating models.
    ///
    /// - Parameter descriptor: The models to find, and their order.
    /// - Returns: The identifiers, which are temporary for models that are not saved.
    /// - Throws: The same errors as ``fetch(_:)``, for example ``SwiftDataError/unsupportedPredicate``.
    /// - Complexity: The same as ``fetch(_:)``. If the context has unsaved changes of the class and the descriptor sorts, the
    ///   method fetches the models.
    public func fetchIdentifiers<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
        try throwForFetch()
        let pending = try pending(descriptor)
        guard !pending.isEmpty else { return try identifiers(request(descriptor)) }
        // Merging by sort order requires the values of the models.
        guard descriptor.sortBy.isEmpty else { return try find(descriptor).map(\.persistentModelID) }
        return try withExtendedLifetime(pending) {
            try page(
                descriptor, pending, rows: identifiers, identifier: { $0 }, element: \.persistentModelID,
                coordinator.precedes)
        }
    }

    /// Returns a page of the rows that the context did not change, merged with the models that it changed or inserted.
    ///
    /// - Parameter rows: A closure that fetches from the store.
    private func page<Model, Element>(
        _ descriptor: FetchDescriptor<Model>, _ pending: Pending<Model>,
        rows: (DataStoreFetchRequest<Model>) throws -> [Element], identifier: (Element) -> PersistentIdentifier,
        element: (Model) -> Element, _ comesBefore: (Element, Element) -> Bool
    ) throws -> [Element] {
        let (offset, limit) = (max(descriptor.fetchOffset ?? 0, 0), descriptor.fetchLimit.map { max($0, 0) })
        let matcher = try matcher(descriptor)
        // The number of matching rows before the fetched ones.
        var start = 0
        var (found, isLast): ([Element], Bool)
        var storeDescriptor = descriptor
        if try pending.excluded.isEmpty || canExclude(Model.self) {
            // Starts the page earlier by the number of models that may precede it.
            let earlier = pending.changed.count + (descriptor.sortBy.isEmpty ? 0 : pending.inserted.count)
            start = max(offset - earlier, 0)
            storeDescriptor.fetchOffset = start
            storeDescriptor.fetchLimit = limit.map { $0.addingClamped(offset - start) }
            found = try rows(request(storeDescriptor, excluding: pending.excluded))
            isLast = storeDescriptor.fetchLimit.map { found.count < $0 } ?? true
            if start > 0, found.isEmpty {
                // The page starts after the last row, so the number of rows is needed. Another writer may have inserted
                // rows since.
                (storeDescriptor.fetchOffset, storeDescriptor.fetchLimit) = (nil, nil)
                start = min(start, max(try count(storeDescriptor, excluding: pending.excluded) - earlier, 0))
                storeDescriptor.fetchOffset = start
                found = try rows(request(storeDescriptor, excluding: pending.excluded))
            }
        } else {
            // The store cannot exclude rows: fetches as many additional rows as there are rows to exclude.
            storeDescriptor.fetchOffset = nil
            storeDescriptor.fetchLimit = limit.map { $0.addingClamped(offset).addingClamped(pending.excluded.count) }
            found = try rows(request(storeDescriptor))
            isLast = storeDescriptor.fetchLimit.map { found.count < $0 } ?? true
            found.removeAll { pending.excluded.contains(identifier($0)) }
        }
        return try evaluating {
            var matches = try pending.changed.filter { try isMatch($0, matcher) }
            if !descriptor.sortBy.isEmpty { matches += try pending.inserted.filter { try isMatch($0, matcher) } }
            merge(matches.map(element), into: &found, comesBefore)
            var page = Array(found.dropFirst(offset - start).prefix(limit ?? .max))
            guard descriptor.sortBy.isEmpty, isLast else { return page }

            // Appends new models up to the limit.
            var skipped = max(offset - start - found.count, 0)
            for model in pending.inserted where page.count < limit ?? .max {
                guard try isMatch(model, matcher) else { continue }
                if skipped > 0 { skipped -= 1 } else { page.append(element(model)) }
            }
            return page
        }
    }

    private func canExclude(_ type: any PersistentModel.Type) throws -> Bool {
        try coordinator.stores(for: type).allSatisfy { Swift.type(of: $0).capabilities.contains(.excludedIdentifiers) }
    }

    /// Returns the number of models that match a descriptor.
    ///
    /// - Parameter descriptor: The models to count. Its offset and limit apply to the result; its order has no effect.
    /// - Returns: The number of models.
    /// - Throws: The same errors as ``fetch(_:)``, for example ``SwiftDataError/unsupportedPredicate``, except those of the order.
    /// - Complexity: The same as ``fetch(_:)``, without creating models, plus O(*m*) for *m* unsaved models of the class.
    public func fetchCount<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        try throwForFetch()
        var all = descriptor
        all.sortBy = []
        let pending = try pending(all)
        guard !pending.isEmpty else { return try count(all, excluding: []) }
        (all.fetchOffset, all.fetchLimit) = (nil, nil)
        let matcher = try matcher(all)
        let matches = try withExtendedLifetime(pending) {
            try evaluating { try (pending.changed + pending.inserted).count { try isMatch($0, matcher) } }
        }
        let total = try count(all, excluding: pending.excluded) + matches
        return min(max(total - max(descriptor.fetchOffset ?? 0, 0), 0), max(descriptor.fetchLimit ?? .max, 0))
    }

    private func count<Model>(
        _ descriptor: FetchDescriptor<Model>, excluding excluded: Set<PersistentIdentifier>
    ) throws -> Int {
        if try excluded.isEmpty || canExclude(Model.self) {
            return try count(request(descriptor, excluding: excluded))
        }
        return try identifiers(request(descriptor)).count { !excluded.contains($0) }
    }

    /// Calls a block that evaluates models in memory. Their getters cannot throw, so this method throws the first error of what they
    /// could not load.
    func evaluating<Result>(_ body: () throws -> Result) throws -> Result {
        try storage.notifyingObservers {
            storage.failures.evaluation = ContextFailures.Evaluation()
            defer { storage.failures.evaluation = nil }
            let result = try body()
            if let error = storage.failures.evaluation?.error { throw error }
            return result
        }
    }

    private func isMatch<Model>(_ model: Model, _ matcher: Matcher<Model>) throws -> Bool {
        // Throws for unset attributes, which a getter could not report.
        if matcher.readsProperties { try Self.checkComplete(model.persistentBackingData, matcher.entity) }
        return try matcher.evaluator?.matches(model) ?? true
    }

    private func matcher<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Matcher<Model> {
        try Matcher(descriptor, contextEntity(for: Model.self).entity, coordinator.schema)
    }

    private struct Matcher<Model: PersistentModel> {
        let evaluator: PredicateEvaluator<Model>?
        let entity: Schema.Entity
        let readsProperties: Bool

        init(_ descriptor: FetchDescriptor<Model>, _ entity: Schema.Entity, _ schema: Schema) throws {
            evaluator = try descriptor.predicate.map { try PredicateEvaluator($0, schema) }
            self.entity = entity
            readsProperties = descriptor.predicate != nil || !descriptor.sortBy.isEmpty
        }
    }

    private func merge<Element>(
        _ elements: [Element], into found: inout [Element], _ comesBefore: (Element, Element) -> Bool
    ) {
        guard !elements.isEmpty else { return }
        // Makes the sort stable.
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
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
