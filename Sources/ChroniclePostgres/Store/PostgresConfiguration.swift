#if Postgres
    public import ChronicleCore

    /// The server and the options of a PostgreSQL store.
    ///
    /// ```swift
    /// PostgresConfiguration("postgresql://app@db.example.org/trips?sslmode=verify-full", schemaName: "trips")
    /// PostgresConfiguration()                                       // PGHOST, PGDATABASE, PGUSER, …
    /// ```
    ///
    /// Authentication, TLS, and the choice among several hosts are those of libpq: its connection strings, its environment
    /// variables, and its files such as `~/.pgpass`.
    public struct PostgresConfiguration: DataStoreConfiguration {
        public typealias Store = PostgresStore

        /// The name of the store in error messages.
        public var name: String
        /// A connection URI, or keywords and values, as libpq accepts them
        /// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>); empty for the environment. It
        /// may contain a password, and is never part of an error message or of a log.
        public var connectionString: String
        /// The schema of the database with the tables of the store, or `nil` for the first one of the role's search path
        /// that exists when the store is opened. The role needs the privilege `USAGE` on it. It is created if it does not
        /// exist and the role may create it. A schema contains at most one store.
        public var schemaName: String?
        /// A Boolean value that indicates whether the store can be written.
        public var allowsSave: Bool
        /// A Boolean value that indicates whether the store records its history.
        ///
        /// The setting belongs to the database: it changes for all programs when the store is opened. Disabling and
        /// enabling the history leaves a gap: fetching after an earlier token throws `SwiftDataError.historyTokenGap`.
        public var recordsHistory: Bool
        /// A Boolean value that indicates whether the history of a new store preserves the values of all properties.
        ///
        /// The setting belongs to the database: it applies when the tables are created. With `true` and existing tables
        /// that were created with `false`, no values are preserved, and the ``logger`` receives the message
        /// `valuesNotPreserved`. Text and binary data of more than 65,536 bytes are not preserved. For single attributes,
        /// of any size, use the options `Schema.Attribute.Option.preserveValueOnUpdate` and
        /// `Schema.Attribute.Option.preserveValueOnDeletion`.
        public var preservesValues: Bool
        /// A Boolean value that indicates whether the result of a save contains its history token.
        ///
        /// To return the token, also in the notification `ModelContext.didSave`, a save has to number the committed
        /// transactions, which is a second commit. Otherwise, fetch ``PostgresStore/currentHistoryToken()`` when you need a
        /// token.
        public var returnsHistoryTokens: Bool
        /// How much of its history the store keeps; everything by default.
        ///
        /// With a limit, the store deletes older transactions in the background after a save; see
        /// ``PostgresStore/automaticPurgeOutcome``. Only the owner of the tables may delete history: set a limit in a
        /// program that connects as the owner.
        public var historyRetention: HistoryRetention
        /// When the store seals its history in the background, or `nil` if it does not.
        ///
        /// A save starts a task with the priority *utility*, unless one is running. It does not keep the store open. One
        /// program seals at a time; commits of other programs wait for the next one of a store with a schedule.
        /// ``PostgresStore/deleteHistory(_:)`` then seals what it deletes first. The ``logger`` receives the messages
        /// `sealed` and `sealingFailed`.
        ///
        /// The product `ChronicleSeals` creates schedules. Only the owner of the tables may seal: set a schedule in a
        /// program that connects as the owner. Nothing is sealed if the history is not recorded.
        public var historySealing: HistorySealingSchedule?
        /// The largest number of connections that fetches and saves use at the same time, one for each thread. Observing
        /// commits and consumers of the history use further ones.
        public var connectionLimit: Int
        /// How long a fetch or a save waits for a connection if all are in use, before it throws
        /// `SwiftDataError.storeBusy`.
        public var connectionTimeout: Duration
        /// How long a statement may run before the server cancels it and the request throws `SwiftDataError.storeBusy`, or
        /// `nil` for the setting of the role.
        public var statementTimeout: Duration?
        /// How long a statement may wait for a lock of another transaction, before the request throws
        /// `SwiftDataError.storeBusy`, or `nil` for the setting of the role.
        public var lockTimeout: Duration?
        /// How long a request waits for the server to confirm a commit, or `nil` to wait until the connection is lost.
        ///
        /// A commit waits for a synchronous standby server, and ``statementTimeout`` does not limit that. A save that waits
        /// for longer throws `SwiftDataError.saveOutcomeUnknown`: its changes are often committed when the standby server
        /// responds again. A read of the history, which commits positions, throws `SwiftDataError.storeBusy`. The limit is
        /// exceeded by up to half, and the statements of a save, and reads that commit nothing, may take longer.
        public var commitTimeout: Duration?
        /// When the store gives positions in the history to transactions that no read has given one.
        public var numbering: Numbering
        /// A Boolean value that indicates whether a proxy, such as PgBouncer, assigns a session of the server to each
        /// transaction.
        ///
        /// The store then prepares no statements and makes its settings in each transaction. It finds commits of other
        /// programs within a second, and each active consumer of the history keeps one session of the proxy.
        public var usesTransactionPooling: Bool
        /// What receives messages for a log, or `nil` for no messages. Equality of configurations ignores it.
        public var logger: (any StoreLogger)?
        /// The lowest level of the messages that the ``logger`` receives.
        public var logLevel = StoreLogLevel.notice
        /// A closure that receives the progress of a migration while the store is opened, or `nil`. Equality of
        /// configurations ignores it. It is called on the thread that opens the store, within the transaction of a stage.
        /// Do not use the store in it.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
        /// The models of the store, or `nil` for all models of the container.
        public var schema: Schema?

        /// The program uses no models, and its opening changes nothing.
        var isInspector = false

        /// Creates the configuration of a store.
        ///
        /// - Parameters:
        ///   - connectionString: See `connectionString`.
        ///   - name: See `name`.
        ///   - schema: See `schema`.
        ///   - schemaName: See `schemaName`.
        ///   - allowsSave: See `allowsSave`.
        ///   - recordsHistory: See `recordsHistory`.
        ///   - preservesValues: See `preservesValues`.
        ///   - returnsHistoryTokens: See `returnsHistoryTokens`.
        ///   - historyRetention: See `historyRetention`.
        ///   - connectionLimit: See `connectionLimit`.
        ///   - connectionTimeout: See `connectionTimeout`.
        ///   - statementTimeout: See `statementTimeout`.
        ///   - lockTimeout: See `lockTimeout`.
        ///   - commitTimeout: See `commitTimeout`.
        ///   - numbering: See `numbering`.
        ///   - usesTransactionPooling: See `usesTransactionPooling`.
        public init(
            _ connectionString: String = "", name: String = "postgres", schema: Schema? = nil,
            schemaName: String? = nil, allowsSave: Bool = true, recordsHistory: Bool = true,
            preservesValues: Bool = false, returnsHistoryTokens: Bool = false,
            historyRetention: HistoryRetention = .unlimited, connectionLimit: Int = 10,
            connectionTimeout: Duration = .seconds(30), statementTimeout: Duration? = nil,
            lockTimeout: Duration? = .seconds(5), commitTimeout: Duration? = .seconds(30),
            numbering: Numbering = .automatic, usesTransactionPooling: Bool = false
        ) {
            self.connectionString = connectionString
            self.name = name
            self.schema = schema
            self.schemaName = schemaName
            self.allowsSave = allowsSave
            self.recordsHistory = recordsHistory
            self.preservesValues = preservesValues
            self.returnsHistoryTokens = returnsHistoryTokens
            self.historyRetention = historyRetention
            self.connectionLimit = connectionLimit
            self.connectionTimeout = connectionTimeout
            self.statementTimeout = statementTimeout
            self.lockTimeout = lockTimeout
            self.commitTimeout = commitTimeout
            self.numbering = numbering
            self.usesTransactionPooling = usesTransactionPooling
        }

        public func validate() throws {
            func invalid(_ detail: String) -> SwiftDataError {
                .loadIssueModelContainer.with(detail: detail, storeName: name)
            }
            if connectionLimit < 1 { throw invalid("connectionLimit must be at least 1") }
            for (name, limit) in [
                ("connectionTimeout", connectionTimeout), ("statementTimeout", statementTimeout),
                ("lockTimeout", lockTimeout), ("commitTimeout", commitTimeout), ("numbering", numbering.interval),
            ] {
                if let limit, limit <= .zero { throw invalid("\(name) must be greater than zero") }
            }
            if let schemaName, schemaName.isEmpty || schemaName.utf8.contains(0) || schemaName.utf8.count > 63 {
                throw invalid("schemaName must have 1 to 63 bytes and must not contain a NUL character")
            }
            if connectionString.utf8.contains(0) { throw invalid("the connection string contains a NUL character") }
        }

        /// Returns whether two configurations have equal options and the same schema.
        public static func == (lhs: PostgresConfiguration, rhs: PostgresConfiguration) -> Bool {
            lhs.name == rhs.name && lhs.connectionString == rhs.connectionString && lhs.schemaName == rhs.schemaName
                && lhs.allowsSave == rhs.allowsSave && lhs.recordsHistory == rhs.recordsHistory
                && lhs.preservesValues == rhs.preservesValues
                && lhs.returnsHistoryTokens == rhs.returnsHistoryTokens && lhs.historyRetention == rhs.historyRetention
                && lhs.historySealing == rhs.historySealing && lhs.connectionLimit == rhs.connectionLimit
                && lhs.connectionTimeout == rhs.connectionTimeout
                && lhs.statementTimeout == rhs.statementTimeout && lhs.lockTimeout == rhs.lockTimeout
                && lhs.commitTimeout == rhs.commitTimeout && lhs.numbering == rhs.numbering
                && lhs.usesTransactionPooling == rhs.usesTransactionPooling && lhs.schema == rhs.schema
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(connectionString)
            hasher.combine(schemaName)
        }

        var connectionSettings: ConnectionSettings {
            ConnectionSettings(
                connectionString: connectionString, schemaName: schemaName, statementTimeout: statementTimeout,
                lockTimeout: lockTimeout, commitTimeout: commitTimeout, usesTransactionPooling: usesTransactionPooling)
        }

        /// When a store gives positions in the history to transactions, in addition to the reads of its history. A standby
        /// server cannot give positions, so its readers see a transaction when a store on the primary server has given it
        /// one.
        public enum Numbering: Hashable, Sendable {
            /// Every second while the server sends changes to a standby server, for which the store looks when it opens and
            /// every 30 seconds.
            case automatic
            /// Only when the history is read or observed.
            case onDemand
            /// At an interval, for standby servers that are not in `pg_stat_replication`: those that share the storage of
            /// the primary server, as in Aurora, and those that read archived files.
            case every(Duration)

            var interval: Duration? {
                if case .every(let interval) = self { interval } else { nil }
            }
        }
    }
#endif
