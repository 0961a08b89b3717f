#if Postgres
    import ChronicleCore

    /// A column of a tracked table, and how the history contains its values.
    struct TrackedColumn: Codable, Hashable, Sendable {
        /// The number in `pg_attribute`, which a rename does not change.
        let number: Int64
        let name: String
        /// As the server names it, without modifiers such as a length.
        let type: String
        /// The type of the server, or that which a domain restricts; `nil` for one of another program.
        let base: String?
        /// Qualified and quoted; `nil` for a type without collations.
        let collation: String?

        /// How a value is converted to one of the four types of the history.
        private enum Form {
            case integer, boolean, real, blob
            /// Texts that do not depend on settings of the session.
            case text, date, zonedDate
            /// The output of the type. Not a cast: another program can define casts of its types.
            case output
        }

        private var form: Form {
            switch base {
            case "int2", "int4", "int8", "oid": .integer
            case "bool": .boolean
            case "float4", "float8": .real
            case "bytea": .blob
            case "text", "varchar", "bpchar", "name", "char", "uuid", "numeric", "json", "jsonb", "time", "timetz",
                "inet", "cidr",
                "macaddr":
                .text
            case "date", "timestamp": .date
            case "timestamptz": .zonedDate
            default: .output
            }
        }

        /// Whether an integer of the primary key is the key in the history.
        var isInteger: Bool { ["int2", "int4", "int8"].contains(base) }

        /// The type in the history.
        var columnType: ColumnType {
            switch form {
            case .integer, .boolean: .integer
            case .real: .real
            case .blob: .blob
            case .text, .date, .zonedDate, .output: .text
            }
        }

        /// The type and the stored form of the attribute in the description of the entity.
        var attributeType: (name: String, storage: Schema.Attribute.Storage) {
            switch form {
            case .integer: ("Int64", .integer)
            case .boolean: ("Bool", .integer)
            case .real: ("Double", .real)
            case .blob: ("Data", .blob)
            case .text, .date, .zonedDate, .output: ("String", .text)
            }
        }

        /// Returns the value in a row as an expression of ``columnType``.
        ///
        /// - Parameter row: The alias of the row.
        func value(_ row: String) -> String { value(of: "\(row).\(quoted(name))") }

        func value(of column: String) -> String {
            switch form {
            case .integer: "\(column)::bigint"
            case .boolean: "\(column)::integer::bigint"
            case .real: "\(column)::double precision"
            case .blob: "\(column)::bytea"
            case .text: "\(column)::text"
            // ISO 8601, whatever the style of the session is.
            case .date: "(to_jsonb(\(column)) #>> '{}')"
            case .zonedDate:
                "CASE WHEN isfinite(\(column)) THEN (to_jsonb(\(column) AT TIME ZONE 'UTC') #>> '{}') || 'Z' "
                    + "ELSE \(column)::text END"
            case .output: "CASE WHEN \(column) IS DISTINCT FROM NULL THEN format('%s', \(column)) END"
            }
        }

        /// The settings on which ``value(_:)`` depends.
        var settings: [String] {
            switch form {
            case .real: ["extra_float_digits = 1"]
            case .output:
                [
                    "bytea_output = 'hex'", "datestyle = 'ISO, YMD'", "extra_float_digits = 1",
                    "intervalstyle = 'postgres'",
                    "lc_monetary = 'C'", "timezone = 'UTC'",
                ]
            default: []
            }
        }

        /// The settings that a function needs to return values, as opposed to their texts.
        var viewSettings: [String] { form == .output ? settings : [] }

        // MARK: Keys

        /// The types whose keys are compared by the server, instead of by their texts.
        private static let keyTypes: Set<String> = [
            "int2", "int4", "int8", "text", "varchar", "bpchar", "uuid", "date", "timestamp", "timestamptz", "numeric",
            "bytea",
            "bool",
        ]

        private var isComparedAsItIs: Bool { base.map(Self.keyTypes.contains) ?? false }

        /// The type and the collation of the column in the table that numbers keys.
        var keyDefinition: String {
            guard isComparedAsItIs, let base else { return "text COLLATE pg_catalog.\"C\"" }
            return "pg_catalog.\(quoted(base))" + (collation.map { " COLLATE \($0)" } ?? "")
        }

        /// Returns the value in a row, of the type of ``keyDefinition``.
        func key(_ row: String) -> String { isComparedAsItIs ? "\(row).\(quoted(name))" : "(\(value(row)))::text" }

        /// The settings on which ``key(_:)`` depends.
        var keySettings: [String] { isComparedAsItIs ? [] : settings }

        /// Returns the value of the table that numbers keys as one of the history.
        ///
        /// - Parameter column: The column of that table.
        func value(ofKey column: String) -> String { isComparedAsItIs ? value(of: column) : column }
    }

    /// The primary key of a tracked table, which the history identifies by an integer.
    struct TrackedKey: Codable, Hashable, Sendable {
        let columns: [TrackedColumn]

        /// A single integer is the key in the history. Others are numbered.
        var isNumbered: Bool { columns.count != 1 || !columns[0].isInteger }

        static func table(of entity: Int64) -> String { "chronicle_key_\(entity)" }

        static func column(_ index: Int) -> String { "key_\(index + 1)" }

        private var ownColumns: [String] { columns.indices.map(Self.column) }

        /// Returns the statements that create the table `chronicle_key_…`, which numbers the keys. Its rows are never deleted.
        ///
        /// - Parameter table: Qualified.
        func createTable(_ table: String) -> String {
            let definitions = zip(ownColumns, columns).map { "\($0) \($1.keyDefinition) NOT NULL" }
            return """
                CREATE TABLE IF NOT EXISTS \(table)(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
                \(definitions.joined(separator: ", ")), UNIQUE (\(ownColumns.joined(separator: ", "))))
                """
        }

        /// The condition that a row `k` of the table has the key of the row `r`.
        var isSame: String {
            zip(ownColumns, columns).map { "k.\($0) OPERATOR(pg_catalog.=) \($1.key("r"))" }.joined(separator: " AND ")
        }

        /// Returns the statement that numbers the new keys of rows.
        ///
        /// - Parameters:
        ///   - table: Qualified.
        ///   - rows: An item of a FROM clause.
        func number(_ table: String, _ rows: String) -> String {
            """
            INSERT INTO \(table) AS t (\(ownColumns.joined(separator: ", "))) \
            SELECT \(columns.map { $0.key("r") }.joined(separator: ", ")) FROM \(rows) AS r \
            WHERE NOT EXISTS (SELECT FROM \(table) AS k WHERE \(isSame)) ON CONFLICT DO NOTHING
            """
        }
    }
#endif
