import ChronicleCore
import ChronicleSQLite
import Foundation

/// Brings a file in line with a schema: makes the tables, columns, indexes and triggers that are missing.
///
/// The file keeps the schema's signature with a digest of all definitions, so that opening it again takes one read. When
/// the digest differs, another program changed something: everything is compared again, and what is missing is made again.
/// All of it happens in one IMMEDIATE transaction: of several processes that open a new file at once, one makes it and the
/// others find it made.
struct SchemaCompletion {
    let connection: Connection
    let schema: Schema
    let recordsHistory: Bool

    init(_ connection: Connection, _ schema: Schema, _ configuration: ModelConfiguration) {
        self.connection = connection
        self.schema = schema
        recordsHistory = configuration.recordsHistory
    }

    func complete() throws -> StoreLayout {
        let known = try connection.deferredRead {
            let file = try FileSchema(connection)
            return try knownDigest(file) == file.digest ? try layout(file) : nil
        }
        if let known { return known }
        return try connection.immediate {
            let file = try FileSchema(connection)
            let digest = try knownDigest(file)
            if digest != file.digest { try makeWhatIsMissing(file, wasComplete: digest != nil) }
            return try layout(FileSchema(connection))
        }
    }

    /// The layout of a file that is not to be written.
    func existingLayout() throws -> StoreLayout {
        try connection.deferredRead { try layout(FileSchema(connection)) }
    }

    private func layout(_ file: FileSchema) throws -> StoreLayout {
        guard try file.hasHistory(), let identifier = try MetaTable.text(.storeIdentifier, connection) else {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the file was not completely made, and the configuration does not allow to write it")
        }
        let recorded = try EntityRegistry(connection).entities()
        // A save may read them all, whether the schema has them or not.
        let present = try Set(recorded.map(\.name).filter { try file.hasTable($0, of: $0) })
        for entity in schema.entities {
            let columns = recorded.first { $0.name == entity.name }?.attributes.filter(\.isPresent).map(\.name) ?? []
            let missing = entity.storedProperties.filter { !columns.contains($0.name) }.map(\.name)
            guard missing.isEmpty, present.contains(entity.name) else {
                let what = missing.isEmpty ? "table for it" : "place for \(missing)"
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the file has no \(what), and the configuration does not allow to make it",
                    entityName: entity.name, storeIdentifier: identifier)
            }
        }
        for links in schema.links where try !file.hasTable(links.name, of: links.owner) {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the file has no place for it, and the configuration does not allow to make it",
                entityName: links.owner, propertyName: links.property.name, storeIdentifier: identifier)
        }
        return StoreLayout(storeIdentifier: identifier, schema: schema, recorded: recorded)
    }

    // MARK: Signature

    /// The digest of the definitions when the file was complete for this schema; `nil` when it never was.
    private func knownDigest(_ file: FileSchema) throws -> String? {
        guard try file.hasHistory() else { return nil }
        return try MetaTable.text(.completeFor(signature), connection)
    }

    /// Everything that the file would be changed for.
    private var signature: String {
        var parts = ["history \(recordsHistory)"]
        for entity in schema.entities {
            let definition = TableDefinition(entity: entity, schema: schema)
            parts.append(definition.shape)
            parts += definition.indexes.map(\.sql)
            for property in entity.storedProperties {
                let preserved = property.attribute?.options.contains(.preserveValueOnDeletion) == true
                parts.append("\(property.name) \(property.previousName ?? "") \(preserved)")
            }
        }
        parts += schema.links.map { LinkDefinition(links: $0).signature }
        return parts.joined(separator: "\n")
    }

    // MARK: Making

    private func makeWhatIsMissing(_ file: FileSchema, wasComplete: Bool) throws {
        let version = try connection.scalarInt64("PRAGMA schema_version")
        try checkTables(file)
        for statement in [MetaTable.createTable] + RecorderSQL.recordTables + EntityRegistry.tables {
            try connection.execute(statement)
        }
        if try MetaTable.text(.storeIdentifier, connection) == nil {
            try MetaTable.set(.storeIdentifier, UUID().uuidString, connection)
            try connection.execute("INSERT INTO chronicle_source(id) VALUES (\(RecorderStatements.externalSource))")
        }
        let registry = EntityRegistry(connection)
        // Before anything changes that triggers depend on.
        let wasRecorded = try isRecorded(registry, linksToo: wasComplete)
        for entity in schema.entities { try complete(entity, registry) }
        try completeLinks(registry)
        try switchHistory(registry, wasRecorded: wasRecorded)
        // What was complete for another schema may not be any more, but only if something was made.
        if try connection.scalarInt64("PRAGMA schema_version") != version {
            try MetaTable.removeCompletions(connection)
        }
        try MetaTable.set(.completeFor(signature), FileSchema(connection).digest, connection)
    }

    /// Throws for a view in the place of a table before anything reads it.
    private func checkTables(_ file: FileSchema) throws {
        for entity in schema.entities { _ = try file.hasTable(entity.name, of: entity.name) }
        for links in schema.links {
            let names = [links.name] + LinkDefinition(links: links).earlierNames.map(\.name)
            for name in names { _ = try file.hasTable(name, of: links.owner) }
        }
        guard try file.hasHistory() else { return }
        for entity in try EntityRegistry(connection).entities() { _ = try file.hasTable(entity.name, of: entity.name) }
    }

    private func complete(_ entity: Schema.Entity, _ registry: EntityRegistry) throws {
        let definition = TableDefinition(entity: entity, schema: schema)
        var recorded = try registry.entity(named: entity.name)
        let present = try columns(of: entity.name)
        let key = try keyColumn(of: entity.name)
        if key == nil {
            try connection.execute(definition.createTable)
        } else if entity.storedProperties.contains(where: { present[$0.name] == nil }) {
            // Triggers name columns: they make way before the table changes.
            let settle = RecorderSQL.settleConflicts(of: try registry.table(of: recorded))
            for statement in settle + RecorderSQL.dropTriggers(of: recorded.number) {
                try connection.execute(statement)
            }
            if let key, key != definition.keyColumn, definition.keyColumn == RecordedTable.primaryKey {
                // An attribute takes the name over.
                try connection.execute(
                    "ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(key)) TO \(quoted(definition.keyColumn))"
                )
            }
            try rename(entity, &recorded, registry)
            try addColumns(definition)
        }
        try changeColumns(definition)
        try refuseUnknownColumns(entity)
        try makeIndexes(definition)
        try registry.register(entity, &recorded)
        try registry.registerLinks(of: entity, &recorded)
    }

    private func rename(
        _ entity: Schema.Entity, _ recorded: inout RecordedEntity, _ registry: EntityRegistry
    ) throws {
        for property in entity.storedProperties {
            guard let original = property.previousName,
                !recorded.attributes.contains(where: { $0.name == property.name && $0.isPresent }),
                let index = recorded.attributes.firstIndex(where: { $0.name == original && $0.isPresent })
            else { continue }
            try connection.execute(
                "ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(original)) TO \(quoted(property.name))")
            recorded.attributes[index].name = property.name
            try registry.update(recorded.attributes[index], of: recorded)
        }
    }

    private func addColumns(_ definition: TableDefinition) throws {
        let entity = definition.entity
        let present = try columns(of: entity.name)
        for property in entity.storedProperties where !present.keys.contains(property.name) {
            let isEmpty = try connection.scalarInt64("SELECT 1 FROM \(quoted(entity.name)) LIMIT 1") == nil
            guard property.isOptional || property.defaultValue != nil || isEmpty else {
                throw SwiftDataError.backwardMigration.with(
                    detail: "it is new, not optional, and has no default for the models that exist",
                    entityName: entity.name, propertyName: property.name)
            }
            do {
                try connection.execute("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(definition.column(property))")
            } catch let error as SQLiteError {
                throw SwiftDataError.backwardMigration.with(
                    detail: "the column cannot be added: \(error.message)", entityName: entity.name,
                    propertyName: property.name, sqliteCode: error.extendedCode, sql: error.sql, underlying: error)
            }
        }
    }

    private func refuseUnknownColumns(_ entity: Schema.Entity) throws {
        for (name, needsValue) in try columns(of: entity.name)
        where needsValue && !entity.storedProperties.contains(where: { $0.name == name }) {
            throw SwiftDataError.backwardMigration.with(
                detail: "the file has this attribute, which the model lacks and new rows could not do without",
                entityName: entity.name, propertyName: name)
        }
    }

    /// What the column of a table's primary key is called; `nil` when there is no such table.
    private func keyColumn(of table: String) throws -> String? {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?) WHERE pk")
        try statement.bind(table, at: 1)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The columns of a table but for its primary key, and whether a new row has to have a value for them.
    private func columns(of table: String) throws -> [String: Bool] {
        let statement = try connection.prepare(
            "SELECT name, \"notnull\" AND dflt_value IS NULL FROM pragma_table_info(?) WHERE NOT pk")
        try statement.bind(table, at: 1)
        var columns: [String: Bool] = [:]
        while try statement.step() { columns[statement.text(0)] = statement.int64(1) != 0 }
        return columns
    }

    private func makeIndexes(_ definition: TableDefinition) throws {
        let wanted = definition.indexes
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND name LIKE 'chronicle\\_%' ESCAPE '\\'"
        )
        try statement.bind(definition.entity.name, at: 1)
        var present: Set<String> = []
        while try statement.step() { present.insert(statement.text(0)) }
        statement.reset()
        for name in present.subtracting(wanted.map(\.name)) { try connection.execute("DROP INDEX \(quoted(name))") }
        for index in wanted where !present.contains(index.name) {
            do { try connection.execute(index.sql) } catch let error as SQLiteError where error.isConstraint {
                throw SwiftDataError.uniquenessViolation.with(
                    detail: "the file has models with the same values", entityName: definition.entity.name,
                    sqliteCode: error.extendedCode, sql: error.sql, underlying: error)
            }
        }
    }
}
