import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    /// Deletes all models of the file and its history, in one transaction.
    ///
    /// The file, its tables and its ``identifier`` remain, so other contexts and processes can keep using the store:
    ///
    /// - Fetches find no rows, and a save that updates a deleted row throws ``SwiftDataError/modelNotFound``.
    /// - Tokens from before throw ``SwiftDataError/historyTokenExpired``, and consumers of the history are reset.
    /// - New rows have new primary keys: an identifier from before never identifies another model.
    ///
    /// Also deletes the rows of models that the schema does not contain. The tables of other programs, the names and
    /// settings of consumers, and tags, whose tokens expire, remain. The space is returned to the file system, except in a
    /// file that was created without incremental vacuum. Deleted content is overwritten with zeros; the write-ahead log can
    /// contain copies until it is overwritten.
    ///
    /// - Throws: One of the following errors. Nothing was deleted, except after an error while space is returned.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    ///   - ``SwiftDataError/deleteDenied`` if a table of another program references a model. Delete its rows first.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and try again.
    ///   - ``SwiftDataError/damagedFile`` if the history is damaged. Delete the file.
    /// - Complexity: Proportional to the number of rows and to the length of the history.
    public func erase() throws {
        try requireModelWriteAccess()
        try attributingErrors {
            try database.write { connection in
                // Foreign keys would delete dependent rows one by one, to a limited depth.
                try connection.withSetting("PRAGMA foreign_keys = OFF", restoredBy: "PRAGMA foreign_keys = ON") {
                    try connection.immediate {
                        try eraseRows(connection)
                        try eraseHistory(connection)
                    }
                }
                keyReservations.withLock { $0 = KeyReservations() }
                recorder.didErase()
                guard !configuration.isStoredInMemoryOnly else { return }
                connection.tidy { connection in
                    try connection.immediate { try connection.execute("PRAGMA incremental_vacuum") }
                    try connection.checkpoint()
                }
            }
        }
    }

    private func eraseRows(_ connection: Connection) throws {
        // Triggers of other programs may maintain an index of the rows.
        try connection.setTriggersEnabled(true)
        let entities = try EntityRegistry(connection).entities().map(\.name)
        for table in try connection.tables(of: entities) {
            try connection.execute("DELETE FROM \(quoted(table))")
        }
        let check = try connection.prepare("PRAGMA foreign_key_check")
        defer { check.reset() }
        guard try check.step() else { return }
        throw SwiftDataError.deleteDenied.with(
            detail: "the table \"\(check.text(0))\" of another program references models; delete its rows first",
            entityName: check.text(2))
    }

    /// Includes the changes of this transaction, which were just recorded.
    private func eraseHistory(_ connection: Connection) throws {
        if configuration.recordsHistory {
            try recorder.groupExternalChanges(connection, resolvesConflicts: true)
        } else {
            try HistoryGap.record(connection)
        }
        let newest = try connection.cached(
            "SELECT id, attributes FROM \(ChangeTable.name) ORDER BY id DESC LIMIT 1")
        defer { newest.reset() }
        guard try newest.step() else { return }
        let position = try newest.position(0)
        let checkValue = try newest.integer(1, of: .change(position))
        newest.reset()
        let seals = try SealedHistory(connection)
        try seals?.recordDeletionOfAll(through: position)
        var eraser = HistoryEraser(connection, seals, newest: position)
        try eraser.erase(from: HistoryPosition.valid.lowerBound, through: position, checkValue)
        try MetaTable.remove(.purged, connection)
    }
}

extension Connection {
    /// The tables of links come first.
    fileprivate func tables(of entities: [String]) throws -> [String] {
        let statement = try prepare(
            """
            WITH entity(name) AS (SELECT value FROM json_each(?))
            SELECT name, 1 AS is_entity FROM sqlite_schema WHERE type = 'table' AND name IN (SELECT name FROM entity)
            UNION ALL SELECT m.name, 0 FROM sqlite_schema AS m WHERE m.type = 'table' AND 2 =
            (SELECT count(*) FROM pragma_foreign_key_list(m.name) AS f
            WHERE f."from" IN ('owner', 'destination') AND f."table" IN (SELECT name FROM entity))
            AND 2 = (SELECT count(*) FROM pragma_table_info(m.name)) ORDER BY is_entity
            """)
        let names = try JSONEncoder().encode(entities)
        try statement.bind(String(decoding: names, as: UTF8.self), at: 1)
        var tables: [String] = []
        while try statement.step() { tables.append(statement.text(0)) }
        return tables
    }
}
