#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// The tables of the store for the changes of a schema, as they were when the value was created.
    struct DatabaseTables: StoreTables {
        let connection: Connection
        let definitions: DatabaseSchema
        private let completion: SchemaCompletion

        init(_ completion: SchemaCompletion, _ connection: Connection) throws {
            (self.completion, self.connection) = (completion, connection)
            definitions = try DatabaseSchema(connection)
        }

        var catalog: Catalog { Catalog(connection) }
        var models: Schema { completion.models }
        var schema: Schema { completion.schema }
        var dialect: any SQLDialect { connection.dialect }

        func literal(_ text: String) -> String { ChroniclePostgres.literal(text) }

        func folded(_ name: String) -> String { name }

        func hasTable(_ name: String) -> Bool { definitions.hasTable(name) }

        func columns(of table: String) -> [String: StoredProperty] {
            Dictionary(
                uniqueKeysWithValues: (definitions.columns[table] ?? [:]).map { name, column in
                    let storage: Schema.Attribute.Storage =
                        switch column.type {
                        case "bigint": .integer
                        case "double precision": .real
                        case "bytea": .blob
                        default: .text
                        }
                    return (name, StoredProperty(name: name, place: .column, storage: storage, destination: nil))
                })
        }

        func references(_ table: String, from owner: String, to destination: String) -> Bool {
            let keys = definitions.foreignKeys[table] ?? [:]
            let names = ["owner", "destination"].map { TableNames.shortened("chronicle_links_\(table)_\($0)") }
            return keys[names[0]]?.destination == owner && keys[names[1]]?.destination == destination
        }

        func exists(_ rows: String) throws -> Bool {
            try connection.run("SELECT 1 FROM \(rows) LIMIT 1", isPrepared: false).count > 0
        }

        func isInexact(_ column: String, limit: Int64) -> String { "\(column) NOT BETWEEN \(-limit) AND \(limit)" }

        func forEachValue(
            _ column: String, _ rows: String, as property: Schema.Property, _ body: (PropertyValue) throws -> Void
        ) throws {
            let result = try connection.run("SELECT DISTINCT \(column) FROM \(rows)", isPrepared: false)
            let type = ColumnType(property)
            for row in 0..<result.count {
                switch type {
                case .integer: try body(.integer(result.int64(row, 0)))
                case .real: try body(.real(result.double(row, 0)))
                case .text: try body(.text(result.text(row, 0)))
                case .blob: try body(.blob(result.data(row, 0)))
                }
            }
        }
    }

    extension DatabaseTables: RelationshipTables {
        static func temporary(_ name: String) -> String { "pg_temp.\(name)" }

        func reloaded() throws -> DatabaseTables { try DatabaseTables(completion, connection) }

        func execute(_ sql: String) throws { try connection.script(sql) }

        func createLinks(_ links: Schema.Links) throws {
            try connection.script(LinkDefinition(links: links, schemaName: completion.schemaName).createTable)
        }

        func dropLinks(_ table: String) throws {
            try completion.dropMirror(of: table, connection)
            try connection.script("DROP TABLE IF EXISTS \(connection.table(table))")
        }

        func copyLinks(_ table: String, toTemporary name: String) throws {
            try connection.script(
                "CREATE TEMPORARY TABLE \(name) ON COMMIT DROP AS SELECT owner, destination "
                    + "FROM \(connection.table(table))")
        }

        func copyLinks(_ source: EarlierLinks, to links: Schema.Links) throws {
            let table = source.isTemporary ? Self.temporary(source.table) : connection.table(source.table)
            let columns = source.isReversed ? "destination, owner" : "owner, destination"
            try connection.script(
                "INSERT INTO \(connection.table(links.name))(owner, destination) SELECT \(columns) FROM \(table) "
                    + "ON CONFLICT DO NOTHING")
        }

        func dropColumn(_ name: String, of table: String, newName: String?) throws {
            try connection.script("ALTER TABLE \(connection.table(table)) DROP COLUMN \(quoted(name))")
            guard let entity = try catalog.entities().first(where: { $0.name == table }) else { return }
            try catalog.recordDroppedColumn(name, of: entity, newName: newName)
        }

        func createPairs() throws {
            try connection.script(
                """
                CREATE TEMPORARY TABLE chronicle_pair(relationship bigint, source bigint, destination bigint, \
                PRIMARY KEY (relationship, source, destination)) ON COMMIT DROP;
                CREATE INDEX ON pg_temp.chronicle_pair(relationship, destination)
                """)
        }

        func copyPairs(
            _ relationship: RelationshipChange, _ number: Int, to destination: String, rows: String,
            destinations: String
        ) throws {
            // A relationship with the delete rule `noAction` can contain the keys of rows that do not exist.
            try connection.script(
                """
                INSERT INTO pg_temp.chronicle_pair SELECT \(number), p.source, p.destination \
                FROM (\(relationship.old.pairs(connection.dialect).sql)) AS p \
                JOIN (SELECT _rowid_ FROM \(connection.table(relationship.entity.name)) WHERE \(rows)) AS s \
                ON s._rowid_ = p.source \
                JOIN (SELECT _rowid_ FROM \(connection.table(destination)) WHERE \(destinations)) AS d \
                ON d._rowid_ = p.destination
                """)
        }

        func writePairs(_ number: Int, to storage: RelationshipStorage) throws {
            func update(_ table: String, _ column: String, _ value: String, where key: String) -> String {
                "UPDATE \(connection.table(table)) AS t SET \(quoted(column)) = p.\(value) "
                    + "FROM pg_temp.chronicle_pair AS p WHERE p.relationship = \(number) AND p.\(key) = t._rowid_ "
                    + "AND t.\(quoted(column)) IS DISTINCT FROM p.\(value)"
            }
            switch storage {
            case .column(let table, let name):
                try connection.script(update(table, name, "destination", where: "source"))
            case .inverseColumn(let table, let name):
                try connection.script(update(table, name, "source", where: "destination"))
            case .links(let table, let from, let to):
                try connection.script(
                    "INSERT INTO \(connection.table(table))(\(from), \(to)) SELECT source, destination "
                        + "FROM pg_temp.chronicle_pair WHERE relationship = \(number) ON CONFLICT DO NOTHING")
            }
        }
    }
#endif
