#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The tables of another program in a schema of a PostgreSQL database, whose changes Chronicle records.
    ///
    /// The history is in a schema with the name `chronicle_` and that of the tables, so that what examines the program's
    /// schema, such as a migration tool, finds nothing new but triggers. `Documentation/Design/0040-tracked-databases.md` has the reasons.
    package struct PostgresTracking: Sendable {
        package let configuration: PostgresConfiguration

        package struct Table: Hashable, Sendable {
            package enum State: Hashable, Sendable {
                case recorded
                /// Changes may be missing.
                case interrupted(reason: String)
                case notRecorded
                case unsupported(reason: String)
            }

            package let name: String
            package let state: State
            /// `false` for a view.
            package let isOrdinary: Bool
            /// Whether the recording began or was resumed.
            package internal(set) var isNew = false
        }

        /// The configuration names the schema of the tables.
        package init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

        /// Records the changes of tables from now on, and resumes the recording of those that the program changed.
        ///
        /// - Parameters:
        ///   - names: The names of tables, or `nil` for all that can be recorded.
        ///   - preservesValues: Whether the history contains values; `nil` for the present setting, which is `true` initially.
        /// - Throws: `SwiftDataError.unsupportedFeature` if a table does not exist or cannot be recorded, or if the schema
        ///   contains a store; `SwiftDataError.loadIssueModelContainer` if the role lacks a privilege; `SwiftDataError.storeBusy` if another
        ///   session keeps a table locked. Nothing was changed.
        @discardableResult
        package func track(_ names: [String]? = nil, preservesValues: Bool? = nil) throws -> [Table] {
            try writing { try $0.track(names, preservesValues: preservesValues) }
        }

        /// Ends the recording of tables, or of all of them, and keeps the history.
        package func stop(_ names: [String]? = nil) throws { try writing { try $0.stop(names) } }

        /// Ends the recording and deletes the history.
        package func untrack() throws { try writing { try $0.untrack() } }

        /// Returns all tables and views of the schema.
        package func tables() throws -> [Table] {
            try withTracking { tracking in
                try tracking.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") { _ in
                    try tracking.tables()
                }
            }
        }

        /// Returns the name of the schema for the history of a schema.
        static func historySchema(of schemaName: String) -> String { TableNames.shortened("chronicle_\(schemaName)") }

        private func writing<Result>(_ body: (TableTracking) throws -> Result) throws -> Result {
            try withTracking { tracking in
                try tracking.connection.withoutCancellation {
                    try tracking.connection.transaction { connection in
                        try SchemaCompletion.lock(connection)
                        return try body(tracking)
                    }
                }
            }
        }

        private func withTracking<Result>(_ body: (TableTracking) throws -> Result) throws -> Result {
            try ChroniclePostgres.attributingErrors(to: nil) {
                try configuration.validate()
                let opener = StoreOpener(configuration, Schema(), nil)
                let schemaName = try opener.trackedSchemaName()
                var settings = configuration.connectionSettings
                settings.schemaName = Self.historySchema(of: schemaName)
                let connection = try Connection(settings)
                defer { connection.close() }
                try connection.requireTrustedHistory(Self.historySchema(of: schemaName), of: schemaName)
                do { return try body(TableTracking(connection: connection, schemaName: schemaName)) } catch let error
                    as PostgresError where error.isPrivilegeViolation
                {
                    throw SwiftDataError.loadIssueModelContainer.with(
                        detail:
                            "\(error.message); connect as the owner of the tables, with the privilege CREATE on the database",
                        underlying: error)
                }
            }
        }
    }

    extension Connection {
        /// A role that may create schemas in the database can create one with the name of a history, whose views and functions
        /// would be executed with the privileges of the session. Throws `SwiftDataError.notAChronicleStore` if the owner of the
        /// history is not trusted and owns no table in the schema of the program.
        func requireTrustedHistory(_ history: String, of schemaName: String) throws {
            let found = try run(
                """
                SELECT pg_get_userbyid(h.nspowner) FROM pg_namespace AS h LEFT JOIN pg_namespace AS n ON n.nspname = $2 \
                \(StoreRelations.roles) WHERE h.nspname = $1 AND NOT coalesce(\(StoreRelations.isTrusted("h.nspowner")), FALSE) \
                AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') \
                AND c.relowner = h.nspowner)
                """, Parameters(.text(history), .text(schemaName)), isPrepared: false)
            guard found.count > 0 else { return }
            throw SwiftDataError.notAChronicleStore.with(
                detail:
                    "the role \(found.text(0, 0)), which owns the schema \(history), owns neither the schema \(schemaName), nor a "
                    + "table in it, nor the database; drop the schema \(history) if another program created it, or change its owner"
            )
        }

        /// Needs no privilege on the schema.
        func hasRelation(_ name: String, in schemaName: String) throws -> Bool {
            try run(
                """
                SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1 AND c.relname = $2)
                """, Parameters(.text(schemaName), .text(name)), isPrepared: false
            ).bool(0, 0)
        }
    }

    extension StoreOpener {
        /// Returns the schema of the configuration, or that of a history's tables. Creates none.
        func trackedSchemaName() throws -> String {
            var settings = configuration.connectionSettings
            settings.schemaName = nil
            let connection = try Connection(settings)
            defer { connection.close() }
            try requireUTF8(connection)
            let name = try configuration.schemaName ?? firstSchema(connection)
            try DistributedEngine.requireNone(connection, schemaName: name)
            let found = try connection.run(
                "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", Parameters(.text(name)), isPrepared: false)
            guard found.count > 0 else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the database has no schema \(name); check its name and the database")
            }
            guard try connection.hasRelation("chronicle_tracked", in: name) else { return name }
            settings.schemaName = name
            let history = try Connection(settings)
            defer { history.close() }
            return try MetaTable.text(.tracked, history) ?? name
        }

        /// The configuration for the history of the tables in its schema, or the configuration itself if that is not tracked.
        func trackedConfiguration() throws -> PostgresConfiguration {
            var settings = configuration.connectionSettings
            settings.schemaName = nil
            let connection = try Connection(settings)
            defer { connection.close() }
            let name = try configuration.schemaName ?? firstSchema(connection)
            let history = PostgresTracking.historySchema(of: name)
            guard try !connection.hasRelation("chronicle_meta", in: name),
                try connection.hasRelation("chronicle_tracked", in: history)
            else { return configuration }
            try connection.requireTrustedHistory(history, of: name)
            var tracked = configuration
            tracked.schemaName = history
            return tracked
        }
    }
#endif
