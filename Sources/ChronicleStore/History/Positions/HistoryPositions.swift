import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Looks up facts about a file's history in an open transaction.
struct HistoryPositions: HistoryTokenChecking {
    static let tokenCheck = HistoryTokenCheck(
        hasHeaders: true, causeOfLoss: "a power failure or a restored backup")

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Throws ``SwiftDataError/historyDisabled`` if another program opened the file without history, so that changes are no
    /// longer recorded.
    func facts(at position: Int64) throws -> HistoryPositionFacts {
        let statement = try connection.cached(Self.select)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { return HistoryPositionFacts() }
        guard statement.text(6) != "off" else { throw Self.historyDisabled }
        var facts = HistoryPositionFacts()
        facts.newest = statement.isNull(0) ? 0 : try statement.position(0)
        facts.floor = try meta(.floor, in: 3, of: statement, upTo: facts.newest)
        facts.floorCheckValue =
            statement.isNull(4) ? nil : try statement.integer(4, of: .meta(MetaTable.Name.floorCheck.text))
        facts.gap = try meta(.gap, in: 5, of: statement, upTo: facts.newest)
        if !statement.isNull(8) {
            let kind = try statement.kind(1, at: position)
            if kind.isChange {
                facts.row = statement.int64(7) == 1 ? .partOfChange : .change
            } else {
                let checkValue = try statement.integer(2, of: .change(position))
                facts.row = kind.isHeader ? .header(checkValue: checkValue) : .void(checkValue: checkValue)
            }
        }
        if position < facts.floor { facts.deletions = try deletions(before: facts.floor) }
        return facts
    }

    /// `nil` if all transactions before the floor count as deleted.
    func deletions(before floor: Int64) throws -> SelectiveDeletions? {
        SelectiveDeletions(try MetaTable.text(.deletions, connection), floor: floor)
    }

    /// A position of the meta table cannot be greater than the newest one, because the newest row is never deleted.
    private func meta(
        _ name: MetaTable.Name, in column: Int32, of statement: Statement, upTo newest: Int64
    ) throws -> Int64 {
        let position = try MetaTable.position(name, in: column, of: statement) ?? 0
        guard position <= newest else {
            throw SwiftDataError.damagedRow(
                .meta(name.text), "the position is greater than the newest position of the history")
        }
        return position
    }

    /// The position of a transaction that a purge has deleted in part. After the floor, readers would miss transactions.
    func purged() throws -> Int64? {
        guard let purged = try MetaTable.position(.purged, connection) else { return nil }
        guard try purged <= MetaTable.position(.floor, connection) ?? 0 else {
            throw SwiftDataError.damagedRow(.meta(MetaTable.Name.purged.text), "the position was not deleted")
        }
        return purged
    }

    func hasTransactions(through position: Int64) throws -> Bool {
        let statement = try connection.cached(
            "SELECT 1 FROM \(ChangeTable.name) WHERE id > ? AND id <= ? AND \(ChangeTable.isNotVoid()) LIMIT 1")
        defer { statement.reset() }
        try statement.bind(purged() ?? 0, at: 1)
        try statement.bind(position, at: 2)
        return try statement.step()
    }

    /// `nil` if there never was a position. A single lookup.
    func newest() throws -> (position: Int64, checkValue: Int64?)? {
        try newest(requiringHistory: true)
    }

    /// The position is 0 if there never was one.
    func newestToken(of storeIdentifier: String) throws -> DefaultHistoryToken {
        let newest = try newest()
        return DefaultHistoryToken(
            storeIdentifier: storeIdentifier, position: newest?.position ?? 0, checkValue: newest?.checkValue)
    }

    /// The position after which no change is missing; `nil` if none ever was.
    func completeAfter(_ storeIdentifier: String) throws -> DefaultHistoryToken? {
        let facts = try facts(at: 0)
        let start = max(facts.floor, facts.gap)
        guard start > 0 else { return nil }
        let checkValue = start == facts.floor ? facts.floorCheckValue : try self.facts(at: start).row.checkValue
        return DefaultHistoryToken(storeIdentifier: storeIdentifier, position: start, checkValue: checkValue)
    }

    /// The changes by other programs that no header follows yet; the time is proportional to their number.
    func ungrouped(after position: Int64) throws -> ClosedRange<Int64>? {
        guard let newest = try newest(requiringHistory: false), newest.checkValue == nil, newest.position > position
        else {
            return nil
        }
        let statement = try connection.cached(Self.selectNewestHeader)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        let header = try statement.step() ? statement.position(0) : 0
        return try HistoryPosition.range(from: max(header, position) + 1, through: newest.position)
    }

    private func newest(requiringHistory: Bool) throws -> (position: Int64, checkValue: Int64?)? {
        let statement = try connection.cached(Self.selectNewest)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        if requiringHistory, statement.text(3) == "off" { throw Self.historyDisabled }
        let position = try statement.position(0)
        guard try !statement.kind(1, at: position).isChange else { return (position, nil) }
        return (position, try statement.integer(2, of: .change(position)))
    }

    static let historyDisabled = SwiftDataError.historyDisabled.with(
        detail:
            "the file was last opened with `recordsHistory: false`; open it with `recordsHistory: true` to record it again"
    )

    private static let select = """
        SELECT (SELECT max(id) FROM \(ChangeTable.name)), c.kind, c.attributes, \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.floor.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.floorCheck.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.gap.text)'), \
        (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.history.text)'), \
        (SELECT \(ChangeTable.isOperation(.preservedValue)) FROM \(ChangeTable.name) WHERE id = c.id + 1), c.id \
        FROM (SELECT 1) LEFT JOIN \(ChangeTable.name) AS c ON c.id = ?
        """
    private static let selectNewest = """
        SELECT id, kind, attributes, (SELECT value FROM chronicle_meta WHERE name = '\(MetaTable.Name.history.text)') \
        FROM \(ChangeTable.name) ORDER BY id DESC LIMIT 1
        """
    private static let selectNewestHeader =
        "SELECT id FROM \(ChangeTable.name) WHERE \(ChangeTable.endsTransaction()) AND id > ? ORDER BY id DESC LIMIT 1"
}
