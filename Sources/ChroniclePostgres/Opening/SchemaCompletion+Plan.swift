#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL
    import Foundation

    // Plans how the classes continue those in the store, and changes the names of their properties.
    extension SchemaCompletion {
        func plan(_ catalog: Catalog, _ schemas: KnownSchemas) throws -> SchemaPlan {
            let entities = try catalog.entities()
            let tables = try DatabaseSchema(catalog.connection)
            return try SchemaPlan(
                from: try storedEntities(entities, tables, catalog),
                roots: Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.rootName) }),
                to: models, merged: schema,
                opening: SchemaPlan.Opening(schemas: schemas, stage: stage, baseline: baseline), fold: { $0 }
            ) { table in
                // Other columns belong to other programs.
                let recorded = entities.first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? []
                return Set(recorded).intersection((tables.columns[table] ?? [:]).keys)
            }
        }

        /// Returns the classes as the store describes them.
        private func storedEntities(
            _ entities: [RecordedEntity], _ tables: DatabaseSchema, _ catalog: Catalog
        ) throws -> [String: StoredEntity] {
            let definitions = try catalog.definitionsByName()
            var stored: [String: StoredEntity] = [:]
            for entity in entities {
                let declared = definitions[entity.name]?.properties.map(StoredProperty.init) ?? []
                if var known = try storedEntity(entity, catalog.connection) {
                    // An earlier version of Chronicle does not update the row.
                    let names = Set((known.live + known.removed).map(\.name))
                    known.live += declared.filter { !names.contains($0.name) }
                    stored[entity.name] = known
                } else {
                    // The definition is that of the program that opened the store last; others may use the other columns.
                    let classes = entities.filter { $0.rootName == entity.rootName }.compactMap { definitions[$0.name] }
                    let names = Set(classes.flatMap { $0.properties.map(\.name) })
                    let root = entities.first { $0.name == entity.rootName } ?? entity
                    let others = recordedProperties(root, tables).filter { !names.contains($0.name) }
                    stored[entity.name] = StoredEntity(live: declared + others)
                }
            }
            return stored
        }

        /// Returns the properties of the table of an entity, as far as the table shows them.
        private func recordedProperties(_ entity: RecordedEntity, _ tables: DatabaseSchema) -> [StoredProperty] {
            entity.attributes.compactMap { attribute in
                guard attribute.name != Schema.entityAttribute else { return nil }
                guard attribute.isPresent else {
                    return StoredProperty(
                        name: attribute.name, place: .links, storage: nil, destination: attribute.destination)
                }
                guard let column = tables.columns[entity.name]?[attribute.name] else { return nil }
                let storage: Schema.Attribute.Storage =
                    switch column.type {
                    case "bigint": .integer
                    case "double precision": .real
                    case "bytea": .blob
                    default: .text
                    }
                return StoredProperty(
                    name: attribute.name, place: .column, storage: attribute.destination == nil ? storage : nil,
                    destination: attribute.destination)
            }
        }

        private func storedEntity(_ entity: RecordedEntity, _ connection: Connection) throws -> StoredEntity? {
            let name = MetaName.properties(entity.number)
            guard let json = try MetaTable.text(name, connection) else { return nil }
            do { return try JSONDecoder().decode(StoredEntity.self, from: Data(json.utf8)) } catch {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row '\(name.text)' of chronicle_meta is invalid; restore it", underlying: error)
            }
        }

        /// Stores the description of the classes after the opening.
        func describe(_ plan: SchemaPlan, _ catalog: Catalog) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for entity in try catalog.entities() {
                guard let description = plan.entities[entity.name] else { continue }
                let json = String(decoding: try encoder.encode(description), as: UTF8.self)
                guard try MetaTable.text(.properties(entity.number), catalog.connection) != json else { continue }
                try MetaTable.set(.properties(entity.number), json, catalog.connection)
            }
        }

        /// Renames the columns and the attributes of the history, and drops the columns that are in their way.
        ///
        /// - Parameter numbers: The numbers of the renamed properties in the history; see ``renamedNumbers(_:_:)``.
        func renameProperties(_ plan: SchemaPlan, _ numbers: [String: [Rename: Int]], _ catalog: Catalog) throws {
            let connection = catalog.connection
            for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
                guard !table.renames.isEmpty || !table.droppedColumns.isEmpty || !table.droppedLinks.isEmpty,
                    var entity = try catalog.entities().first(where: { $0.name == name })
                else { continue }
                if !table.columnSteps.isEmpty {
                    let tables = try DatabaseSchema(connection)
                    // The names of indexes and constraints contain those of columns, so the new columns need other ones.
                    for key in (tables.foreignKeys[name] ?? [:]).keys.sorted() where key.hasPrefix("chronicle_") {
                        try connection.script("ALTER TABLE \(self.table(name)) DROP CONSTRAINT \(quoted(key))")
                    }
                    for index in (tables.indexes[name] ?? []).sorted() where index.hasPrefix("chronicle_") {
                        try connection.script("DROP INDEX \(self.table(index))")
                    }
                }
                // The columns of moved relationships are dropped already.
                let present = try DatabaseSchema(connection).columns[name] ?? [:]
                for column in table.droppedColumns where present[column] != nil {
                    try catalog.dropColumn(column, of: name, isReplaced: true)
                }
                for step in table.columnSteps {
                    try connection.script(
                        "ALTER TABLE \(self.table(name)) RENAME COLUMN \(quoted(step.old)) TO \(quoted(step.new))")
                }
                entity = try catalog.entities().first { $0.name == name } ?? entity
                let renamed = numbers[name] ?? [:]
                let replacedLinks = Set(table.droppedLinks.map(\.name))
                for index in entity.attributes.indices {
                    let attribute = entity.attributes[index]
                    if let rename = renamed.first(where: { $0.value == attribute.number })?.key {
                        entity.attributes[index].name = rename.new
                    } else if !attribute.isPresent, attribute.type == nil,
                        replacedLinks.contains(attribute.name)
                            || renamed.keys.contains(where: { $0.new == attribute.name })
                    {
                        entity.attributes[index].name = attribute.nameAfterReplacement
                    } else {
                        continue
                    }
                    try catalog.update(entity.attributes[index], of: entity)
                }
            }
        }

        /// Returns the numbers of the renamed properties of each table in the history, before any of them changes.
        func renamedNumbers(_ plan: SchemaPlan, _ catalog: Catalog) throws -> [String: [Rename: Int]] {
            let entities = try catalog.entities()
            var found: [String: [Rename: Int]] = [:]
            for (name, table) in plan.tables {
                let attributes = entities.first { $0.name == name }?.attributes ?? []
                for rename in table.renames {
                    guard let earlier = table.earlier(rename.new), earlier.place != .inverse else { continue }
                    let isColumn = earlier.place == .column
                    // A property that moves between the table and one of links has a new number.
                    let slot = schema.entitiesByName[name]?.propertiesByName[rename.new]?.slot ?? -1
                    guard isColumn == (slot >= 0) else { continue }
                    found[name, default: [:]][rename] =
                        attributes.first { $0.name == rename.old && $0.isPresent == isColumn }?.number
                }
            }
            return found
        }
    }
#endif
