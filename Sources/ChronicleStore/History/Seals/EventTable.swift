import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// What happened to a sealed history, in the table `chronicle_event`. The next seal contains the events since the previous one.
///
/// The newest event is never deleted, and changes only as long as it is the newest one, so that its number and its detail show
/// whether anything has happened since they were read.
struct EventTable {
    typealias Kind = SealedEvent.Kind

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Adds an event of the author of the current task, and returns its number.
    @discardableResult
    func add(_ kind: Kind, _ detail: some Encodable) throws -> Int64 {
        let newest = try connection.scalarInt64("SELECT max(id) FROM \(SealTables.event)") ?? 0
        // After the highest integer, SQLite chooses any number.
        guard SealedEvent.validNumbers.contains(newest &+ 1) else {
            throw SwiftDataError.damagedRow(.event(newest), "the number is out of range")
        }
        // Another program can have left parts of events that do not exist.
        let parts = try connection.cached("DELETE FROM \(SealTables.eventPart) WHERE event > ?")
        try parts.bind(newest, at: 1)
        try parts.run()
        let statement = try connection.cached(
            """
            INSERT INTO \(SealTables.event)(kind, author, program, process, detail, time, id) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        try bindSource(of: kind, to: statement)
        try statement.bind(SealedEvent.text(detail), at: 5)
        try statement.bind(Date().timeIntervalSinceReferenceDate, at: 6)
        try statement.bind(newest + 1, at: 7)
        try statement.run()
        return newest + 1
    }

    /// Adds what an event concerns in a seal, if it is not known yet.
    ///
    /// - Parameter content: `nil` if the seal that contains the event computes it.
    func addPart(_ content: [UInt8]?, ofEvent event: Int64, seal: Int64) throws {
        let statement = try connection.cached(
            "INSERT INTO \(SealTables.eventPart)(event, seal, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        try statement.bind(event, at: 1)
        try statement.bind(seal, at: 2)
        if let content {
            try content.withUnsafeBytes { try statement.bind($0, at: 3) }
        } else {
            try statement.bindNull(3)
        }
        try statement.run()
    }

    /// Changes the detail of the newest event, or adds another one if that is not one of this kind and by this process, is sealed,
    /// or has a detail that this version does not know. Returns the number of the event.
    ///
    /// - Parameters:
    ///   - detail: The detail of another event.
    ///   - canExtend: Returns whether an event, by its number, may be changed.
    ///   - update: Changes the detail of the newest one, or returns `false` if it describes something else.
    @discardableResult
    func extend<Detail: Codable>(
        _ kind: Kind, _ detail: Detail, where canExtend: (Int64) -> Bool = { _ in true },
        _ update: (inout Detail) -> Bool
    ) throws -> Int64 {
        let statement = try connection.cached(
            """
            SELECT id, detail FROM \(SealTables.event) WHERE id = (SELECT max(id) FROM \(SealTables.event)) AND kind = ? \
            AND author IS ? AND program IS ? AND process IS ? AND seal IS NULL
            """)
        defer { statement.reset() }
        try bindSource(of: kind, to: statement)
        guard try statement.step(), canExtend(statement.int64(0)) else { return try add(kind, detail) }
        let id = statement.int64(0)
        guard var known = SealedEvent.decoded(statement.text(1).utf8, as: Detail.self), update(&known) else {
            return try add(kind, detail)
        }
        let change = try connection.cached("UPDATE \(SealTables.event) SET detail = ? WHERE id = ?")
        try change.bind(SealedEvent.text(known), at: 1)
        try change.bind(id, at: 2)
        try change.run()
        return id
    }

    private func bindSource(of kind: Kind, to statement: Statement) throws {
        try statement.bind(kind.rawValue, at: 1)
        if let author = HistoryAuthor.current { try statement.bind(author, at: 2) } else { try statement.bindNull(2) }
        try statement.bind(TransactionSource.program, at: 3)
        try statement.bind(String(ProcessInfo.processInfo.processIdentifier), at: 4)
    }

    /// The time of the newest event of a kind.
    func time(ofNewest kind: Kind) throws -> Date? {
        let statement = try connection.cached(
            "SELECT time, id FROM \(SealTables.event) WHERE kind = ? ORDER BY id DESC LIMIT 1")
        defer { statement.reset() }
        try statement.bind(kind.rawValue, at: 1)
        return try statement.step() ? statement.time(0, of: .event(statement.int64(1))) : nil
    }
}

extension Statement {
    /// Seconds since the reference date.
    func time(_ column: Int32, of row: FileRow) throws -> Date {
        let seconds = double(column)
        guard seconds.isFinite else { throw SwiftDataError.damagedRow(row, "the time is invalid") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
