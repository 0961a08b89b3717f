#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// A role that may create objects in the schema of a store, as every role may in the schema `public` before
    /// PostgreSQL 15, must not run code as the owner of the tables.
    @Suite("PostgreSQL objects of other roles", .requiresPostgres) struct HostileObjectsTests {
        private static let types = [
            "bigint", "integer", "smallint", "text", "name", "\"char\"", "numeric", "double precision", "boolean",
            "jsonb", "xid8", "oid", "timestamptz", "bigint[]", "smallint[]", "text[]", "bytea",
        ]
        private static let pairs = [
            "bigint", "integer", "smallint[]", "text", "text[]", "name", "numeric", "double precision", "jsonb", "xid8",
        ].flatMap { first in
            ["bigint", "integer", "smallint[]", "text", "text[]", "name", "numeric", "double precision", "jsonb"].map {
                (first, $0)
            }
        }

        /// Creates, for each function and operator of the server that the functions of the store name, others with the same
        /// name for many types that the server has none for, and for those that it has.
        private func createTwins(_ fixture: HistoryFixture, _ attacker: String) throws {
            let names = try fixture.psql(
                """
                SELECT DISTINCT p.proname FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_proc AS c \
                ON c.pronamespace = '\(fixture.schema)'::regnamespace AND c.proname LIKE 'chronicle%' \
                AND c.prosrc ~ ('\\m' || p.proname || '\\(') \
                WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
                """
            ).split(separator: "\n").map(String.init)
            #expect(names.count > 20)
            let operators = ["||", "=", "<>", "<", ">", "<=", ">=", "+", "-", "->", "->>", "~", "&&", "*", "/"]
            var script = "SET search_path = \(fixture.schema);"
            func twin(_ name: String, _ arguments: [String], _ result: String) -> String {
                let value = result == "text" ? "'i5'" : result == "boolean" ? "TRUE" : "0"
                return """
                    DO $x$ BEGIN CREATE FUNCTION \(name)(\(arguments.joined(separator: ", "))) RETURNS \(result) \
                    LANGUAGE plpgsql AS $$ BEGIN INSERT INTO \(fixture.schema).secret \
                    VALUES (current_user, '\(name)(\(arguments.joined(separator: ",")))'); RETURN \(value); END $$; \
                    EXCEPTION WHEN OTHERS THEN NULL; END $x$;

                    """
            }
            for name in names {
                script += twin("\"\(name)\"", [], "bigint")
                for type in Self.types { script += twin("\"\(name)\"", [type], "text") }
                for (type, other) in Self.pairs { script += twin("\"\(name)\"", [type, other], "text") }
            }
            for (number, name) in operators.enumerated() {
                let result =
                    ["||", "->", "->>"].contains(name)
                    ? "text" : ["+", "-", "*", "/"].contains(name) ? "bigint" : "boolean"
                for (index, (type, other)) in Self.pairs.enumerated() {
                    let function = "evil_\(number)_\(index)"
                    script += twin(function, [type, other], result)
                    script += """
                        DO $x$ BEGIN CREATE OPERATOR \(name) (FUNCTION = \(function), LEFTARG = \(type), \
                        RIGHTARG = \(other)); EXCEPTION WHEN OTHERS THEN NULL; END $x$;

                        """
                }
            }
            for type in ["xid8", "text", "jsonb", "\"char\"", "timestamptz"] {
                script += "CREATE TYPE \(type) AS (a int);"
            }
            for table in ["pg_trigger", "pg_class"] { script += "CREATE TABLE \(table)(a int);" }
            let session = try PsqlSession(fixture, user: attacker)
            try session.run(script)
            try session.end()
        }

        @Test func twinsOfFunctionsAndOperatorsAreNotCalled() throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let schema = configuration.schemaName ?? ""
            let (owner, attacker) = ("owner_\(schema)", "attacker_\(schema)")
            try cluster.psql(
                """
                CREATE ROLE \(owner) LOGIN; CREATE ROLE \(attacker) LOGIN; ALTER SCHEMA \(schema) OWNER TO \(owner);
                GRANT USAGE, CREATE ON SCHEMA \(schema) TO PUBLIC
                """)
            var own = configuration
            own.connectionString = cluster.connectionString(user: owner)
            let fixture = try HistoryFixture(own, cluster)
            try fixture.add("a", "b")
            try fixture.psql(
                """
                CREATE TABLE secret(role text, name text); GRANT INSERT ON secret TO PUBLIC;
                GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(attacker);
                GRANT INSERT, UPDATE, DELETE, TRUNCATE ON "Account", "Entry" TO \(attacker)
                """, user: owner)
            try createTwins(fixture, attacker)
            func found() throws -> String {
                try cluster.psql(
                    "SELECT string_agg(DISTINCT name, ' ') FROM \(schema).secret WHERE role <> '\(attacker)'")
            }
            // The attacker writes, so that the triggers and the functions of the history run as their owner.
            try cluster.psql(
                """
                INSERT INTO \(schema)."Account"(name, balance, rate, photo, note) VALUES ('c', 5, 0.5, 'x', 'note');
                UPDATE \(schema)."Account" SET balance = 7, rate = 1, note = 'x', name = 'd' WHERE name = 'c';
                UPDATE \(schema)."Account" SET _rowid_ = 90 WHERE name = 'd';
                INSERT INTO \(schema)."Entry"(amount, account) VALUES (1, 1);
                DELETE FROM \(schema)."Account" WHERE name = 'd'
                """, user: attacker)
            try cluster.psql("TRUNCATE \(schema).\"Entry\"", user: attacker)
            try cluster.psql("SELECT \(schema).chronicle_merge()", user: attacker)
            try cluster.psql("SELECT \(schema).chronicle_number()", user: attacker)
            #expect(try found() == "")
            // The owner of the tables opens the store, writes, and reads.
            let again = try HistoryFixture(own, cluster)
            #expect(try found() == "")
            let context = again.context("me")
            let account = try #require(
                try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.name == "a" })).first)
            account.balance = 3
            account.entries = [Entry(1), Entry(2)]
            for number in 0..<5 { context.insert(Account("many \(number)")) }
            try context.save()
            context.delete(account)
            try context.save()
            #expect(try found() == "")
            #expect(try again.transactions().count > 5)
            let store = try #require(again.container.stores.first as? PostgresStore)
            _ = try store.historyStatistics()
            #expect(try found() == "")
            let plan = try store.planHistoryPurge(HistoryRetention(maximumAge: .zero, maximumBytes: 100), at: .now)
            _ = try store.purgeHistory(plan)
            #expect(try found() == "")
            try context.tag("here")
            #expect(try found() == "")
            try store.erase()
            #expect(try found() == "")
        }

        // MARK: Statements with the session's path

        /// Operators that statements for models would use if their operands had other types, each with the types and the
        /// result.
        private static let twinOperators: [(name: String, left: String, right: String, result: String)] =
            ["=", "<>", "<", ">", "<=", ">="].flatMap { name in
                [
                    ("double precision", "numeric"), ("double precision", "integer"), ("double precision", "bigint"),
                    ("numeric", "integer"), ("numeric", "bigint"), ("bigint", "numeric"), ("integer", "numeric"),
                    ("numeric", "double precision"), ("bigint", "double precision"), ("text", "\"char\""),
                ].map { (name, $0.0, $0.1, "boolean") }
            }
            + ["+", "-", "*", "/"].flatMap { name in
                [
                    ("double precision", "numeric"), ("integer", "double precision"), ("double precision", "integer"),
                    ("numeric", "double precision"), ("numeric", "bigint"), ("bigint", "numeric"),
                    ("double precision", "bigint"),
                ].map { (name, $0.0, $0.1, "double precision") }
            }
            + ["->", "->>"].flatMap { name in
                [("json", "json"), ("jsonb", "jsonb"), ("json", "name"), ("jsonb", "name")].map {
                    (name, $0.0, $0.1, "text")
                }
            }

        /// Functions that would be preferred to those of the server with parameters of any type, or for literals.
        private static let twinFunctions: [(name: String, parameters: [String], result: String)] = [
            ("concat", ["text", "bigint"], "text"), ("to_json", ["uuid"], "json"),
            ("div", ["numeric", "bigint"], "numeric"),
            ("replace", ["text", "\"char\"", "\"char\""], "text"), ("decode", ["text", "\"char\""], "bytea"),
            ("abs", ["double precision", "integer"], "double precision"), ("mod", ["bigint", "integer"], "bigint"),
            ("unnest", ["bigint[]"], "bigint"), ("cardinality", ["bigint[]"], "integer"),
            ("strpos", ["text", "\"char\""], "integer"), ("starts_with", ["text", "\"char\""], "boolean"),
            ("set_config", ["text", "text", "integer"], "text"),
        ]

        enum Probes {
            struct Place: Codable, Equatable {
                var city = "Rome"
                var height = 1.5
                var level: Float = 2.5
                var floor = 3
                var rent: Decimal = 4
                var key: UUID? = UUID()
                var icon: Data? = Data([1, 2])
            }

            @Model final class Probe {
                @Attribute(.unique) var name: String
                @Attribute(.unique) var number: Int
                @Attribute(.unique) var real: Double
                var small: Int8 = 1
                var rate = 0.5
                var price: Decimal = 3
                var place = Place()
                @Relationship(inverse: \Part.probe) var parts: [Part] = []
                init(_ number: Int) { (name, self.number, real) = ("\(number)", number, Double(number)) }
            }

            @Model final class Part {
                var weight = 1.5
                var count = 1
                var probe: Probe?
                init() {}
            }
        }

        /// Statements of a store that resolve operators and functions, by what they do.
        static let statements: [(String, @Sendable (ModelContext) throws -> Void)] = {
            typealias Probe = Probes.Probe
            func matching(_ predicate: Predicate<Probe>) -> @Sendable (ModelContext) throws -> Void {
                { context in
                    _ = try context.fetchCount(FetchDescriptor(predicate: predicate))
                    try context.update(model: Probe.self, where: predicate, set: \.small, to: 2)
                }
            }
            return [
                ("sum", matching(#Predicate { $0.rate + $0.real > 1 })),
                ("product", matching(#Predicate { $0.rate * $0.real > 1 })),
                ("quotient", matching(#Predicate { $0.rate / $0.real > 1 })),
                ("integers", matching(#Predicate { $0.number * 2 - $0.number / 2 % 7 > 1 && -$0.number < 0 })),
                ("member", matching(#Predicate { $0.place.city == "Rome" && $0.place.city.contains("o") })),
                ("members", matching(#Predicate { $0.place.height > 1 && $0.place.floor < 9 && $0.place.level > 1 })),
                ("text", matching(#Predicate { $0.name.starts(with: "1") || $0.name < "5" })),
                ("filter", matching(#Predicate { $0.parts.filter { $0.weight / 2 > 0.5 && $0.count > 0 }.count == 1 })),
                ("parts", matching(#Predicate { $0.parts.contains { $0.weight * 2 > 1 } || $0.parts.count > 5 })),
                ("list", matching(#Predicate { [1, 2, 3].contains($0.number) })),
                ("decimal", matching(#Predicate { $0.price > 2 })),
                (
                    "values",
                    {
                        let rate = #Expression<Probe, Double> { $0.rate * 1.5 + 2 }
                        try $0.update(model: Probe.self, set: [PropertyUpdate(\.rate, to: rate)])
                        let small = #Expression<Probe, Int8> { $0.small + 1 }
                        try $0.update(model: Probe.self, set: [PropertyUpdate(\.small, to: small)])
                    }
                ),
                (
                    "exchange",
                    {
                        let all = try $0.fetch(FetchDescriptor<Probe>(sortBy: [SortDescriptor(\.number)]))
                        let (first, second) = (all[0], all[1])
                        (first.number, second.number) = (second.number, first.number)
                        (first.real, second.real) = (second.real, first.real)
                        (first.name, second.name) = (second.name, first.name)
                        try $0.save()
                    }
                ),
                (
                    "history",
                    {
                        $0.transactionMetadata = ["reason": "test"]
                        $0.insert(Probe(100))
                        try $0.save()
                        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
                            predicate: #Predicate { $0.metadata["reason"] == "test" })
                        #expect(try $0.fetchHistory(descriptor).count == 1)
                    }
                ),
                ("delete", { try $0.delete(model: Probe.self, where: #Predicate { $0.rate + $0.real > 1e9 }) }),
            ]
        }()

        @Test func twinsInTheSchemaOfTheStoreAreNotCalled() throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let schema = configuration.schemaName ?? ""
            let container = try ModelContainer(
                for: Schema([Probes.Probe.self, Probes.Part.self]), configurations: configuration)
            let context = ModelContext(container)
            for number in 1...3 {
                let probe = Probes.Probe(number)
                context.insert(probe)
                probe.parts = [Probes.Part()]
            }
            try context.save()
            var script = """
                SET search_path = \(schema);

                """
            for (number, twin) in Self.twinOperators.enumerated() {
                script += """
                    CREATE FUNCTION twin_\(number)(\(twin.left), \(twin.right)) RETURNS \(twin.result) LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'twin of \(twin.name)(\(twin.left), \(twin.right))'; END $$;
                    CREATE OPERATOR \(twin.name) (FUNCTION = twin_\(number), LEFTARG = \(twin.left), \
                    RIGHTARG = \(twin.right));

                    """
            }
            for twin in Self.twinFunctions {
                script += """
                    CREATE FUNCTION "\(twin.name)"(\(twin.parameters.joined(separator: ", "))) RETURNS \(twin.result) \
                    LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'twin of \(twin.name)'; END $$;

                    """
            }
            script += """
                CREATE FUNCTION twin_count(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'twin of count'; END $$;
                CREATE AGGREGATE count(bigint) (SFUNC = twin_count, STYPE = bigint, INITCOND = '0')
                """
            try cluster.psql(script)
            for (name, statement) in Self.statements {
                do { try statement(ModelContext(container)) } catch { Issue.record("\(name): \(error)") }
            }
        }

        /// Fetches, reads of the history and the opening find only functions of the server; a trigger of another program has
        /// the path of the session.
        @Test(arguments: [true, false]) func pathsOfTransactions(recordsHistory: Bool) throws {
            let fixture = try HistoryFixture { $0.recordsHistory = recordsHistory }
            try fixture.psql(
                """
                CREATE TABLE path(value text); CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO path VALUES (current_setting('search_path')); RETURN NEW; END $$;
                CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON "Account" FOR EACH ROW EXECUTE FUNCTION keep()
                """)
            let context = fixture.context()
            context.insert(Account("a"))
            try context.save()
            try context.update(model: Account.self, where: nil, set: \.balance, to: 5)
            let path = #"\#(fixture.schema), "$user", public"#
            let value = "replace(value, '\"\(fixture.schema)\"', '\(fixture.schema)')"
            #expect(try fixture.psql("SELECT string_agg(\(value), ';') FROM path") == "\(path);\(path)")
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let found = try store.pool.read { try $0.run("SELECT current_setting('search_path')").text(0, 0) }
            #expect(found == "pg_catalog, pg_temp")
        }

        // MARK: Objects that exist before the store

        /// Scripts of a role that creates an object of the store before the store does.
        static let objects: [(name: String, script: String)] = [
            (
                "chronicle_meta",
                """
                CREATE TABLE chronicle_meta(name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
                GRANT ALL ON chronicle_meta TO PUBLIC;
                CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                INSERT INTO secret VALUES (current_user); RETURN NEW; END $$;
                CREATE TRIGGER evil BEFORE INSERT ON chronicle_meta FOR EACH ROW EXECUTE FUNCTION evil()
                """
            ),
            (
                "chronicle_meta",
                """
                CREATE FUNCTION evil() RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                INSERT INTO secret VALUES (current_user); RETURN '2'; END $$;
                CREATE VIEW chronicle_meta AS SELECT 'format'::text AS name, evil() AS value;
                GRANT SELECT ON chronicle_meta TO PUBLIC
                """
            ),
            (
                "chronicle_change",
                """
                CREATE TABLE chronicle_change(transaction xid8, id bigint, entity bigint, kind "char", primary_key bigint, \
                attributes smallint[], preserved smallint[], old_values text[], new_values text[]);
                GRANT ALL ON chronicle_change TO PUBLIC
                """
            ),
            ("chronicle_change_id", "CREATE SEQUENCE chronicle_change_id MINVALUE 0 START 0"),
            (
                "the function chronicle_number",
                """
                CREATE FUNCTION chronicle_number() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN 0; END $$
                """
            ),
            (
                "the function chronicle_row_1",
                """
                CREATE FUNCTION chronicle_row_1() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$
                """
            ),
        ]

        /// - Parameter isSuperuser: Whether a superuser opens the store, who can replace the objects of every role.
        @Test(arguments: objects.indices, [false, true])
        func objectsOfAnotherRoleAreRejected(_ index: Int, isSuperuser: Bool) throws {
            let cluster = try PostgresCluster.shared.get()
            var configuration = try PostgresConfiguration.testing()
            let schema = configuration.schemaName ?? ""
            let (owner, attacker) = ("owner_\(schema)", "attacker_\(schema)")
            try cluster.psql(
                """
                CREATE ROLE \(owner) LOGIN; CREATE ROLE \(attacker) LOGIN; ALTER SCHEMA \(schema) OWNER TO \(owner);
                GRANT USAGE, CREATE ON SCHEMA \(schema) TO PUBLIC;
                CREATE TABLE \(schema).secret(role text); GRANT INSERT ON \(schema).secret TO PUBLIC
                """)
            let (name, script) = Self.objects[index]
            try cluster.psql("SET search_path = \(schema); \(script)", user: attacker)
            if !isSuperuser { configuration.connectionString = cluster.connectionString(user: owner) }
            for allowsSave in [false, true] {
                configuration.allowsSave = allowsSave
                let error = try #require(throws: SwiftDataError.self) { try HistoryFixture.open(configuration) }
                if name.hasPrefix("the function"), !allowsSave { continue }
                #expect(error == .notAChronicleStore, "\(error)")
                #expect(error.detail?.contains(attacker) == true, "\(error)")
                #expect(error.detail?.contains(name) == true, "\(error)")
            }
            #expect(try cluster.psql("SELECT count(*) FROM \(schema).secret") == "0")
            #expect(try cluster.psql("SELECT to_regclass('\(schema).chronicle_entity') IS NULL") == "t")
            // Without the object, the store opens, also for a role that may only read.
            try cluster.psql("DROP OWNED BY \(attacker)")
            configuration.connectionString = cluster.connectionString(user: owner)
            configuration.allowsSave = true
            try HistoryFixture(configuration, cluster).add("a")
            try cluster.psql(
                "GRANT USAGE ON SCHEMA \(schema) TO \(attacker); GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(attacker)",
                user: owner)
            configuration.connectionString = cluster.connectionString(user: attacker)
            configuration.allowsSave = false
            #expect(try HistoryFixture(configuration, cluster).transactions().count == 1)
        }

        /// The table of a relationship that the store does not have yet.
        @Test func tablesOfModelsAndLinksOfAnotherRoleAreRejected() throws {
            let cluster = try PostgresCluster.shared.get()
            for statement in [
                #"CREATE TABLE "Club.sponsors"(owner bigint, destination bigint)"#,
                #"CREATE VIEW "Club.sponsors" AS SELECT 1::bigint AS owner, 1::bigint AS destination"#,
            ] {
                let configuration = try PostgresConfiguration.testing()
                let schema = configuration.schemaName ?? ""
                let attacker = "attacker_\(schema)"
                try cluster.psql(
                    "CREATE ROLE \(attacker) LOGIN; GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(attacker)")
                try cluster.psql("SET search_path = \(schema); \(statement)", user: attacker)
                let error = try #require(throws: SwiftDataError.self) {
                    try ModelContainer(for: Schema(clubModels), configurations: configuration)
                }
                #expect(error == .notAChronicleStore)
                #expect(error.detail?.contains(attacker) == true)
            }
        }

        /// A table of the store that has another owner than the rest.
        @Test func tablesOfAStoreHaveOneOwner() throws {
            let fixture = try HistoryFixture()
            let role = "role_\(fixture.schema)"
            try fixture.psql(
                """
                CREATE ROLE \(role); GRANT CREATE ON SCHEMA \(fixture.schema) TO \(role);
                ALTER TABLE chronicle_pending OWNER TO \(role)
                """)
            let error = try #require(throws: SwiftDataError.self) {
                try HistoryFixture(fixture.configuration, fixture.cluster)
            }
            #expect(error == .notAChronicleStore)
            #expect(error.detail?.contains("\(role)") == true)
        }
    }
#endif
