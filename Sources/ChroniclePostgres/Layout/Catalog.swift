#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    extension RecordedEntity: CatalogEntity {}
    extension RecordedAttribute: CatalogAttribute {}

    /// The tables `chronicle_entity` and `chronicle_attribute`, which number entities and attributes of the history.
    struct Catalog: EntityCatalog {
        let connection: Connection

        /// - Parameter schema: Quoted.
        static func createTables(_ schema: String) -> [String] {
            [
                """
                CREATE TABLE \(schema).chronicle_entity(id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, \
                superentity bigint REFERENCES \(schema).chronicle_entity(id), definition text)
                """,
                """
                CREATE TABLE \(schema).chronicle_attribute(entity bigint NOT NULL REFERENCES \(schema).chronicle_entity(id), \
                number smallint NOT NULL, name text COLLATE "C" NOT NULL, type text, destination text COLLATE "C", \
                present boolean NOT NULL, preserved_inserts smallint NOT NULL, preserved_updates smallint NOT NULL, \
                preserved_deletes smallint NOT NULL, PRIMARY KEY (entity, number))
                """,
            ]
        }

        init(_ connection: Connection) { self.connection = connection }

        var meta: MetaTable { MetaTable(connection) }

        /// Returns the entities in the order of their numbers.
        func entities() throws -> [RecordedEntity] {
            let results = try connection.pipeline { pipeline in
                pipeline.add("SELECT id, name, superentity FROM \(connection.schema).chronicle_entity ORDER BY id")
                pipeline.add(
                    """
                    SELECT a.entity, a.number, a.name, a.type, a.destination, a.present, a.preserved_inserts, \
                    a.preserved_updates, a.preserved_deletes, m.value::bigint FROM \(connection.schema).chronicle_attribute AS a \
                    LEFT JOIN \(connection.schema).chronicle_meta AS m ON m.name = 'attribute:' || a.entity || ':' || a.number \
                    ORDER BY a.entity, a.number
                    """)
            }
            let (rows, attributeRows) = (results[0], results[1])
            var attributes: [Int64: [RecordedAttribute]] = [:]
            for row in 0..<attributeRows.count {
                let entity = attributeRows.int64(row, 0)
                attributes[entity, default: []].append(try attribute(attributeRows, row))
            }
            var entities: [RecordedEntity] = []
            var superentities: [Int64: Int64] = [:]
            for row in 0..<rows.count {
                let (number, name) = (rows.int64(row, 0), rows.text(row, 1))
                if !rows.isNull(row, 2) { superentities[number] = rows.int64(row, 2) }
                entities.append(
                    RecordedEntity(number: number, name: name, rootName: name, attributes: attributes[number] ?? []))
            }
            return superentities.isEmpty ? entities : try Self.connecting(entities, superentities)
        }

        private func attribute(_ result: QueryResult, _ row: Int) throws -> RecordedAttribute {
            func text(_ column: Int) -> String? { result.isNull(row, column) ? nil : result.text(row, column) }
            func extent(_ column: Int) throws -> Preservation.Extent {
                guard let extent = Preservation.Extent(rawValue: result.int64(row, column)) else {
                    throw SwiftDataError.damagedFile.with(
                        detail: "a row of chronicle_attribute for \(result.text(row, 2)) is invalid; restore it")
                }
                return extent
            }
            return RecordedAttribute(
                number: Int(result.int64(row, 1)), name: result.text(row, 2), type: text(3), destination: text(4),
                preservation: Preservation(inserts: try extent(6), updates: try extent(7), deletes: try extent(8)),
                isPresent: result.bool(row, 5), addedAfter: result.isNull(row, 9) ? nil : result.int64(row, 9))
        }

        private static func connecting(
            _ entities: [RecordedEntity], _ superentities: [Int64: Int64]
        ) throws -> [RecordedEntity] {
            let known = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, $0) })
            var subentities: [Int64: [String: Int64]] = [:]
            var connected = try entities.map { entity in
                var root = entity
                var count = 0
                while let number = superentities[root.number] {
                    guard let next = known[number], count < entities.count else {
                        throw SwiftDataError.damagedFile.with(
                            detail: "the superentity of \(entity.name) in chronicle_entity is invalid; restore it")
                    }
                    (root, count) = (next, count + 1)
                }
                if root.number == entity.number { return entity }
                subentities[root.number, default: [:]][entity.name] = entity.number
                return RecordedEntity(
                    number: entity.number, name: entity.name, rootName: root.name, attributes: root.attributes)
            }
            for index in connected.indices {
                connected[index].subentities = subentities[connected[index].number] ?? [:]
            }
            return connected
        }

        /// Assigns a number to a new entity.
        func entity(named name: String) throws -> RecordedEntity {
            if let known = try entities().first(where: { $0.name == name }) { return known }
            let result = try connection.run(
                "INSERT INTO \(connection.schema).chronicle_entity(id, name) SELECT coalesce(max(id), 0) + 1, $1 FROM \(connection.schema).chronicle_entity "
                    + "RETURNING id", Parameters(.text(name)))
            return RecordedEntity(number: result.int64(0, 0), name: name, rootName: name, attributes: [])
        }

        /// Throws `SwiftDataError.backwardMigration` if the database has a table of the entity.
        func registerSubentity(_ entity: Schema.Entity, _ superentity: String) throws {
            if let known = try entities().first(where: { $0.name == entity.name }), known.rootName != entity.rootName {
                let place = known.isSubentity ? "the table of \(known.rootName)" : "a separate table"
                throw SwiftDataError.backwardMigration.with(
                    detail: "the database stores the model in \(place), but it now inherits from \(superentity); "
                        + "give the class another name and copy its models",
                    entityName: entity.name)
            }
            let recorded = try self.entity(named: entity.name)
            try connection.run(
                "UPDATE \(connection.schema).chronicle_entity SET superentity = (SELECT id FROM \(connection.schema).chronicle_entity WHERE name = $1) "
                    + "WHERE id = $2", Parameters(.text(superentity), .int64(recorded.number)))
            try setDefinition(entity, of: recorded)
        }

        /// Assigns numbers to new properties, and updates their types and which values are preserved.
        func register(_ entity: Schema.Entity, _ recorded: inout RecordedEntity, preservesValues: Bool) throws {
            let isNew = recorded.attributes.isEmpty
            for property in entity.storedProperties {
                let preservation = Preservation(property, preservesValues: preservesValues)
                try register(property, isPresent: true, preservation, &recorded, isNew: isNew)
            }
            try registerLinks(of: entity, &recorded, preservesValues: preservesValues, isNew: isNew)
        }

        /// Relationships in link tables are attributes without a column in the history.
        private func registerLinks(
            of entity: Schema.Entity, _ recorded: inout RecordedEntity, preservesValues: Bool, isNew: Bool
        ) throws {
            let properties = entity.properties.filter { $0.relationship?.isLinked == true }
            for property in properties {
                let preservation = Preservation(
                    property, preservesValues: preservesValues, deletesPreserveLinks: true)
                try register(property, isPresent: false, preservation, &recorded, isNew: isNew)
            }
        }

        private func register(
            _ property: Schema.Property, isPresent: Bool, _ preservation: Preservation, _ entity: inout RecordedEntity,
            isNew: Bool
        ) throws {
            let known = entity.attributes.firstIndex { $0.name == property.name && $0.isPresent == isPresent }
            let number = known.map { entity.attributes[$0].number } ?? (entity.attributes.map(\.number).max() ?? -1) + 1
            guard number <= Int16.max else {
                throw SwiftDataError.storeFull.with(
                    detail: "no numbers are left in chronicle_attribute", entityName: entity.name,
                    propertyName: property.name)
            }
            var attribute = RecordedAttribute(
                number: number, name: property.name, type: property.attribute.map(\.valueTypeName),
                destination: property.relationship?.destination, preservation: preservation, isPresent: isPresent)
            if let known {
                attribute.addedAfter = entity.attributes[known].addedAfter
                guard entity.attributes[known] != attribute else { return }
                entity.attributes[known] = attribute
            } else {
                // Changes before may have the destinations of a relationship that moved to a table of links or from one.
                let isMoved = entity.attributes.contains { earlier in
                    earlier.destination != nil && [property.name, property.previousName].contains(earlier.name)
                }
                if !isNew, !isMoved, let newest = try newestChange() {
                    try MetaTable.set(.addedAttribute(entity.number, number: number), String(newest), connection)
                    attribute.addedAfter = newest
                }
                entity.attributes.append(attribute)
            }
            try update(attribute, of: entity)
        }

        /// The sequence assigns greater identifiers to all changes that follow.
        private func newestChange() throws -> Int64? {
            let result = try connection.run(
                "SELECT pg_sequence_last_value(\(literal(connection.schema + ".chronicle_change_id")))")
            return result.isNull(0, 0) ? nil : result.int64(0, 0)
        }

        func update(_ attribute: RecordedAttribute, of entity: RecordedEntity) throws {
            var parameters = Parameters(.int64(entity.number), .int64(Int64(attribute.number)), .text(attribute.name))
            for text in [attribute.type, attribute.destination] {
                if let text { parameters.append(text) } else { parameters.appendNull(.text) }
            }
            let preservation = attribute.preservation
            for number in [
                attribute.isPresent ? 1 : 0, preservation.inserts.rawValue, preservation.updates.rawValue,
                preservation.deletes.rawValue,
            ] { parameters.append(Int64(number)) }
            try connection.run(
                """
                INSERT INTO \(connection.schema).chronicle_attribute(entity, number, name, type, destination, present, preserved_inserts, \
                preserved_updates, preserved_deletes) VALUES ($1, $2, $3, $4, $5, $6 <> 0, $7, $8, $9)
                ON CONFLICT (entity, number) DO UPDATE SET name = excluded.name, type = excluded.type, \
                destination = excluded.destination, present = excluded.present, \
                preserved_inserts = excluded.preserved_inserts, preserved_updates = excluded.preserved_updates, \
                preserved_deletes = excluded.preserved_deletes
                """, parameters)
        }

        /// A migration recognizes the version of an entity by its description.
        func setDefinition(_ entity: Schema.Entity, of recorded: RecordedEntity) throws {
            try connection.run(
                "UPDATE \(connection.schema).chronicle_entity SET definition = $1 WHERE id = $2",
                Parameters(.text(try entity.json()), .int64(recorded.number)))
        }

        func definitionsByName() throws -> [String: Schema.Entity] {
            let result = try connection.run(
                "SELECT name, definition FROM \(connection.schema).chronicle_entity WHERE definition IS NOT NULL ORDER BY id"
            )
            var definitions: [String: Schema.Entity] = [:]
            for row in 0..<result.count {
                do { definitions[result.text(row, 0)] = try Schema.Entity(json: result.text(row, 1)) } catch {
                    throw SwiftDataError.damagedFile.with(
                        detail: "the definition of \(result.text(row, 0)) in chronicle_entity is invalid; restore it",
                        underlying: error)
                }
            }
            return definitions
        }

        func rename(_ entity: RecordedEntity, to name: String) throws {
            try connection.run(
                "UPDATE \(connection.schema).chronicle_entity SET name = $2 WHERE id = $1",
                Parameters(.int64(entity.number), .text(name)))
            try connection.run(
                "UPDATE \(connection.schema).chronicle_attribute SET destination = $2 WHERE destination = $1",
                Parameters(.text(entity.name), .text(name)))
        }
    }
#endif
