import ChronicleCore
import ChronicleSQLite

/// Looks things up in the history of one file, in the snapshot or transaction that the connection has open.
struct HistoryFacts {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// What the file knows about a position.
    ///
    /// - Throws: ``SwiftDataError/historyIsOff`` when another program opened the file without history, since when nothing
    ///   is recorded; ``SwiftDataError/damagedFile``.
    func facts(at position: Int64) throws -> HistoryPositionFacts {
        let statement = try connection.cached(Self.select)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { return HistoryPositionFacts() }
        guard statement.text(6) != "off" else { throw Self.historyIsOff }
        var facts = HistoryPositionFacts()
        facts.newest = statement.int64(0)
        guard facts.newest < .max else { throw SwiftDataError.damagedHistory("no position can follow it", at: .max) }
        facts.floor = statement.int64(3)
        facts.floorCheck = statement.isNull(4) ? nil : statement.int64(4)
        facts.gap = statement.int64(5)
        switch statement.columnType(1) {
        case .null: facts.row = .none
        case .integer where statement.int64(1) > 0: facts.row = statement.int64(7) == 1 ? .partOfChange : .change
        case .integer where statement.columnType(2) == .integer: facts.row = .header(check: statement.int64(2))
        default: throw SwiftDataError.damagedHistory("it is neither a change nor a header", at: position)
        }
        return facts
    }

    /// The newest position; `nil` when there never was one. One look-up.
    ///
    /// - Throws: As ``facts(at:)``.
    func newest() throws -> (position: Int64, check: Int64?)? {
        try newest(requiringHistory: true)
    }

    /// The changes of other programs that no header follows yet, as far as they lie after a position. Costs a scan of
    /// these.
    func unsealed(after position: Int64) throws -> ClosedRange<Int64>? {
        guard let newest = try newest(requiringHistory: false), newest.check == nil, newest.position > position else {
            return nil
        }
        let header = try connection.scalarInt64(Self.selectNewestHeader) { try $0.bind(position, at: 1) }
        return max(header ?? 0, position) + 1...newest.position
    }

    private func newest(requiringHistory: Bool) throws -> (position: Int64, check: Int64?)? {
        let statement = try connection.cached(Self.selectNewest)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        if requiringHistory, statement.text(3) == "off" { throw Self.historyIsOff }
        let position = statement.int64(0)
        guard statement.int64(1) <= 0 else { return (position, nil) }
        guard statement.columnType(2) == .integer else {
            throw SwiftDataError.damagedHistory("it is neither a change nor a header", at: position)
        }
        return (position, statement.int64(2))
    }

    static let historyIsOff = SwiftDataError.historyIsOff.adding(
        detail: "the file was opened with `recordsHistory: false`; open it with history to go on recording")

    private static let select = """
        SELECT (SELECT max(id) FROM chronicle_change), c.what, c.detail, \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.floor.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.floorCheck.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.gap.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.history.text)'), \
        (SELECT what & 3 = 0 AND what > 0 FROM chronicle_change WHERE id = c.id + 1) \
        FROM (SELECT 1) LEFT JOIN chronicle_change AS c ON c.id = ?
        """
    private static let selectNewest = """
        SELECT id, what, detail, (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.history.text)') \
        FROM chronicle_change ORDER BY id DESC LIMIT 1
        """
    private static let selectNewestHeader =
        "SELECT id FROM chronicle_change WHERE what <= 0 AND id > ? ORDER BY id DESC LIMIT 1"
}

extension SwiftDataError {
    /// A row of the history that no program of ours can have written.
    static func damagedHistory(_ detail: String, at position: Int64) -> SwiftDataError {
        .damagedFile.adding(detail: "position \(position) of the history: \(detail)")
    }
}
