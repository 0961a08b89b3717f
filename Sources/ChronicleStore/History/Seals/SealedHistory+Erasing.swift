import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Erasures of preserved values. Without its key, a commitment excludes no value. It remains, so that the transaction can be
/// verified.
extension SealedHistory {
    /// Removes the keys of values, in the transaction that erases the values, and records the erasure.
    ///
    /// - Parameters:
    ///   - positions: The rows of the values, in any order.
    ///   - detail: The detail of the event.
    ///   - canExtend: Returns whether the event with a number is that of an earlier batch of the same erasure.
    /// - Returns: The number of the event; `nil` if there are no rows.
    @discardableResult
    func recordErasedValues(
        _ positions: [Int64], _ detail: ErasureDetail, extending canExtend: (Int64) -> Bool = { _ in true }
    ) throws -> Int64? {
        guard !positions.isEmpty else { return nil }
        let event = try events.extend(.erasure, detail, where: canExtend) {
            $0.extend(with: detail)
        }
        let statement = try connection.cached(
            """
            UPDATE \(SealTables.commitment) SET key = NULL, event = ? \
            WHERE position IN (SELECT value FROM json_each(?)) AND key IS NOT NULL
            """)
        try statement.bind(event, at: 1)
        try statement.bind("\(positions)", at: 2)
        try statement.run()
        var rest = positions.sorted()[...]
        while let first = rest.first, first <= end, let seal = try seals.first(endingFrom: first) {
            try events.addPart(nil, ofEvent: event, seal: seal.number)
            rest = rest.drop { $0 <= seal.last }
        }
        return event
    }

    /// The rows whose values a program of an earlier version has erased, which does not know the keys.
    func positionsErasedEarlier(_ positions: ClosedRange<Int64>) throws -> [Int64] {
        let statement = try connection.cached(
            """
            SELECT position FROM \(SealTables.commitment) AS c WHERE position BETWEEN ? AND ? AND key IS NOT NULL \
            AND attribute IS NOT NULL AND EXISTS (SELECT 1 FROM \(ChangeTable.name) WHERE id = c.position AND attributes IS NULL)
            """)
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        var erased: [Int64] = []
        while try statement.step() { erased.append(statement.int64(0)) }
        return erased
    }

    /// The newest erasure, if no later event says that its values are gone from the file and the log.
    func newestErasure() throws -> SealedEvent.State? {
        let kinds = [EventTable.Kind.erasure, .emptied].map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let statement = try connection.cached(
            "SELECT id, detail, kind FROM \(SealTables.event) WHERE kind IN (\(kinds)) ORDER BY id DESC LIMIT 1")
        defer { statement.reset() }
        guard try statement.step(), statement.text(2) == EventTable.Kind.erasure.rawValue else { return nil }
        return SealedEvent.State(id: statement.int64(0), detail: statement.withText(1) { Array($0) })
    }

    /// Records that copies of erased values and of their keys are gone.
    ///
    /// - Parameter erasure: The newest erasure before the file was rebuilt. The values of a later one can still be in free pages or
    ///   in the log; the event that follows it also confirms this one.
    func recordEmptiedLog(of erasure: SealedEvent.State) throws {
        guard try newestErasure() == erasure else { return }
        try events.add(.emptied, NoDetail())
    }
}
