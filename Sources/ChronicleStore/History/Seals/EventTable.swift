import ChronicleCore
import ChronicleSQLite
import Foundation

/// What happened to a sealed history, in the table `chronicle_event`. The next seal contains the events since the previous one.
///
/// The newest event is never deleted, and changes only as long as it is the newest one, so that its number and its detail show
/// whether anything has happened since they were read.
struct EventTable {
    enum Kind: String {
        /// The history is sealed from now on.
        case begun
        /// The beginning of the history was deleted, as far as it was sealed.
        case purge
        /// Sealed transactions were deleted.
        case deletion
        /// Transactions were deleted that no seal contains.
        case unproven
        /// Preserved values were erased.
        case erasure
        /// The file and its log no longer contain the values that were erased before.
        case emptied
        /// Entities or attributes were added, renamed, or declared otherwise.
        case names
        /// The history is not sealed any more, so that purges need not keep what follows.
        case ended
    }

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Adds an event of the author of the current task, and returns its number.
    @discardableResult
    func add(_ kind: Kind, _ detail: some Encodable) throws -> Int64 {
        let newest = try connection.scalarInt64("SELECT max(id) FROM \(SealTables.event)") ?? 0
        // After the highest integer, SQLite chooses any number.
        guard (0..<HistoryPosition.valid.upperBound).contains(newest) else {
            throw SwiftDataError.damagedRow(.event(newest), "the number is out of range")
        }
        let statement = try connection.cached(
            """
            INSERT INTO \(SealTables.event)(kind, author, program, process, detail, time, id) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        try bindSource(of: kind, to: statement)
        try statement.bind(text(detail), at: 5)
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
        guard var known = try Self.detail(statement.text(1), as: Detail.self), update(&known) else {
            return try add(kind, detail)
        }
        let change = try connection.cached("UPDATE \(SealTables.event) SET detail = ? WHERE id = ?")
        try change.bind(text(known), at: 1)
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

    private func text(_ detail: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(detail), as: UTF8.self)
    }

    private static func detail<Detail: Decodable>(_ text: String, as type: Detail.Type) throws -> Detail? {
        do { return try JSONDecoder().decode(type, from: Data(text.utf8)) } catch is DecodingError { return nil }
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

// The details, which the column contains as JSON with sorted keys.

/// What was missing in the history before it was sealed.
struct BegunDetail: Codable, Hashable {
    /// The newest position.
    let newest: Int64
    /// The highest deleted position, and the one up to which all transactions were deleted; 0 if none was.
    let floor, beginning: Int64
    /// The header of a transaction that a purge had deleted in part.
    let purged: Int64?
    /// The position at which recording resumed, or 0.
    let gap: Int64
}

/// The reason for a purge.
struct PurgeReason: Codable, Hashable {
    enum Kind: String, Codable {
        /// The limits of the configuration.
        case retention
        /// Other limits, of a caller.
        case call
        /// All models and the history were deleted.
        case erase
    }

    let kind: Kind
    /// In seconds.
    var maximumAge: Double?
    var maximumChanges: Int?
    var maximumBytes: Int?

    static let erase = PurgeReason(kind: .erase)

    private init(kind: Kind) { self.kind = kind }

    /// - Parameter configured: The limits of the configuration.
    init(_ retention: HistoryRetention?, configured: HistoryRetention) {
        kind = retention == configured ? .retention : .call
        maximumAge = retention?.maximumAge?.timeInterval
        (maximumChanges, maximumBytes) = (retention?.maximumChanges, retention?.maximumBytes)
    }
}

struct PurgeDetail: Codable, Hashable {
    let reason: PurgeReason
    /// The position up to which all transactions are deleted.
    var through: Int64
    /// The same position, if rows of its transaction remain; see ``MetaTable/Name/purged``.
    var purged: Int64?
    /// The seal with which the chain begins now; `nil` if no seal was deleted yet.
    var boundary: Int64?
    /// The number of deleted transactions.
    var transactions: Int
}

struct DeletionDetail: Codable, Hashable {
    /// The number of deleted transactions that seals contain.
    let transactions: Int
}

struct UnprovenDetail: Codable, Hashable {
    /// The first and the last position of each range. No row in it remains, and none is sealed.
    var ranges: [[Int64]]
    /// The number of deleted transactions.
    var transactions: Int
    /// The reason of a purge; `nil` for a deletion.
    var reason: PurgeReason?
    /// See ``PurgeDetail/purged``.
    var purged: Int64?
}

/// An event of a seal can concern other values than those of other seals, so the numbers are those of all.
struct ErasureDetail: Codable, Hashable {
    /// The numbers of the entities.
    let entities: [Int64]
    /// The numbers of the attributes; `nil` for all.
    var attributes: [Int64]?
    /// The number of the models; `nil` for all.
    var models: Int?
    /// The age of a rule of the retention in seconds; `nil` for a call.
    var maximumAge: Double?
    /// The number of erased values, those that no seal contains included.
    var values: Int
}

/// The detail of an event that needs none.
struct NoDetail: Codable, Hashable {}

extension Int {
    /// Adds a number. Returns `false`, and adds nothing, if another program changed the sum to one that is too large.
    mutating func add(_ count: Int) -> Bool {
        let (sum, overflow) = addingReportingOverflow(count)
        if !overflow { self = sum }
        return !overflow
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
