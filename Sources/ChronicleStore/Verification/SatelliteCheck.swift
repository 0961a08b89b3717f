import ChronicleCore
import ChronicleSQLite

/// The tables that refer to positions of the history: metadata, tags and consumers.
struct SatelliteCheck {
    let verifier: StoreVerifier
    let properties: MetaCheck.Properties
    private var connection: Connection { verifier.connection }

    init(verifier: StoreVerifier, properties: MetaCheck.Properties) {
        (self.verifier, self.properties) = (verifier, properties)
    }

    func checkMetadata() throws {
        try verifier.forEachRow(
            """
            SELECT m.position, c.id IS NULL OR c.kind >= 0, typeof(m.name) <> 'text' OR typeof(m.value) <> 'text' \
            FROM \(MetadataTable.name) AS m LEFT JOIN \(ChangeTable.name) AS c ON c.id = m.position
            """
        ) { statement in
            let position = statement.int64(0)
            if statement.int64(1) != 0, position > properties.purged {
                try verifier.report(.metadata, MetadataTable.name, position, detail: "there is no such transaction")
            }
            if statement.int64(2) != 0 {
                try verifier.report(.metadata, MetadataTable.name, position, detail: "a name or a value is not text")
            }
        }
    }

    func checkTags() throws {
        guard try TagTable.exists(connection) else { return }
        _ = try TagTable(connection: connection, storeIdentifier: "").tags()
        try checkPositions(.tag, of: TagTable.name)
    }

    func checkConsumers() throws {
        guard try ConsumerTable.isNamed(connection), try ConsumerTable.exists(connection) else { return }
        _ = try ConsumerTable(connection, storeIdentifier: "").records()
        try checkPositions(.consumer, of: ConsumerTable.name)
    }

    /// Positions must not be after the newest one, and their check values must be those of the history.
    private func checkPositions(_ kind: StoreProblem.Kind, of table: String) throws {
        try verifier.forEachRow(
            """
            SELECT t.id, t.position, t.check_value, c.id IS NULL, c.kind > 0, c.attributes FROM \(table) AS t \
            LEFT JOIN \(ChangeTable.name) AS c ON c.id = t.position WHERE t.position IS NOT NULL
            """
        ) { statement in
            let (id, position) = (statement.int64(0), statement.int64(1))
            func report(_ detail: String) throws { try verifier.report(kind, table, id, detail: detail) }
            guard position >= 0, position <= properties.newest else {
                return try report("the position is after the newest one of the history")
            }
            guard !statement.isNull(2), position > properties.floor else { return }
            if statement.int64(3) != 0 || statement.int64(4) != 0 || statement.int64(5) != statement.int64(2) {
                try report("the check value is not that of the transaction at \(position)")
            }
        }
    }
}
