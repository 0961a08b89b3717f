import ChronicleCore
import ChronicleSQLite

extension DeletedEntries<SealTable, EventTable> {
    /// Adds rows before they are deleted, in ascending order.
    ///
    /// - Parameter newest: The newest row, which remains as a void header.
    mutating func add(_ positions: ClosedRange<Int64>, newest: Int64, of history: SealedHistory) throws {
        let statement = try history.connection.cached(
            """
            SELECT id, \(ChangeTable.isHeader()) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? \
            AND \(ChangeTable.endsTransaction()) ORDER BY id
            """)
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        var transactions = 0
        while try statement.step() {
            let position = try statement.position(0)
            let isTransaction = statement.int64(1) == 1
            if position <= history.end {
                try addSealed(position, isTransaction: isTransaction)
            } else if isTransaction {
                transactions += 1
            }
        }
        addUnproven(history.unprovenRanges(positions, newest: newest), transactions: transactions)
    }
}
