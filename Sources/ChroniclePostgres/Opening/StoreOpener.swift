#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    struct StoreOpener {
        let configuration: PostgresConfiguration
        let schema: Schema
        let migrationPlan: (any SchemaMigrationPlan.Type)?

        struct Opened {
            let pool: ConnectionPool
            let layout: StoreLayout
            /// `nil` if the database was not migrated.
            let migratedVersion: Schema.Version?
            /// Triggers or rows of other programs may change further values in a save.
            var runsOtherTriggers = false
            var isStandby = false
            /// The server sends changes to a standby server.
            var isReplicated = false
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
            let schemaName = try schemaName(settings)
            settings.schemaName = schemaName
            let pool = ConnectionPool(
                settings, limit: configuration.connectionLimit, waitLimit: configuration.connectionTimeout)
            let connection = try Connection(settings)
            do {
                // Like a save, it may take long, and is not canceled at its end.
                let opened = try connection.withoutCancellation {
                    try open(pool, connection, schemaName, migration)
                }
                pool.add(connection)
                return opened
            } catch let error as PostgresError where error.isPrivilegeViolation {
                throw lackOfPrivilege(error, schemaName)
            }
        }

        func lackOfPrivilege(_ error: PostgresError, _ schemaName: String) -> SwiftDataError {
            .loadIssueModelContainer.with(
                detail:
                    "\(error.message); grant the role the privileges on the schema \(schemaName), such as SELECT on "
                    + "all of its tables, or connect as another role",
                underlying: error)
        }

        private func open(
            _ pool: ConnectionPool, _ connection: Connection, _ schemaName: String, _ migration: SchemaMigration?
        ) throws -> Opened {
            let version = (migration?.target ?? schema.declaredVersion).map { StoreVersion($0, of: schema) }
            let isStandby = try connection.isStandby()
            let completion = SchemaCompletion(
                schema, configuration, schemaName, version: version, isStandby: isStandby)
            try requireModels(connection)
            let isInspected = try configuration.isInspector && SchemaCompletion.hasStore(connection)
            guard configuration.allowsSave, !isStandby, !isInspected else {
                let layout = try completion.existingLayout(connection)
                var opened = Opened(pool: pool, layout: layout, migratedVersion: nil, isStandby: isStandby)
                // The server may be promoted while the store is open.
                if configuration.allowsSave { try look(&opened, connection, schemaName) }
                return opened
            }
            var migratedVersion: Schema.Version?
            if let migration {
                let database = MigratedDatabase(
                    connection: connection, configuration: configuration, schemaName: schemaName)
                migratedVersion = try StoreMigration(
                    database, schema, migration, progress: configuration.migrationProgress
                ).run()
            }
            var opened = Opened(
                pool: pool, layout: try completion.complete(connection), migratedVersion: migratedVersion)
            try look(&opened, connection, schemaName)
            return opened
        }

        /// Throws an error for the history of another program's tables, which has no classes.
        private func requireModels(_ connection: Connection) throws {
            guard !configuration.isInspector, try SchemaCompletion.hasStore(connection),
                let tables = try MetaTable.text(.tracked, connection)
            else { return }
            throw SwiftDataError.notAChronicleStore.with(
                detail:
                    "the schema contains the history of tables of another program, which are in the schema \(tables); "
                    + "set the schemaName of the configuration to another one")
        }

        /// The rows of standby servers are visible to every role.
        private func look(_ opened: inout Opened, _ connection: Connection, _ schemaName: String) throws {
            let found = try connection.run(
                """
                SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger AS t \
                JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid \
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1 AND NOT t.tgisinternal AND NOT pg_catalog.starts_with(t.tgname::text, 'chronicle_')) \
                OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS r \
                JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class \
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')), \
                EXISTS (SELECT FROM pg_catalog.pg_stat_replication)
                """, Parameters(.text(schemaName)), isPrepared: false)
            (opened.runsOtherTriggers, opened.isReplicated) = (found.bool(0, 0), found.bool(0, 1))
        }

        /// Creates the schema if it does not exist. It is chosen once: PostgreSQL skips the schemas of a search path that a
        /// role must not use, so a store whose statements depended on the path could be another one.
        func schemaName(_ settings: ConnectionSettings) throws -> String {
            let connection = try Connection(settings)
            defer { connection.close() }
            try requireUTF8(connection)
            let name = try configuration.schemaName ?? firstSchema(connection)
            try DistributedEngine.requireNone(connection, schemaName: name)
            if configuration.schemaName != nil { try connection.withoutCancellation { try create(name, connection) } }
            let privilege = try connection.run(
                """
                SELECT pg_catalog.has_schema_privilege(n.oid, 'USAGE'), current_user::text \
                FROM pg_catalog.pg_namespace AS n WHERE n.nspname = $1
                """, Parameters(.text(name)), isPrepared: false)
            guard privilege.count == 1, privilege.bool(0, 0) else {
                let role = privilege.count == 1 ? privilege.text(0, 1) : ""
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the role \(role) does not have the privilege USAGE on the schema \(name); grant it with "
                        + "GRANT USAGE ON SCHEMA \(quoted(name)) TO \(quoted(role))")
            }
            return name
        }

        func requireUTF8(_ connection: Connection) throws {
            if let encoding = connection.parameter("server_encoding"), encoding != "UTF8" {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the database has the encoding \(encoding); create a database with the encoding UTF8")
            }
        }

        /// The first one of the search path, whether or not the role may use it.
        func firstSchema(_ connection: Connection) throws -> String {
            let path = try connection.run(
                "SELECT pg_catalog.current_setting('search_path'), current_user::text", isPrepared: false)
            for name in Self.names(inPath: path.text(0, 0)) {
                let found = try connection.run(
                    "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
                    Parameters(.text(name == "$user" ? path.text(0, 1) : name)), isPrepared: false)
                // A temporary schema and that of the server are not meant for tables.
                if found.count > 0, name != "pg_catalog", !name.hasPrefix("pg_temp") {
                    return name == "$user" ? path.text(0, 1) : name
                }
            }
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "no schema of the search path exists; set the schemaName of the configuration")
        }

        static func names(inPath path: String) -> [String] {
            var names: [String] = []
            var rest = Substring(path)
            while !rest.isEmpty {
                rest = rest.drop { $0 == " " || $0 == "," }
                var name = ""
                if rest.first == "\"" {
                    rest = rest.dropFirst()
                    while let end = rest.firstIndex(of: "\"") {
                        name += rest[..<end]
                        rest = rest[rest.index(after: end)...]
                        // Two quotation marks are one in the name.
                        guard rest.first == "\"" else { break }
                        name += "\""
                        rest = rest.dropFirst()
                    }
                } else {
                    name = rest.prefix { $0 != "," }.trimmingCharacters(in: .whitespaces).lowercased()
                    rest = rest.drop { $0 != "," }
                }
                if !name.isEmpty { names.append(name) }
            }
            return names
        }

        private func create(_ name: String, _ connection: Connection) throws {
            let known = try connection.run(
                "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", Parameters(.text(name)), isPrepared: false)
            guard known.count == 0 else { return }
            guard configuration.allowsSave else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the schema \(name) does not exist; open the store once with `allowsSave: true`")
            }
            do {
                _ = try connection.transaction {
                    try $0.run("CREATE SCHEMA IF NOT EXISTS \(quoted(name))", isPrepared: false)
                }
            } catch let error as PostgresError where error.isPrivilegeViolation {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the schema \(name) does not exist, and the role must not create it; create it as the owner "
                        + "of the database",
                    underlying: error)
            } catch let error as PostgresError where error.isReadOnly {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the schema \(name) does not exist, and the server is read-only; open the store once on the "
                        + "primary server",
                    underlying: error)
            } catch let error as PostgresError where error.isUniqueViolation {
                // Another process created it at the same time.
            }
        }
    }
#endif
