import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore

final class StoreLayout: Sendable {
    let storeIdentifier: String
    let tablesByName: [String: EntityTable]
    let linkTablesByName: [String: LinkTable]
    let recordedEntities: [Int64: RecordedEntity]
    let isUpgraded: Bool
    /// Whether the history preserves the values of all properties, which it did not before the file was opened.
    let startsPreservingValues: Bool
    let isTracked: Bool

    init(
        storeIdentifier: String, schema: Schema, recorded: [RecordedEntity], isUpgraded: Bool = false,
        startsPreservingValues: Bool = false, isTracked: Bool = false
    ) {
        self.storeIdentifier = storeIdentifier
        (self.isUpgraded, self.isTracked) = (isUpgraded, isTracked)
        self.startsPreservingValues = startsPreservingValues
        var origins: [String: PersistentIdentifier.Origin] = [:]
        let numbers = Dictionary(recorded.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let recordedRoots = Dictionary(recorded.map { ($0.name, $0.rootName) }, uniquingKeysWith: { first, _ in first })
        for name in Set(recorded.map(\.name)).union(schema.entities.map(\.name)) {
            origins[name] = .init(
                storeIdentifier: storeIdentifier, entityName: name,
                rootEntityName: schema.entitiesByName[name]?.rootName ?? recordedRoots[name] ?? name)
        }
        let referenced = Set(
            schema.entities.flatMap(\.storedProperties).compactMap(\.relationship?.destination)
                .compactMap { schema.entitiesByName[$0]?.rootName })
        let linked = Set(schema.links.flatMap { [$0.owner, $0.destination] })
        var tables: [String: EntityTable] = [:]
        func table(_ entity: RecordedEntity) -> EntityTable? {
            if let known = tables[entity.name] { return known }
            guard let modelled = schema.entitiesByName[entity.name] else { return nil }
            let kinds = schema.kinds(of: entity.name).subtracting([entity.name])
            let made = EntityTable(
                modelled, number: entity.number, tableNumber: numbers[entity.rootName],
                storeIdentifier: storeIdentifier, origins: origins,
                isLinked: linked.contains(modelled.rootName), isReferenced: referenced.contains(modelled.rootName),
                cascadeSlots: schema.cascadeSlots(of: modelled),
                subtables: recorded.filter { kinds.contains($0.name) }.compactMap(table),
                oneToOnes: OneToOneRelationship.all(of: modelled, in: schema))
            tables[entity.name] = made
            return made
        }
        for entity in recorded { _ = table(entity) }
        tablesByName = tables
        linkTablesByName = Dictionary(uniqueKeysWithValues: schema.links.map { ($0.name, LinkTable($0)) })
        recordedEntities = Dictionary(uniqueKeysWithValues: recorded.map { ($0.number, $0) })
    }

    /// Returns the rows for a FROM clause that must not name a temporary table. `number` is that of the table's entity.
    func presentRows(ofTable number: Int64) -> String {
        let entity = recordedEntities[number]
        return "\(entity?.keyColumns == nil ? "main" : "temp").\(quoted(entity?.name ?? ""))"
    }

    func table(for type: any PersistentModel.Type) throws -> EntityTable {
        try table(named: type.entityName)
    }

    func table(named name: String) throws -> EntityTable {
        guard let table = tablesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain this model; add it to the store's schema", entityName: name,
                storeIdentifier: storeIdentifier)
        }
        return table
    }

    func linkTable(named name: String) throws -> LinkTable {
        guard let table = linkTablesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain the relationship \(name); add its models to the store's schema",
                storeIdentifier: storeIdentifier)
        }
        return table
    }
}

/// An entity with every attribute that it ever had.
struct RecordedEntity: Sendable, Hashable {
    let number: Int64
    let name: String
    /// The entity whose table contains the rows; the entity itself, or the one from which it inherits.
    var rootName: String
    var subentities: [RecordedTable.Subentity] = []
    /// The recorded table of a tracked database; `nil` for a table of models, or one that is not recorded any more.
    var tableName: String?
    /// `nil` if the primary key of such a table is the rowid.
    var keyColumns: [String]?
    /// The attributes of all entities that share the table.
    var attributes: [RecordedAttribute]

    init(number: Int64, name: String, attributes: [RecordedAttribute], rootName: String? = nil) {
        (self.number, self.name, self.attributes) = (number, name, attributes)
        self.rootName = rootName ?? name
    }

    var isSubentity: Bool { rootName != name }
}

/// The number is never reused.
struct RecordedAttribute: Sendable, Hashable {
    let number: Int
    var name: String
    /// `nil` for a relationship, or if an earlier version of Chronicle recorded it.
    var type: String?
    /// `nil` for an attribute.
    var destination: String?
    var preservation: Preservation
    /// Relationships in link tables have no column.
    var isPresent: Bool

    /// See ``Preservation/deletes``.
    var deletesPreserveLinks: Bool {
        !isPresent && preservation.deletes == .all && preservation.updates != .none
    }
}
