#if Postgres
    import ChronicleCore

    struct RowStatements: Sendable {
        /// Inserts a row, and returns its key. Like the two others, it divides by zero if a trigger of another program
        /// ignored a row: the transaction must not be committed then, although COMMIT is sent in the same round trip.
        let insert: String
        /// Inserts rows whose columns are arrays, and returns their keys in the same order, followed by another number;
        /// `nil` for an entity without columns.
        let insertMany: String?
        /// The keys are the first of the arrays.
        let insertWithKeys: String
        let delete: String
        /// Divides by zero if one of the rows does not exist.
        let requireRows: String
        let reserveKeys: String

        private let table: String
        private let columns: [EntityTable.Column]

        /// - Parameter table: Qualified and quoted.
        /// - Parameter kind: The name of an entity that inherits from another one, which its rows contain.
        init(table: String, _ columns: [EntityTable.Column], kind: String?) {
            self.table = table
            self.columns = columns
            let key = EntityTable.primaryKey
            let names = columns.map { quoted($0.name) } + (kind == nil ? [] : [quoted(Schema.entityAttribute)])
            let constants = kind.map { [literal($0)] } ?? []
            let values = columns.indices.map { "$\($0 + 1)" } + constants
            let row =
                names.isEmpty
                ? " DEFAULT VALUES" : "(\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
            insert =
                "WITH inserted AS (INSERT INTO \(table)\(row) RETURNING \(key)) "
                + "SELECT coalesce(max(\(key)), 1) / count(*) FROM inserted"
            // The rows are inserted, and get their keys, in the order in which the function returns them.
            func many(_ names: [String], _ types: [ColumnType], returnsKeys: Bool) -> String {
                let arrays = types.enumerated().map { "$\($0 + 1)::\($1.name)[]" }
                let aliases = types.indices.map { "c\($0)" }
                return "WITH inserted AS (INSERT INTO \(table)(\(names.joined(separator: ", "))) "
                    + "SELECT \((aliases + constants).joined(separator: ", ")) "
                    + "FROM \(rows(of: arrays)) AS v(\(aliases.joined(separator: ", "))) RETURNING \(key)) "
                    + (returnsKeys ? "SELECT \(key) FROM inserted UNION ALL " : "")
                    + "SELECT 1 / (count(*) = pg_catalog.cardinality($1))::int FROM inserted"
            }
            insertMany = columns.isEmpty ? nil : many(names, columns.map(\.type), returnsKeys: true)
            insertWithKeys = many([key] + names, [.integer] + columns.map(\.type), returnsKeys: false)
            delete = "DELETE FROM \(table) WHERE \(key) = ANY($1)"
            requireRows =
                "SELECT 1 / (count(*) = pg_catalog.cardinality($1::bigint[]))::int FROM \(table) "
                + "WHERE \(key) = ANY($1::bigint[])"
            // The lock waits for a transaction that moves the sequence for restored keys; see `setHighestKey`.
            reserveKeys =
                "SELECT pg_catalog.nextval(pg_catalog.pg_get_serial_sequence(\(literal(table)), '\(key)')) FROM pg_catalog.generate_series(1, $1)"
        }

        /// Locks the table against a change of its sequence until the transaction ends.
        var lockForKeys: String { "LOCK TABLE \(table) IN ROW EXCLUSIVE MODE" }

        /// Locks the table against inserts by others until the transaction ends.
        var lockForRestoring: String { "LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE" }

        /// Rows that are inserted later have higher keys.
        var setHighestKey: String {
            let sequence = "pg_catalog.pg_get_serial_sequence(\(literal(table)), '\(EntityTable.primaryKey)')"
            return
                "SELECT pg_catalog.setval(\(sequence), $1) WHERE $1 > coalesce(pg_catalog.pg_sequence_last_value(\(sequence)), 0)"
        }

        /// Updates columns of a row whose key is the last parameter. The division fails if the row does not exist: the
        /// transaction must not be committed then, although COMMIT is sent in the same round trip.
        func update(_ slots: PropertySet) -> String {
            let assignments = slots.enumerated().map { "\(quoted(columns[$1].name)) = $\($0 + 1)" }
            return "WITH changed AS (UPDATE \(table) SET \(assignments.joined(separator: ", ")) "
                + "WHERE \(EntityTable.primaryKey) = $\(slots.count + 1) RETURNING 1) SELECT 1 / count(*) FROM changed"
        }

        /// The parameters are the keys, the values of each column, and the number of rows; see ``update(_:)``.
        func updateMany(_ slots: PropertySet) -> String {
            let assignments = slots.map { "\(quoted(columns[$0].name)) = v.c\($0)" }
            let arrays =
                ["$1::bigint[]"] + slots.enumerated().map { "$\($0 + 2)::\(columns[$1].type.name)[]" }
            let aliases = ["k"] + slots.map { "c\($0)" }
            return "WITH changed AS (UPDATE \(table) AS t SET \(assignments.joined(separator: ", ")) "
                + "FROM \(rows(of: arrays)) AS v(\(aliases.joined(separator: ", "))) "
                + "WHERE t.\(EntityTable.primaryKey) = v.k RETURNING 1) "
                + "SELECT 1 / (count(*) = $\(slots.count + 2))::int FROM changed"
        }
    }
#endif
