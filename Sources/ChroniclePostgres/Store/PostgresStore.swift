#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    import Foundation
    import Synchronization

    /// A store that keeps models in a PostgreSQL database and records a durable history of every change.
    ///
    /// Each entity is a table, and each stored property is a column. Triggers record every change of a row in the same
    /// transaction, whichever program makes it. Any number of programs can use the tables at the same time.
    ///
    /// Fetches and saves run concurrently, each with a connection of a pool, and block their thread while they wait for the
    /// server. Use contexts of a `ModelActor`, or separate threads, for work that must not block a thread of Swift's
    /// concurrency.
    ///
    /// Containers create the store from a ``PostgresConfiguration``; most programs do not use this class directly.
    public final class PostgresStore: DataStore {
        public typealias Snapshot = DefaultSnapshot

        /// The optional features of the protocol that the store supports.
        public static var capabilities: DataStoreCapabilities {
            [.excludedIdentifiers, .inheritance, .replay, .earlierPositions]
        }

        /// The configuration that the store was opened with.
        public let configuration: PostgresConfiguration
        /// The schema of the models in the store.
        public let schema: Schema
        /// The UUID of the store, generated when its tables were created.
        public let identifier: String

        let layout: StoreLayout
        let pool: ConnectionPool
        /// The rows as of a position, or `nil` for a store with the present rows.
        let past: PastRows?
        let commits: CommitWatcher
        private let numbering: BackgroundNumbering?
        let automaticPurge = AutomaticHistoryPurge()
        let automaticSealing = AutomaticSealing()
        /// Triggers or rows of other programs, which existed at the opening, may change further values in a save.
        let runsOtherTriggers: Bool

        /// Opens the store, creating its tables if they do not exist and the configuration allows saving.
        ///
        /// Opening adds the tables and columns that the schema requires. Roles without the privilege to create tables can
        /// open a store that is complete. A standby server can be read; saves throw `SwiftDataError.storeReadOnly` until the
        /// server is promoted.
        ///
        /// - Parameters:
        ///   - configuration: The server and options of the store.
        ///   - migrationPlan: The versions of the schema and the stages between them, or `nil` to make only the changes that
        ///     need no stage. Each stage is one transaction. A new store has the version of the schema.
        /// - Throws:
        ///   - `SwiftDataError.unknownSchema` if the configuration has no schema. A container sets it.
        ///   - `SwiftDataError.invalidModel` if a model or a name is invalid. Change the model.
        ///   - `SwiftDataError.storeUnavailable` if the server cannot be reached or rejects the connection: the address,
        ///     the database, the role or the password may be wrong. Correct the connection string, or start the server.
        ///   - `SwiftDataError.notAChronicleStore` if the schema of the database contains a table with the name of a model
        ///     that another program created. Choose another schema.
        ///   - `SwiftDataError.unsupportedFileVersion` if a newer version of Chronicle created or upgraded the tables.
        ///   - `SwiftDataError.backwardMigration` if the tables cannot be migrated. Change the models as the detail
        ///     describes.
        ///   - `SwiftDataError.newerSchemaVersion`, `SwiftDataError.unknownSchemaVersion`,
        ///     `SwiftDataError.missingMigrationStage` or `SwiftDataError.invalidMigrationPlan` if the plan cannot migrate
        ///     the tables. Correct the plan, or update the program.
        ///   - An error that a closure of a stage throws. The stages before it remain, and the next opening runs the stage
        ///     again.
        ///   - `SwiftDataError.damagedFile` if another program changed the tables. Restore them.
        ///   - `SwiftDataError.storeBusy` if another session keeps the tables locked. Try again.
        ///   - `SwiftDataError.loadIssueModelContainer` if tables are missing, or have an earlier format, and the role or
        ///     the configuration does not allow to create or upgrade them; open the store once as the owner of the tables,
        ///     on the primary server. The same error if the role lacks a privilege, which the detail names, if the database
        ///     has another encoding than UTF8, or if the server is a distributed one on which the store cannot record a
        ///     history.
        /// - Complexity: Proportional to the number of tables, columns and indexes.
        public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
            let schema = try configuration.validatedSchema()
            self.configuration = configuration
            self.schema = schema
            let opened = try ChroniclePostgres.attributingErrors(to: nil) {
                try StoreOpener(configuration, schema, migrationPlan).open()
            }
            layout = opened.layout
            pool = opened.pool
            past = nil
            identifier = opened.layout.storeIdentifier
            runsOtherTriggers = opened.runsOtherTriggers
            pool.require(storeIdentifier: identifier)
            commits = CommitWatcher(
                pool, storeIdentifier: identifier, recordsHistory: configuration.recordsHistory)
            if configuration.recordsHistory, configuration.allowsSave, !configuration.isInspector {
                numbering = BackgroundNumbering(
                    pool, configuration.numbering, isReplicated: opened.isReplicated)
            } else {
                numbering = nil
            }
            if opened.isStandby {
                log(
                    .notice, event: "standbyOpened",
                    "the server is a standby server, so the store is read-only unless the server is promoted",
                    metadata: ["schemaName": layout.schemaName])
            }
            if let version = opened.migratedVersion {
                log(
                    .notice, event: "storeMigrated",
                    "The tables in the schema \(layout.schemaName) were migrated from version \(version)",
                    metadata: ["schemaName": layout.schemaName, "fromVersion": version.description])
            }
            if configuration.preservesValues, configuration.allowsSave, !layout.preservesValues {
                log(
                    .notice, event: "valuesNotPreserved",
                    "the history in the schema \(layout.schemaName) does not preserve the values of all properties, because "
                        + "it was created without the setting",
                    metadata: ["schemaName": layout.schemaName])
            }
        }

        /// Creates a store for a context of a `MigrationStage`.
        init(
            migrating connection: Connection, _ configuration: PostgresConfiguration, _ schema: Schema,
            _ layout: StoreLayout
        ) {
            self.configuration = configuration
            self.schema = schema
            self.layout = layout
            pool = ConnectionPool(sharing: connection)
            past = nil
            identifier = layout.storeIdentifier
            runsOtherTriggers = false
            numbering = nil
            commits = CommitWatcher(pool, storeIdentifier: identifier, recordsHistory: false)
        }

        /// Creates a store with the rows as of a position, which shares the connections of the present store.
        init(_ past: PastRows) {
            let present = past.present
            configuration = present.configuration
            (schema, layout, identifier) = (present.schema, present.layout, present.identifier)
            (pool, commits, runsOtherTriggers) = (present.pool, present.commits, present.runsOtherTriggers)
            self.past = past
            numbering = nil
        }

        deinit { if past == nil { pool.close() } }

        /// Throws an error if the configuration does not allow saving, or if the store has the rows of an earlier position.
        func requireWriteAccess() throws {
            if let past {
                throw SwiftDataError.storeReadOnly.with(
                    detail: "the store is read as of position \(past.position); save with a context without a position",
                    storeIdentifier: identifier)
            }
            guard configuration.allowsSave else {
                throw SwiftDataError.storeReadOnly.with(
                    detail:
                        "the configuration \"\(configuration.name)\" does not allow saving; set `allowsSave` to `true`",
                    storeIdentifier: identifier)
            }
        }

        func attributingErrors<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try ChroniclePostgres.attributingErrors(to: identifier, body) } catch let error
                as SwiftDataError
            {
                if error == .newerSchemaVersion { pool.hasChangedDefinitions.store(true, ordering: .releasing) }
                guard let cause = error.underlying as? PostgresError, cause.isSchemaMismatch || cause.isChangedResult
                else { throw error }
                try requireSamePlace(error)
                try requireSameNames(error)
                throw error
            }
        }

        /// Throws an error before a save if a read found that another program changed the tables to a later version of the
        /// models. The server would convert values to the new types of columns.
        func requireUnchangedTables() throws {
            guard pool.hasChangedDefinitions.load(ordering: .acquiring) else { return }
            try requireSameNames(nil)
            pool.hasChangedDefinitions.store(false, ordering: .releasing)
        }

        /// The schema may not contain the tables of a store any more.
        private func requireSamePlace(_ cause: SwiftDataError) throws {
            let exists = try ChroniclePostgres.attributingErrors(to: identifier) {
                try pool.use { connection in
                    try connection.run(
                        "SELECT to_regclass($1) IS NOT NULL", Parameters(.text(connection.table("chronicle_meta")))
                    )
                    .bool(0, 0)
                }
            }
            guard !exists else { return }
            throw SwiftDataError.storeMoved.with(
                detail:
                    "the schema \(layout.schemaName) does not contain the tables of the store any more, because it was "
                    + "renamed or they were removed; create a new container with the name of the schema",
                storeIdentifier: identifier, underlying: cause.underlying)
        }

        /// Another program may have changed the names of tables or columns, or types of columns, since the store was opened.
        private func requireSameNames(_ cause: SwiftDataError?) throws {
            let (entities, version, columns) = try ChroniclePostgres.attributingErrors(to: identifier) {
                try pool.use {
                    try (
                        Catalog($0).entities(), MetaTable.text(.schemaVersion, $0),
                        layout.tracked == nil ? DatabaseSchema($0).columns : [:]
                    )
                }
            }
            let isChanged = layout.recorded.contains { known in
                guard let entity = entities.first(where: { $0.number == known.number }), entity.name == known.name
                else {
                    return true
                }
                return known.attributes.contains { attribute in
                    !entity.attributes.contains {
                        ($0.number, $0.name, $0.isPresent) == (attribute.number, attribute.name, attribute.isPresent)
                    }
                }
            }
            guard isChanged || hasOtherTypes(columns) else { return }
            let what = version.map { "version \($0) of the models" } ?? "a later version of the models"
            throw SwiftDataError.newerSchemaVersion.with(
                detail: "another program changed the tables to \(what) while the store was open; update the program",
                storeIdentifier: identifier, underlying: cause?.underlying)
        }

        /// Returns whether columns have other types than the properties of the models.
        private func hasOtherTypes(_ columns: [String: [String: DatabaseSchema.Column]]) -> Bool {
            layout.tablesByName.values.contains { table in
                table.columns.contains { column in
                    columns[table.name]?[column.name].map { !column.type.includes(named: $0.type) } ?? false
                }
            }
        }
    }
#endif
