#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// The schema of the tables is chosen once, and statements do not depend on the search path.
    @Suite("PostgreSQL schemas", .requiresPostgres) struct SchemaChoiceTests {
        private let cluster: PostgresCluster
        private let database: String
        private let role: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            database = try cluster.makeDatabase()
            role = "role_\(database)"
            try cluster.psql("CREATE ROLE \(role) LOGIN")
        }

        private func open(
            _ schemaName: String?, asRole: Bool = true, _ change: (inout PostgresConfiguration) -> Void = { _ in }
        ) throws -> HistoryFixture {
            var configuration = PostgresConfiguration(
                cluster.connectionString(database: database, user: asRole ? role : nil), schemaName: schemaName)
            change(&configuration)
            return try HistoryFixture(configuration, cluster)
        }

        private func psql(_ script: String, asRole: Bool = false) throws -> String {
            try cluster.psql(script, database: database, user: asRole ? role : nil)
        }

        private func detail(_ schemaName: String?, allowsSave: Bool = true) throws -> String {
            let error = try #require(throws: SwiftDataError.self) {
                try open(schemaName) { $0.allowsSave = allowsSave }
            }
            #expect(SwiftDataError.loadIssueModelContainer ~= error)
            return error.detail ?? ""
        }

        /// PostgreSQL skips schemas of the search path that a role must not use.
        @Test func aRoleWithoutUsageDoesNotUseAnotherStore() throws {
            try open("trips", asRole: false).add("private")
            try open("public", asRole: false).add("public")
            _ = try psql(
                """
                GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role);
                GRANT INSERT ON public."Account", public."Entry" TO \(role); GRANT CREATE ON SCHEMA public TO \(role);
                ALTER ROLE \(role) IN DATABASE \(database) SET search_path = trips, public
                """)
            let missing = "does not have the privilege USAGE on the schema trips"
            for schemaName in ["trips", nil] {
                #expect(try detail(schemaName).contains(missing))
                #expect(try detail(schemaName, allowsSave: false).contains(missing))
            }
            _ = try psql("GRANT USAGE ON SCHEMA trips TO \(role)")
            #expect(try detail("trips").contains("permission denied for table"))
            _ = try psql(
                "GRANT SELECT ON ALL TABLES IN SCHEMA trips TO \(role); GRANT INSERT ON trips.\"Account\" TO \(role)")
            for schemaName in ["trips", nil] {
                let fixture = try open(schemaName)
                try fixture.add("for trips \(schemaName ?? "")")
                // The privilege is taken away while the store is open.
                _ = try psql("REVOKE USAGE ON SCHEMA trips FROM \(role)")
                let error = try #require(throws: SwiftDataError.self) { try fixture.add("later") }
                #expect(error == .storeReadOnly)
                #expect(throws: SwiftDataError.self) { try fixture.context().fetchCount(FetchDescriptor<Account>()) }
                #expect(throws: SwiftDataError.self) { try fixture.transactions() }
                _ = try psql("GRANT USAGE ON SCHEMA trips TO \(role)")
                #expect(try fixture.context().fetchCount(FetchDescriptor<Account>()) > 1)
            }
            #expect(try psql("SELECT name FROM public.\"Account\"") == "public")
            #expect(try psql("SELECT count(*) FROM trips.\"Account\"") == "3")
        }

        @Test func temporaryTablesAndPathsHaveNoEffect() throws {
            let fixture = try open("s", asRole: false)
            _ = try psql(
                """
                CREATE SCHEMA other; CREATE TABLE other."Account"(LIKE s."Account");
                CREATE FUNCTION s.other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                CREATE TEMPORARY TABLE IF NOT EXISTS "Account"(LIKE s."Account");
                SET search_path = other; RETURN NEW; END $$;
                CREATE TRIGGER other BEFORE INSERT ON s."Account" FOR EACH ROW EXECUTE FUNCTION s.other()
                """)
            let context = fixture.context()
            for name in ["a", "b", "c"] {
                context.insert(Account(name))
                try context.save()
            }
            #expect(try context.fetchCount(FetchDescriptor<Account>()) == 3)
            try context.delete(model: Account.self, where: #Predicate { $0.name == "a" })
            #expect(try psql("SELECT string_agg(name, ',' ORDER BY name) FROM s.\"Account\"") == "b,c")
            #expect(try fixture.transactions().count == 4)
        }

        @Test func missingPrivilegesAreNamed() throws {
            // A schema in which the role may create tables, but not use them.
            _ = try psql("CREATE SCHEMA s; GRANT CREATE ON SCHEMA s TO \(role)")
            #expect(try detail("s").contains("USAGE on the schema s"))
            _ = try psql("GRANT USAGE ON SCHEMA s TO \(role); REVOKE CREATE ON SCHEMA s FROM \(role)")
            #expect(try detail("s").contains("the schema s contains no store"))
            #expect(try detail("missing").contains("the role must not create it"))
            _ = try psql("GRANT CREATE ON SCHEMA s TO \(role)")
            try open("s").add("a")
        }

        /// Definitions that the role must not repair, and does not need, do not keep it from the store.
        @Test func definitionsOfOtherProgramsDoNotMatter() throws {
            try open("s", asRole: false).add("a")
            _ = try psql(
                """
                GRANT USAGE ON SCHEMA s TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA s TO \(role);
                GRANT INSERT, UPDATE ON s."Account" TO \(role);
                CREATE INDEX other ON s."Account"(note); CREATE TABLE s.another(a int);
                CREATE FUNCTION s.other() RETURNS int LANGUAGE sql AS 'SELECT 1'
                """)
            let fixture = try open("s")
            try fixture.add("b")
            #expect(try fixture.transactions().count == 2)
            _ = try psql("ALTER TABLE s.\"Account\" DROP COLUMN note")
            #expect(try detail("s").contains("the store has no column of the property"))
        }

        @Test func namesInASearchPath() {
            for (path, names) in [
                (#""$user", public"#, ["$user", "public"]), ("", []), (#"A,"A""b, c" , d"#, ["a", #"A"b, c"#, "d"]),
                (#""""#, []),
            ] { #expect(StoreOpener.names(inPath: path) == names) }
        }

        @Test func otherEncodingsAreRejected() throws {
            let name = "\(database)_latin"
            try cluster.psql("CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
            let error = try #require(throws: SwiftDataError.self) {
                try HistoryFixture(PostgresConfiguration(cluster.connectionString(database: name)), cluster)
            }
            #expect(SwiftDataError.loadIssueModelContainer ~= error)
            #expect(error.detail?.contains("the encoding LATIN1") == true)
            #expect(try cluster.psql("SELECT to_regclass('chronicle_meta') IS NULL", database: name) == "t")
        }

        /// The functions refer to tables by their names. Nothing is written to another store, and opening repairs them.
        @Test func aSchemaIsRenamed() throws {
            let fixture = try open("s", asRole: false)
            try fixture.add("a")
            let token = try fixture.token
            _ = try psql("ALTER SCHEMA s RENAME TO t")
            #expect(throws: SwiftDataError.storeMoved) { try fixture.add("b") }
            #expect(throws: SwiftDataError.storeMoved) { try fixture.context().fetch(FetchDescriptor<Account>()) }
            #expect(throws: SwiftDataError.storeMoved) { try fixture.transactions() }
            let other = try open("s", asRole: false)
            #expect(throws: Shell.Failure.self) {
                try psql("INSERT INTO t.\"Account\"(name, balance) VALUES ('b', 0)")
            }
            #expect(try other.transactions().isEmpty)
            let error = try #require(throws: SwiftDataError.self) {
                try open("t", asRole: false) { $0.allowsSave = false }
            }
            #expect(error.detail?.contains("the schema of the store was renamed from s to t") == true)
            let renamed = try open("t", asRole: false)
            try renamed.add("b")
            #expect(try renamed.transactions(after: token).count == 1)
            #expect(try other.transactions().isEmpty)
        }
    }
#endif
