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
        try moveEarlierLinks(definitions, plan)
        for definition in definitions {
            try makeTable(definition)
            try connection.execute(definition.createIndex)
            try makeTriggers(of: registry.recordedLinks(definition.links))
        }
    }

    /// Creates the table, or updates its foreign keys to the current delete rules.
    private func makeTable(_ definition: LinkDefinition) throws {
        guard try tableExists(definition.links.name) else { return try connection.execute(definition.createTable) }
        let sql = try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(definition.links.name, at: 1)
        }
        // The rows stay as they are, see ``changeColumns(_:)``. A table that another program changed is left unchanged.
        guard let sql, sql != definition.createTable, definition.differsOnlyInDeleteRules(from: sql) else { return }
        try connection.replaceDefinition(ofTable: definition.links.name, with: definition.createTable)
    }

    /// A table with links of an earlier schema.
    struct EarlierLinks: Hashable {
        var table: String
        /// Whether owner and destination are exchanged.
        let isReversed: Bool
    }

    /// Moves links from the tables of an earlier schema, if relationships were renamed, the alphabetical order of their
    /// sides changed, or two of them became the sides of one.
    private func moveEarlierLinks(_ definitions: [LinkDefinition], _ plan: SchemaPlan) throws {
        try dropReplacedLinks(plan)
        var moves = try definitions.map { (definition: $0, sources: try earlierLinks(of: $0.links, plan)) }
        let names = Set(definitions.map(\.links.name))
        var number = 0
        for index in moves.indices {
            let current = moves[index].definition.links.name
            for source in moves[index].sources.indices {
                let table = moves[index].sources[source].table
                // The links of this table make room for those of another one.
                guard table != current, names.contains(table) else { continue }
                let temporary = "temp.chronicle_moved_\(number)"
                number += 1
                try connection.execute(
                    "CREATE TABLE \(temporary) AS SELECT owner, destination FROM main.\(quoted(table))")
                try dropLinkTable(named: table)
                moves[index].sources[source].table = temporary
            }
        }
        for (definition, sources) in moves {
            let links = definition.links
            if try tableExists(links.name), !sources.contains(EarlierLinks(table: links.name, isReversed: false)) {
                if try !references(links.name, from: links.owner, to: links.destination) {
                    try dropUnrelatedTable(of: links, plan)
                } else if !sources.isEmpty || plan.continues(links) {
                    // Links of a removed relationship.
                    try dropLinkTable(named: links.name)
                }
            }
            for source in sources where source.table != links.name {
                if try !tableExists(links.name) { try connection.execute(definition.createTable) }
                let columns = source.isReversed ? "destination, owner" : "owner, destination"
                let isTemporary = source.table.hasPrefix("temp.")
                try connection.execute(
                    "INSERT OR IGNORE INTO \(quoted(links.name))(owner, destination) SELECT \(columns) "
                        + "FROM \(isTemporary ? source.table : quoted(source.table))")
                if isTemporary {
                    try connection.execute("DROP TABLE \(source.table)")
                } else {
                    try dropLinkTable(named: source.table)
                }
            }
        }
    }

    /// Drops the links of the relationships that a stage of a migration plan replaces.
    private func dropReplacedLinks(_ plan: SchemaPlan) throws {
        for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
            for property in table.droppedLinks {
                let storages = property.storages(of: name, plan.root(of: property.destination ?? ""))
                for case .links(let links, _, _) in storages { try dropLinkTable(named: links) }
            }
        }
    }

    /// Returns the tables with the links of a relationship of the new schema.
    func earlierLinks(of links: Schema.Links, _ plan: SchemaPlan) throws -> [EarlierLinks] {
        var found: [EarlierLinks] = []
        func add(_ table: String, isReversed: Bool) throws {
            let source = EarlierLinks(table: table, isReversed: isReversed)
            let (owner, destination) =
                isReversed ? (links.destination, links.owner) : (links.owner, links.destination)
            // A table of links of a class with itself has no other direction.
            guard !found.contains(where: { $0.table == table }), try tableExists(table),
                try references(table, from: owner, to: destination)
            else { return }
            found.append(source)
        }
        func add(_ entity: String, _ property: Schema.Property, _ other: String, isReversed: Bool) throws {
            guard let earlier = plan.tables[entity]?.earlier(property.name), earlier.place == .links else { return }
            try add("\(entity).\(earlier.name)", isReversed: isReversed)
            if let inverse = earlier.inverse { try add("\(other).\(inverse)", isReversed: !isReversed) }
        }
        try add(links.owner, links.property, links.destination, isReversed: false)
        if let inverse = links.inverse, !links.isSymmetric {
            try add(links.destination, inverse, links.owner, isReversed: true)
        }
        // A program that the file knows continues to use the links of a relationship that another one removed.
        if plan.opening.isKnown, found.isEmpty, !plan.continues(links) { try add(links.name, isReversed: false) }
        return found
    }

    /// Drops a link table. The triggers of its owner, which may name it, are dropped first; ``switchHistory(_:wasRecorded:)``
    /// creates them again.
    func dropLinkTable(named name: String) throws {
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

    /// Drops the table of another relationship that had the same name.
    private func dropUnrelatedTable(of links: Schema.Links, _ plan: SchemaPlan) throws {
        // A relationship that was stored in another place replaces the links that remain from a removed one.
        let isReplaced = stage != nil || plan.continues(links)
        guard try isReplaced || connection.scalarInt64("SELECT 1 FROM \(quoted(links.name)) LIMIT 1") == nil else {
            throw SwiftDataError.backwardMigration.with(
                detail: "the file has links of another relationship with this name; rename the relationship",
                entityName: links.owner, propertyName: links.property.name)
        }
        try dropLinkTable(named: links.name)
    }

    func tableExists(_ table: String) throws -> Bool { try connection.tableExists(table) }

    func references(_ table: String, from owner: String, to destination: String) throws -> Bool {
        let statement = try connection.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)")
        try statement.bind(table, at: 1)
        var ends: [String: String] = [:]
        while try statement.step() { ends[statement.text(0)] = statement.text(1) }
        return ends["owner"] == owner && ends["destination"] == destination
    }

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
