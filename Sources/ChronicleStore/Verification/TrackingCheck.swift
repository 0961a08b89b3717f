import ChronicleCore
import ChronicleSQLite

/// The tables of a tracked database: whether all changes are recorded, and the numbers of their keys.
struct TrackingCheck {
    let verifier: StoreVerifier
    let properties: MetaCheck.Properties
    private var connection: Connection { verifier.connection }

    init(verifier: StoreVerifier, properties: MetaCheck.Properties) {
        (self.verifier, self.properties) = (verifier, properties)
    }

    func run() throws {
        for table in try TableTracking(connection).tables() {
            guard case .interrupted(let reason) = table.state else { continue }
            try verifier.report(
                .trigger, table.name, detail: "changes are not recorded any more: \(reason); use chronicle track")
        }
        let sql = try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?") {
            try $0.bind(PendingTransaction.trigger, at: 1)
        }
        if sql != PendingTransaction.createTrigger {
            try verifier.report(
                .trigger, ChangeTable.name, detail: "the trigger \(PendingTransaction.trigger) is missing or changed")
        }
        try checkPending()
        try checkKeys()
    }

    /// Checks that the pending transaction begins at the first change that no header follows.
    private func checkPending() throws {
        let unsealed = try HistoryPositions(connection).unsealed(after: 0)
        let statement = try connection.prepare("SELECT first, started FROM \(PendingTransaction.table)")
        guard try statement.step() else {
            return try verifier.report(.header, PendingTransaction.table, detail: "the row is missing")
        }
        let first = statement.isNull(1) ? nil : statement.int64(0)
        // A transaction can have begun without a change.
        let hasNoChange = unsealed == nil && first == properties.newest + 1
        if first != unsealed?.lowerBound, !hasNoChange {
            try verifier.report(
                .header, PendingTransaction.table, 1, detail: "the transaction does not begin at its first change")
        }
    }

    /// Reports rows of recorded tables whose keys have no number.
    private func checkKeys() throws {
        let present = try TrackedRows.entities(connection)
        for entity in try EntityRegistry(connection).entities() where present.contains(entity.name) {
            guard let table = try TrackedTable(entity.name, connection), let key = KeyTable(table, of: entity.number),
                try TableTracking(connection).interruption(of: entity, table) == nil
            else {
                continue
            }
            let values = key.key.columns.map { "t.\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
            let missing = try connection.scalarInt64(
                """
                SELECT count(*) FROM main.\(quoted(table.name)) AS t WHERE \(values) \
                AND NOT EXISTS (SELECT 1 FROM \(RecorderSQL.numbers(key.key)) WHERE \(RecorderSQL.hasNumber("t", key.key)))
                """)
            if let missing, missing > 0 {
                try verifier.report(.row, table.name, detail: "\(missing) rows are not in \(key.key.table)")
            }
        }
    }
}
