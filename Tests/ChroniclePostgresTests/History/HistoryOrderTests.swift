#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import ChronicleTesting
    import Dispatch
    import Foundation
    import Synchronization
    import Testing

    @Suite("PostgreSQL history order", .requiresPostgres) struct HistoryOrderTests {
        /// Sessions of other programs write with random pauses between their changes and the commit, while readers read on.
        @Test func nothingAppearsBelowAReadPosition() throws {
            let seed = UInt64.random(in: .min ... .max)
            let fixture = try HistoryFixture { $0.connectionLimit = 20 }
            try fixture.add("shared")
            let start = try fixture.token
            let writers = 6
            let isDone = Atomic(false)
            let reads = Mutex<[[DefaultHistoryTransaction]]>([])
            let failures = Mutex<[String]>([])
            let group = DispatchGroup()
            func run(_ body: @escaping @Sendable () throws -> Void) {
                let thread = Thread {
                    do { try body() } catch { failures.withLock { $0.append("\(error)") } }
                    group.leave()
                }
                group.enter()
                thread.start()
            }
            for _ in 0..<2 {
                run {
                    var (token, read) = (start, [DefaultHistoryTransaction]())
                    var isLast = false
                    while !isLast {
                        isLast = isDone.load(ordering: .acquiring)
                        let page = try fixture.transactions(after: token)
                        token = page.last?.token ?? token
                        read += page
                    }
                    reads.withLock { $0.append(read) }
                }
            }
            let written = DispatchGroup()
            for writer in 0..<writers {
                written.enter()
                run {
                    defer { written.leave() }
                    var random = SplitMix(state: seed &+ UInt64(writer))
                    var script = ""
                    for number in 0..<25 {
                        let pause = Double.random(in: 0..<0.02, using: &random)
                        // Long and short transactions. Half of them change the same row, whose values show their order.
                        script += "BEGIN; INSERT INTO \"Account\"(name, balance) VALUES ('\(writer)-\(number)', 0);"
                        if Bool.random(using: &random) {
                            script += "UPDATE \"Account\" SET balance = balance + 1 WHERE name = 'shared';"
                        }
                        script += "SELECT pg_sleep(\(pause));"
                        if Bool.random(using: &random) {
                            script += "INSERT INTO \"Entry\"(amount) VALUES (\(number));"
                        }
                        script += Int.random(in: 0..<8, using: &random) == 0 ? "ROLLBACK;" : "COMMIT;"
                    }
                    try fixture.psql(script)
                }
            }
            written.wait()
            isDone.store(true, ordering: .releasing)
            group.wait()
            #expect(failures.withLock(\.self) == [], "seed \(seed)")
            let all = try fixture.transactions(after: start)
            #expect(all.count > writers * 10, "seed \(seed)")
            #expect(all.map(\.transactionIdentifier) == Array(2...Int64(all.count + 1)), "seed \(seed)")
            for read in reads.withLock(\.self) {
                #expect(read.map(\.token) == all.map(\.token), "seed \(seed)")
                #expect(read.map { $0.changes.map(\.line) } == all.map { $0.changes.map(\.line) }, "seed \(seed)")
            }
            // Transactions that changed the same row are in the order of their commits.
            let balances = all.flatMap(\.changes).compactMap { change -> Int? in
                guard case .update(let update as DefaultHistoryUpdate<Account>) = change else { return nil }
                return update.value(\.balance)
            }
            #expect(balances == Array(1...balances.count), "seed \(seed)")
            // Identifiers of changes increase in the order of the history.
            let numbers = all.flatMap(\.changes).compactMap(\.integerChangeIdentifier)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
            #expect(Set(all.flatMap(\.changes).map(\.line)).count >= all.count, "seed \(seed)")
        }

        @Test func aTransactionThatWasBegunEarlierAndCommittedLaterIsLater() throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            try session.run(#"BEGIN; INSERT INTO "Account"(name, balance) VALUES ('first', 0);"#)
            try fixture.add("second")
            let token = try fixture.token
            #expect(token.tokenValue?.values.first == 1)
            try session.run("COMMIT;")
            try session.end()
            let rest = try fixture.transactions(after: token)
            #expect(rest.map { $0.changes.map(\.line) } == [["insert Account/1"]])
        }
    }

    /// Transactions that depend on others only by constraints that are checked at their end.
    @Suite("PostgreSQL order of deferred constraints", .requiresPostgres) struct DeferredOrderTests {
        /// A child is inserted before the parent that it references, and committed afterwards.
        @Test(arguments: [false, true]) func aChildFollowsItsParent(hasOtherChanges: Bool) throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            let other = #"INSERT INTO "Account"(_rowid_, name, balance) VALUES (5, 'b', 0);"#
            try session.run(
                #"BEGIN; \#(hasOtherChanges ? other : "") INSERT INTO "Entry"(_rowid_, account) VALUES (1, 7);"#)
            try fixture.psql(#"INSERT INTO "Account"(_rowid_, name, balance) VALUES (7, 'a', 0)"#)
            try session.run("COMMIT;")
            try session.end()
            #expect(
                try fixture.transactions().map { $0.changes.map(\.line).last } == [
                    "insert Account/7", "insert Entry/1",
                ])
        }

        /// A trigger of another program writes a child at the end of the transaction, after its place was determined, and waits
        /// before the reference is checked.
        @Test func aChildThatADeferredTriggerInsertsFollowsItsParent() throws {
            let fixture = try HistoryFixture()
            let lock = Int64.random(in: 1 ... .max)
            try fixture.psql(
                """
                CREATE TABLE step(number int);
                CREATE FUNCTION step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.number = 1 THEN
                INSERT INTO step VALUES (2); INSERT INTO "Entry"(_rowid_, account) VALUES (1, 7);
                ELSE PERFORM pg_advisory_xact_lock(\(lock)); END IF; RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER step AFTER INSERT ON step DEFERRABLE INITIALLY DEFERRED \
                FOR EACH ROW EXECUTE FUNCTION step()
                """)
            let (blocker, session) = (try PsqlSession(fixture), try PsqlSession(fixture))
            try blocker.run("BEGIN; SELECT pg_advisory_xact_lock(\(lock));")
            try session.run(
                #"BEGIN; INSERT INTO "Entry"(_rowid_, amount) VALUES (2, 5); INSERT INTO step VALUES (1);"#)
            session.send("COMMIT;")
            // Until the transaction waits for the lock.
            let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while try fixture.psql("\(waits) AND objid = \(lock & 0xffff_ffff)") == "0" {}
            try fixture.psql(#"INSERT INTO "Account"(_rowid_, name, balance) VALUES (7, 'a', 0)"#)
            try blocker.run("COMMIT;")
            try blocker.end()
            try session.waitUntilDone()
            try session.end()
            #expect(
                try fixture.transactions().map { $0.changes.map(\.line) } == [
                    ["insert Account/7"], ["insert Entry/2", "insert Entry/1"],
                ])
        }

        /// A model is deleted although another transaction, which is committed earlier, deletes the one that references it.
        @Test func aDeleteFollowsThatOfTheReference() throws {
            let fixture = try HistoryFixture()
            try fixture.psql(
                """
                ALTER TABLE "Entry" DROP CONSTRAINT "chronicle_reference_Entry_account";
                ALTER TABLE "Entry" ADD CONSTRAINT other FOREIGN KEY (account) REFERENCES "Account"(_rowid_) \
                DEFERRABLE INITIALLY DEFERRED;
                INSERT INTO "Account"(_rowid_, name, balance) VALUES (7, 'a', 0);
                INSERT INTO "Entry"(_rowid_, account) VALUES (1, 7)
                """)
            let token = try fixture.token
            let session = try PsqlSession(fixture)
            try session.run(#"BEGIN; DELETE FROM "Account" WHERE _rowid_ = 7;"#)
            try fixture.psql(#"DELETE FROM "Entry""#)
            try session.run("COMMIT;")
            try session.end()
            #expect(
                try fixture.transactions(after: token).map { $0.changes.map(\.line) }
                    == [["delete Entry/1"], ["delete Account/7"]])
        }

        /// A constraint that is checked immediately, and deferred again, within a transaction.
        @Test func constraintsThatAreCheckedWithinATransaction() throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            try session.run(
                """
                BEGIN; INSERT INTO "Account"(_rowid_, name, balance) VALUES (5, 'b', 0); SET CONSTRAINTS ALL IMMEDIATE;
                INSERT INTO "Account"(_rowid_, name, balance) VALUES (6, 'c', 0); SET CONSTRAINTS ALL DEFERRED;
                INSERT INTO "Entry"(_rowid_, account) VALUES (1, 7);
                """)
            try fixture.psql(#"INSERT INTO "Account"(_rowid_, name, balance) VALUES (7, 'a', 0)"#)
            try session.run("COMMIT;")
            try session.end()
            #expect(
                try fixture.transactions().map { $0.changes.map(\.line).last } == [
                    "insert Account/7", "insert Entry/1",
                ])
        }

        /// Sessions insert parents and children of others at random, and the history is replayed.
        @Test func everyReferenceFollowsItsDestination() throws {
            let fixture = try HistoryFixture()
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { writer in
                var random = TestSeed.generator(writer)
                var script = ""
                for number in 0..<60 {
                    let key = number * 4 + writer + 1
                    // A parent that another session may be inserting at the same time.
                    let parent = max(1, key + Int.random(in: -4...4, using: &random))
                    script += """
                        DO $$ BEGIN
                        INSERT INTO "Entry"(_rowid_, account) VALUES (\(key), \(parent));
                        PERFORM pg_sleep(\(Double.random(in: 0..<0.01, using: &random)));
                        INSERT INTO "Account"(_rowid_, name, balance) VALUES (\(key), '\(key)', 0);
                        EXCEPTION WHEN foreign_key_violation THEN NULL; END $$;
                        INSERT INTO "Account"(_rowid_, name, balance) VALUES (\(key), '\(key)', 0)
                        ON CONFLICT DO NOTHING;

                        """
                }
                do {
                    let session = try PsqlSession(fixture)
                    try session.run("\\set ON_ERROR_STOP off\n\(script)")
                    try session.end()
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            #expect(failures.withLock(\.self) == [])
            var accounts: Set<Int64> = []
            var references = 0
            let entries = try fixture.psql(#"SELECT _rowid_, account FROM "Entry" WHERE account IS NOT NULL"#)
                .split(separator: "\n").map { $0.split(separator: "|").compactMap { Int64($0) } }
            let parents = Dictionary(uniqueKeysWithValues: entries.map { ($0[0], $0[1]) })
            for transaction in try fixture.transactions() {
                let keys = transaction.changes.map(\.changedPersistentIdentifier)
                accounts.formUnion(keys.filter { $0.entityName == "Account" }.compactMap(\.integerPrimaryKey))
                for key in keys where key.entityName == "Entry" {
                    let parent = try #require(parents[key.integerPrimaryKey ?? 0])
                    #expect(accounts.contains(parent), "\(TestSeed.description)")
                    references += 1
                }
            }
            #expect(references > 20, "\(TestSeed.description)")
        }
    }

    /// A `psql` process whose statements run one after the other in one session.
    final class PsqlSession {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())

        init(_ fixture: HistoryFixture, user: String? = nil) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--dbname",
                fixture.cluster.connectionString(user: user),
            ]
            process.standardInput = input
            process.standardOutput = output
            try process.start()
            try run("SET search_path = \(fixture.schema);")
        }

        /// Runs statements and waits until they have ended.
        func run(_ script: String) throws {
            send(script)
            try waitUntilDone()
        }

        /// Sends statements without waiting for them.
        func send(_ script: String) { input.fileHandleForWriting.write(Data("\(script)\n\\echo done\n".utf8)) }

        /// Waits until the statements of ``send(_:)`` have ended.
        func waitUntilDone() throws {
            var text = ""
            while !text.hasSuffix("done\n") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { throw Shell.Failure(description: "psql ended: \(text)") }
                text += String(decoding: data, as: UTF8.self)
            }
        }

        func end() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }
#endif
