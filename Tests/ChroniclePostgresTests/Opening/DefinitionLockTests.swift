#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import ChronicleTesting
    import Dispatch
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Openings that change definitions while other sessions write and read.
    @Suite("PostgreSQL locks of an opening", .requiresPostgres) struct DefinitionLockTests {
        /// Sessions write tables in different orders, and readers number their transactions, while the triggers are created
        /// again. None of them is ended because of a deadlock.
        @Test(arguments: [false, true]) func openingsDoNotDeadlock(isUpgrade: Bool) throws {
            let fixture = try HistoryFixture { ($0.connectionLimit, $0.lockTimeout) = (20, .seconds(120)) }
            try fixture.add("shared")
            let failures = Mutex<[String]>([])
            let isDone = Atomic(false)
            let group = DispatchGroup()
            func run(_ body: @escaping @Sendable () throws -> Void) {
                group.enter()
                let thread = Thread {
                    do { try body() } catch { failures.withLock { $0.append("\(error)") } }
                    group.leave()
                }
                thread.start()
            }
            let statements = [
                #"INSERT INTO "Account"(name, balance) VALUES (gen_random_uuid(), 1)"#,
                #"INSERT INTO "Entry"(amount) VALUES (1)"#, #"UPDATE "Account" SET note = note WHERE balance < 0"#,
                #"SELECT count(*) FROM "Entry""#,
            ]
            for writer in 0..<4 {
                run {
                    var random = TestSeed.generator(writer)
                    let session = try PsqlSession(fixture)
                    while !isDone.load(ordering: .acquiring) {
                        try session.run("BEGIN;\(statements.shuffled(using: &random).joined(separator: ";"));COMMIT;")
                    }
                    try session.end()
                }
            }
            for _ in 0..<2 {
                run { while !isDone.load(ordering: .acquiring) { _ = try fixture.transactions() } }
            }
            for _ in 0..<8 {
                // A statement that locks a single table, and so does not block another session that waits.
                let change =
                    isUpgrade
                    ? "UPDATE chronicle_meta SET value = '1' WHERE name = 'format'"
                    : #"ALTER TABLE "Account" DISABLE TRIGGER chronicle_delete"#
                do {
                    try fixture.psql(change)
                    _ = try HistoryFixture.open(fixture.configuration)
                } catch { failures.withLock { $0.append("opening: \(error)") } }
            }
            isDone.store(true, ordering: .releasing)
            group.wait()
            #expect(failures.withLock(\.self) == [], "\(TestSeed.description)")
            #expect(
                try fixture.psql(#"SELECT (SELECT count(*) FROM "Account") + (SELECT count(*) FROM "Entry")"#)
                    == "\(try fixture.transactions().flatMap(\.changes).count)")
        }

        /// An opening that has nothing to change waits for no lock, although the digest of the definitions changed.
        @Test func unchangedTablesAreNotLocked() throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            try session.run(#"BEGIN; INSERT INTO "Entry"(amount) VALUES (1); LOCK TABLE "Account" IN SHARE MODE;"#)
            try fixture.psql("CREATE TABLE other(a int)")
            let configuration = {
                var configuration = fixture.configuration
                configuration.lockTimeout = .milliseconds(1)
                return configuration
            }()
            _ = try HistoryFixture.open(configuration)
            // A change waits as long as the configuration says, and has no effect.
            try fixture.psql(
                "CREATE OR REPLACE FUNCTION chronicle_row_1() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
            )
            let error = try #require(throws: SwiftDataError.self) { try HistoryFixture.open(configuration) }
            #expect(error == .storeBusy, "\(error)")
            try session.run("ROLLBACK;")
            try session.end()
            _ = try HistoryFixture.open(configuration)
        }
    }
#endif
