import ChronicleCore
import ChronicleSQLite
import Synchronization

/// The data that readers of a store's history need in addition to its rows: entities and sources by their numbers.
///
/// Created once for each store. Other processes may add entities and sources; the reader that misses one looks it up in
/// the file, in its snapshot.
final class HistoryCatalog: Sendable {
    private struct State {
        var entities: NumberedList<EntityHistory>
        var sources: [Int64: TransactionSource] = [SourceTable.external: .external]
    }

    let storeIdentifier: String
    private let schema: Schema
    private let state: Mutex<State>

    init(_ layout: StoreLayout, _ schema: Schema) {
        storeIdentifier = layout.storeIdentifier
        self.schema = schema
        let entities = Self.entities(Array(layout.recordedEntities.values), schema, layout.storeIdentifier)
        state = Mutex(State(entities: entities))
    }

    /// The known entities by their numbers.
    var entities: NumberedList<EntityHistory> { state.withLock(\.entities) }

    /// Returns the number of a known entity, or the numbers of all known entities with that root.
    func numbers(ofEntity name: String, isRoot: Bool) -> [Int64] {
        entities.numbers { (isRoot ? $0.rootName : $0.name) == name }
    }

    /// Reloads the entities from the snapshot of a connection.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if a row is invalid.
    func reloadEntities(_ connection: Connection) throws -> NumberedList<EntityHistory> {
        let entities = Self.entities(try EntityRegistry(connection).entities(), schema, storeIdentifier)
        state.withLock { $0.entities = entities }
        return entities
    }

    private static func entities(
        _ recorded: [RecordedEntity], _ schema: Schema, _ storeIdentifier: String
    ) -> NumberedList<EntityHistory> {
        NumberedList(
            recorded.map { ($0.number, EntityHistory($0, schema, storeIdentifier: storeIdentifier)) })
    }

    /// Returns the source with a number, or `nil` if the file does not contain it.
    func source(_ number: Int64, _ connection: Connection) throws -> TransactionSource? {
        if let known = state.withLock({ $0.sources[number] }) { return known }
        guard let source = try SourceTable.source(number, connection) else { return nil }
        state.withLock { $0.sources[number] = source }
        return source
    }
}
