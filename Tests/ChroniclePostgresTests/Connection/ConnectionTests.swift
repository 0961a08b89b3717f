#if Postgres
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    @Suite(.requiresPostgres) struct ConnectionTests {
        let cluster: PostgresCluster
        let settings: ConnectionSettings

        init() throws {
            cluster = try PostgresCluster.shared.get()
            settings = ConnectionSettings(connectionString: cluster.connectionString())
        }

        @Test func valuesSurviveTheirBinaryFormat() throws {
            let connection = try Connection(settings)
            let result = try connection.run(
                "SELECT $1, $2, $3, $4, $5, $6, $7",
                Parameters(
                    .int64(.min), .double(-0.0), .text("é\u{1F600}"), .data(Data([0, 255])), .text(""), .data(Data()),
                    .null(.text)))
            #expect(result.count == 1)
            #expect(result.int64(0, 0) == .min)
            #expect(result.double(0, 1).bitPattern == (-0.0).bitPattern)
            #expect(result.text(0, 2) == "é\u{1F600}")
            #expect(result.data(0, 3) == Data([0, 255]))
            #expect(!result.isNull(0, 4) && result.text(0, 4).isEmpty)
            #expect(!result.isNull(0, 5) && result.data(0, 5).isEmpty)
            #expect(result.isNull(0, 6))
        }

        @Test(arguments: [Double.nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
        func doublesKeepTheirBits(value: Double) throws {
            let result = try Connection(settings).run("SELECT $1", Parameters(.double(value)))
            #expect(result.double(0, 0).bitPattern == value.bitPattern)
        }

        @Test func arraysAreOneParameter() throws {
            let connection = try Connection(settings)
            var texts = ParameterArray(["a", ""])
            texts.appendNull()
            let result = try connection.run(
                "SELECT $1, $2, (SELECT sum(k)::bigint FROM unnest($1) AS k), $3",
                Parameters(.array(ParameterArray([1, -2, 3])), .array(texts), .array(ParameterArray([String]()))))
            var integers = try ArrayElements(result.bytes(0, 0))
            #expect(try integers.int64s() == [1, -2, 3])
            var elements = try ArrayElements(result.bytes(0, 1))
            let found = try (0..<3).map { _ in try elements.next().map { String(decoding: $0, as: UTF8.self) } }
            #expect(found == ["a", "", nil])
            #expect(elements.count == 0)
            #expect(throws: PostgresError.self) { try elements.next() }
            #expect(result.int64(0, 2) == 2)
            #expect(try ArrayElements(result.bytes(0, 3)).count == 0)
        }

        @Test func valuesThatAreNoArraysAreErrors() throws {
            let result = try Connection(settings).run("SELECT $1, ARRAY[[1, 2], [3, 4]]", Parameters(.text("x")))
            for column in 0..<2 {
                #expect(throws: PostgresError.self) { try ArrayElements(result.bytes(0, column)) }
            }
            // An array of one text, with a size or a length that is larger than the value, or cut off.
            let words: [UInt8] = [1, 0, 25, 1, 1, 1]
            let array = words.reduce(into: [UInt8]()) { $0 += [0, 0, 0, $1] } + [UInt8(ascii: "x")]
            var (large, long) = (array, array)
            (large[15], long[23]) = (2, 9)
            for bytes in [large, long, array.dropLast(), Array(array.prefix(22))] {
                #expect(throws: PostgresError.self) {
                    try bytes.withUnsafeBytes { bytes in
                        var elements = try ArrayElements(bytes)
                        while elements.count > 0 { _ = try elements.next() }
                    }
                }
            }
        }

        @Test func resultsOfAPipelineArriveOneByOne() throws {
            struct Stop: Error {}
            let connection = try Connection(settings)
            var pipeline = Pipeline()
            for number in 1...100 { pipeline.add("SELECT 600 / (50 - $1)", Parameters(.int64(Int64(number)))) }
            var numbers: [Int64] = []
            let error = try #require(throws: PostgresError.self) {
                try connection.transaction { connection in
                    try connection.run(pipeline) { index, result in
                        #expect(index == numbers.count)
                        numbers.append(result.int64(0, 0))
                    }
                }
            }
            #expect(error.sqlState == "22012" && error.statementIndex == 49)
            #expect(numbers == (1...49).map { 600 / (50 - $0) })
            #expect(throws: Stop.self) {
                try connection.transaction { connection in
                    try connection.run(pipeline) { index, _ in
                        #expect(index <= 10)
                        if index == 10 { throw Stop() }
                    }
                }
            }
            // The remaining results were read.
            #expect(try connection.run("SELECT 2").int64(0, 0) == 2)
        }

        @Test func statementsOfAPipelineShareARoundTrip() throws {
            let connection = try Connection(settings)
            let results = try connection.pipeline { pipeline in
                for number in 1...100 { pipeline.add("SELECT $1 + 1", Parameters(.int64(Int64(number)))) }
            }
            #expect(results.map { $0.int64(0, 0) } == Array(2...101))
            // One statement was prepared for all of them.
            let prepared = try connection.run(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1'")
            #expect(prepared.int64(0, 0) == 1)
        }

        @Test func largeResultsAndParametersDoNotBlockEachOther() throws {
            let connection = try Connection(settings)
            let text = String(repeating: "x", count: 4_000_000)
            let results = try connection.pipeline { pipeline in
                for _ in 0..<8 { pipeline.add("SELECT $1 || $1", Parameters(.text(text))) }
            }
            #expect(results.map { $0.bytes(0, 0).count } == Array(repeating: 8_000_000, count: 8))
        }

        @Test func errorEndsAPipelineAndNamesTheStatement() throws {
            let connection = try Connection(settings)
            let error = try #require(throws: PostgresError.self) {
                try connection.pipeline { pipeline in
                    pipeline.add("SELECT 1")
                    pipeline.add("SELECT 1 / $1", Parameters(.int64(0)))
                    pipeline.add("SELECT 2")
                }
            }
            #expect(error.sqlState == "22012")
            #expect(error.sql == "SELECT 1 / $1")
            #expect(!error.endsSession)
            // The connection is usable, and the skipped statement is prepared the next time.
            #expect(try connection.run("SELECT 2").int64(0, 0) == 2)
        }

        @Test func descriptionsContainNoValues() throws {
            let connection = try Connection(settings)
            try connection.script("CREATE TEMPORARY TABLE t(name text PRIMARY KEY)")
            try connection.run("INSERT INTO t VALUES ($1)", Parameters(.text("secret")))
            let error = try #require(throws: PostgresError.self) {
                try connection.run("INSERT INTO t VALUES ($1)", Parameters(.text("secret")))
            }
            #expect(error.isUniqueViolation)
            #expect(error.constraint == "t_pkey")
            #expect(!error.description.contains("secret"))
            #expect(!"\(error)".contains("secret"))
        }

        @Test func transactionsCommitOrRollBack() throws {
            let connection = try Connection(settings)
            try connection.script("CREATE TEMPORARY TABLE t(a bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let insert = "INSERT INTO t VALUES ($1)"
            _ = try connection.transaction { try $0.run(insert, Parameters(.int64(1))) }
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try $0.run(insert, Parameters(.int64(2)))
                    throw Stop()
                }
            }
            // A transaction without statements does not begin.
            try connection.transaction { _ in }
            // The error of a deferred constraint is one of COMMIT.
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction { try $0.run(insert, Parameters(.int64(1))) }
            }
            #expect(error?.isUniqueViolation == true)
            // An error that was caught must not lead to a rollback that looks like a commit.
            let failed = #expect(throws: PostgresError.self) {
                try connection.transaction { connection in
                    try connection.run(insert, Parameters(.int64(3)))
                    #expect(Self.sqlState(of: "SELECT 1 / 0", connection) == "22012")
                }
            }
            #expect(failed?.sqlState == "25P02")
            #expect(!connection.isInTransaction)
            let rows = try connection.run("SELECT array_agg(a) FROM t")
            var numbers = try ArrayElements(rows.bytes(0, 0))
            #expect(try numbers.int64s() == [1])
        }

        private static func sqlState(of sql: String, _ connection: Connection) -> String? {
            do { try connection.run(sql) } catch { return (error as? PostgresError)?.sqlState }
            return nil
        }

        @Test func wholeTransactionIsOneRoundTrip() throws {
            let connection = try Connection(settings)
            try connection.script("CREATE TEMPORARY TABLE t(a bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            var pipeline = Pipeline()
            pipeline.add("INSERT INTO t VALUES ($1) RETURNING a", Parameters(.int64(7)))
            #expect(try connection.run(pipeline, asTransaction: true)[0].int64(0, 0) == 7)
            // The error of the commit, which has the index after the last statement. The connection remains.
            let error = #expect(throws: PostgresError.self) { try connection.run(pipeline, asTransaction: true) }
            #expect(error?.isUniqueViolation == true && error?.statementIndex == 1)
            #expect(!connection.isInTransaction)
            #expect(try connection.run("SELECT count(*) FROM t").int64(0, 0) == 1)
            // The first error is that of a statement.
            pipeline.add("SELECT 1 / 0")
            let first = #expect(throws: PostgresError.self) { try connection.run(pipeline, asTransaction: true) }
            #expect(first?.sqlState == "22012" && first?.statementIndex == 1)
            #expect(try connection.run("SELECT count(*) FROM t").int64(0, 0) == 1)
        }

        @Test func sessionThatEndsDuringTheCommit() throws {
            let connection = try Connection(settings)
            try connection.script(
                """
                CREATE TEMPORARY TABLE t(a bigint);
                CREATE FUNCTION pg_temp.stop() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER stop AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION pg_temp.stop()
                """)
            var pipeline = Pipeline()
            pipeline.add("INSERT INTO t VALUES (1)")
            let error = #expect(throws: PostgresError.self) { try connection.run(pipeline, asTransaction: true) }
            #expect(error?.endsSession == true && connection.hasSentCommit)
        }

        @Test func sessionsHaveTheSettingsOfTheConfiguration() throws {
            let schema = try cluster.makeSchema()
            var settings = settings
            settings.schemaName = schema
            settings.statementTimeout = .milliseconds(1_500)
            settings.lockTimeout = .seconds(2)
            for isPooled in [false, true] {
                settings.usesTransactionPooling = isPooled
                let result = try Connection(settings).run(
                    """
                    SELECT current_setting('search_path'), current_setting('chronicle.path'), \
                    current_setting('statement_timeout'), current_setting('lock_timeout')
                    """)
                let path = "\"\(schema)\", \"$user\", public"
                #expect((0..<4).map { result.text(0, $0) } == ["pg_catalog, pg_temp", path, "1500ms", "2s"])
                if isPooled {
                    let connection = try Connection(settings)
                    try connection.run("SELECT 1")
                    try connection.script("CREATE TEMPORARY TABLE found AS SELECT count(*) FROM pg_prepared_statements")
                    #expect(try connection.run("SELECT count FROM found").int64(0, 0) == 0)
                }
            }
        }

        @Test func statementTimeoutIsAnErrorThatCanBeRepeated() throws {
            var settings = settings
            settings.statementTimeout = .milliseconds(20)
            let connection = try Connection(settings)
            let error = try #require(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(60)") }
            #expect(error.isCanceled)
            #expect(SwiftDataError(error, storeIdentifier: nil) == .storeBusy)
            #expect(try connection.run("SELECT 1").int64(0, 0) == 1)
        }

        @Test func canceledTaskCancelsItsStatement() async throws {
            let settings = settings
            let task = Task {
                let connection = try Connection(settings)
                #expect(throws: CancellationError.self) { try connection.run("SELECT pg_sleep(600)") }
                return connection.isUsable
            }
            // The statement has to run before it is canceled.
            try await task.cancel(
                afterRows:
                    "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%' AND state = 'active'",
                Connection(settings))
            #expect(try await task.value)
        }

        @Test func notificationsArrive() throws {
            let (listener, sender) = (try Connection(settings), try Connection(settings))
            try listener.script("LISTEN chronicle_test")
            #expect(try listener.notifications(milliseconds: 0).isEmpty)
            try sender.run("SELECT pg_notify('chronicle_test', 'x')")
            let found = try listener.notifications(milliseconds: 10_000)
            #expect(found == [.init(channel: "chronicle_test", payload: "x", serverProcess: sender.serverProcess)])
        }

        @Test(
            arguments: [
                ("host=/nonexistent dbname=postgres", nil), ("DATABASE", "3D000"), ("USER", "28000"),
            ] as [(String, String?)])
        func connectionThatCannotBeOpened(connectionString: String, sqlState: String?) throws {
            var settings = settings
            switch connectionString {
            case "DATABASE": settings.connectionString = cluster.connectionString(database: "nobody_made_it")
            case "USER": settings.connectionString = cluster.connectionString(user: "nobody_made_it")
            default: settings.connectionString = connectionString
            }
            let error = try #require(throws: PostgresError.self) { try Connection(settings) }
            #expect(error.endsSession)
            #expect(!error.message.isEmpty)
            #expect(SwiftDataError(error, storeIdentifier: nil) == .storeUnavailable)
        }

        @Test func endOfASessionIsDetected() throws {
            let (connection, administrator) = (try Connection(settings), try Connection(settings))
            try connection.run("SELECT 1")
            try administrator.run(
                "SELECT pg_terminate_backend($1::int, 10000)", Parameters(.int64(Int64(connection.serverProcess))))
            #expect(!connection.isUsable)
            let error = try #require(throws: PostgresError.self) { try connection.run("SELECT 1") }
            #expect(error.endsSession)
            #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
        }
    }
#endif
