#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Testing

    @testable import ChroniclePostgres

    /// Schemas and collations in which the recording would be unsafe or incomplete.
    @Suite("PostgreSQL tracked tables in unusual schemas", .requiresPostgres) struct TrackedCaseTests {
        private func updates(_ fixture: TrackedFixture) throws -> [TrackedFixture.Row] {
            let changes = try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(
                \.changes)
            return changes.compactMap { change in
                guard case .update = change else { return nil }
                return Dictionary(
                    change.preservedValues.map { ($0.name, TrackedFixture.text($0.value)) }, uniquingKeysWith: { $1 })
            }
        }

        /// The collation of the program considers the texts equal.
        @Test func updatesOfTheCaseAreRecorded() throws {
            let fixture = try TrackedFixture(
                """
                CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = FALSE);
                CREATE TABLE account(id int PRIMARY KEY, email text COLLATE ignoring_case)
                """)
            try fixture.sql(
                "INSERT INTO account VALUES (1, 'bob'); UPDATE account SET email = 'BOB' WHERE email = 'Bob'")
            #expect(try updates(fixture).map { $0["email"] } == ["BOB"])
            #expect(try fixture.problems() == [])
        }

        /// A role that may create schemas could replace what the owner of the tables executes.
        @Test func schemasOfOthersAreNotUsed() throws {
            let fixture = try TrackedFixture("CREATE TABLE item(id int PRIMARY KEY)", track: false)
            let history = PostgresTracking.historySchema(of: fixture.schemaName)
            let role = "\(fixture.schemaName)_other"
            try fixture.sql(
                """
                CREATE ROLE \(role); CREATE SCHEMA \(history) AUTHORIZATION \(role);
                CREATE VIEW \(history).chronicle_tracked AS SELECT 1 AS entity;
                ALTER VIEW \(history).chronicle_tracked OWNER TO \(role)
                """)
            // The cluster is removed in any case.
            defer { _ = try? fixture.sql("DROP SCHEMA \(history) CASCADE; DROP ROLE \(role)") }
            #expect(throws: SwiftDataError.notAChronicleStore) { try fixture.tracking.tables() }
            #expect(throws: SwiftDataError.notAChronicleStore) { try fixture.tracking.track() }
            #expect(throws: SwiftDataError.notAChronicleStore) { try fixture.store() }
        }
    }
#endif
