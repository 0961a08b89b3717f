import ChronicleCore
import ChronicleSQLite
import Foundation

/// Brings a file in line with a schema: makes the tables, columns, indexes and triggers that are missing.
///
/// What it did for a schema stands in the file under the schema's signature, so that opening again is one read. All of
/// it happens in one IMMEDIATE transaction: of several processes that open a new file at once, one makes it and the
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
        if try isComplete() { return try existingLayout() }
        return try connection.immediate {
            if try !isComplete() { try makeWhatIsMissing() }
            return try existingLayout()
        }
    }

    /// The layout of a file that is complete, or is not to be written.
    func existingLayout() throws -> StoreLayout {
        guard try MetaTable.exists(connection), let identifier = try MetaTable.text(.storeIdentifier, connection) else {
            throw SwiftDataError.loadIssueModelContainer.adding(
                detail: "the file was not completely made, and the configuration does not allow to write it")
        }
        let recorded = try EntityRegistry(connection).entities()
        for entity in schema.entities {
            let present = recorded.first { $0.name == entity.name }?.attributes.filter(\.isPresent).map(\.name) ?? []
            let missing = entity.storedProperties.filter { !present.contains($0.name) }.map(\.name)
            guard missing.isEmpty, recorded.contains(where: { $0.name == entity.name }) else {
                throw SwiftDataError.loadIssueModelContainer.adding(
                    detail: "the file has no place for \(missing), and the configuration does not allow to make it",
                    entityName: entity.name, storeIdentifier: identifier)
            }
        }
        for links in schema.links where try !exists(links.name) {
            throw SwiftDataError.loadIssueModelContainer.adding(
                detail: "the file has no place for it, and the configuration does not allow to make it",
                entityName: links.owner, propertyName: links.property.name, storeIdentifier: identifier)
        }
        return StoreLayout(storeIdentifier: identifier, schema: schema, recorded: recorded)
    }

    // MARK: Signature

    private func isComplete() throws -> Bool {
        guard try MetaTable.exists(connection) else { return false }
        return try MetaTable.text(.completeFor(signature), connection) != nil
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
                parts.append("\(property.name) \(property.originalName ?? "") \(preserved)")
            }
        }
        parts += schema.links.map { LinkDefinition(links: $0).signature }
        return parts.joined(separator: "\n")
    }

    // MARK: Making

    private func makeWhatIsMissing() throws {
        let version = try connection.scalarInt64("PRAGMA schema_version")
        try MetaTable.create(connection)
        for statement in RecorderSQL.recordTables + EntityRegistry.tables { try connection.execute(statement) }
        if try MetaTable.text(.storeIdentifier, connection) == nil {
            try MetaTable.set(.storeIdentifier, UUID().uuidString, connection)
            try connection.execute("INSERT INTO chronicle_source(id) VALUES (\(RecorderStatements.externalSource))")
        }
        let registry = EntityRegistry(connection)
        for entity in schema.entities { try complete(entity, registry) }
        try completeLinks(registry)
        try switchHistory(registry)
        // What was complete for another schema may not be any more, but only if something was made.
        if try connection.scalarInt64("PRAGMA schema_version") != version {
            try MetaTable.removeCompletions(connection)
        }
        try MetaTable.set(.completeFor(signature), "1", connection)
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
            guard let original = property.originalName,
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
                throw SwiftDataError.backwardMigration.adding(
                    detail: "it is new, not optional, and has no default for the models that exist",
                    entityName: entity.name, propertyName: property.name)
            }
            do {
                try connection.execute("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(definition.column(property))")
            } catch let error as SQLiteError {
                throw SwiftDataError.backwardMigration.adding(
                    detail: "the column cannot be added", entityName: entity.name, propertyName: property.name,
                    underlying: error)
            }
        }
    }

    private func refuseUnknownColumns(_ entity: Schema.Entity) throws {
        for (name, needsValue) in try columns(of: entity.name)
        where needsValue && !entity.storedProperties.contains(where: { $0.name == name }) {
            throw SwiftDataError.backwardMigration.adding(
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
                throw SwiftDataError.uniquenessViolation.adding(
                    detail: "the file has models with the same values", entityName: definition.entity.name,
                    underlying: error)
            }
        }
    }

    // MARK: History

    /// Makes the triggers of every entity of the file, or leaves them away.
    private func switchHistory(_ registry: EntityRegistry) throws {
        let wasOn = try MetaTable.text(.history, connection)
        for entity in try registry.entities() {
            let table = try registry.table(of: entity)
            guard
                try Set(triggers(of: entity.name).values) != Set(recordsHistory ? RecorderSQL.triggers(of: table) : [])
            else {
                continue
            }
            let statements =
                recordsHistory
                ? RecorderSQL.recreateTriggers(of: table)
                : RecorderSQL.settleConflicts(of: table) + RecorderSQL.dropTriggers(of: entity.number)
            for statement in statements { try connection.execute(statement) }
        }
        if recordsHistory, wasOn == "off" { try HistoryGap.record(connection) }
        try MetaTable.set(.history, recordsHistory ? "on" : "off", connection)
    }

    /// The recorder's triggers that a table has by name, as SQLite keeps them: the same text as the recorder's.
    func triggers(of table: String) throws -> [String: String] {
        let statement = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND substr(name, 1, 10) = 'chronicle_'"
        )
        try statement.bind(table, at: 1)
        var triggers: [String: String] = [:]
        while try statement.step() { triggers[statement.text(0)] = statement.text(1) }
        return triggers
    }
}
