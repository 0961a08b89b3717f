import CSQLite
import Chronicle
import ChronicleAppleStore
import Foundation

/// Reading and converting a file with the layout of SwiftData.
enum AppleStoreRows {
    static var all: [Row] {
        [
            Row(name: "100,000 transactions of SwiftData, against the plain queries", limit: .ratio(2), runs: 9) {
                runs in
                try withTemporaryDirectory { directory in
                    let url = directory.appending(path: "default.store")
                    try write(to: url)
                    let plain = try PlainDatabase(reading: url)
                    let store = try store(url)
                    var sums: Set<Int> = []
                    return try compare(
                        runs: runs, { _ in try timed { sums.insert(try plain.sumOfAppleHistory()) } },
                        { _ in
                            try timed {
                                let transactions = try store.fetchHistory(HistoryDescriptor())
                                precondition(transactions.count == 100_000, "not every transaction is there")
                            }
                        })
                }
            },
            Row(name: "convert 100,000 transactions of SwiftData", limit: .time(.seconds(15)), runs: 3) { runs in
                try withTemporaryDirectory { directory in
                    let url = directory.appending(path: "default.store")
                    try write(to: url)
                    let store = try store(url)
                    let times = try (0..<max(runs, 1)).map { number in
                        try timed { try store.convert(to: directory.appending(path: "\(number).store")) }
                    }
                    return Row.Outcome(median: .time(times.median))
                }
            },
        ]
    }

    private static func store(_ url: URL) throws -> AppleStore {
        try AppleStore(AppleStoreConfiguration(schema: Schema([Trip.self]), url: url), migrationPlan: nil)
    }

    /// Inserts, updates with masks and deletes with a preserved value, in transactions with one or two changes, of three
    /// authors and two processes.
    private static func write(to url: URL) throws {
        let database = try PlainDatabase(creating: url)
        try database.execute(
            """
            BEGIN;
            CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISBOOKED INTEGER, ZNIGHTS INTEGER,
            ZRATING INTEGER, ZENDDATE TIMESTAMP, ZSTARTDATE TIMESTAMP, ZDESTINATION VARCHAR, ZNAME VARCHAR, ZNOTE VARCHAR);
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES (1, '1D070E6D-0000-4367-8928-974368B60AC7', NULL);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Trip', 0, 100), (16001, 'CHANGE', 0, 150000),
            (16002, 'TRANSACTION', 0, 100000), (16003, 'TRANSACTIONSTRING', 0, 6);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
            ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
            ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'org.example.trips.TripApp'), (2, 16003, 1, 'TripApp'),
            (3, 16003, 1, 'TripWidget'), (4, 16003, 1, 'synchronisation with the server'), (5, 16003, 1, 'widget'),
            (6, 16003, 1, 'main');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO ZTRIP
            SELECT i, 1, 1, 0, 3, 5, 700000000, 700000001, 'Oslo', 'trip ' || i, NULL FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO ATRANSACTION
            SELECT i, 16002, 1, iif(i % 3 = 0, NULL, 3 + i % 3), 1, 6, 2 + i % 2, 743906532.5 + i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) INSERT INTO ACHANGE
            SELECT i, 16001, 1, i % 3, 1, 1 + i % 1000, 1 + (i - 1) * 2 / 3, iif(i % 3 = 1, x'24', NULL),
            iif(i % 3 = 2, 'trip ' || i, NULL) FROM n;
            COMMIT;
            """)
    }
}

extension PlainDatabase {
    /// Reads every value of the history of SwiftData in the order of its transactions, and returns a number that depends on
    /// them.
    fileprivate func sumOfAppleHistory() throws -> Int {
        let strings = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
        let names = strings.map { "(SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\($0))" }
        let transactions = try prepare(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")) FROM ATRANSACTION AS t ORDER BY t.Z_PK")
        let changes = try prepare(
            """
            SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, ZTOMBSTONE0 FROM ACHANGE WHERE ZTRANSACTIONID = ?
            ORDER BY Z_PK
            """)
        var sum = 0
        while sqlite3_step(transactions) == SQLITE_ROW {
            sum &+= sumOfValues(transactions, 6)
            sqlite3_bind_int64(changes, 1, sqlite3_column_int64(transactions, 0))
            while sqlite3_step(changes) == SQLITE_ROW { sum &+= sumOfValues(changes, 6) }
            sqlite3_reset(changes)
        }
        sqlite3_reset(transactions)
        return sum
    }

    private func sumOfValues(_ statement: OpaquePointer, _ count: Int32) -> Int {
        var sum = 0
        for column in 0..<count {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: sum &+= Int(sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: sum &+= Int(sqlite3_column_double(statement, column))
            case SQLITE_TEXT:
                if let text = sqlite3_column_text(statement, column) { sum &+= Int(text[0]) }
                sum &+= Int(sqlite3_column_bytes(statement, column))
            case SQLITE_BLOB: sum &+= Int(sqlite3_column_bytes(statement, column))
            default: break
            }
        }
        return sum
    }
}
