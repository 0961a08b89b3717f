#if Postgres
    package import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore
    import Foundation

    // What the command-line tool needs besides the interface of the store.
    extension PostgresStore {
        /// Opens a store with the models that its catalog describes, without their classes. Changes neither the tables nor
        /// what the store records about its programs. `creating` returns the models of a store that is created; `nil`
        /// throws an error if there is no store. Throws the errors of ``init(_:migrationPlan:)``.
        package convenience init(
            inspecting configuration: PostgresConfiguration, creating schema: (() throws -> Schema)? = nil
        ) throws {
            var configuration = configuration
            configuration.isInspector = true
            let known = try ChroniclePostgres.attributingErrors(to: nil) {
                try configuration.validate()
                configuration = try StoreOpener(configuration, Schema(), nil).trackedConfiguration()
                return try StoreOpener(configuration, Schema(), nil).recordedSchema()
            }
            switch (known, schema) {
            case (let known?, _): configuration.schema = known
            case (nil, let schema?): configuration.schema = try schema()
            case (nil, nil):
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the schema of the database contains no store; check its name and the database")
            }
            try self.init(configuration, migrationPlan: nil)
        }

        /// The names of the database and of the schema, for messages.
        package var placeName: String {
            get throws {
                let database = try attributingErrors {
                    try pool.read { try $0.run("SELECT current_database()::text").text(0, 0) }
                }
                return "\(database).\(layout.tracked?.schemaName ?? layout.schemaName)"
            }
        }

        /// Includes removed attributes and relationships.
        package var recordedPropertyNames: Set<String> {
            Set(layout.recorded.flatMap { $0.attributes.map(\.name) })
        }

        package func preservedAttributes() throws -> [String: [String: Bool]] {
            try readingHistory { positions in
                let catalog = Catalog(positions.connection)
                return try catalog.preservedAttributes(kinds: catalog.kinds)
            }
        }

        package func isHistoryPurged() throws -> Bool { try readingHistory { $0.state.floor > 0 } }

        /// The position after which every change was recorded and none was deleted.
        package func completeHistoryToken() throws -> DefaultHistoryToken {
            try readingHistory { positions in
                positions.state.completeAfter(identifier)
                    ?? DefaultHistoryToken(storeIdentifier: identifier, position: 0)
            }
        }

        /// The position at which recording resumed; `nil` if no transaction remains before a gap.
        package func historyGap() throws -> DefaultHistoryToken? {
            try readingHistory { positions in
                guard positions.state.gap > 0, try positions.hasTransactions(through: positions.state.gap) else {
                    return nil
                }
                return positions.state.gapToken(identifier)
            }
        }

        package func tableByteCount() throws -> Int64 {
            try attributingErrors {
                try pool.read { connection in
                    try connection.run(
                        """
                        SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c \
                        WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p', 'm')
                        """, isPrepared: false
                    ).int64(0, 0)
                }
            }
        }

        /// Returns the rows in the order of the primary keys, with up to 1,000 of them in memory. `row` can use the store.
        package func fetchRows(
            ofEntity entityName: String, identifiers: Set<PersistentIdentifier>? = nil,
            _ row: (DefaultSnapshot) throws -> Void
        ) throws {
            try fetchRows(ofEntity: entityName, identifiers: identifiers, ignoresUnknown: false) { snapshot, _ in
                try row(snapshot)
            }
        }

        /// Does the same as ``fetchRows(ofEntity:identifiers:_:)``, and also passes on the names of the properties whose
        /// values as of the position of the store are not known.
        package func fetchRows(
            ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?,
            withMissingValues row: (DefaultSnapshot, Set<String>) throws -> Void
        ) throws {
            try fetchRows(ofEntity: entityName, identifiers: identifiers, ignoresUnknown: true, row)
        }

        private func fetchRows(
            ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?, ignoresUnknown: Bool,
            _ row: (DefaultSnapshot, Set<String>) throws -> Void
        ) throws {
            let table = try layout.table(named: entityName)
            let lookup = identifiers.map(DataStoreLookup.identifiers)
            // Not repeated, because the closure has received rows.
            try attributingErrors {
                try pool.use { connection in
                    guard let past else {
                        return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") {
                            try forEachRow(of: table, lookup, $0) { try row($0, []) }
                        }
                    }
                    try past.read(connection) { connection, tables in
                        try past.requireKnownDestinations(of: table.name, loadsModels: !ignoresUnknown, tables)
                        let changed = tables.tables[table.name]
                        try forEachRow(
                            of: table, lookup, connection, ignoresUnknown ? tables.ignoringUnknownValues : tables
                        ) { snapshot in
                            let key = snapshot.persistentIdentifier.integerPrimaryKey ?? 0
                            if let list = tables.unknowns.lists[table.name]?[key] { throw tables.unknowns.error(list) }
                            try row(snapshot, changed?.unknownColumns(key) ?? [])
                        }
                    }
                }
            }
        }

        private func fetch(
            _ table: EntityTable, _ lookup: DataStoreLookup? = nil, _ tables: PastTables? = nil
        ) throws -> FetchSQL {
            func fetch(_ tables: some SQLTables) throws -> FetchSQL {
                try FetchSQL(
                    FetchDescriptor<UntypedModel>(), of: table.entity, lookup: lookup, schema: schema,
                    storeIdentifier: identifier, dialect: layout.dialect, tables: tables)
            }
            return if let tables { try fetch(tables) } else { try fetch(ModelTables()) }
        }

        /// Reads rows in parts, with a cursor of the open transaction.
        ///
        /// - Parameters:
        ///   - lookup: The rows, or `nil` for all of them.
        ///   - tables: The tables as of a position, or `nil` for the present rows.
        func forEachRow(
            of table: EntityTable, _ lookup: DataStoreLookup?, _ connection: Connection, _ tables: PastTables? = nil,
            _ row: (DefaultSnapshot) throws -> Void
        ) throws {
            let query = try fetch(table, lookup, tables).select(table.selection)
            // In the order of the keys, which every fetch has.
            try connection.run(
                "DECLARE chronicle_rows NO SCROLL CURSOR FOR \(query.sql(for: layout.dialect))",
                Parameters(query.bindings), isPrepared: false)
            while true {
                let result = try connection.run("FETCH 1000 FROM chronicle_rows", isPrepared: false)
                try forEachRow(result, of: table, row)
                if result.count < 1_000 { break }
            }
            try connection.run("CLOSE chronicle_rows", isPrepared: false)
        }

        private func forEachRow(
            _ result: QueryResult, of table: EntityTable, _ row: (DefaultSnapshot) throws -> Void
        ) throws {
            let reader = try RowReader(table: table, result: result)
            for index in 0..<reader.count {
                let (identifier, values) = try reader.row(index)
                try row(DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()))
            }
        }

        package func fetchCount(ofEntity entityName: String) throws -> Int {
            let table = try layout.table(named: entityName)
            return try readRows { connection, tables in
                Int(try connection.run(fetch(table, nil, tables).count).int64(0, 0))
            }
        }

        package func identifier(ofEntity entityName: String, key: Int64) throws -> PersistentIdentifier {
            try layout.table(named: entityName).origin.identifier(key)
        }
    }

    extension StoreOpener {
        /// `nil` if there is no store. Throws `SwiftDataError.loadIssueModelContainer` if the role lacks a privilege.
        func recordedSchema() throws -> Schema? {
            try configuration.validate()
            var settings = configuration.connectionSettings
            let schemaName = try schemaName(settings)
            settings.schemaName = schemaName
            let connection = try Connection(settings)
            defer { connection.close() }
            do {
                guard try SchemaCompletion.hasStore(connection) else { return nil }
                let catalog = Catalog(connection)
                var definitions = try catalog.definitionsByName()
                if let tracked = try MetaTable.text(.tracked, connection) {
                    let readable = try TrackedLayout.readableEntities(connection, tracked)
                    definitions = definitions.filter { readable.contains($0.key) }
                }
                return try catalog.describedSchema(of: definitions, hasTable: DatabaseSchema(connection).hasTable)
            } catch let error as PostgresError where error.isPrivilegeViolation {
                throw lackOfPrivilege(error, schemaName)
            }
        }
    }
#endif
