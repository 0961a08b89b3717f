import ChronicleCore
import ChronicleSQLite
import Foundation

/// What the sealer reads and writes.
extension EventTable {
    /// What tells whether anything has happened since.
    struct State: Equatable {
        let id: Int64
        /// `nil` if the event is sealed and cannot change.
        let detail: String?
    }

    /// The newest event other than a purge.
    func state() throws -> State? {
        let statement = try connection.cached(
            """
            SELECT id, CASE WHEN seal IS NULL THEN detail END FROM \(SealTables.event) WHERE kind <> ? ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(Kind.purge.rawValue, at: 1)
        guard try statement.step() else { return nil }
        return State(id: statement.int64(0), detail: statement.isNull(1) ? nil : statement.text(1))
    }

    /// The events that a seal contains which ends at a position.
    func unsealed(through last: Int64) throws -> [SealedEvent] {
        try unsealed().filter { Self.end($0) <= last }
    }

    /// The last position that is missing because of what an event says, or 0. A purge deletes an event together with its seal, so
    /// the seal must not end before the position: the event would be missing for later seals.
    private static func end(_ event: SealedEvent) -> Int64 {
        func detail<Detail: Decodable>(_ type: Detail.Type) -> Detail? {
            // What this version did not write says of no position that it is missing. Verification reports it.
            try? JSONDecoder().decode(type, from: Data(event.detail))
        }
        return switch Kind(rawValue: String(decoding: event.kind, as: UTF8.self)) {
        case .begun: detail(BegunDetail.self)?.newest ?? 0
        case .unproven: detail(UnprovenDetail.self)?.ranges.compactMap(\.last).max() ?? 0
        case .purge, .deletion, .erasure, .emptied, .names, .ended, nil: 0
        }
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
                number: statement.int64(0), kind: try statement.bytes(1, of: row) ?? [],
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

    /// Adds the events to a seal that is about to be inserted, and returns their hashes.
    ///
    /// - Parameter last: The last position of the seal.
    func seal(
        in number: Int64, through last: Int64, _ hashing: any HistoryHashing
    ) throws -> [(number: Int64, hash: HistoryDigest)] {
        try addErasedValues(hashing)
        let events = try unsealed(through: last)
        let statement = try connection.cached(
            "UPDATE \(SealTables.event) SET seal = ? WHERE id IN (SELECT value FROM json_each(?))")
        try statement.bind(number, at: 1)
        try statement.bind("\(events.map(\.number))", at: 2)
        try statement.run()
        return try events.map { ($0.number, try $0.hash(hashing)) }
    }

    /// Computes what the events of erasures removed from each seal, so that no other value can be erased later as a part of them.
    private func addErasedValues(_ hashing: any HistoryHashing) throws {
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
