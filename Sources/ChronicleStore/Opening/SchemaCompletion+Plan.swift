import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

// Plans how the classes continue those in the file, and changes their names.
extension SchemaCompletion {
    func plan(_ registry: EntityRegistry, _ schemas: KnownSchemas) throws -> SchemaPlan {
        let entities = try registry.entities()
        return try SchemaPlan(
            from: try storedEntities(entities, registry),
            roots: Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.rootName) }),
            to: models, merged: schema, opening: SchemaPlan.Opening(schemas: schemas, stage: stage, baseline: baseline),
            fold: TableNames.folded
        ) { table in
            // Other columns belong to other programs.
            let recorded = Set(entities.first { $0.name == table }?.attributes.filter(\.isPresent).map(\.name) ?? [])
            return Set(try fileColumns(of: table).map(\.name)).intersection(recorded)
        }
    }

    // MARK: Description

    /// Returns the classes as the file describes them.
    private func storedEntities(
        _ entities: [RecordedEntity], _ registry: EntityRegistry
    ) throws -> [String: StoredEntity] {
        let definitions = try registry.definitionsByName()
        var stored: [String: StoredEntity] = [:]
        for entity in entities {
            let declared = definitions[entity.name]?.properties.map(StoredProperty.init) ?? []
            if var known = try storedEntity(entity) {
                // An earlier version of Chronicle does not update the row.
                let names = Set((known.live + known.removed).map(\.name))
                known.live += declared.filter { !names.contains($0.name) }
                stored[entity.name] = known
            } else {
                // The definition is that of the program that opened the file last; others may use the other columns.
                let classes = entities.filter { $0.rootName == entity.rootName }.compactMap { definitions[$0.name] }
                let names = Set(classes.flatMap { $0.properties.map(\.name) })
                let root = entities.first { $0.name == entity.rootName } ?? entity
                let others = try recordedProperties(root).filter { !names.contains($0.name) }
                stored[entity.name] = StoredEntity(live: declared + others)
            }
        }
        return stored
    }

    private func storedEntity(_ entity: RecordedEntity) throws -> StoredEntity? {
        let name = MetaTable.Name.properties(entity.number)
        guard let json = try MetaTable.text(name, connection) else { return nil }
        do { return try JSONDecoder().decode(StoredEntity.self, from: Data(json.utf8)) } catch is DecodingError {
            throw SwiftDataError.damagedRow(.meta(name.text), "the description of the properties is invalid")
        }
    }

    /// Returns the properties of the table of an entity, as far as the table shows them.
    private func recordedProperties(_ entity: RecordedEntity) throws -> [StoredProperty] {
        let columns = try fileColumns(of: entity.name)
        return entity.attributes.compactMap { attribute in
            guard attribute.name != Schema.entityAttribute else { return nil }
            guard attribute.isPresent else {
                return StoredProperty(
                    name: attribute.name, place: .links, storage: nil, destination: attribute.destination)
            }
            return columns.first { $0.name == attribute.name }.map { column in
                if let destination = attribute.destination {
                    return StoredProperty(name: column.name, place: .column, storage: nil, destination: destination)
                }
                // A column with a type that does not tell the form of its values remains a property.
                return column.property
                    ?? StoredProperty(name: column.name, place: .column, storage: .real, destination: nil)
            }
        }
    }

    /// Stores the description of the classes after the opening.
    func describe(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for entity in try registry.entities() {
            guard let description = plan.entities[entity.name] else { continue }
            let json = String(decoding: try encoder.encode(description), as: UTF8.self)
            guard try MetaTable.text(.properties(entity.number), connection) != json else { continue }
            try MetaTable.set(.properties(entity.number), json, connection)
        }
    }

    // MARK: Properties

    /// Renames the columns and the attributes of the history, and drops the columns that are in their way.
    ///
    /// - Parameter numbers: The numbers of the renamed properties in the history; see ``renamedNumbers(_:_:)``.
    func renameProperties(_ plan: SchemaPlan, _ numbers: [String: [Rename: Int]], _ registry: EntityRegistry) throws {
        for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
            guard !table.renames.isEmpty || !table.droppedColumns.isEmpty || !table.droppedLinks.isEmpty,
                var entity = try registry.entities().first(where: { $0.name == name })
            else { continue }
            if !table.columnSteps.isEmpty || !table.droppedColumns.isEmpty {
                try dropTriggers(of: entity)
                // The names of indexes contain those of columns, so the new columns need other ones.
                for index in try ownIndexes(of: name).keys.sorted() {
                    try connection.execute("DROP INDEX \(quoted(index))")
                }
            }
            // The columns of moved relationships are dropped already.
            let present = Set(try fileColumns(of: name).map(\.name))
            for column in table.droppedColumns where present.contains(column) {
                try dropColumn(column, of: name, isReplaced: true)
            }
            if let key = try keyColumn(of: name),
                table.columnSteps.contains(where: { TableNames.folded($0.new) == TableNames.folded(key) })
            {
                try connection.execute(
                    "ALTER TABLE \(quoted(name)) RENAME COLUMN \(quoted(key)) TO \(quoted(RecordedTable.primaryKey))")
            }
            for step in table.columnSteps {
                try connection.execute(
                    "ALTER TABLE \(quoted(name)) RENAME COLUMN \(quoted(step.old)) TO \(quoted(step.new))")
            }
            entity = try registry.entities().first { $0.name == name } ?? entity
            let renamed = numbers[name] ?? [:]
            let replacedLinks = Set(table.droppedLinks.map(\.name))
            for index in entity.attributes.indices {
                let attribute = entity.attributes[index]
                if let rename = renamed.first(where: { $0.value == attribute.number })?.key {
                    entity.attributes[index].name = rename.new
                } else if !attribute.isPresent, attribute.type == nil,
                    replacedLinks.contains(attribute.name) || renamed.keys.contains(where: { $0.new == attribute.name })
                {
                    entity.attributes[index].name = attribute.nameAfterReplacement
                } else {
                    continue
                }
                try registry.update(entity.attributes[index], of: entity)
            }
        }
    }

    /// Returns the numbers of the renamed properties of each table in the history, before any of them changes.
    func renamedNumbers(_ plan: SchemaPlan, _ registry: EntityRegistry) throws -> [String: [Rename: Int]] {
        let entities = try registry.entities()
        return plan.tables.mapValues { _ in [:] }.merging(
            plan.tables.map { name, table in
                let attributes = entities.first { $0.name == name }?.attributes ?? []
                var numbers: [Rename: Int] = [:]
                for rename in table.renames {
                    guard let earlier = table.earlier(rename.new), earlier.place != .inverse else { continue }
                    let isColumn = earlier.place == .column
                    // A property that moves between the table and one of links has a new number.
                    let slot = schema.entitiesByName[name]?.propertiesByName[rename.new]?.slot ?? -1
                    guard isColumn == (slot >= 0) else { continue }
                    numbers[rename] =
                        attributes.first { $0.name == rename.old && $0.isPresent == isColumn }?.number
                }
                return (name, numbers)
            }, uniquingKeysWith: { $1 })
    }

    /// Returns the SQL of the indexes of a table that belong to Chronicle, by name.
    func ownIndexes(of table: String) throws -> [String: String] {
        let statement = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND substr(name, 1, 10) = 'chronicle_'"
        )
        try statement.bind(table, at: 1)
        var indexes: [String: String] = [:]
        while try statement.step() { indexes[statement.text(0)] = statement.text(1) }
        return indexes
    }

    /// Creates the triggers of the tables whose names or columns changed, so that later changes of values are recorded.
    func recreateTriggers(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        guard try MetaTable.text(.history, connection) == "on" else { return }
        for entity in try registry.entities() where plan.tables[entity.name] != nil {
            guard try tableExists(entity.name) else { continue }
            let table = try registry.table(of: entity)
            guard try Set(triggers(of: entity.name).values) != Set(RecorderSQL.triggers(of: table)) else { continue }
            for statement in RecorderSQL.recreateTriggers(of: table) { try connection.execute(statement) }
        }
    }
}

extension FileColumn {
    /// The property of the column, as far as the declaration of the column shows it: `nil` if another program declared a
    /// type that does not tell the form of the values, such as BOOLEAN or DATETIME.
    var property: StoredProperty? {
        guard reference == nil else {
            return StoredProperty(name: name, place: .column, storage: nil, destination: reference?.table)
        }
        // https://www.sqlite.org/datatype3.html#determination_of_column_affinity
        let type = type.uppercased()
        let storage: Schema.Attribute.Storage
        if type.contains("INT") {
            storage = .integer
        } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
            storage = .text
        } else if type.contains("BLOB") {
            storage = .blob
        } else if type.isEmpty || ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
            // Chronicle declares no type for numbers, which SQLite would convert.
            storage = .real
        } else {
            return nil
        }
        return StoredProperty(name: name, place: .column, storage: storage, destination: nil)
    }
}

extension RecordedAttribute {
    /// The name of an attribute in the history after its column or links were dropped for those of another property with
    /// its name. Names of properties contain no period.
    var nameAfterReplacement: String { "\(name).\(number)" }
}
