#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// A model with an attribute of every kind of column, whose values the history preserves.
    final class Account: PersistentModel {
        @Attribute(.unique, .preserveValueOnDeletion, .preserveValueOnUpdate) var name: String
        @Attribute(.preserveValueOnUpdate) var balance = 0
        @Attribute(.preserveValueOnDeletion) var rate: Double?
        @Attribute(.preserveValueOnDeletion) var photo: Data?
        @Attribute var note: String?
        @Relationship(deleteRule: .cascade, inverse: \Entry.account) var entries: [Entry]

        static let properties: PropertyMap<Account> = [
            "name": \.name, "balance": \.balance, "rate": \.rate, "photo": \.photo, "note": \.note,
            "entries": \.entries,
        ]
        let persistentBackingData: any BackingData<Account>
        init(backingData: any BackingData<Account>) { persistentBackingData = backingData }
        init(_ name: String, balance: Int = 0) {
            persistentBackingData = Account.createBackingData()
            self.name = name
            self.balance = balance
        }
    }

    final class Entry: PersistentModel {
        @Attribute var amount = 0
        @Relationship var account: Account?

        static let properties: PropertyMap<Entry> = ["amount": \.amount, "account": \.account]
        let persistentBackingData: any BackingData<Entry>
        init(backingData: any BackingData<Entry>) { persistentBackingData = backingData }
        init(_ amount: Int, of account: Account? = nil) {
            persistentBackingData = Entry.createBackingData()
            self.amount = amount
            self.account = account
        }
    }

    /// A store of accounts in a new schema.
    struct HistoryFixture {
        let cluster: PostgresCluster
        let configuration: PostgresConfiguration
        let container: ModelContainer
        var schema: String { configuration.schemaName ?? "" }

        init(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws {
            try self.init(PostgresConfiguration.testing(change), PostgresCluster.shared.get())
        }

        init(_ configuration: PostgresConfiguration, _ cluster: PostgresCluster) throws {
            (self.configuration, self.cluster) = (configuration, cluster)
            container = try Self.open(configuration)
        }

        static func open(_ configuration: PostgresConfiguration) throws -> ModelContainer {
            try ModelContainer(for: Schema([Account.self, Entry.self]), configurations: [configuration])
        }

        func context(_ author: String? = nil) -> ModelContext {
            let context = ModelContext(container)
            context.author = author
            return context
        }

        /// Runs a script of another program in the schema of the store.
        @discardableResult
        func psql(_ script: String, user: String? = nil) throws -> String {
            // Committed, so that a ROLLBACK of the script does not reset it.
            try cluster.psql("BEGIN; SET search_path = \(schema); COMMIT; \(script)", user: user)
        }

        /// What `verify` reports.
        func problems() throws -> [String] {
            var problems: [String] = []
            try PostgresStore(inspecting: configuration).verify { problems.append($0.description) }
            return problems
        }

        func transactions(
            after token: DefaultHistoryToken? = nil
        ) throws -> [DefaultHistoryTransaction] {
            try context().fetchHistory(token.map { .after($0) } ?? HistoryDescriptor<DefaultHistoryTransaction>())
        }

        var token: DefaultHistoryToken {
            get throws { try context().currentHistoryToken() }
        }

        @discardableResult
        func add(_ names: String..., author: String? = nil) throws -> [DefaultHistoryTransaction] {
            for name in names {
                let context = context(author)
                context.insert(Account(name))
                try context.save()
            }
            return try transactions().suffix(names.count)
        }
    }

    extension HistoryChange {
        /// The kind of the change, the model, and the changed attributes, such as `update Account/1 name`.
        var line: String {
            let key = changedPersistentIdentifier
            let model = "\(key.entityName)/\(key.integerPrimaryKey ?? 0)"
            return switch self {
            case .insert: "insert \(model)"
            case .update(let update): "update \(model) \(update.updatedAttributeNames.joined(separator: ","))"
            case .delete: "delete \(model)"
            }
        }
    }
#endif
