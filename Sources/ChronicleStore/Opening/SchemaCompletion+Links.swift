import ChronicleCore
import ChronicleSQLite

// The tables of relationships that are kept as links.
extension SchemaCompletion {
    func completeLinks(_ registry: EntityRegistry) throws {
        let definitions = schema.links.map(LinkDefinition.init)
        // First what was there under other names: a new relationship may have the name that another one had.
        for definition in definitions { try takeOver(definition) }
        for definition in definitions {
            try makeTable(definition)
            try connection.execute(definition.createIndex)
            try makeTriggers(of: registry.recordedLinks(definition.links))
        }
    }

    /// Makes the table, or gives it the foreign keys that it has to have now.
    private func makeTable(_ definition: LinkDefinition) throws {
        guard try exists(definition.links.name) else { return try connection.execute(definition.createTable) }
        let sql = try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(definition.links.name, at: 1)
        }
        // The rows stay as they are, see ``changeColumns(_:)``. A table that another program changed keeps what it has.
        guard let sql, sql != definition.createTable, definition.differsInRules(from: sql) else { return }
        try connection.replaceDefinition(ofTable: definition.links.name, with: definition.createTable)
    }

    /// Moves links from the tables that an earlier schema had them in, for relationships that were renamed, or whose sides
    /// changed their places in the alphabet.
    private func takeOver(_ definition: LinkDefinition) throws {
        let links = definition.links
        let isThere = try exists(links.name)
        if isThere, try !leads(links.name, from: links.owner, to: links.destination) { try giveUp(links) }
        for (name, isReversed) in definition.earlierNames {
            // A table under the present name of the other side is of the time before the two were one relationship.
            guard !isThere || name == links.inverse.map({ "\(links.destination).\($0.name)" }), try exists(name),
                try isReversed
                    ? leads(name, from: links.destination, to: links.owner)
                    : leads(name, from: links.owner, to: links.destination)
            else { continue }
            if try !exists(links.name) { try connection.execute(definition.createTable) }
            let columns = isReversed ? "destination, owner" : "owner, destination"
            try connection.execute(
                "INSERT OR IGNORE INTO \(quoted(links.name))(owner, destination) SELECT \(columns) FROM \(quoted(name));"
                    + "DROP TABLE \(quoted(name))")
        }
    }

    /// The table is of another relationship that had the name.
    private func giveUp(_ links: Schema.Links) throws {
        guard try connection.scalarInt64("SELECT 1 FROM \(quoted(links.name)) LIMIT 1") == nil else {
            throw SwiftDataError.backwardMigration.with(
                detail: "the file has links of this name to models of another class", entityName: links.owner,
                propertyName: links.property.name)
        }
        try connection.execute("DROP TABLE \(quoted(links.name))")
    }

    func exists(_ table: String) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(table, at: 1)
        } != nil
    }

    private func leads(_ table: String, from owner: String, to destination: String) throws -> Bool {
        let statement = try connection.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)")
        try statement.bind(table, at: 1)
        var ends: [String: String] = [:]
        while try statement.step() { ends[statement.text(0)] = statement.text(1) }
        return ends["owner"] == owner && ends["destination"] == destination
    }

    /// Whether the table of links has the triggers that it has to have, and no others of the recorder.
    func hasTriggers(_ links: RecordedLinks) throws -> Bool {
        try Set(triggers(of: links.name).values)
            == Set(RecorderSQL.triggers(of: links, recordsHistory: recordsHistory))
    }

    private func makeTriggers(of links: RecordedLinks) throws {
        guard try !hasTriggers(links) else { return }
        for name in try triggers(of: links.name).keys.sorted() {
            try connection.execute(RecorderSQL.dropTrigger(named: name))
        }
        if links.isSymmetric {
            // Of a relationship that became its own inverse.
            let table = quoted(links.name)
            try connection.execute(
                "INSERT OR IGNORE INTO \(table)(owner, destination) SELECT destination, owner FROM \(table)")
        }
        for statement in RecorderSQL.triggers(of: links, recordsHistory: recordsHistory) {
            try connection.execute(statement)
        }
    }
}

extension EntityRegistry {
    /// Gives the properties that lead along links their numbers. They are attributes that the table has no column for.
    func registerLinks(of entity: Schema.Entity, _ recorded: inout RecordedEntity) throws {
        let properties = entity.properties.filter { $0.relationship?.isLinked == true }
        func index(_ name: String?) -> Int? {
            recorded.attributes.firstIndex { $0.name == name && !$0.isPresent }
        }
        for property in properties where index(property.name) == nil {
            guard let renamed = index(property.previousName) else { continue }
            recorded.attributes[renamed].name = property.name
            try update(recorded.attributes[renamed], of: recorded)
        }
        // Behind those that take over, whose names may be those of others.
        for property in properties where index(property.name) == nil {
            try add(property.name, isPreserved: false, isPresent: false, to: &recorded)
        }
    }

    /// The table of links as the recorder needs to know it.
    func recordedLinks(_ links: Schema.Links) throws -> RecordedLinks {
        let entities = try entities()
        func end(_ column: String, _ name: String, _ property: Schema.Property?) -> RecordedLinks.End {
            let entity = entities.first { $0.name == name }
            return RecordedLinks.End(
                column: column, entityID: entity?.number ?? 0, table: name,
                attribute: property.flatMap { property in
                    entity?.attributes.first { $0.name == property.name && !$0.isPresent }?.number
                },
                cascades: property?.relationship?.deleteRule == .cascade)
        }
        return RecordedLinks(
            name: links.name, owner: end("owner", links.owner, links.property),
            destination: end("destination", links.destination, links.inverse), isSymmetric: links.isSymmetric)
    }
}
