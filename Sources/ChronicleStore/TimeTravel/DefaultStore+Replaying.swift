public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

extension DefaultStore {
    public func replayedHistoryToken() throws -> DefaultHistoryToken? {
        try attributingErrors { try database.read { try MetaTable($0).replayedToken() } }
    }

    /// Runs in the transaction of a save, after comparing the rows that it changes.
    func apply(_ step: HistoryReplayStep, _ connection: Connection) throws {
        let meta = MetaTable(connection)
        try step.requirePosition(meta)
        try step.requireExpected(schema) { try values(of: $0.persistentIdentifier, connection) }
        try meta.set(.replayed, step.storedToken)
    }

    private func values(of identifier: PersistentIdentifier, _ connection: Connection) throws -> [PropertyValue]? {
        let table = try layout.table(named: identifier.entityName)
        let statement = try connection.cached(
            "SELECT \(table.selection) FROM \(quoted(table.name)) AS \(FetchSQL.table) WHERE _rowid_ = ?")
        defer { statement.reset() }
        try statement.bind(.reference(identifier), at: 1)
        return try statement.step() ? statement.row(of: table).values : nil
    }

    /// A delete rule must not delete rows that the source did not delete.
    func requireListedDeletes(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, from first: Int64, _ connection: Connection
    ) throws {
        let count = try connection.scalarInt64(
            "SELECT count(*) FROM \(ChangeTable.name) WHERE id >= ? AND \(ChangeTable.isOperation(.delete))"
        ) { try $0.bind(first, at: 1) }
        try HistoryReplayStep.requireListed(request.deleted, recordedCount: count ?? 0)
    }
}
