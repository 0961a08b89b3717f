/// Merges what other contexts, processes and programs save into the main context of a container.
///
/// Merging ends when this object is released, or when the context and its models are.
@MainActor
final class MainContextMerging {
    private weak var storage: ContextStorage?
    private var histories: [any MergedHistory]
    /// The subscription. The task that waits does not retain it, so that releasing this object ends it.
    private var events: CommitEvents?
    private var task: Task<Void, Never>?

    /// How long to wait after an error before the history is read again.
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
            while !Task.isCancelled {
                do {
                    guard let signal = try self?.subscribe() else { return }
                    repeat { try await self?.merge() } while await signal.wait()
                    return
                } catch {
                    // Until the next attempt, the models only have their earlier values.
                    do { try await Task.sleep(for: Self.retryInterval) } catch { return }
                }
            }
        }
    }

    deinit { task?.cancel() }

    /// Subscribes to the commits of the stores, before the history is read, so that no commit is missed.
    private func subscribe() throws -> CommitSignal? {
        guard let storage else { return nil }
        storage.savedTokens = storage.savedTokens ?? []
        let events = try events ?? CommitEvents(storage.coordinator)
        self.events = events
        return events.signal
    }

    private func merge() async throws {
        for index in histories.indices { try await histories[index].merge { storage?.knownContext } }
    }

    /// Ends merging before this object is released.
    func end() {
        task?.cancel()
        events = nil
        storage?.savedTokens = nil
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
