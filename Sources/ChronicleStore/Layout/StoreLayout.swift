import ChronicleCore

/// The tables of a schema in one file: what the file calls everything.
struct StoreLayout: Sendable {
    let storeIdentifier: String
    let tablesByName: [String: EntityTable]
    /// The tables of links by their names.
    let linkTablesByName: [String: LinkTable]
    /// The entities that the file has a history of, by their number there.
    let recordedEntities: [Int64: RecordedEntity]

    init(storeIdentifier: String, schema: Schema, recorded: [RecordedEntity]) {
        self.storeIdentifier = storeIdentifier
        var origins: [String: PersistentIdentifier.Origin] = [:]
        for name in Set(recorded.map(\.name)).union(schema.entities.map(\.name)) {
            origins[name] = .init(storeIdentifier: storeIdentifier, entityName: name)
        }
        var tables: [String: EntityTable] = [:]
        for entity in recorded {
            guard let modelled = schema.entitiesByName[entity.name] else { continue }
            tables[entity.name] = EntityTable(
                modelled, number: entity.number, storeIdentifier: storeIdentifier, origins: origins,
                isLinked: schema.links.contains { [$0.owner, $0.destination].contains(entity.name) })
        }
        tablesByName = tables
        linkTablesByName = Dictionary(uniqueKeysWithValues: schema.links.map { ($0.name, LinkTable($0)) })
        recordedEntities = Dictionary(uniqueKeysWithValues: recorded.map { ($0.number, $0) })
    }

    func table(for type: any PersistentModel.Type) throws -> EntityTable {
        try table(named: type.entityName)
    }

    func table(named name: String) throws -> EntityTable {
        guard let table = tablesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not keep this model", entityName: name, storeIdentifier: storeIdentifier)
        }
        return table
    }

    func linkTable(named name: String) throws -> LinkTable {
        guard let table = linkTablesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not keep the relationship \(name)", storeIdentifier: storeIdentifier)
        }
        return table
    }
}

/// An entity as the file's history knows it: with a number of its own, and every attribute that it ever had.
struct RecordedEntity: Sendable, Hashable {
    let number: Int64
    let name: String
    var attributes: [RecordedAttribute]
}

/// An attribute or relationship as the history knows it. Its number is never given to another one.
struct RecordedAttribute: Sendable, Hashable {
    let number: Int
    /// The property in the class, and its column if it has one.
    var name: String
    /// Whether a delete keeps its value.
    var isPreserved: Bool
    /// Whether the table has the column. Relationships that are kept as links have none.
    var isPresent: Bool
}
