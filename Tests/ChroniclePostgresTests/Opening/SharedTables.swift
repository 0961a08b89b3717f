#if Postgres
    import Chronicle
    import ChronicleSQLStore
    import ChronicleTestSupport
    import Foundation

    @testable import ChroniclePostgres

    /// The tables of a PostgreSQL store that random programs open with versions of a schema.
    struct SharedTables: SchemaSequenceStore {
        private let cluster: PostgresCluster
        private let configuration: PostgresConfiguration

        /// - Parameter configuration: The configuration of a new store of the cluster, in a schema of the database.
        init(_ cluster: PostgresCluster, _ configuration: PostgresConfiguration) {
            self.cluster = cluster
            self.configuration = configuration
        }

        private func sql(_ statements: String) throws -> String {
            try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \(statements)")
        }

        private func lines(_ statements: String) throws -> [[String]] {
            try sql(statements).split(separator: "\n").map {
                $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            }
        }

        // MARK: Openings

        private static let ownName = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

        /// Returns the statement that renames a program in what the store records about the schemas in use.
        private static func renaming(_ program: String, to other: String) -> String {
            """
            UPDATE chronicle_meta SET value = replace(value, '"\(program)"', '"\(other)"') \
            WHERE name LIKE 'known:%' AND strpos(value, '"\(program)"') > 0
            """
        }

        func open(_ version: SchemaVersion, as program: Int?, stage: StoreReference.Stage?) throws -> Rows {
            var configuration = configuration
            configuration.schema = try version.schema()
            configuration.preservesValues = true
            guard let program else {
                configuration.allowsSave = false
                let before = try state()
                let result = Result { try PostgresStore(configuration, migrationPlan: nil) }
                if try state() != before { throw ChangedStore(nil) }
                _ = try result.get()
                return try rows(version)
            }
            let name = "program \(program)"
            let exists = try sql("SELECT to_regclass('chronicle_meta')") != ""
            let before = try exists ? state(after: Self.renaming(name, to: Self.ownName)) : ""
            let result = Result {
                if let stage { try run(stage, configuration) }
                _ = try PostgresStore(configuration, migrationPlan: nil)
            }
            if exists, case .failure(let error) = result, try state() != before { throw ChangedStore(error) }
            _ = try sql(Self.renaming(Self.ownName, to: name))
            try result.get()
            return try rows(version)
        }

        private func run(_ stage: StoreReference.Stage, _ configuration: PostgresConfiguration) throws {
            var settings = configuration.connectionSettings
            settings.schemaName = configuration.schemaName
            let connection = try Connection(settings)
            defer { connection.close() }
            _ = try SchemaCompletion(
                configuration.validatedSchema(), configuration, configuration.schemaName ?? "",
                stage: stage == .custom ? .custom : .lightweight
            ).complete(connection)
        }

        /// Returns the definitions and the properties of the store.
        private func state(after statement: String = "") throws -> String {
            try sql(
                """
                \(statement); SELECT table_name, column_name, data_type, is_nullable, column_default \
                FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2; \
                SELECT * FROM chronicle_meta ORDER BY name; SELECT * FROM chronicle_attribute ORDER BY entity, number; \
                SELECT count(*) FROM chronicle_change
                """)
        }

        private func rows(_ version: SchemaVersion) throws -> Rows {
            let properties = version.declared.map { ($0, version.properties(of: $0)) }
            let declared = properties.flatMap(\.1)
            let columns = Set(declared.filter { !$0.kind.isToMany }.map(\.name)).sorted()
            let values = columns.map { ", coalesce(\"\($0)\"::text, 'NULL')" }.joined()
            var queries = [
                "SELECT '', _rowid_, coalesce(to_jsonb(\"A\")->>'chronicle_entity', 'A')\(values) FROM \"A\""
            ]
            for name in Set(declared.filter(\.kind.isToMany).map(\.name)).sorted() {
                queries.append("SELECT '\(name)', owner, destination FROM \"A.\(name)\"")
            }
            let names = Dictionary(uniqueKeysWithValues: properties)
            var found: Rows = [:]
            var links: [Int64: [String: Set<Int64>]] = [:]
            for line in try lines(queries.joined(separator: "; ")) where line.count >= 3 {
                let key = Int64(line[1]) ?? 0
                guard line[0].isEmpty else {
                    links[key]?[line[0]]?.insert(Int64(line[2]) ?? 0)
                    continue
                }
                let own = names[version.entity(of: line[2])] ?? []
                found[key] = [:]
                for (name, value) in zip(columns, line.dropFirst(3)) where own.contains(where: { $0.name == name }) {
                    found[key]?[name] = value
                }
                links[key] = Dictionary(uniqueKeysWithValues: own.filter(\.kind.isToMany).map { ($0.name, []) })
            }
            for (key, lists) in links {
                for (name, keys) in lists { found[key]?[name] = StoreReference.text(keys) }
            }
            return found
        }

        // MARK: Content

        func insertDestinations() throws {
            _ = try sql(
                "INSERT INTO \"B\"(_rowid_, version) VALUES (1, 0), (2, 0); "
                    + "INSERT INTO \"C\"(_rowid_, version) VALUES (1, 0), (2, 0)")
        }

        func hasValues(_ place: StoreReference.Place) throws -> Bool {
            let (table, column) = place.isLinks ? ("A.\(place.name)", "owner") : ("A", place.name)
            let exists = try sql(
                "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() "
                    + "AND table_name = '\(table)' AND column_name = '\(column)'")
            guard exists == "1" else { return false }
            return try sql("SELECT count(*) FROM \"\(table)\" WHERE \"\(column)\" IS NOT NULL") != "0"
        }

        func problems() throws -> [String] { [] }

        func apply(_ change: StoreReference.Change) throws {
            var statements: [String] = []
            let values = change.values.sorted { $0.key < $1.key }
            if let entity = change.entity {
                // Without subclasses, there is no column for the class.
                let columns =
                    ["_rowid_", "version"] + (entity == "A" ? [] : ["chronicle_entity"])
                    + values.map { "\"\($0.key)\"" }
                let literals =
                    ["\(change.key)", "0"] + (entity == "A" ? [] : ["'\(entity)'"])
                    + values.map { Self.literal($0.value) }
                statements.append(
                    "INSERT INTO \"A\"(\(columns.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))"
                )
            } else {
                for (name, value) in values {
                    statements.append(
                        "UPDATE \"A\" SET \"\(name)\" = \(Self.literal(value)) WHERE _rowid_ = \(change.key)")
                }
            }
            for (name, keys) in change.links.sorted(by: { $0.key < $1.key }) {
                statements.append("DELETE FROM \"A.\(name)\" WHERE owner = \(change.key)")
                for key in keys.sorted() {
                    statements.append("INSERT INTO \"A.\(name)\"(owner, destination) VALUES (\(change.key), \(key))")
                }
            }
            _ = try sql("BEGIN; \(statements.joined(separator: "; ")); COMMIT")
        }

        private static func literal(_ value: PropertyValue) -> String {
            switch value {
            case .integer(let value): "'\(value)'"
            case .real(let value): "'\(value)'"
            case .text(let text): "'\(text.replacing("'", with: "''"))'"
            case .blob(let data): "'\\x\(data.map { String(format: "%02x", $0) }.joined())'"
            default: "NULL"
            }
        }
    }
#endif
