#if Postgres
    import ChronicleCore
    import Foundation

    /// Opens a store: connects to the server, and creates the tables that the schema requires.
    struct StoreOpener {
        let configuration: PostgresConfiguration
        let schema: Schema
        let migrationPlan: (any SchemaMigrationPlan.Type)?

        struct Opened {
            let pool: ConnectionPool
            let layout: StoreLayout
            /// The version of the schema in the database before the migration, or `nil` if it was not migrated.
            let migratedVersion: Schema.Version?
        }

        init(
            _ configuration: PostgresConfiguration, _ schema: Schema,
            _ migrationPlan: (any SchemaMigrationPlan.Type)?
        ) {
            (self.configuration, self.schema, self.migrationPlan) = (configuration, schema, migrationPlan)
        }

        func open() throws -> Opened {
            try configuration.validate()
            try TableNames.check(schema)
            let merged = schema.mergingSubentities()
            if merged !== schema { try TableNames.check(merged) }
            let migration = try migrationPlan.map { try SchemaMigration($0, to: schema) }
            var settings = configuration.connectionSettings
            settings.schemaName = try schemaName(settings)
            let pool = ConnectionPool(
                settings, limit: configuration.connectionLimit, waitLimit: configuration.connectionTimeout)
            do {
                return try pool.use { connection in
                    try open(pool, connection, settings.schemaName ?? "", migration)
                }
            } catch {
                pool.close()
                throw error
            }
        }

        private func open(
            _ pool: ConnectionPool, _ connection: Connection, _ schemaName: String, _ migration: SchemaMigration?
        ) throws -> Opened {
            let version = (migration?.target ?? schema.declaredVersion).map { StoreVersion($0, of: schema) }
            let completion = SchemaCompletion(schema, configuration, schemaName, version: version)
            guard configuration.allowsSave else {
                return Opened(pool: pool, layout: try completion.existingLayout(connection), migratedVersion: nil)
            }
            var migratedVersion: Schema.Version?
            if let migration {
                migratedVersion = try StoreMigration(
                    schema: schema, configuration: configuration, schemaName: schemaName, migration: migration
                ).run(connection)
            }
            return Opened(
                pool: pool, layout: try completion.complete(connection), migratedVersion: migratedVersion)
        }

        /// Returns the schema of the database for the tables, and creates it if it does not exist.
        private func schemaName(_ settings: ConnectionSettings) throws -> String {
            let connection = try Connection(settings)
            defer { connection.close() }
            guard let name = configuration.schemaName else {
                let current = try connection.run("SELECT current_schema()::text", isPrepared: false)
                guard !current.isNull(0, 0) else {
                    throw SwiftDataError.loadIssueModelContainer.with(
                        detail: "no schema of the search path exists; set the schemaName of the configuration")
                }
                return current.text(0, 0)
            }
            let known = try connection.run(
                "SELECT 1 FROM pg_namespace WHERE nspname = $1", Parameters(.text(name)), isPrepared: false)
            guard known.count == 0 else { return name }
            guard configuration.allowsSave else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the schema \(name) does not exist; open the store once with `allowsSave: true`")
            }
            do { try connection.run("CREATE SCHEMA IF NOT EXISTS \(quoted(name))", isPrepared: false) } catch let error
                as PostgresError where error.isPrivilegeViolation
            {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the schema \(name) does not exist, and the role must not create it; create it as the owner "
                        + "of the database",
                    underlying: error)
            } catch let error as PostgresError where error.isUniqueViolation {
                // Another process created it at the same time.
            }
            return name
        }
    }

    /// The version of a schema, as a store keeps it.
    struct StoreVersion: Equatable {
        let identifier: Schema.Version
        /// The `Schema.versionHash`.
        let hash: String

        init(_ identifier: Schema.Version, of schema: Schema) {
            self.identifier = identifier
            hash = schema.versionHash
        }

        /// Reads the version of a store, which is `nil` if no program has declared one.
        ///
        /// - Throws: `SwiftDataError.damagedFile` if the stored version is invalid.
        init?(_ connection: Connection) throws {
            guard let text = try MetaTable.text(.schemaVersion, connection) else { return nil }
            guard let identifier = Schema.Version(text) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row 'schemaVersion' of chronicle_meta is invalid; restore it")
            }
            self.identifier = identifier
            hash = try MetaTable.text(.schemaHash, connection) ?? ""
        }

        func store(_ connection: Connection) throws {
            try MetaTable.set(.schemaVersion, identifier.description, connection)
            try MetaTable.set(.schemaHash, hash, connection)
        }

        /// Throws an error if the store has a later version than this one.
        ///
        /// - Returns: The version of the store, if it has one.
        @discardableResult
        func requireNotLater(_ connection: Connection) throws -> StoreVersion? {
            let stored = try StoreVersion(connection)
            guard let stored, stored.identifier > identifier else { return stored }
            throw SwiftDataError.newerSchemaVersion.with(
                detail:
                    "the store has version \(stored.identifier) of its schema, but this program supports versions up "
                    + "to \(identifier); update the program")
        }
    }
#endif
