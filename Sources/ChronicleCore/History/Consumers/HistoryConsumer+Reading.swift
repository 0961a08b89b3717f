import Foundation

extension HistoryConsumer {
    func nextBatch(limit: Int, _ lease: Lease, _ state: inout State) throws -> HistoryBatch<Transaction>? {
        guard let record = try store.consumerRecord(named: name) else { throw SwiftDataError.consumerNotFound(name) }
        let place = record.place
        switch place.rebuild {
        case .requested(let reason)?:
            return try reset(reason, from: place, lease)
        case .reading(let identifier?, let names)? where !canContinue(after: identifier, names):
            return try reset(.requested, from: place, lease)
        case .reading(let identifier, _)?:
            let identifiers = try snapshot(after: identifier, limit: limit)
            if let last = identifiers.last {
                let next = Place(
                    position: place.position, rebuild: .reading(after: last, entities: entities.map(\.name)))
                return try deliver(.snapshot(identifiers), from: place, to: next, lease)
            }
            // Every model was read.
            let changes = Place(position: place.position)
            try visit(lease) { $0.move(to: changes) }
            return try nextChanges(after: changes, limit: limit, lease, &state)
        case nil:
            return try nextChanges(after: place, limit: limit, lease, &state)
        }
    }

    // MARK: Changes

    /// - Parameter start: The stored place of the consumer.
    private func nextChanges(
        after start: Place, limit: Int, _ lease: Lease, _ state: inout State
    ) throws -> HistoryBatch<Transaction>? {
        var (stored, position) = (start, start.position)
        if let skipped = state.skipped, skipped.stored == start { position = skipped.end }
        do {
            while true {
                let page = try nextPage(after: position, limit: limit)
                if let content = page.content {
                    return try deliver(
                        content, from: Place(position: position), to: Place(position: page.end), stored: stored, lease)
                }
                position = page.end
                try skip(to: Place(position: position), stored: &stored, lease, &state)
                guard page.hasMore else { return nil }
                if ReadCancellation.isCancelled { throw CancellationError() }
            }
        } catch {
            guard let reason = HistoryResetReason(error) else { throw error }
            return try reset(reason, from: stored, lease)
        }
    }

    /// Returns `nil` instead of the matching transactions if there are none.
    private func nextPage(
        after position: Token?, limit: Int
    ) throws -> (content: HistoryBatch<Transaction>.Content?, end: Token?, hasMore: Bool) {
        let readsAll = filter.authors == .all && filter.contextNames == .all
        // Read before the page, which therefore contains every match up to it. See
        // `Documentation/Design/0002-tokens-and-floor.md`.
        let bookmark = readsAll ? nil : try store.currentHistoryToken()
        let page = try store.fetchHistoryPage(filter.descriptor(after: position), changeCount: limit)
        if let large = page.largeTransaction {
            return (try matches(large, after: position) ? .largeTransaction(large) : nil, large.token, true)
        }
        var end = page.transactions.last?.token ?? position
        if !page.hasMore { end.advance(to: bookmark) }
        let matching =
            filter.matchesAllChanges
            ? page.transactions : page.transactions.filter { $0.changes.contains(where: filter.matches) }
        return (matching.isEmpty ? nil : .changes(matching), end, page.hasMore)
    }

    /// Reads pages of the transaction until a change matches.
    private func matches(_ transaction: Transaction, after position: Token?) throws -> Bool {
        guard let store = store as? any HistoryPaging<Transaction> else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "a page contains a large transaction, but the store does not conform to HistoryPaging")
        }
        if filter.matchesAllChanges { return true }
        var reader = HistoryChangeReader(transaction, after: position, in: store, filter: filter)
        return try reader.nextChanges() != nil
    }

    /// A consumer that waits for rare changes would write after each commit of another program, so the position is stored at most
    /// once per second, and the time of the visit at most once per minute. Until then, this instance keeps the position.
    private func skip(
        to end: Place, stored: inout Place, _ lease: Lease, _ state: inout State
    ) throws {
        let age = state.lastVisit.map { $0.duration(to: .now) }
        let interval: Duration = stored == end ? .seconds(60) : .seconds(1)
        if let age, age < interval {
            state.skipped = (stored, end.position)
            return
        }
        let isMoved = stored != end
        try visit(lease) { if isMoved { $0.move(to: end) } }
        (stored, state.lastVisit, state.skipped) = (end, .now, nil)
    }

    // MARK: Starting over

    private func reset(
        _ reason: HistoryResetReason, from place: Place, _ lease: Lease
    ) throws -> HistoryBatch<Transaction> {
        // Read before the first model, so that every change that the models may lack comes after it.
        let next = Place(
            position: try store.currentHistoryToken(),
            rebuild: .reading(after: nil, entities: entities.map(\.name)))
        return try deliver(.reset(reason), from: place, to: next, lease)
    }

    func logReset(_ reason: HistoryResetReason) {
        store.log(
            reason == .requested ? .debug : .notice, event: "consumerReset",
            "the consumer \"\(name)\" starts over from the models: \(reason)",
            metadata: ["consumer": name, "reason": "\(reason)"])
    }

    /// Returns whether the classes with which the consumer has read models are those of the schema, up to that of the latest model,
    /// and all others still exist. Instances of a class that is new or gone were read, or would be, as those of another class.
    ///
    /// - Parameter names: The names of the classes, or `nil` if a program recorded only the identifier.
    private func canContinue(after identifier: PersistentIdentifier, _ names: [String]?) -> Bool {
        guard let names else { return false }
        let present = entities.map(\.name)
        return Set(names).isSubset(of: present)
            && present.allSatisfy { $0 > identifier.entityName || names.contains($0) }
    }

    private func snapshot(after identifier: PersistentIdentifier?, limit: Int) throws -> [PersistentIdentifier] {
        for entity in entities {
            if let identifier, entity.name < identifier.entityName { continue }
            let isContinued = entity.name == identifier?.entityName
            let found = try store.identifiers(of: entity, after: isContinued ? identifier : nil, limit: limit)
            if !found.isEmpty { return found }
        }
        return []
    }

    // MARK: Delivering

    /// - Parameter stored: The place that the store has for the consumer, if it is before `from`.
    private func deliver(
        _ content: HistoryBatch<Transaction>.Content, from: Place, to: Place, stored: Place? = nil,
        _ lease: Lease
    ) throws -> HistoryBatch<Transaction> {
        let attempt = try visit(lease) { record in
            if let stored, stored != from { record.move(to: from) }
            record.attempts += 1
            return record.attempts
        }
        return HistoryBatch(
            content: content, attempt: attempt, consumerName: name, fence: lease.fence, start: from, end: to,
            filter: filter, store: store, progress: lease.progress)
    }

    /// The change may be lost in a crash of the server, so it is not the progress with which a reverted store is recognized.
    @discardableResult
    private func visit<Result: Sendable>(
        _ lease: Lease, _ change: (inout Record) throws -> Result
    ) throws -> Result {
        try store.updateConsumer(named: name, isDurable: false) { record in
            guard var current = record else { throw SwiftDataError.consumerNotFound(name) }
            guard current.fence == lease.fence else {
                throw SwiftDataError.historyConsumerEvicted.with(
                    detail: "the consumer \"\(name)\" was reset, or another instance took over, while it was reading")
            }
            let result = try change(&current)
            current.seen = Date()
            record = current
            return result
        }
    }
}
