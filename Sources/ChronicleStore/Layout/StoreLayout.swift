import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore

/// The tables of a schema in a file.
final class StoreLayout: Sendable {
    let storeIdentifier: String
    let tablesByName: [String: EntityTable]
    /// The link tables by their names.
    let linkTablesByName: [String: LinkTable]
    /// The entities in the file's history by their numbers.
    let recordedEntities: [Int64: RecordedEntity]
    /// Whether the file had an earlier format when it was opened.
    let isUpgraded: Bool
    /// Whether the history preserves the values of all properties since the file was opened, and did not before.
    let startsPreservingValues: Bool
    /// Whether the file is the database of another program, whose changes are recorded.
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
                cascadeSlots: modelled.storedProperties.filter { property in
                    property.relationship.map { schema.deleteRule(towards: $0) == .cascade } ?? false
                }.map(\.slot),
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

    /// Returns the present rows of a table in a FROM clause that names no temporary table.
    ///
    /// - Parameter number: The number of the table's entity.
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

/// An entity in the history, with its number and every attribute that it ever had.
struct RecordedEntity: Sendable, Hashable {
    let number: Int64
    let name: String
    /// The name of the entity whose table contains the rows; the entity itself, or the one from which it inherits.
    var rootName: String
    /// The other entities whose rows are in the table of this one.
    var subentities: [RecordedTable.Subentity] = []
    /// The name of the table of a tracked database whose changes are recorded, or `nil` for a table of models and for a
    /// table that is not recorded any more.
    var tableName: String?
    /// The columns of the primary key of such a table if it is not the rowid.
    var keyColumns: [String]?
    /// The attributes of all entities that share the table.
    var attributes: [RecordedAttribute]

    init(number: Int64, name: String, attributes: [RecordedAttribute], rootName: String? = nil) {
        (self.number, self.name, self.attributes) = (number, name, attributes)
        self.rootName = rootName ?? name
    }

    /// Whether the rows are in the table of another entity, from which this one inherits.
    var isSubentity: Bool { rootName != name }
}

/// An attribute or a relationship in the history. Its number is never reused.
struct RecordedAttribute: Sendable, Hashable {
    let number: Int
    /// The name of the property, and of its column if it has one.
    var name: String
    /// The name of an attribute's type; `nil` for a relationship, or if an earlier version of Chronicle recorded it.
    var type: String?
    /// The name of the entity of a relationship's destinations, or `nil` for an attribute.
    var destination: String?
    /// The values that the history preserves.
    var preservation: Preservation
    /// Whether the table has a column for it. Relationships in link tables have none.
    var isPresent: Bool

    /// Whether deletes of the table's rows preserve the links of the relationship. See ``Preservation/deletes``.
    var deletesPreserveLinks: Bool {
        !isPresent && preservation.deletes == .all && preservation.updates != .none
    }
}
