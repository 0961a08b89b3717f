#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Random sequences of versions of a schema, each opened with the tables of the version before, in which any property
    /// changes to any other kind, type, name, class or destination, or is removed and declared again.
    ///
    /// Each version has the documented content, or is rejected and leaves the tables unchanged.
    @Suite("PostgreSQL schema versions", .requiresPostgres) struct PostgresSchemaVersionTests {
        private let cluster: PostgresCluster
        private let configuration: PostgresConfiguration

        init() throws {
            cluster = try PostgresCluster.shared.get()
            configuration = try .testing()
        }

        private func sql(_ statements: String) throws -> String {
            try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \(statements)")
        }

        @Test(arguments: TestSeed.rounds(6)) func contentIsKeptOrTheVersionIsRejected(_ number: Int) throws {
            var random = TestSeed.generator(number)
            var content = SchemaContent(SchemaVersion(using: &random))
            var log: [String] = []
            var key: Int64 = 0
            func comment() -> String { "\(log.joined(separator: "\n")) \(TestSeed.description), number \(number)" }
            try open(content.version)
            _ = try sql(
                "INSERT INTO \"B\"(_rowid_, version) VALUES (1, 0), (2, 0); "
                    + "INSERT INTO \"C\"(_rowid_, version) VALUES (1, 0), (2, 0)")
            for _ in 0..<5 {
                log.append("version \(content.version.properties)")
                var statements = ""
                for _ in 0..<random.below(5) {
                    key += 1
                    content.insert(key, using: &random)
                    statements += Self.statements(content, key) + "; "
                }
                log.append(statements)
                _ = try sql("BEGIN; \(statements) COMMIT")
                try expect(content, comment())
                // Some versions are rejected.
                for _ in 0..<3 {
                    let next = content.version.next(using: &random)
                    log.append("next \(next.properties)")
                    var expected = content
                    do { try expected.migrate(to: next, hasValues: hasValues) } catch let rejection
                        as SchemaContent.Rejection
                    {
                        log.append("rejected: \(rejection.reason)")
                        let before = try state()
                        let error = #expect(throws: SwiftDataError.self, "\(comment())") { try open(next) }
                        try #require(error == .backwardMigration, "\(String(describing: error)) \(comment())")
                        try #require(try state() == before, "\(comment())")
                        continue
                    }
                    do { try open(next) } catch {
                        Issue.record("\(error) \(comment())")
                        return
                    }
                    content = expected
                    break
                }
                try expect(content, comment())
            }
        }

        /// Two programs with different models open the store, and are updated, in a random order.
        @Test(arguments: TestSeed.rounds(2)) func programsWithDifferentModelsKeepTheirValues(_ number: Int) throws {
            var random = TestSeed.generator(number)
            var content = SharedContent()
            var log: [String] = []
            var key: Int64 = 0
            for step in 0..<15 {
                let (version, description) = content.open(step: step, using: &random)
                log.append(description)
                try open(version)
                let rows = content.rows(of: version).sorted { $0.key < $1.key }
                for name in rows.first?.value.keys.sorted() ?? [] {
                    let found = try sql("SELECT _rowid_, \"\(name)\" FROM \"A\" ORDER BY 1")
                    try #require(
                        found == rows.map { "\($0.key)|\($0.value[name] ?? -1)" }.joined(separator: "\n"),
                        "\(name) \(log.joined(separator: "\n")) \(TestSeed.description), number \(number)")
                }
                key += 1
                content.insert(key, using: &random)
                _ = try sql(content.statement(key, keyColumn: "_rowid_"))
            }
        }

        private func open(_ version: SchemaVersion) throws {
            var configuration = configuration
            configuration.schema = try version.schema()
            configuration.preservesValues = true
            _ = try PostgresStore(configuration, migrationPlan: nil)
        }

        /// Returns the definitions and the properties of the store.
        private func state() throws -> String {
            try sql(
                """
                SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns \
                WHERE table_schema = current_schema() ORDER BY 1, 2; SELECT * FROM chronicle_meta ORDER BY name; \
                SELECT * FROM chronicle_attribute ORDER BY entity, number; SELECT count(*) FROM chronicle_change
                """)
        }

        private func hasValues(_ property: SchemaVersion.Property) throws -> Bool {
            let (table, column) = property.kind.isToMany ? ("A.\(property.name)", "owner") : ("A", property.name)
            let exists = try sql(
                "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() "
                    + "AND table_name = '\(table)' AND column_name = '\(column)'")
            guard exists == "1" else { return false }
            return try sql("SELECT count(*) FROM \"\(table)\" WHERE \"\(column)\" IS NOT NULL") != "0"
        }

        /// Returns the statements of another program that insert a row.
        private static func statements(_ content: SchemaContent, _ key: Int64) -> String {
            guard let row = content.rows[key] else { return "" }
            let values = row.values.sorted { $0.key < $1.key }
            let columns = (["_rowid_", "version", "chronicle_entity"] + values.map { "\"\($0.key)\"" })
            let literals =
                ["\(key)", "0", row.entity == "A" ? "NULL" : "'\(row.entity)'"] + values.map { literal($0.value) }
            var statements = [
                "INSERT INTO \"A\"(\(columns.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))"
            ]
            for (name, destinations) in row.links.sorted(by: { $0.key < $1.key }) {
                for destination in destinations.sorted() {
                    statements.append(
                        "INSERT INTO \"A.\(name)\"(owner, destination) VALUES (\(key), \(destination))")
                }
            }
            return statements.joined(separator: "; ")
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

        /// Returns a value as the server writes it.
        private static func text(_ value: PropertyValue) -> String {
            switch value {
            case .integer(let value): "\(value)"
            case .real(let value) where value.isInfinite: value < 0 ? "-Infinity" : "Infinity"
            case .real(let value) where value == 0: value.sign == .minus ? "-0" : "0"
            case .real(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            case .text(let text): text
            case .blob(let data): "\\x\(data.map { String(format: "%02x", $0) }.joined())"
            default: "NULL"
            }
        }

        private func expect(_ content: SchemaContent, _ comment: @autoclosure () -> String) throws {
            for entity in SchemaVersion.classes {
                let rows = content.rows.filter { $0.value.entity == entity }.sorted { $0.key < $1.key }
                let condition = entity == "A" ? "chronicle_entity IS NULL" : "chronicle_entity = '\(entity)'"
                for property in content.version.properties(of: entity) {
                    let name = property.name
                    if property.kind.isToMany {
                        let expected = rows.flatMap { key, row in
                            (row.links[name] ?? []).sorted().map { "\(key)|\($0)" }
                        }
                        let found = try sql(
                            "SELECT owner, destination FROM \"A.\(name)\" JOIN \"A\" ON _rowid_ = owner "
                                + "WHERE \(condition) ORDER BY 1, 2")
                        try #require(found == expected.joined(separator: "\n"), "\(entity).\(name) \(comment())")
                    } else {
                        let expected = rows.map { "\($0.key)|\(Self.text($0.value.values[name] ?? .null))" }
                        let found = try sql(
                            "SELECT _rowid_, coalesce(\"\(name)\"::text, 'NULL') FROM \"A\" WHERE \(condition) ORDER BY 1"
                        )
                        try #require(found == expected.joined(separator: "\n"), "\(entity).\(name) \(comment())")
                    }
                }
            }
        }
    }
#endif
