import ChronicleCore
import ChronicleSQLite
import Synchronization

/// The entities of a store's history by their numbers. Other processes may add entities, and a restored backup may give
/// their numbers to others. Both change the schema version, so a read uses the entities of its snapshot's version.
/// https://www.sqlite.org/pragma.html#pragma_schema_version
final class HistoryCatalog: Sendable {
    private struct Entities {
        let schemaVersion: Int64
        let list: NumberedList<EntityHistory>
    }

    let storeIdentifier: String
    private let schema: Schema
    private let latest = Mutex<Entities?>(nil)

    init(_ layout: StoreLayout, _ schema: Schema) {
        storeIdentifier = layout.storeIdentifier
        self.schema = schema
    }

    func entities(_ connection: Connection) throws -> NumberedList<EntityHistory> {
        let version = try connection.scalarInt64("PRAGMA schema_version") ?? 0
        if let known = latest.withLock({ $0?.schemaVersion == version ? $0?.list : nil }) { return known }
        return try reload(connection, version)
    }

    /// Reads the entities again because a row of the history has an unknown one.
    func reloadEntities(_ connection: Connection) throws -> NumberedList<EntityHistory> {
        try reload(connection, connection.scalarInt64("PRAGMA schema_version") ?? 0)
    }

    private func reload(_ connection: Connection, _ version: Int64) throws -> NumberedList<EntityHistory> {
        let recorded = try EntityRegistry(connection).entities()
        let numbers = Dictionary(recorded.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let list = NumberedList(
            recorded.map { entity in
                let root = numbers[entity.rootName] ?? entity.number
                return (entity.number, EntityHistory(entity, root: root, schema, storeIdentifier: storeIdentifier))
            })
        latest.withLock { $0 = Entities(schemaVersion: version, list: list) }
        return list
    }

    /// The number of an entity, or of all entities with that root; none if the history does not contain it.
    func numbers(ofEntity name: String, isRoot: Bool, _ connection: Connection) throws -> [Int64] {
        func numbers(_ list: NumberedList<EntityHistory>) -> [Int64] {
            // The names of the root and of an entity without inheritance are the same.
            list.numbers { (isRoot ? $0.rootName : $0.name) == name }
        }
        let known = try numbers(entities(connection))
        return try known.isEmpty ? numbers(reloadEntities(connection)) : known
    }
}
