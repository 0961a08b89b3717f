/// Merges what other contexts, processes and programs save into the main context of a container. The storage of the context owns
/// this object, so merging ends when the context and its models are released.
@MainActor
final class MainContextMerging {
    private weak var storage: ContextStorage?
    private var histories: [any MergedHistory]
    /// The task that waits does not retain it, so that releasing this object ends the subscription.
    private var events: CommitEvents?
    private var task: Task<Void, Never>?

    private static let retryInterval = Duration.seconds(1)

    /// Begins at the current positions of the stores that record a history and report commits.
    init(_ context: ModelContext) {
        storage = context.storage
        histories = context.coordinator.stores.compactMap { store in
            guard store is any DataStoreNotifying, let provider = store as? any HistoryProviding,
                provider.recordsHistory
            else { return nil }
            return mergedHistory(of: provider)
        }
        guard !histories.isEmpty else { return }
        // Nothing is observed before the main actor runs, which it never does in a program that blocks it.
        task = Task { [weak self] in
            // The signal retains neither the stores nor this object.
            while let (signal, isComplete) = await self?.merge() {
                let isRaised = isComplete ? await signal.wait() : await signal.wait(atMost: Self.retryInterval)
                guard isRaised else { return }
            }
        }
    }

    deinit { task?.cancel() }

    /// Returns the signal of the next commit, and whether every history was merged; or `nil` if the context was released. After an
    /// error, the models have their earlier values until the next attempt.
    private func merge() async -> (signal: CommitSignal, isComplete: Bool)? {
        guard let storage else { return nil }
        storage.savedTokens = storage.savedTokens ?? []
        do {
            // Subscribed before reading, so that no commit is missed.
            events = try events ?? CommitEvents(storage.coordinator)
        } catch {
            return (CommitSignal(), false)
        }
        guard let signal = events?.signal else { return nil }
        var isComplete = true
        for index in histories.indices {
            do { try await histories[index].merge { self.context } } catch { isComplete = false }
        }
        return (signal, isComplete)
    }

    /// Another context for its models if it was released.
    private var context: ModelContext? {
        guard let storage else { return nil }
        return storage.registry.count > 0 ? storage.context : storage.knownContext
    }

    func end() {
        task?.cancel()
        events = nil
        storage?.savedTokens = nil
    }
}

private protocol MergedHistory: Sendable {
    @MainActor mutating func merge(into context: () -> ModelContext?) async throws
}

private func mergedHistory<Provider: HistoryProviding>(of provider: Provider) -> any MergedHistory {
    MergedStoreHistory(provider)
}

private struct MergedStoreHistory<Provider: HistoryProviding>: MergedHistory {
    private let provider: Provider
    private var position: Result<Provider.HistoryType.TokenType?, any Error>
    /// Whether the models have to be read again, because transactions could not be merged.
    private var needsRefresh = false

    /// The number of changes that are merged together, before other work of the main actor runs.
    private static var pageSize: Int { 5_000 }

    init(_ provider: Provider) {
        self.provider = provider
        position = Result { try provider.currentHistoryToken() }
    }

    @MainActor mutating func merge(into context: () -> ModelContext?) async throws {
        // The earlier attempt failed.
        if needsRefresh { try refresh(context()) }
        do { try await mergeTransactions(into: context, after: position.get()) } catch {
            let current = try provider.currentHistoryToken()
            // The position could not be read at first, the transactions after it are not available, or a row cannot be
            // decoded, which must not prevent later merges.
            let isRead = if case .success = position { true } else { false }
            guard !isRead || HistoryResetReason(error) != nil || Self.isPermanent(error) else { throw error }
            position = .success(current)
            context()?.storage.savedTokens?.removeAll()
            needsRefresh = true
            try refresh(context())
        }
    }

    /// A row that cannot be decoded does not prevent that of the others, and would fail each time.
    @MainActor private mutating func refresh(_ context: ModelContext?) throws {
        do { try context?.refreshAllModels() } catch {
            if Self.isPermanent(error) { needsRefresh = false }
            throw error
        }
        needsRefresh = false
    }

    private static func isPermanent(_ error: any Error) -> Bool {
        guard let error = error as? SwiftDataError else { return false }
        return SwiftDataError.undecodableValue ~= error || SwiftDataError.invalidStoreResponse ~= error
            || SwiftDataError.damagedFile ~= error
    }

    /// Each merge fetches the models and discards the lists in memory, so several transactions are merged together.
    @MainActor private mutating func mergeTransactions(
        into context: () -> ModelContext?, after token: Provider.HistoryType.TokenType?
    ) async throws {
        let current = try provider.currentHistoryToken()
        guard let models = context()?.registry, models.count > 0 else {
            position = .success(current)
            context()?.storage.savedTokens?.removeAll()
            return
        }
        var reader = HistoryReader([provider], after: token, requiresCompleteHistory: true)
        var changes: [HistoryChange] = []
        var reached = token
        while !Task.isCancelled, let transaction = try reader.nextTransaction() {
            let isOwn = context()?.storage.savedTokens?.remove(transaction.token.exact) != nil
            while !isOwn, let context = context(), let page = try reader.nextChanges(limit: Self.pageSize) {
                changes += page
                guard changes.count >= Self.pageSize else { continue }
                try context.merge(changes)
                changes = []
                if let reached { position = .success(reached) }
                await Task.yield()
            }
            reached = transaction.token
        }
        if !changes.isEmpty { try context()?.merge(changes) }
        position = .success(reached)
    }
}
