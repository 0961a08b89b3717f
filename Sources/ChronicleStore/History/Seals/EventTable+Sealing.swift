import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// What the sealer reads and writes.
extension EventTable: EventRows {
    /// The newest event other than a purge.
    func state() throws -> SealedEvent.State? {
        let statement = try connection.cached(
            """
            SELECT id, CASE WHEN seal IS NULL THEN detail END FROM \(SealTables.event) WHERE kind <> ? ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(Kind.purge.rawValue, at: 1)
        guard try statement.step() else { return nil }
        return SealedEvent.State(
            id: statement.int64(0), detail: statement.isNull(1) ? nil : statement.withText(1) { Array($0) })
    }

    /// Whether a seal contains an event of a kind.
    func contains(_ kind: Kind, inSeal number: Int64) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(SealTables.event) WHERE seal = ? AND kind = ? LIMIT 1") {
            try $0.bind(number, at: 1)
            try $0.bind(kind.rawValue, at: 2)
        } != nil
    }

    /// Whether a seal after a number contains events.
    func hasSealed(after number: Int64) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(SealTables.event) WHERE seal > ? LIMIT 1") {
            try $0.bind(number, at: 1)
        } != nil
    }

    func unsealed() throws -> [SealedEvent] { try events(nil) }

    func events(ofSeal number: Int64) throws -> [SealedEvent] { try events(number) }

    /// - Parameter seal: `nil` for the events that no seal contains.
    private func events(_ seal: Int64?) throws -> [SealedEvent] {
        let statement = try connection.cached(
            """
            SELECT id, kind, time, detail, author, program, process FROM \(SealTables.event) WHERE seal IS ? ORDER BY id
            """)
        defer { statement.reset() }
        if let seal { try statement.bind(seal, at: 1) }
        var events: [SealedEvent] = []
        while try statement.step() {
            let row = FileRow.event(statement.int64(0))
            var event = SealedEvent(
                number: try statement.integer(0, in: SealedEvent.validNumbers, of: row),
                kind: try statement.bytes(1, of: row) ?? [],
                time: try statement.time(2, of: row).timeIntervalSinceReferenceDate,
                detail: try statement.bytes(3, of: row) ?? [])
            event.author = try statement.bytes(4, of: row)
            event.program = try statement.bytes(5, of: row)
            event.process = try statement.bytes(6, of: row)
            let parts = try connection.cached(
                "SELECT seal, content FROM \(SealTables.eventPart) WHERE event = ? ORDER BY seal")
            defer { parts.reset() }
            try parts.bind(event.number, at: 1)
            while try parts.step() { event.parts.append((parts.int64(0), parts.withBlob(1) { Array($0) })) }
            events.append(event)
        }
        return events
    }

    func setSeal(_ number: Int64, ofEvents events: [Int64]) throws {
        let statement = try connection.cached(
            "UPDATE \(SealTables.event) SET seal = ? WHERE id IN (SELECT value FROM json_each(?))")
        try statement.bind(number, at: 1)
        try statement.bind("\(events)", at: 2)
        try statement.run()
    }

    /// Computes what the events of erasures removed from each seal, so that no other value can be erased later as a part of them.
    func addErasedValues(_ hashing: any HistoryHashing) throws {
        let parts = try connection.prepare(
            """
            SELECT p.event, p.seal, s.last, coalesce((SELECT last FROM \(SealTables.seal) WHERE number < p.seal \
            ORDER BY number DESC LIMIT 1), 0) FROM \(SealTables.eventPart) AS p \
            JOIN \(SealTables.event) AS e ON e.id = p.event JOIN \(SealTables.seal) AS s ON s.number = p.seal \
            WHERE e.seal IS NULL AND p.content IS NULL
            """)
        var contents: [(event: Int64, seal: Int64, content: [UInt8])] = []
        while try parts.step() {
            let rows = try connection.cached(
                """
                SELECT position FROM \(SealTables.commitment) WHERE position > ? AND position <= ? AND event = ? \
                ORDER BY position
                """)
            defer { rows.reset() }
            try rows.bind(parts.int64(3), at: 1)
            try rows.bind(parts.int64(2), at: 2)
            try rows.bind(parts.int64(0), at: 3)
            var positions: [[Int64]] = []
            while try rows.step() { positions.append([rows.int64(0)]) }
            contents.append(
                (parts.int64(0), parts.int64(1), try SealedEvent.content(erasing: positions, hashing)))
        }
        for (event, seal, content) in contents {
            let statement = try connection.cached(
                "UPDATE \(SealTables.eventPart) SET content = ? WHERE event = ? AND seal = ?")
            try content.withUnsafeBytes { try statement.bind($0, at: 1) }
            try statement.bind(event, at: 2)
            try statement.bind(seal, at: 3)
            try statement.run()
        }
    }
}
