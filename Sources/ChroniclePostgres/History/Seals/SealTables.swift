#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The store then has another format; see ``MetaTable/sealedFormat``.
    extension SealTables {
        /// The names with the kinds in `pg_class`.
        static let kinds = Dictionary(
            [seal, commitment, commitmentKey, event, eventPart].map { ($0, "r") } + indexes.map { ($0.name, "i") },
            uniquingKeysWith: { $1 })

        /// The row of a commitment is that of an element of `preserved` of a change: the position of its transaction, the
        /// identifier of the change that readers see, and the place in the array, from 1 on. Both are 0 for the description of a
        /// transaction. No number is generated: that of an event is the highest one plus one, and the newest event is never
        /// deleted.
        private static func createTables(_ schema: String) -> [String] {
            [
                """
                CREATE TABLE \(schema).\(seal)(number bigint PRIMARY KEY, last bigint NOT NULL, last_check bigint NOT NULL, \
                sealed double precision NOT NULL, previous bytea NOT NULL, transactions bytea NOT NULL, catalog bytea, \
                catalog_hash bytea NOT NULL, hash bytea NOT NULL, public_key bytea, signature bytea)
                """,
                "CREATE INDEX chronicle_seal_index ON \(schema).\(seal)(last)",
                """
                CREATE TABLE \(schema).\(commitment)(transaction bigint, change bigint, place bigint, attribute bigint, \
                key bytea, commitment bytea, event bigint, PRIMARY KEY (transaction, change, place))
                """,
                """
                CREATE TABLE \(schema).\(commitmentKey)(entity bigint, number bigint, key bytea NOT NULL, \
                commitment bytea NOT NULL, PRIMARY KEY (entity, number))
                """,
                """
                CREATE TABLE \(schema).\(event)(id bigint PRIMARY KEY, kind text COLLATE "C" NOT NULL, \
                time double precision NOT NULL, author text COLLATE "C", program text COLLATE "C", \
                process text COLLATE "C", detail text COLLATE "C" NOT NULL, seal bigint)
                """,
                "CREATE INDEX chronicle_event_index ON \(schema).\(event)(seal)",
                """
                CREATE TABLE \(schema).\(eventPart)(event bigint, seal bigint, content bytea, PRIMARY KEY (event, seal))
                """,
            ]
        }

        /// Returns whether the history is sealed.
        ///
        /// Throws ``SwiftDataError/damagedFile`` if the tables contradict the format.
        static func exist(_ connection: Connection) throws -> Bool {
            let found = try connection.run(
                "SELECT to_regclass($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
                Parameters(
                    .text("\(connection.schema).chronicle_meta"), .text("\(connection.schema).\(seal)")))
            guard found.bool(0, 0) else { return false }
            let format = try MetaTable.text(.format, connection)
            // Spares histories without seals the look at all relations.
            guard found.bool(0, 1) || format == String(MetaTable.sealedFormat) else { return false }
            return try MetaTable.format(connection) == MetaTable.sealedFormat
        }

        /// Throws ``SwiftDataError/damagedFile`` if the relations of a store contradict its format. Those of other programs with
        /// other owners are ignored as long as there are no seals.
        static func check(_ present: Set<String>, format: Int) throws {
            guard format == MetaTable.sealedFormat else {
                guard present.contains(seal) else { return }
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "the store contains seals, but its format is \(format) instead of \(MetaTable.sealedFormat); another "
                        + "program changed it")
            }
            guard let missing = Set(kinds.keys).subtracting(present).min() else { return }
            throw SwiftDataError.damagedFile.with(
                detail:
                    "the relation \(missing) of the seals is missing or has another owner than the store; restore it from a "
                    + "backup")
        }

        /// Makes the history one that is sealed, in a transaction in which ``SchemaCompletion/lock(_:)`` was called and the row of
        /// `chronicle_history` is locked. Programs of an earlier version can no longer open the store.
        static func create(_ positions: HistoryPositions) throws {
            let connection = positions.connection
            let names = kinds.keys.sorted().map(literal).joined(separator: ", ")
            let others = try connection.run(
                """
                SELECT relname::text FROM pg_class WHERE relnamespace = \(connection.namespace) AND relname IN (\(names)) \
                ORDER BY 1
                """, isPrepared: false)
            guard others.count == 0 else {
                throw SwiftDataError.notAChronicleStore.with(
                    detail:
                        "\(others.text(0, 0)) in the schema \(connection.schema), which another program created, has the name of "
                        + "a table of seals; rename it")
            }
            try MetaTable.keepingCompletions(connection) {
                for statement in createTables(connection.schema) { try connection.script(statement) }
            }
            guard try StoreRelations(connection).seals.count == kinds.count else {
                throw SwiftDataError.storeReadOnly.with(
                    detail: "the role does not own the tables of the store; make the first seal as their owner")
            }
            try MetaTable.set(.format, String(MetaTable.sealedFormat), connection)
            let state = positions.state
            try EventTable(connection).add(
                .begun,
                BegunDetail(
                    newest: state.position, floor: state.floor,
                    beginning: positions.deletions()?.beginning ?? state.floor, purged: nil, gap: state.gap))
        }
    }

    extension MetaTable {
        /// Keeps the digests of definitions if those of the models do not change.
        fileprivate static func keepingCompletions(_ connection: Connection, _ body: () throws -> Void) throws {
            let before = try DatabaseSchema.digest(connection)
            try body()
            try connection.run(
                "UPDATE \(connection.schema).chronicle_meta SET value = $2 WHERE \(MetaName.isCompletion) AND value = $1",
                Parameters(.text(before), .text(DatabaseSchema.digest(connection))), isPrepared: false)
        }
    }
#endif
