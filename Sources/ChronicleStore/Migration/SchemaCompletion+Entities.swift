import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Renames entities.
extension SchemaCompletion {
    /// Renames the entities that had another name in an earlier version of the schema.
    func renameEntities(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        guard !plan.entitySteps.isEmpty else { return }
        for step in plan.entitySteps {
            let entities = try registry.entities()
            guard let recorded = entities.first(where: { $0.name == step.old }),
                let root = entities.first(where: { $0.name == recorded.rootName })
            else { continue }
            if recorded.isSubentity {
                try rename(recorded, of: root, to: step.new)
            } else if try tableExists(recorded.name) {
                try rename(recorded, to: step.new)
            }
            try registry.rename(recorded, to: step.new)
        }
        // An earlier version of the models does not find the new names.
        try MetaTable.removeCompletions(connection)
    }

    private func rename(_ entity: RecordedEntity, to name: String) throws {
        try dropTriggers(of: entity)
        // Their names contain that of the table, which another table may receive.
        for index in try ownIndexes(of: entity.name).keys.sorted() {
            try connection.execute("DROP INDEX \(quoted(index))")
        }
        try connection.execute("ALTER TABLE \(quoted(entity.name)) RENAME TO \(quoted(name))")
        for links in try linkTables(of: entity.name) {
            let newName = name + links.dropFirst(entity.name.count)
            try connection.execute(
                """
                DROP INDEX IF EXISTS \(quoted("chronicle_links_\(links)"));
                ALTER TABLE \(quoted(links)) RENAME TO \(quoted(newName))
                """)
            try renameTriggers(ofLinks: newName)
        }
    }

    /// Renames an entity that inherits from another one: in its rows, and in the values that the history preserves.
    private func rename(_ entity: RecordedEntity, of root: RecordedEntity, to name: String) throws {
        // The models do not change, and neither does their history.
        try dropTriggers(of: root)
        let column = quoted(Schema.entityAttribute)
        var statements = ["UPDATE \(quoted(root.name)) SET \(column) = ?2 WHERE \(column) IS ?1"]
        if let attribute = root.attributes.first(where: { $0.name == Schema.entityAttribute }) {
            let entities = [root.number] + root.subentities.map(\.number)
            statements += ["old_value", "new_value"].map { value in
                """
                UPDATE \(ChangeTable.name) SET \(value) = ?2 WHERE \(ChangeTable.hasValue(of: entities)) \
                AND attributes = \(attribute.number) AND \(value) = ?1
                """
            }
        }
        for sql in statements {
            let statement = try connection.prepare(sql)
            try statement.bind(entity.name, at: 1)
            try statement.bind(name, at: 2)
            try statement.run()
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
