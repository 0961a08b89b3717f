import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// The chain of a store. Random bytes are in place of hashes, which purges and deletions do not read.
extension TestStore {
    struct Event: Equatable {
        let kind: String
        let detail: String
        var author: String?
        var seal: Int64?
        /// The content for each seal in hexadecimal digits.
        var parts: [Int64: String] = [:]
    }

    func beginSealing() throws {
        try database.write { connection in try connection.immediate { try SealTables.create(connection) } }
    }

    /// Adds a seal of the transactions, void headers and events since the previous one.
    func seal() throws {
        let recorder = try store.recorder
        try database.write { connection in
            try connection.immediate {
                try recorder.groupExternalChanges(connection)
                let end =
                    try connection.scalarInt64("SELECT last FROM chronicle_seal ORDER BY number DESC LIMIT 1") ?? 0
                let positions = try Self.integers(
                    "SELECT id FROM chronicle_change WHERE kind <= 0 AND id > \(end) ORDER BY id", connection)
                let last = positions.last ?? end
                let list = positions.map { String(format: "%016llx", $0) + String(repeating: "ab", count: 32) }.joined()
                try connection.execute(
                    """
                    INSERT INTO chronicle_commitment(position, attribute, key, commitment) \
                    SELECT id, CASE WHEN kind > 0 THEN attributes END, randomblob(32), randomblob(32) \
                    FROM chronicle_change WHERE id > \(end) AND id <= \(last) \
                    AND (kind < 0 OR kind > 0 AND kind & 15 <> 2 AND attributes IS NOT NULL);
                    INSERT INTO chronicle_seal(last, last_check, sealed, previous, transactions, catalog, catalog_hash, hash) \
                    VALUES (\(last), 0, \(Date.now.timeIntervalSinceReferenceDate), randomblob(32), x'\(list)', \
                    CASE WHEN (SELECT count(*) FROM chronicle_seal) = 0 THEN x'01' END, randomblob(32), randomblob(32));
                    UPDATE chronicle_event SET seal = (SELECT max(number) FROM chronicle_seal) WHERE seal IS NULL
                    """)
            }
        }
    }

    /// The positions in the list of each seal.
    func sealedPositions() throws -> [(number: Int64, positions: [Int64])] {
        try database.write { connection in
            let statement = try connection.prepare("SELECT number, transactions FROM chronicle_seal ORDER BY number")
            var seals: [(Int64, [Int64])] = []
            while try statement.step() {
                let positions = statement.withBlob(1) { bytes in
                    stride(from: 0, to: bytes.count, by: 40).map {
                        Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
                    }
                }
                seals.append((statement.int64(0), positions))
            }
            return seals
        }
    }

    var seals: [Int64] {
        get throws { try integers("SELECT number FROM chronicle_seal ORDER BY number") }
    }

    /// The events that no seal contains yet, or all.
    func events(sealed: Bool = false) throws -> [Event] {
        try database.write { connection in
            let statement = try connection.prepare(
                """
                SELECT id, kind, detail, author, seal FROM chronicle_event \(sealed ? "" : "WHERE seal IS NULL") ORDER BY id
                """)
            var events: [Event] = []
            while try statement.step() {
                let parts = try connection.prepare(
                    "SELECT seal, hex(content) FROM chronicle_event_part WHERE event = \(statement.int64(0))")
                var event = Event(
                    kind: statement.text(1), detail: statement.text(2),
                    author: statement.isNull(3) ? nil : statement.text(3),
                    seal: statement.isNull(4) ? nil : statement.int64(4))
                while try parts.step() { event.parts[parts.int64(0)] = parts.text(1) }
                events.append(event)
            }
            return events
        }
    }

    func integers(_ sql: String) throws -> [Int64] { try database.write { try Self.integers(sql, $0) } }

    private static func integers(_ sql: String, _ connection: Connection) throws -> [Int64] {
        let statement = try connection.prepare(sql)
        var integers: [Int64] = []
        while try statement.step() { integers.append(statement.int64(0)) }
        return integers
    }
}

extension TrackedFixture {
    func beginSealing() throws {
        let store = try store(allowsSave: true)
        try withExtendedLifetime(store) {
            try store.database.write { connection in try connection.immediate { try SealTables.create(connection) } }
        }
    }
}
