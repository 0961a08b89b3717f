public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

extension DefaultStore {
    /// Returns the position in the history of the source that the store has reached.
    ///
    /// - Returns: A token of the source, or `nil` if nothing was replayed to the store.
    public func replayedHistoryToken() throws -> DefaultHistoryToken? {
        try attributingErrors { try database.read { try Self.replayedToken($0) } }
    }

    private static func replayedToken(_ connection: Connection) throws -> DefaultHistoryToken? {
        guard let text = try MetaTable.text(.replayed, connection) else { return nil }
        do {
            return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8))
        } catch is DecodingError {
            throw SwiftDataError.damagedRow(.meta(MetaTable.Name.replayed.text), "the value is not a token")
        }
    }

    /// Moves the position in the transaction of a save, after comparing the rows that the save changes.
    func apply(_ step: HistoryReplayStep, _ connection: Connection) throws {
        guard try Self.replayedToken(connection) == step.previous else {
            throw SwiftDataError.historyReplayConflict.with(
                detail: "another replay to the store has continued; replay the export again")
        }
        for row in step.expected { try require(row, connection) }
        let token = String(decoding: try JSONEncoder().encode(step.token), as: UTF8.self)
        try MetaTable.set(.replayed, token, connection)
    }

    /// Throws an error unless a row has the expected values.
    private func require(_ expected: DefaultSnapshot, _ connection: Connection) throws {
        let identifier = expected.persistentIdentifier
        let table = try layout.table(named: identifier.entityName)
        func conflict(_ detail: String, _ slot: Int? = nil) -> SwiftDataError {
            .historyReplayConflict.with(
                detail: detail, entityName: identifier.entityName,
                propertyName: slot.map { table.entity.storedProperties[$0].name }, persistentIdentifier: identifier)
        }
        let statement = try connection.cached(
            "SELECT \(table.selection) FROM \(quoted(table.name)) AS \(FetchSQL.table) WHERE _rowid_ = ?")
        defer { statement.reset() }
        try statement.bind(.reference(identifier), at: 1)
        guard try statement.step() else { throw conflict("the replica deleted the model") }
        let values = try statement.row(of: table).values
        for slot in expected.changed where slot >= values.count || values[slot] != expected.values[slot] {
            throw conflict("the replica changed the value", slot)
        }
    }

    /// Throws an error if a delete rule deleted rows that the source did not delete.
    ///
    /// - Parameter first: The position of the first change of the save.
    func requireListedDeletes(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, from first: Int64, _ connection: Connection
    ) throws {
        let count = try connection.scalarInt64(
            "SELECT count(*) FROM \(ChangeTable.name) WHERE id >= ? AND \(ChangeTable.isOperation(.delete))"
        ) { try $0.bind(first, at: 1) }
        guard let count, count > request.deleted.count else { return }
        throw SwiftDataError.historyReplayConflict.with(
            detail: "a delete rule would delete models that exist in the source, because the replica changed their "
                + "relationships or another program wrote the source without foreign keys",
            entityName: request.deleted.first?.persistentIdentifier.entityName)
    }
}
