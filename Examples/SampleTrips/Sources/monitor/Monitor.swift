import Chronicle
import SampleTrips

/// Calls a handler for each model that another author changed.
///
/// The changes are merged into the actor's context, so its models are up to date when the handler is called.
@ModelActor
actor Monitor {
    /// What another author did.
    struct Event: Sendable {
        let author: String?
        let change: HistoryChange
        /// The name of the model if it is a trip and exists.
        let tripName: String?
    }

    /// Reads changes until the task is cancelled.
    ///
    /// - Parameters:
    ///   - changes: The changes of other authors.
    ///   - handler: Called with each change, in commit order.
    func run<Transaction: HistoryTransaction>(
        _ changes: HistoryStream<Transaction>, _ handler: @Sendable (Event) -> Void
    ) async throws {
        for try await element in changes {
            switch element {
            case .changes(let transactions, _):
                try modelContext.merge(transactions)
                for transaction in transactions {
                    for change in transaction.changes {
                        handler(Event(author: transaction.author, change: change, tripName: try tripName(change)))
                    }
                }
            case .reset:
                // The history was deleted before it was read. The models are still known, but not who changed them.
                try modelContext.refreshAllModels()
            }
        }
    }

    private func tripName(_ change: HistoryChange) throws -> String? {
        do {
            let model = try modelContext.existingModel(for: change.changedPersistentIdentifier)
            return (model as? Trip)?.name
        } catch SwiftDataError.modelNotFound { return nil }
    }
}

extension ModelContainer {
    /// Returns the changes of all authors but one from now on, including those of programs that set no author.
    func changes<Transaction: HistoryTransaction>(
        except author: String, _ type: Transaction.Type
    ) throws -> HistoryStream<Transaction> {
        try historyChanges(of: type, filter: HistoryFilter(authors: .except([author])))
    }
}
