import ChronicleCore
import ChronicleSQLite
import Synchronization

/// What readers of one store's history need to know beside its rows: entities by number, and who signed.
///
/// Made once for a store. Other processes add to both, so that what is missing here is looked up in the file, by the
/// reader that misses it and in its snapshot.
final class HistoryCatalog: Sendable {
    private struct State {
        var entities: NumberedList<EntityHistory>
        var sources: [Int64: RecordedSource] = [RecorderStatements.externalSource: .external]
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

    /// The entities by their number, as far as known.
    var entities: NumberedList<EntityHistory> { state.withLock(\.entities) }

    /// The number of an entity, as far as known.
    func number(ofEntity name: String) -> Int64? {
        entities.firstNumber { $0.name == name }
    }

    /// The entities by their number, as the connection's snapshot has them.
    ///
    /// - Throws: ``SwiftDataError/damagedFile``.
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

    /// The source with this number; `nil` when the file does not have it.
    func source(_ number: Int64, _ connection: Connection) throws -> RecordedSource? {
        if let known = state.withLock({ $0.sources[number] }) { return known }
        let statement = try connection.cached(
            "SELECT author, context, program, process FROM chronicle_source WHERE id = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        guard try statement.step() else { return nil }
        let source = RecordedSource(
            author: statement.isNull(0) ? nil : statement.text(0),
            contextName: statement.isNull(1) ? nil : statement.text(1),
            program: statement.text(2), process: statement.text(3))
        state.withLock { $0.sources[number] = source }
        return source
    }
}
