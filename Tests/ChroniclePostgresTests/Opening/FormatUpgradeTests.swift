#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Stores that an earlier version of Chronicle created.
    ///
    /// `Tests/Fixtures/Postgres/format-1.sql` is a dump (`pg_dump --no-owner --inserts`) of a store with three notes that
    /// have positions and two that have none.
    @Suite("PostgreSQL formats", .requiresPostgres) struct FormatUpgradeTests {
        enum Models {
            @Model final class Note {
                var text: String
                var number: Int
                @Relationship(deleteRule: .cascade, inverse: \Page.note) var pages: [Page] = []
                init(text: String, number: Int) { (self.text, self.number) = (text, number) }
            }

            @Model final class Page {
                var body: String = ""
                var note: Note?
                init() {}
            }
        }

        private let cluster: PostgresCluster
        private let database: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            database = try cluster.makeDatabase()
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Fixtures/Postgres/format-1.sql")
            try cluster.run(
                "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-f", file.standardized.path])
        }

        private func psql(_ script: String) throws -> String {
            try cluster.psql("SET search_path = s; \(script)", database: database)
        }

        private func open(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> ModelContext {
            var configuration = PostgresConfiguration(
                cluster.connectionString(database: database), schemaName: "s")
            change(&configuration)
            return ModelContext(try ModelContainer(for: Models.Note.self, configurations: configuration))
        }

        private func token(_ position: Int64) throws -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: try psql("SELECT value FROM chronicle_meta WHERE name = 'store'"), position: position,
                checkValue: try Int64(
                    psql("SELECT check_value FROM chronicle_transaction WHERE position = \(position)")))
        }

        @Test func tokensContinueAfterTheUpgrade() throws {
            #expect(try psql("SELECT value FROM chronicle_meta WHERE name = 'format'") == "1")
            let (first, third) = (try token(1), try token(3))
            // Another program writes before the upgrade, and after it.
            _ = try psql(#"INSERT INTO "Note"(text, number) VALUES ('before', 1)"#)
            let context = try open()
            #expect(try psql("SELECT value FROM chronicle_meta WHERE name = 'format'") == "2")
            _ = try psql(
                #"SET session_replication_role = replica; INSERT INTO "Note"(text, number) VALUES ('after', 1)"#)
            #expect(try context.fetchHistory(.after(first)).count == 6)
            let rest = try context.fetchHistory(.after(third))
            #expect(rest.map(\.author) == ["later", "later", nil, nil])
            context.insert(Models.Note(text: "new", number: 1))
            try context.save()
            #expect(try context.fetchHistory(.after(third)).count == 5)
            // The upgrade is done once.
            let definitions = try psql("SELECT definitions FROM chronicle_history")
            _ = try open()
            #expect(try psql("SELECT definitions FROM chronicle_history") == definitions)
        }

        @Test func changedTriggersAreAGapInAnUpgradeAsWell() throws {
            let third = try token(3)
            _ = try psql(#"ALTER TABLE "Note" DISABLE TRIGGER chronicle_insert"#)
            let context = try open()
            #expect(throws: SwiftDataError.historyTokenGap) { try context.fetchHistory(.after(third)) }
        }

        /// Only the owner of the tables can upgrade them.
        @Test func otherRolesWaitForTheUpgrade() throws {
            let role = "role_\(database)"
            _ = try psql(
                "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA s TO \(role); "
                    + "GRANT SELECT ON ALL TABLES IN SCHEMA s TO \(role)")
            for allowsSave in [true, false] {
                let error = try #require(throws: SwiftDataError.self) {
                    try open {
                        $0.connectionString = cluster.connectionString(database: database, user: role)
                        $0.allowsSave = allowsSave
                    }
                }
                #expect(error == .loadIssueModelContainer)
                #expect(error.detail?.contains("the format 1 of an earlier version of Chronicle") == true)
            }
            _ = try open()
            let context = try open { $0.connectionString = cluster.connectionString(database: database, user: role) }
            #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 5)
        }

        /// Purges by age use the times of the programs for transactions that have no other one.
        @Test func agesOfEarlierTransactions() async throws {
            let context = try open()
            _ = try psql("UPDATE chronicle_transaction SET timestamp = timestamp - 31536000 WHERE position <= 2")
            let result = try await context.container.purgeHistory(
                HistoryRetention(maximumAge: .seconds(30 * 86_400)))
            #expect(result.map(\.transactions) == [2])
        }
    }
#endif
