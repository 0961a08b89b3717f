import ChronicleSQLite
import ChronicleTestSupport
import Testing

/// A connection knows whether its latest transaction is still the latest one of the database.
@Suite struct DatabaseVersionTests {
    enum Kind: CaseIterable {
        case inMemory, rollbackJournal, writeAheadLog
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func connection(_ kind: Kind) throws -> Connection {
        let path = kind == .inMemory ? ":memory:" : directory.path()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        if kind == .writeAheadLog { try connection.execute("PRAGMA journal_mode = WAL") }
        try connection.execute("CREATE TABLE t(a UNIQUE)")
        return connection
    }

    private func insert(_ value: Int, _ connection: Connection) throws -> DatabaseVersion? {
        try connection.immediate { try connection.execute("INSERT INTO t VALUES (\(value))") }
        return connection.committedVersion
    }

    private func isUnchanged(since version: DatabaseVersion, _ connection: Connection) throws -> Bool {
        try connection.immediate { connection.isUnchanged(since: version) }
    }

    @Test(arguments: Kind.allCases)
    func aTransactionOfTheConnectionIsAChange(_ kind: Kind) throws {
        let connection = try connection(kind)
        let first = try #require(try insert(1, connection))
        try connection.immediate {
            #expect(connection.isUnchanged(since: first))
            try connection.execute("UPDATE t SET a = 2")
            #expect(!connection.isUnchanged(since: first))
        }
        let second = try #require(connection.committedVersion)
        try connection.immediate {
            #expect(connection.isUnchanged(since: second))
            #expect(!connection.isUnchanged(since: first))
        }
    }

    @Test(arguments: Kind.allCases)
    func aStatementOutsideOfTransactionsIsAChange(_ kind: Kind) throws {
        let connection = try connection(kind)
        for change in ["INSERT INTO t VALUES (2)", "CREATE TABLE other(a)", "DROP TABLE other"] {
            let version = try #require(try insert(change.count, connection))
            try connection.execute(change)
            #expect(try !isUnchanged(since: version, connection), "\(change)")
        }
    }

    @Test(arguments: Kind.allCases)
    func readsAreNoChange(_ kind: Kind) throws {
        let connection = try connection(kind)
        let version = try #require(try insert(1, connection))
        #expect(try connection.int64s("SELECT a FROM t") == [1])
        #expect(try connection.deferredRead { try connection.int64s("SELECT a FROM t") } == [1])
        try connection.immediate { #expect(connection.isUnchanged(since: version)) }
    }

    @Test(arguments: [Kind.rollbackJournal, .writeAheadLog])
    func aCommitOfAnotherConnectionIsAChange(_ kind: Kind) throws {
        let connection = try connection(kind)
        let other = try Connection(path: directory.path(), mode: .readWrite)
        var version = try #require(try insert(1, connection))
        #expect(try other.int64s("SELECT a FROM t") == [1])
        #expect(try isUnchanged(since: version, connection))
        version = try #require(connection.committedVersion)
        _ = try insert(2, other)
        #expect(try !isUnchanged(since: version, connection))
        // Also if this connection has read the commit.
        version = try #require(try insert(3, connection))
        _ = try insert(4, other)
        #expect(try connection.int64s("SELECT count(*) FROM t") == [4])
        #expect(try !isUnchanged(since: version, connection))
        // A commit that another connection makes and reverts is a change, too.
        version = try #require(try insert(5, connection))
        _ = try insert(6, other)
        try other.execute("DELETE FROM t WHERE a = 6")
        #expect(try !isUnchanged(since: version, connection))
    }

    @Test(arguments: Kind.allCases)
    func noVersionIsKnownAfterARollback(_ kind: Kind) throws {
        let connection = try connection(kind)
        let version = try #require(try insert(1, connection))
        #expect(throws: SQLiteError.self) { try insert(1, connection) }
        #expect(connection.committedVersion == nil)
        #expect(try !isUnchanged(since: version, connection))
        // The rollback of a change of the schema, after which SQLite has read the schema again.
        let second = try #require(try insert(2, connection))
        #expect(throws: TestError()) {
            try connection.immediate {
                try connection.execute("CREATE TABLE other(a)")
                throw TestError()
            }
        }
        #expect(try !isUnchanged(since: second, connection))
    }

    /// SQLite rolls back the transaction itself, and COMMIT fails.
    @Test(arguments: Kind.allCases)
    func noVersionIsKnownAfterAnIgnoredRollback(_ kind: Kind) throws {
        let connection = try connection(kind)
        let version = try #require(try insert(1, connection))
        #expect(throws: SQLiteError.self) {
            try connection.immediate {
                do { try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") } catch is SQLiteError {}
            }
        }
        #expect(connection.committedVersion == nil)
        #expect(try !isUnchanged(since: version, connection))
    }

    @Test(arguments: Kind.allCases)
    func noVersionIsKnownAfterAFailedCommit(_ kind: Kind) throws {
        let connection = try connection(kind)
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE child(a REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED)
            """)
        let version = try #require(try insert(1, connection))
        let error = #expect(throws: SQLiteError.self) {
            try connection.immediate { try connection.execute("INSERT INTO child VALUES (2)") }
        }
        #expect(error?.message.contains("FOREIGN KEY") == true)
        #expect(connection.committedVersion == nil)
        #expect(try !isUnchanged(since: version, connection))
        #expect(try connection.int64s("SELECT count(*) FROM child") == [0])
    }

    @Test func noVersionIsKnownIfTheHandlerOfCommitsWrites() throws {
        let connection = try connection(.writeAheadLog)
        connection.didCommit = { connection in
            connection.didCommit = nil
            do { try connection.immediate { try connection.execute("INSERT INTO t VALUES (2)") } } catch {
                Issue.record(error)
            }
        }
        #expect(try insert(1, connection) == nil)
        #expect(try insert(3, connection) != nil)
    }

    @Test func maintenanceByAnotherConnection() throws {
        let connection = try connection(.writeAheadLog)
        let other = try Connection(path: directory.path(), mode: .readWrite)
        let version = try #require(try insert(1, connection))
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // A checkpoint may count as a change. A later commit must.
        _ = try insert(3, other)
        #expect(try !isUnchanged(since: version, connection))
        let later = try #require(try insert(2, connection))
        try other.execute("VACUUM")
        #expect(try !isUnchanged(since: later, connection))
    }

    @Test(arguments: Kind.allCases)
    func aNestedTransactionIsNotCommitted(_ kind: Kind) throws {
        let connection = try connection(kind)
        let version = try #require(try insert(1, connection))
        try connection.nesting {
            #expect(!connection.isUnchanged(since: version))
            let nested = try insert(2, connection)
            #expect(nested == nil)
        }
        #expect(connection.committedVersion != nil)
        #expect(try !isUnchanged(since: version, connection))
    }
}
