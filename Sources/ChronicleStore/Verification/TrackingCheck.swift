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
                .trigger, table.name, detail: "changes may be missing: \(reason); use `chronicle track FILE`")
        }
        let sql = try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?") {
            try $0.bind(PendingTransaction.trigger, at: 1)
        }
        if sql != PendingTransaction.createTrigger {
            try verifier.report(
                .trigger, ChangeTable.name, detail: "the trigger \(PendingTransaction.trigger) is missing or changed")
        }
        try checkPending()
        try checkRows()
    }

    /// The pending transaction begins at the first change that no header follows.
    private func checkPending() throws {
        let ungrouped = try HistoryPositions(connection).ungrouped(after: 0)
        let statement = try connection.prepare("SELECT first, started FROM \(PendingTransaction.table)")
        guard try statement.step() else {
            return try verifier.report(.header, PendingTransaction.table, detail: "the row is missing")
        }
        let first = statement.isNull(1) ? nil : statement.int64(0)
        // A transaction can have begun without a change.
        let hasNoChange = ungrouped == nil && first == properties.newest + 1
        if first != ungrouped?.lowerBound, !hasNoChange {
            try verifier.report(
                .header, PendingTransaction.table, 1, detail: "the transaction does not begin at its first change")
        }
    }

    private func checkRows() throws {
        for (table, difference) in try TableTracking(connection).differences() {
            for (keys, verb) in [(difference.insertedEarlier, "inserted"), (difference.deletedEarlier, "deleted")] {
                for key in keys {
                    try verifier.report(
                        .unrecordedChange, table, key,
                        detail: "the row was \(verb) without a record before its first recorded change")
                }
            }
            guard !difference.isEmpty else { continue }
            let text = difference.text
            try verifier.report(.row, table, detail: "\(text) without a record; use `chronicle track --reconcile FILE`")
        }
    }
}

extension Baseline.Difference {
    /// A text such as `2 rows were inserted and 1 row was deleted`.
    var text: String {
        func rows(_ count: Int, _ verb: String) -> String? {
            count == 0 ? nil : count == 1 ? "1 row was \(verb)" : "\(count) rows were \(verb)"
        }
        return [rows(inserted.count + unnumbered, "inserted"), rows(deleted.count, "deleted")].compactMap(\.self)
            .joined(separator: " and ")
    }
}
