import ChronicleCore
import ChronicleSQLite

// Renames entities.
extension SchemaCompletion {
    /// Renames the tables of the entities that had another name in an earlier version of the schema.
    func renameEntities(_ registry: EntityRegistry) throws {
        // Entities that inherit are not tables, and cannot be renamed.
        var renamed = models.entities.filter { $0.originalName != $0.name }
        while !renamed.isEmpty {
            var waiting: [Schema.Entity] = []
            for entity in renamed {
                guard let recorded = try registry.entities().first(where: { $0.name == entity.originalName }),
                    try tableExists(recorded.name)
                else { continue }
                if try tableExists(entity.name) {
                    waiting.append(entity)
                } else {
                    try rename(recorded, to: entity.name)
                }
            }
            // An entity can have the previous name of another one, which is renamed first.
            if waiting.count == renamed.count { return }
            renamed = waiting
        }
    }

    /// Returns the previous name of an entity, or its name if it was not renamed.
    func originalName(of entityName: String) -> String {
        // The entities of `schema` have no classes if one of the models inherits.
        models.entitiesByName[entityName]?.originalName ?? entityName
    }

    private func rename(_ entity: RecordedEntity, to name: String) throws {
        try dropTriggers(of: entity)
        try connection.execute("ALTER TABLE \(quoted(entity.name)) RENAME TO \(quoted(name))")
        for statement in [
            "UPDATE chronicle_entity SET name = ?2 WHERE name = ?1",
            "UPDATE chronicle_attribute SET destination = ?2 WHERE destination = ?1",
        ] {
            let update = try connection.prepare(statement)
            try update.bind(entity.name, at: 1)
            try update.bind(name, at: 2)
            try update.run()
        }
        for links in try linkTables(of: entity.name) {
            try connection.execute(
                """
                DROP INDEX IF EXISTS \(quoted("chronicle_links_\(links)"));
                ALTER TABLE \(quoted(links)) RENAME TO \(quoted(name + links.dropFirst(entity.name.count)))
                """)
        }
    }

    /// Drops the triggers that record changes of an entity. ``switchHistory(_:wasRecorded:)`` creates them again.
    func dropTriggers(of entity: RecordedEntity) throws {
        let table = try EntityRegistry(connection).table(of: entity)
        for statement in RecorderSQL.resolveConflicts(of: table) + RecorderSQL.dropTriggers(of: entity.number) {
            try connection.execute(statement)
        }
    }

    /// Returns the names of the link tables whose owner is an entity. They begin with its name and a period, which no
    /// other name contains.
    private func linkTables(of entity: String) throws -> [String] {
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(?1) + 1) = ?1 || '.'")
        try statement.bind(entity, at: 1)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }
}
