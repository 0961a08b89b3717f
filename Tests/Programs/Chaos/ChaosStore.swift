#if Postgres
    import Chronicle
    import ChroniclePostgres
    import Foundation

    @Model final class Item {
        @Attribute(.unique) var key: String
        var value: Int
        var related: [Item] = []

        init(_ key: String, _ value: Int) { (self.key, self.value) = (key, value) }
    }

    /// The trace of a change that a consumer processed, in the same store.
    @Model final class Receipt {
        /// The name of the consumer and the identifier of the change. A second receipt violates the constraint.
        @Attribute(.unique) var change: String

        init(_ change: String) { self.change = change }
    }

    enum ChaosStore {
        static let schemaName = "chaos"
        static let models: [any PersistentModel.Type] = [Item.self, Receipt.self]

        static func configuration(_ connectionString: String) -> PostgresConfiguration {
            PostgresConfiguration(connectionString, schemaName: schemaName, preservesValues: true)
        }

        static func open(_ connectionString: String) throws -> ModelContainer {
            try ModelContainer(for: Schema(models), configurations: [configuration(connectionString)])
        }

        /// The values of all items, a line for each.
        static func content(_ context: ModelContext) throws -> [String] {
            var all = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.key)])
            all.relationshipKeyPathsForPrefetching = [\.related]
            return try context.fetch(all).map { "\($0.key) \($0.value) \($0.related.map(\.key).sorted())" }
        }

        static func receipts(_ context: ModelContext) throws -> [String] {
            try context.fetch(FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.change)])).map(\.change)
        }

        static func consumer(
            _ name: String, _ container: ModelContainer
        ) throws -> HistoryConsumer<DefaultHistoryTransaction> {
            try container.historyConsumer(
                named: name, filter: HistoryFilter(models: [Item.self]), startingNewAt: .beginning)
        }

        /// Saves a receipt for each change together with the acknowledgement.
        static func process(
            _ batch: HistoryBatch<DefaultHistoryTransaction>, of name: String, _ container: ModelContainer
        ) throws {
            guard case .changes = batch.content else {
                throw ChaosFailure("the consumer \(name) lost its position: \(batch.content)")
            }
            let context = ModelContext(container)
            context.author = name
            // A second receipt for a change is a failure, and must not replace the first one.
            context.mergePolicy = .error
            for change in try batch.changes { context.insert(Receipt(receipt(of: change, name))) }
            try context.save(acknowledging: batch)
        }

        static func receipt(of change: HistoryChange, _ name: String) -> String {
            let number =
                switch change {
                case .insert(let insert): insert.changeIdentifier as? Int64
                case .update(let update): update.changeIdentifier as? Int64
                case .delete(let delete): delete.changeIdentifier as? Int64
                }
            return "\(name) \(number ?? 0)"
        }
    }

    extension SwiftDataError {
        /// Whether the error is that of a server that is killed, or of others that change the same models.
        var isExpected: Bool {
            let kinds: [SwiftDataError] = [
                .storeBusy, .storeUnavailable, .saveOutcomeUnknown, .modelNotFound, .modelValidationFailure,
            ]
            return kinds.contains { $0 ~= self }
        }
    }
#endif
