import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Creates and migrates link tables.
extension SchemaCompletion {
    func completeLinks(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        let definitions = schema.links.map(LinkDefinition.init)
        if definitions.contains(where: \.links.arePreservedByDeletes) {
            try connection.execute(RecorderSQL.createRemovedLinkTable)
            // Throws if another program uses the name.
            _ = try FileSchema(connection).hasHistory([RecorderSQL.createRemovedLinkTable])
        }
        // Earlier versions of Chronicle renamed tables without their triggers, whose names another table may need.
        for name in try linkTables() { try renameTriggers(ofLinks: name) }
        try moveEarlierLinks(plan)
        for definition in definitions {
            try makeTable(definition)
            try connection.execute(definition.createIndex)
            try makeTriggers(of: registry.recordedLinks(definition.links))
        }
        let present = Set(definitions.map(\.links.name))
        for name in plan.leftoverLinks.subtracting(present).sorted() { try removeDeleteRules(ofLinks: name) }
    }

    /// Removes the delete rules of a removed relationship from the table of its links, which remains. Its changes are still
    /// recorded, as those of the columns of removed properties are.
    private func removeDeleteRules(ofLinks name: String) throws {
        guard let sql = try definition(ofLinks: name) else { return }
        for trigger in try triggers(of: name).keys.sorted()
        where !recordsHistory || RecorderSQL.isCascade(trigger: trigger) {
            try connection.execute(RecorderSQL.dropTrigger(named: trigger))
        }
        let plain = LinkDefinition.removingDeleteRules(from: sql)
        if plain != sql { try connection.replaceDefinition(ofTable: name, with: plain) }
    }

    /// Gives the triggers of a link table, which contain its present name, the names for it: the names of triggers are unique in
    /// a file.
    func renameTriggers(ofLinks table: String) throws {
        let former = try triggers(of: table).compactMap { name, sql in
            RecorderSQL.triggerName(replacing: name, of: table).map { (name, $0, sql) }
        }
        guard !former.isEmpty else { return }
        // SQLite runs the most recently created trigger first.
        let order = try orderOfTriggers(of: table)
        for (name, _, _) in former { try connection.execute(RecorderSQL.dropTrigger(named: name)) }
        for (name, newName, sql) in former.sorted(by: { order[$0.0] ?? 0 < order[$1.0] ?? 0 }) {
            guard let range = sql.firstRange(of: quoted(name)) else { continue }
            var renamed = sql
            renamed.replaceSubrange(range, with: quoted(newName))
            try connection.execute(renamed)
        }
    }

    private func orderOfTriggers(of table: String) throws -> [String: Int64] {
        let statement = try connection.prepare(
            "SELECT name, rowid FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
        try statement.bind(table, at: 1)
        var order: [String: Int64] = [:]
        while try statement.step() { order[statement.text(0)] = statement.int64(1) }
        return order
    }

    /// Returns the names of all link tables, which contain a period.
    private func linkTables() throws -> [String] {
        let statement = try connection.prepare(
            """
            SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND instr(tbl_name, '.') > 0 \
            AND substr(name, 1, 10) = 'chronicle_' ORDER BY tbl_name
            """)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    private func definition(ofLinks name: String) throws -> String? {
        try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(name, at: 1)
        }
    }

    /// Creates the table, or updates its foreign keys to the current delete rules.
    private func makeTable(_ definition: LinkDefinition) throws {
        guard try tableExists(definition.links.name) else { return try connection.execute(definition.createTable) }
        let sql = try self.definition(ofLinks: definition.links.name)
        // The rows stay as they are, see ``changeColumns(_:)``. A table that another program changed is left unchanged.
        guard let sql, sql != definition.createTable, definition.differsOnlyInDeleteRules(from: sql) else { return }
        try connection.replaceDefinition(ofTable: definition.links.name, with: definition.createTable)
    }

    /// Drops a link table. The triggers of its owner, which may name it, are dropped first; ``switchHistory(_:wasRecorded:)``
    /// creates them again.
    func dropLinks(_ name: String) throws {
        let registry = EntityRegistry(connection)
        // Names of entities contain no period.
        if let entity = try registry.entities().first(where: { $0.name == name.prefix { $0 != "." } }),
            !entity.isSubentity,
            try tableExists(entity.name)
        {
            try dropTriggers(of: entity)
        }
        try connection.execute("DROP TABLE IF EXISTS \(quoted(name))")
    }

    func tableExists(_ table: String) throws -> Bool { try connection.tableExists(table) }

    /// Returns whether the link table has exactly the triggers that it requires.
    func hasTriggers(_ links: RecordedLinks) throws -> Bool {
        try Set(triggers(of: links.name).values)
            == Set(RecorderSQL.triggers(of: links, recordsHistory: recordsHistory))
    }

    func makeTriggers(of links: RecordedLinks) throws {
        guard try !hasTriggers(links) else { return }
        for name in try triggers(of: links.name).keys.sorted() {
            try connection.execute(RecorderSQL.dropTrigger(named: name))
        }
        if links.isSymmetric {
            // Adds the reverse links of a relationship that became its own inverse.
            let table = quoted(links.name)
            try connection.execute(
                "INSERT OR IGNORE INTO \(table)(owner, destination) SELECT destination, owner FROM \(table)")
        }
        for statement in RecorderSQL.triggers(of: links, recordsHistory: recordsHistory) {
            try connection.execute(statement)
        }
    }
}

extension Connection {
    func tableExists(_ table: String) throws -> Bool {
        try scalarInt64("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(table, at: 1)
        } != nil
    }
}

extension Schema.Links {
    /// Whether a delete of the owner preserves its links, because no update of another row records them: those without
    /// an inverse, and those of a row to itself.
    var arePreservedByDeletes: Bool { inverse == nil || owner == destination }
}

extension EntityRegistry {
    /// Assigns numbers to relationships that are stored in link tables. In the history they are attributes without a
    /// column.
    func registerLinks(
        of entity: Schema.Entity, in schema: Schema, _ recorded: inout RecordedEntity, preservesValues: Bool
    ) throws {
        let properties = entity.properties.filter { $0.relationship?.isLinked == true }
        for property in properties {
            let links = schema.links.first { $0.owner == entity.name && $0.property.name == property.name }
            let preservation = Preservation(
                property, preservesValues: preservesValues, deletesPreserveLinks: links?.arePreservedByDeletes == true)
            try register(property, isPresent: false, preservation, &recorded)
        }
    }

    /// Returns the description of a link table for the recorder.
    func recordedLinks(_ links: Schema.Links) throws -> RecordedLinks {
        let entities = try entities()
        func end(_ column: String, _ name: String, _ property: Schema.Property?) -> RecordedLinks.End {
            let entity = entities.first { $0.name == name }
            let attribute = property.flatMap { property in
                entity?.attributes.first { $0.name == property.name && !$0.isPresent }
            }
            return RecordedLinks.End(
                column: column, entityID: entity?.number ?? 0, table: name,
                subentities: entity?.subentities ?? [], attribute: attribute?.number,
                preservesValues: attribute.map { $0.preservation.updates != .none } ?? false,
                cascades: property?.relationship?.deleteRule == .cascade)
        }
        return RecordedLinks(
            name: links.name, owner: end("owner", links.owner, links.property),
            destination: end("destination", links.destination, links.inverse), isSymmetric: links.isSymmetric)
    }
}
