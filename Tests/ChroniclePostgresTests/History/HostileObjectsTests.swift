#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

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
    }
#endif
