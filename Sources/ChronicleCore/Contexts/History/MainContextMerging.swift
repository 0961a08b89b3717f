/// Merges what other contexts, processes and programs save into the main context of a container.
///
/// Merging ends when this object is released, or when the context and its models are.
@MainActor
final class MainContextMerging {
    private let task: Task<Void, Never>

    /// How long to wait after an error before the history is read again.
    private static let retryInterval = Duration.seconds(1)

    /// Begins at the current positions of the stores that record a history and report commits.
    init(_ context: ModelContext) {
        let coordinator = context.coordinator
        let histories = coordinator.stores.compactMap { store -> (any MergedHistory)? in
            guard store is any DataStoreNotifying, let provider = store as? any HistoryProviding,
                provider.recordsHistory
            else { return nil }
            return mergedHistory(of: provider)
        }
        // Nothing is observed before the main actor runs, which it never does in a program that blocks it.
        task = Task { [weak storage = context.storage] in
            guard !histories.isEmpty else { return }
            storage?.savedTokens = []
            await Self.merge(histories, of: coordinator) { storage?.knownContext }
            storage?.savedTokens = nil
        }
    }

    deinit { task.cancel() }

    private static func merge(
        _ histories: [any MergedHistory], of coordinator: StoreCoordinator, into context: () -> ModelContext?
    ) async {
        var histories = histories
        while !Task.isCancelled {
            do {
                // Subscribed before reading, so that no commit is missed.
                let events = try CommitEvents(coordinator)
                repeat {
                    for index in histories.indices { try await histories[index].merge(into: context) }
                } while await events.next() != nil
            } catch {
                // Without this merge, the models only have their earlier values. The history is read again.
                do { try await Task.sleep(for: retryInterval) } catch { return }
            }
        }
    }
}

/// The history of one store with the position up to which it was merged.
private protocol MergedHistory: Sendable {
    @MainActor mutating func merge(into context: () -> ModelContext?) async throws
}

private func mergedHistory<Provider: HistoryProviding>(of provider: Provider) -> any MergedHistory {
    MergedStoreHistory(provider)
}

private struct MergedStoreHistory<Provider: HistoryProviding>: MergedHistory {
    private let provider: Provider
    private var position: Result<Provider.HistoryType.TokenType?, any Error>

    init(_ provider: Provider) {
        self.provider = provider
        position = Result { try provider.currentHistoryToken() }
    }

    @MainActor mutating func merge(into context: () -> ModelContext?) async throws {
        do { try await mergeTransactions(into: context, after: position.get()) } catch {
            let current = try provider.currentHistoryToken()
            // The position could not be read at first, or the transactions after it are not available.
            if case .success = position, HistoryResetReason(error) == nil { throw error }
            try context()?.refreshAllModels()
            position = .success(current)
        }
    }

    @MainActor private mutating func mergeTransactions(
        into context: () -> ModelContext?, after token: Provider.HistoryType.TokenType?
    ) async throws {
        if let token, try provider.currentHistoryToken() == token { return }
        var reader = HistoryReader([provider], after: token)
        while !Task.isCancelled, let transaction = try reader.nextTransaction() {
            let isOwn = context()?.storage.savedTokens?.remove(AnyHashable(transaction.token)) != nil
            while !isOwn, let context = context(), context.registry.count > 0, let changes = try reader.nextChanges() {
                try context.merge(changes)
                // Other work of the main actor runs between the pages of long transactions.
                await Task.yield()
            }
            position = .success(transaction.token)
        }
    }
}
