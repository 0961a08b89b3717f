import ChronicleCSQLite
import ChronicleTestSupport
import Testing

@testable import ChronicleSQLite

@Suite struct TransactionTests {
    let directory: TemporaryDirectory
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.path(), mode: .readWriteCreate)
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE t(a UNIQUE);
            CREATE TABLE child(a REFERENCES t(a) DEFERRABLE INITIALLY DEFERRED);
            """)
    }

    @Test func immediateCommitsAndReturnsTheResult() throws {
        let id = try connection.immediate {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t VALUES (1)")
            return connection.lastInsertRowID
        }
        #expect(id == 1)
        #expect(!connection.isInTransaction)
        #expect(try other().int64s("SELECT a FROM t") == [1])
    }

    @Test func nestedTransactionIsRolledBackAlone() throws {
        try connection.nesting {
            try connection.immediate { try connection.execute("INSERT INTO t VALUES (1)") }
            #expect(throws: TestError()) {
                try connection.immediate {
                    try connection.execute("INSERT INTO t VALUES (2)")
                    throw TestError()
                }
            }
            // References are checked as in a COMMIT.
            let error = #expect(throws: SQLiteError.self) {
                try connection.immediate { try connection.execute("INSERT INTO child VALUES (9)") }
            }
            #expect(error?.isForeignKeyConstraint == true)
            #expect(try other().int64s("SELECT a FROM t") == [])
        }
        #expect(try other().int64s("SELECT a FROM t") == [1])
        #expect(try other().int64s("SELECT a FROM child") == [])
    }

    /// A rollback that fails, for example for lack of memory, is repeated before anything else is read or written.
    @Test(arguments: [false, true])
    func failedRollbackIsRepeated(_ reads: Bool) throws {
        #expect(throws: TestError()) {
            try connection.immediate {
                try connection.execute("INSERT INTO t VALUES (1)")
                deny(true, try connection.openHandle())
                throw TestError()
            }
        }
        #expect(connection.isInTransaction)
        #expect(throws: SQLiteError.self) {
            if reads { try connection.deferredRead {} } else { try connection.immediate {} }
        }
        deny(false, try connection.openHandle())
        if reads {
            let values = try connection.deferredRead { try connection.int64s("SELECT a FROM t") }
            #expect(values == [])
        } else {
            try connection.immediate { try connection.execute("INSERT INTO t VALUES (2)") }
        }
        #expect(!connection.isInTransaction)
        #expect(try other().int64s("SELECT a FROM t") == (reads ? [] : [2]))
    }

    /// The database rolls back a transaction that is still open before the next caller uses the connection.
    @Test func databaseRepeatsAFailedRollback() throws {
        let database = try Database(path: directory.path())
        var handle: OpaquePointer?
        #expect(throws: TestError()) {
            try database.write { connection in
                try connection.immediate {
                    try connection.execute("INSERT INTO t VALUES (1)")
                    handle = try connection.openHandle()
                    deny(true, handle)
                    throw TestError()
                }
            }
        }
        #expect(throws: SQLiteError.self) { try database.write { _ in } }
        deny(false, handle)
        #expect(try database.write { try $0.int64s("SELECT a FROM t") } == [])
        #expect(try other().int64s("SELECT a FROM t") == [])
    }

    /// A part of a transaction that could not be rolled back is not committed with the rest.
    @Test func transactionWithAFailedRollbackIsNotCommitted() throws {
        let handle = try connection.openHandle()
        let result = Result {
            try connection.nesting {
                let part = Result {
                    try connection.immediate {
                        try connection.execute("INSERT INTO t VALUES (1)")
                        deny(true, handle)
                        throw TestError()
                    }
                }
                #expect(throws: SQLiteError.self) { try part.get() }
            }
        }
        #expect(throws: SQLiteError.self) { try result.get() }
        deny(false, handle)
        try connection.immediate { try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(try other().int64s("SELECT a FROM t") == [2])
    }

    @Test func settingIsRestoredAfterAFailedRollback() throws {
        let handle = try connection.openHandle()
        let result = Result {
            try connection.withSetting("PRAGMA foreign_keys = OFF", restoredBy: "PRAGMA foreign_keys = ON") {
                try connection.immediate {
                    #expect(try connection.int64s("PRAGMA foreign_keys") == [0])
                    deny(true, handle)
                    throw TestError()
                }
            }
        }
        #expect(throws: TestError()) { try result.get() }
        deny(false, handle)
        try connection.immediate {}
        #expect(try connection.int64s("PRAGMA foreign_keys") == [1])
    }

    /// Makes SQLite reject every ROLLBACK of the connection, also that of a prepared statement.
    private func deny(_ denies: Bool, _ handle: OpaquePointer?) {
        guard denies else {
            _ = sqlite3_set_authorizer(handle, nil, nil)
            return
        }
        _ = sqlite3_set_authorizer(
            handle,
            { _, action, operation, _, _, _ in
                (action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT)
                    && operation.map { String(cString: $0) } == "ROLLBACK"
                    ? SQLITE_DENY : SQLITE_OK
            }, nil)
    }

    /// SQLite rolls back the whole transaction after some errors, such as those of a full disk.
    @Test func nothingIsCommittedAfterARollback() throws {
        let result = Result {
            try connection.nesting {
                try connection.immediate { try connection.execute("INSERT INTO t VALUES (1)") }
                for sql in ["INSERT OR ROLLBACK INTO t VALUES (2), (1)", "INSERT INTO t VALUES (3)"] {
                    #expect(throws: SQLiteError.self) { try connection.immediate { try connection.execute(sql) } }
                }
            }
        }
        #expect(throws: SQLiteError.self) { try result.get() }
        #expect(try other().int64s("SELECT a FROM t") == [])
        try connection.immediate { try connection.execute("INSERT INTO t VALUES (4)") }
        #expect(try other().int64s("SELECT a FROM t") == [4])
    }

    @Test func errorInTheBodyRollsBack() throws {
        #expect(throws: TestError()) {
            try connection.immediate {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.int64s("SELECT a FROM t") == [])
    }

    /// SQLite has already rolled back. A second ROLLBACK would fail, and must not hide the cause.
    @Test func firstErrorIsThrown() throws {
        let error = try sqliteError {
            try connection.immediate {
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error.isUniqueConstraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.int64s("SELECT a FROM t") == [])
    }

    /// The body catches the error after which SQLite rolled back. Committing nothing must not look like success.
    @Test func transactionRolledBackBySQLiteThrows() throws {
        let error = try sqliteError {
            try connection.immediate {
                try connection.execute("INSERT INTO t VALUES (1)")
                _ = try? connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        #expect(error.sql == "COMMIT")
        #expect(try connection.int64s("SELECT a FROM t") == [])
    }

    @Test func commitErrorRollsBack() throws {
        let error = try sqliteError {
            try connection.immediate { try connection.execute("INSERT INTO child VALUES (7)") }
        }
        #expect(error.isForeignKeyConstraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.int64s("SELECT a FROM child") == [])
    }

    @Test func commitBlockedByAReaderIsBusyAndRollsBack() throws {
        // With a rollback journal, a reader prevents the writer from committing.
        let writer = try other()
        let reader = try connection.prepare("SELECT 1 FROM sqlite_schema")
        #expect(try reader.step())
        #expect(try sqliteError { try writer.immediate { try writer.execute("INSERT INTO t VALUES (1)") } }.isBusy)
        #expect(!writer.isInTransaction)
        reader.reset()
        try writer.immediate { try writer.execute("INSERT INTO t VALUES (2)") }
        #expect(try connection.int64s("SELECT a FROM t") == [2])
    }

    @Test func failedBeginKeepsTheOuterTransaction() throws {
        try connection.immediate {
            try connection.execute("INSERT INTO t VALUES (1)")
            let error = try sqliteError { try connection.immediate { throw TestError() } }
            #expect(error.sql == "BEGIN IMMEDIATE")
            #expect(connection.isInTransaction)
        }
        #expect(try connection.int64s("SELECT a FROM t") == [1])
    }

    @Test func lockedDatabaseIsBusyAfterTheTimeout() throws {
        let patient = try other(busyTimeout: .milliseconds(30))
        try connection.immediate {
            let start = ContinuousClock.now
            let error = try sqliteError { try patient.immediate { throw TestError() } }
            #expect(error.isBusy)
            #expect(error.extendedCode == 5)
            #expect(ContinuousClock.now - start >= .milliseconds(30))
            #expect(!patient.isInTransaction)
        }
        // The failed attempt left no transaction open.
        try patient.immediate { try patient.execute("INSERT INTO t VALUES (1)") }
    }

    @Test func readTransactionIsASnapshot() throws {
        try connection.enableWAL()
        let writer = try other()
        try connection.deferredRead {
            #expect(try connection.int64s("SELECT count(*) FROM t") == [0])
            try writer.execute("INSERT INTO t VALUES (1)")
            #expect(try connection.int64s("SELECT count(*) FROM t") == [0])
            // An outdated snapshot cannot be written from, and waiting would not help.
            let error = try sqliteError { try connection.execute("INSERT INTO t VALUES (2)") }
            #expect(error.isBusy)
            #expect(error.extendedCode == 517)
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.int64s("SELECT count(*) FROM t") == [1])
    }

    @Test func nestedReadIsPartOfTheTransaction() throws {
        try connection.immediate {
            try connection.execute("INSERT INTO t VALUES (1)")
            #expect(try connection.deferredRead { try connection.int64s("SELECT a FROM t") } == [1])
            #expect(throws: TestError()) { try connection.deferredRead { throw TestError() } }
            #expect(connection.isInTransaction)
        }
        #expect(try connection.int64s("SELECT a FROM t") == [1])
    }

    private func other(busyTimeout: Duration = .zero) throws -> Connection {
        try Connection(path: directory.path(), mode: .readWrite, busyTimeout: busyTimeout)
    }
}
