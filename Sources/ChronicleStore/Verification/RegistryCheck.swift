import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The descriptions of entities and attributes, and whether their tables have the columns.
struct RegistryCheck {
    struct Registry {
        let entities: [RecordedEntity]
        /// The schema of the file without inheritance, or `nil` if the descriptions are damaged.
        let schema: Schema?
        let tables: Set<String>

        func root(of entity: RecordedEntity) -> RecordedEntity {
            entities.first { $0.name == entity.rootName } ?? entity
        }
    }

    let verifier: StoreVerifier
    private var connection: Connection { verifier.connection }

    init(verifier: StoreVerifier) { self.verifier = verifier }

    func run() throws -> Registry? {
        let registry = EntityRegistry(connection)
        let file = try FileSchema(connection)
        let entities = try registry.entities()
        // ``TrackingCheck`` compares the tables of a tracked database.
        var tables = verifier.isTracked ? try trackedTables(entities) : []
        for entity in entities where !entity.isSubentity && !verifier.isTracked {
            let exists = try verifier.check(.table) { try file.hasTable(entity.name, of: entity.name) }
            guard exists == true else {
                if exists == false, entity.attributes.contains(where: \.isPresent) {
                    try verifier.report(.table, entity.name, detail: "the table of the model is missing")
                }
                continue
            }
            tables.insert(entity.name)
            try checkColumns(of: entity)
        }
        try checkOrphans()
        let definitions = try verifier.check(.entity) { try used(registry.definitionsByName(), entities) }
        guard let definitions else { return Registry(entities: entities, schema: nil, tables: tables) }
        for entity in entities { try checkDefinition(definitions[entity.name], of: entity) }
        // A missing table of links is reported with the other tables.
        let schema = try verifier.check(.entity) {
            try registry.describedSchema(of: definitions) { _ in true }
        }
        return Registry(entities: entities, schema: schema?.mergingSubentities(), tables: tables)
    }

    /// Without those that a program has given another primary key, so that their rows do not have the keys of the history.
    private func trackedTables(_ entities: [RecordedEntity]) throws -> Set<String> {
        let tracking = TableTracking(connection)
        let present = try TrackedRows.entities(connection)
        return try Set(
            entities.filter { entity in
                guard present.contains(entity.name), let table = try TrackedTable(entity.name, connection) else {
                    return false
                }
                return try !tracking.hasOtherKeys(entity, table)
            }.map(\.name))
    }

    private func checkColumns(of entity: RecordedEntity) throws {
        var columns: Set<String> = []
        try verifier.forEachRow("SELECT name FROM pragma_table_info(?)", bind: { try $0.bind(entity.name, at: 1) }) {
            columns.insert($0.text(0))
        }
        for attribute in entity.attributes where attribute.isPresent && !columns.contains(attribute.name) {
            try verifier.report(.table, entity.name, detail: "the column \(attribute.name) is missing")
        }
    }

    private func checkOrphans() throws {
        try verifier.forEachRow(
            "SELECT DISTINCT entity FROM chronicle_attribute WHERE entity NOT IN (SELECT id FROM chronicle_entity)"
        ) {
            try verifier.report(
                .entity, "chronicle_attribute", $0.int64(0), detail: "the attributes belong to an unknown entity")
        }
        try verifier.forEachRow("SELECT DISTINCT entity FROM chronicle_conflict") { statement in
            guard !statement.isInteger(0) || !ChangeTable.entityNumbers.contains(statement.int64(0)) else { return }
            try verifier.report(.entity, "chronicle_conflict", detail: "a row belongs to an unknown entity")
        }
    }

    /// Returns the descriptions without those of subclasses that no program declares any more. Openings update neither these nor
    /// the numbers and indexes of their properties.
    private func used(
        _ definitions: [String: Schema.Entity], _ entities: [RecordedEntity]
    ) throws -> [String: Schema.Entity] {
        let schemas = KnownSchemas(inspecting: try MetaTable.knownSchemas(connection))
        let unused = entities.filter { $0.isSubentity && schemas.use($0.rootName) && !schemas.use($0.name) }.map(\.name)
        return definitions.filter { !unused.contains($0.key) }
    }

    private func checkDefinition(_ definition: Schema.Entity?, of entity: RecordedEntity) throws {
        // The attributes of an inheriting entity are those of the table, and include those of other entities.
        for property in definition?.storedProperties ?? []
        where !entity.attributes.contains(where: { $0.name == property.name && $0.isPresent }) {
            try verifier.report(
                .entity, "chronicle_attribute", entity.number,
                detail: "the property \(property.name) of \(entity.name) has no number")
        }
    }
}
