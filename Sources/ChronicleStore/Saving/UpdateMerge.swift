import ChronicleCore
import ChronicleSQLite

/// Merges the updates of each model in a save into one.
///
/// A save updates a row with one statement and each of its links with another, and triggers record each of them. Before
/// the transaction has a header, no reader has seen the changes, so they can be rewritten: the first update receives
/// the properties of the others, and the rows after them move up.
struct UpdateMerge {
    let connection: Connection
    /// The first change of the transaction.
    let first: Int64

    init(_ connection: Connection, from first: Int64) {
        self.connection = connection
        self.first = first
    }

    private struct Model: Hashable {
        let what: Int64
        let key: Int64
    }

    fileprivate struct Update {
        let position: Int64
        var masks: [Int64]
        var isMerged = false
    }

    func run() throws {
        var updates: [Model: Update] = [:]
        var repeated: [Int64] = []
        let scan = try connection.cached(Self.updates)
        defer { scan.reset() }
        try scan.bind(first, at: 1)
        while try scan.step() {
            let model = Model(what: scan.int64(1), key: scan.int64(2))
            let position = try scan.position(0)
            let masks = try RecorderSQL.masks(
                scan.integer(3, of: .change(position)), scan.isNull(4) ? nil : scan.text(4), at: position)
            if updates[model] == nil {
                updates[model] = Update(position: position, masks: masks)
            } else {
                updates[model]?.add(masks)
                repeated.append(position)
            }
        }
        guard !repeated.isEmpty else { return }
        for update in updates.values where update.isMerged { try write(update) }
        try remove(repeated)
    }

    private func write(_ update: Update) throws {
        let statement = try connection.cached("UPDATE chronicle_change SET detail = ?, more = ? WHERE id = ?")
        try statement.bind(update.masks[0], at: 1)
        let further = update.masks.dropFirst().map(String.init).joined(separator: ",")
        if further.isEmpty { try statement.bindNull(2) } else { try statement.bind(further, at: 2) }
        try statement.bind(update.position, at: 3)
        try statement.run()
    }

    /// Deletes rows in ascending order and closes the gaps, because the changes of a transaction must be consecutive.
    private func remove(_ positions: [Int64]) throws {
        for position in positions {
            let statement = try connection.cached("DELETE FROM chronicle_change WHERE id = ?")
            try statement.bind(position, at: 1)
            try statement.run()
        }
        for (index, position) in positions.enumerated() {
            let end = index + 1 < positions.count ? positions[index + 1] : .max
            // Rows are moved in the order in which SQLite visits them, each to a free position.
            let statement = try connection.cached("UPDATE chronicle_change SET id = id - ? WHERE id > ? AND id < ?")
            try statement.bind(Int64(index + 1), at: 1)
            try statement.bind(position, at: 2)
            try statement.bind(end, at: 3)
            try statement.run()
        }
    }

    private static let updates =
        "SELECT id, what, key, detail, more FROM chronicle_change WHERE id >= ? AND what > 0 AND what & 3 = 2 ORDER BY id"
}

extension UpdateMerge.Update {
    fileprivate mutating func add(_ others: [Int64]) {
        for (index, mask) in others.enumerated() {
            if index < masks.count { masks[index] |= mask } else { masks.append(mask) }
        }
        isMerged = true
    }
}
