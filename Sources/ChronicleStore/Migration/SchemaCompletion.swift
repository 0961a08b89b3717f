import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Creates the tables, columns, indexes, and triggers of a schema that are missing in a file.
///
/// The file stores the signature of the schema with a digest of all definitions, so that reopening the file takes a
/// single read. If the digest differs, another program changed a definition; everything is then compared again, and
/// missing definitions are created. This happens in one IMMEDIATE transaction: if several processes open a new file at
/// the same time, one of them creates the tables.
struct SchemaCompletion {
    let connection: Connection
    /// The entities of the tables: ``models`` without inheritance.
    private(set) var schema: Schema
    /// The entities of the models.
    private(set) var models: Schema
    /// The tables' entities with the properties of this program only, if ``schema`` has those of others as well.
    private(set) var ownSchema: Schema?
    let recordsHistory: Bool
    /// Whether the history of a new file, or of one that is opened, preserves the values of all properties. `false` does not
    /// apply to an existing file.
    private let preservesValues: Bool
    /// The version of the schema, or `nil` for a schema without a version.
    private let version: StoreVersion?
    /// Whether a tool opens the file with the classes that the file describes.
    private let isInspector: Bool
    /// The path of the file, for errors.
    private let path: String
    /// The stage of a migration plan that changes the schema, or `nil` if none does.
    let stage: SchemaPlan.Opening.Stage?
    /// See ``SchemaPlan/Opening/baseline``.
    let baseline: Schema?

    init(
        _ connection: Connection, _ schema: Schema, _ configuration: ModelConfiguration, version: StoreVersion? = nil,
        stage: SchemaPlan.Opening.Stage? = nil, baseline: Schema? = nil
    ) {
        self.connection = connection
        models = schema
        self.schema = schema.mergingSubentities()
        recordsHistory = configuration.recordsHistory
        preservesValues = configuration.preservesValues
        isInspector = configuration.isInspector
        path = configuration.url.path
        self.version = version
        self.stage = stage
        self.baseline = baseline
    }

    func complete() throws -> StoreLayout {
        let known: StoreLayout? = try connection.deferredRead {
            let format = try FileFormat.requireSupportedVersion(connection, path)
            guard FileFormat.isSupported(format) else { return nil }
            let file = try FileSchema(connection)
            try SealTables.exist(in: file, format: format)
            if try isInspectorOfUnusedClasses(file) { return try layout(file) }
            guard try knownDigest(file) == file.digest, try isInUse(), try hasVersion(), try !startsPreservingValues
            else { return nil }
            return try layout(file)
        }
        if let known { return known }
        return try connection.immediate {
            let upgraded = try FormatUpgrade.run(connection, path: path)
            let file = try FileSchema(connection)
            if try file.hasHistory() { try version?.requireNotLater(MetaTable(connection)) }
            let digest = try knownDigest(file)
            if try digest != file.digest || !isInUse() {
                try SealedCatalog.recordingChanges(connection) {
                    try createMissingDefinitions(file, wasComplete: digest != nil, upgraded: upgraded)
                }
            }
            if try !hasVersion() { try version?.store(MetaTable(connection)) }
            let startsPreservingValues = try startsPreservingValues
            if startsPreservingValues { try setPreservesValues(true) }
            return try layout(
                FileSchema(connection), isUpgraded: upgraded != nil, startsPreservingValues: startsPreservingValues)
        }
    }

    /// Returns whether a tool opens a file with classes that no program declares any more. It completes none: the rows of
    /// these classes keep their delete rules, which the file does not describe.
    private func isInspectorOfUnusedClasses(_ file: FileSchema) throws -> Bool {
        guard isInspector, try file.hasHistory() else { return false }
        let records = try MetaTable.knownSchemas(connection)
        let schemas = KnownSchemas(inspecting: records)
        return !records.isEmpty && models.entities.contains { !schemas.use($0.name) }
    }

    /// Whether the configuration asks for preserved values, and the file does not preserve them yet.
    private var startsPreservingValues: Bool {
        get throws {
            guard preservesValues, recordsHistory else { return false }
            return try MetaTable.text(.preservesValues, connection) == "off"
        }
    }

    /// Returns the layout of a file that is opened read-only.
    func existingLayout() throws -> StoreLayout {
        try connection.deferredRead {
            let format = try FileFormat.requireCurrentVersion(connection, path)
            let file = try FileSchema(connection)
            try SealTables.exist(in: file, format: format)
            let hasHistory = try !FileFormat.isTracked(connection) && file.hasHistory()
            if hasHistory { try version?.requireNotLater(MetaTable(connection)) }
            let layout: StoreLayout
            do { layout = try self.layout(file) } catch let error as SwiftDataError
                where error == .loadIssueModelContainer && hasHistory && !isInspector
            {
                // A later version of the models may have renamed what is missing.
                _ = try plan(knownSchemas(wasComplete: knownDigest(file) != nil), stage: stage, baseline: baseline)
                throw error
            }
            try requireUnchangedDeclarations(file, layout)
            try version?.requireCurrent(MetaTable(connection), storeIdentifier: layout.storeIdentifier)
            return layout
        }
    }

    /// Throws an error if the file must be changed for the declarations of the schema.
    private func requireUnchangedDeclarations(_ file: FileSchema, _ layout: StoreLayout) throws {
        guard !layout.isTracked else { return }
        let digest = try knownDigest(file)
        if digest == file.digest, try isInUse(by: nil) { return }
        let plan = try plan(knownSchemas(wasComplete: digest != nil), stage: stage, baseline: baseline)
        guard try !requireChanges(for: plan), try checkDeclarations(plan).isEmpty else {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the file must be changed for the models; open it once with `allowsSave: true`",
                storeIdentifier: layout.storeIdentifier)
        }
    }

    /// Returns whether the file has the version of the schema.
    ///
    /// - Throws: ``SwiftDataError/newerSchemaVersion`` if it has a later version.
    private func hasVersion() throws -> Bool {
        guard let version else { return true }
        return try version.requireNotLater(MetaTable(connection)) == version
    }

    private func layout(
        _ file: FileSchema, isUpgraded: Bool = false, startsPreservingValues: Bool = false
    ) throws -> StoreLayout {
        if try FileFormat.isTracked(connection) { return try trackedLayout(file) }
        guard try file.hasHistory(), let identifier = try MetaTable.text(.storeIdentifier, connection)
        else { throw FileFormat.incomplete(path) }
        let recorded = try EntityRegistry(connection).entities()
        // A save may check references of all these tables, including those that the schema does not contain.
        let present = try Set(recorded.map(\.name).filter { try file.hasTable($0, of: $0) })
        for entity in schema.entities {
            let columns = recorded.first { $0.name == entity.name }?.attributes.filter(\.isPresent).map(\.name) ?? []
            let missing = entity.storedProperties.filter { !columns.contains($0.name) }.map(\.name)
            guard missing.isEmpty, present.contains(entity.name) else {
                let what = missing.isEmpty ? "table" : "column for \(missing.joined(separator: ", "))"
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the file has no \(what) of the model; open it once with `allowsSave: true`",
                    entityName: entity.name, storeIdentifier: identifier)
            }
        }
        for links in schema.links where try !file.hasTable(links.name, of: links.owner) {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the file has no table of the relationship; open it once with `allowsSave: true`",
                entityName: links.owner, propertyName: links.property.name, storeIdentifier: identifier)
        }
        if let missing = models.subentities.first(where: { entity in !recorded.contains { $0.name == entity.name } }) {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the file does not contain the model; open it once with `allowsSave: true`",
                entityName: missing.name, storeIdentifier: identifier)
        }
        return StoreLayout(
            storeIdentifier: identifier, schema: models, recorded: recorded, isUpgraded: isUpgraded,
            startsPreservingValues: startsPreservingValues)
    }

    /// Returns the layout of a tracked database, whose tables may have changed since they were recorded.
    private func trackedLayout(_ file: FileSchema) throws -> StoreLayout {
        guard try file.hasHistory(HistoryTables.createTables(isTracked: true)),
            let identifier = try MetaTable.text(.storeIdentifier, connection)
        else { throw SwiftDataError.damagedFile.with(detail: "the history of the tracked database is incomplete") }
        let recorded = try EntityRegistry(connection).entities()
        for entity in schema.entities where !recorded.contains(where: { $0.name == entity.name }) {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "the changes of the table are not recorded", entityName: entity.name,
                storeIdentifier: identifier)
        }
        return StoreLayout(storeIdentifier: identifier, schema: models, recorded: recorded, isTracked: true)
    }

    // MARK: Signature

    /// Returns the digest of the definitions at the time when the file met this schema, or `nil` if it never did.
    func knownDigest(_ file: FileSchema) throws -> String? {
        guard try file.hasHistory() else { return nil }
        return try MetaTable.text(.completeFor(signature), connection)
    }

    /// Everything whose change requires a change of the file.
    private var signature: String {
        // The number changes with the triggers, so that files of earlier versions get the present ones.
        var parts = ["history \(recordsHistory)", "recorder 3"]
        for entity in schema.entities {
            let definition = TableDefinition(entity: entity, schema: schema)
            parts.append(definition.shape)
            parts += definition.indexes.map(\.sql)
            for property in entity.storedProperties {
                let preservation = Preservation(property, preservesValues: false)
                parts.append("\(property.name) \(property.previousName ?? "") \(preservation.signature)")
            }
        }
        parts += models.subentities.map { "\($0.name) inherits from \($0.superentityName ?? "")" }
        parts += schema.links.map { LinkDefinition(links: $0).signature }
        return parts.joined(separator: "\n")
    }

    private var schemaKey: String { models.declarationKey(version?.identifier) }

    /// Whether this program, or any program if the file is only read, uses the file with the same declarations.
    private func isInUse(by program: String? = TransactionSource.program) throws -> Bool {
        try isInspector || KnownSchemas.isInUse(MetaTable.text(.known(schemaKey), connection), models, by: program)
    }

    func knownSchemas(wasComplete: Bool) throws -> KnownSchemas {
        let records = try MetaTable.knownSchemas(connection)
        if isInspector { return KnownSchemas(inspecting: records) }
        return KnownSchemas(
            records, opening: models, key: schemaKey, program: TransactionSource.program, wasComplete: wasComplete)
    }

    // MARK: Creating definitions

    /// - Parameters:
    ///   - file: The definitions of the file.
    ///   - wasComplete: Whether the file met the schema before.
    ///   - upgraded: The upgrade in the same transaction, or `nil` if the file was not upgraded.
    private func createMissingDefinitions(
        _ file: FileSchema, wasComplete: Bool, upgraded: FormatUpgrade?
    ) throws {
        let views = PermanentViews(connection)
        let hasViews = try views.drop()
        let file = hasViews ? try FileSchema(connection) : file
        let version = try connection.scalarInt64("PRAGMA schema_version")
        try checkTables(file)
        try HistoryTables.create(connection)
        if try MetaTable.text(.storeIdentifier, connection) == nil {
            guard try !file.hasHistory() else {
                throw SwiftDataError.damagedRow(.meta(MetaTable.Name.storeIdentifier.text), "the row is missing")
            }
            try MetaTable.set(.storeIdentifier, UUID().uuidString, connection)
            try MetaTable.set(.format, FileFormat.current, connection)
            try MetaTable.set(.preservesValues, preservesValues ? "on" : "off", connection)
            try SourceTable.insertExternal(connection)
            try SummaryTable.insertOpenRange(connection)
        }
        let registry = EntityRegistry(connection)
        let plan = try plan(knownSchemas(wasComplete: wasComplete), stage: stage, baseline: baseline)
        let shared = try shared(plan)
        // Checked before anything that the triggers depend on changes.
        let wasRecorded =
            try upgraded?.wasRecorded
            ?? shared.isRecorded(registry, wasComplete && isInUse() ? shared.schema.links : [])
        try renameEntities(plan, registry)
        let conversions = try checkDeclarations(plan)
        let numbers = try registry.renamedNumbers(plan, schema)
        let transfer = try RelationshipTransfer(self, plan)
        try renameProperties(plan, numbers, registry)
        try setMissingValues(plan, shared, registry, conversions)
        try shared.completeTables(of: schema, plan, registry)
        try switchHistory(registry, wasRecorded: wasRecorded)
        try convert(conversions)
        try recordPosition(ofRelationshipsOf: transfer.apply(recording: recordingChanges))
        try registry.renameDefinitions(
            plan, except: shared.models.entities.filter { schema.entitiesByName[$0.rootName] != nil })
        let changesForms = try registry.describe(plan)
        // Changed definitions and types may no longer meet other schemas that the file met before.
        if try changesForms || connection.scalarInt64("PRAGMA schema_version") != version {
            try MetaTable.removeCompletions(connection)
        }
        if hasViews { try views.restore() }
        for (key, record) in plan.opening.schemas.changes { try MetaTable.set(.known(key), record, connection) }
        try recordCompletion()
    }

    /// Returns the definition of the table of an entity, or `nil` if the schema does not contain the entity.
    func definition(ofTable name: String) throws -> TableDefinition? {
        try schema.entitiesByName[name].map(definition)
    }

    /// Returns the completion of the file for all programs that use it; see `StoreTables.sharedModels(_:)`.
    func shared(_ plan: SchemaPlan) throws -> SchemaCompletion {
        var shared = self
        shared.models = try sharedModels(plan)
        if shared.models !== models {
            (shared.schema, shared.ownSchema) = (shared.models.mergingSubentities(), schema)
        }
        return shared
    }

    /// - Parameter own: The schema of this program. The tables of other models remain as they are.
    private func completeTables(of own: Schema, _ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        for entity in schema.entities where own.entitiesByName[entity.name] != nil {
            try complete(entity, plan, registry)
        }
        for entity in models.subentities where own.entitiesByName[entity.rootName] != nil {
            if let superentity = entity.superentityName { try registry.registerSubentity(entity, superentity) }
        }
        try completeLinks(plan, registry)
    }

    /// Records that the definitions of the file meet the schema.
    func recordCompletion() throws {
        try MetaTable.set(.completeFor(signature), FileSchema(connection).digest, connection)
    }

    /// Throws an error for views in place of tables before anything reads them.
    private func checkTables(_ file: FileSchema) throws {
        for entity in schema.entities { _ = try file.hasTable(entity.name, of: entity.name) }
        for links in schema.links {
            let names = [links.name] + LinkDefinition(links: links).earlierNames.map(\.name)
            for name in names { _ = try file.hasTable(name, of: links.owner) }
        }
        guard try file.hasHistory() else { return }
        for entity in try EntityRegistry(connection).entities() { _ = try file.hasTable(entity.name, of: entity.name) }
    }

    private func complete(_ entity: Schema.Entity, _ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        let definition = try definition(of: entity)
        var recorded = try registry.entity(named: entity.name)
        guard !recorded.isSubentity else {
            throw SwiftDataError.backwardMigration.with(
                detail:
                    "the file stores the model in the table of \(recorded.rootName), but the class does not inherit from it; "
                    + "declare the superclass again, or give the class another name and copy its models",
                entityName: entity.name)
        }
        let present = try columnNames(of: entity.name)
        let key = try keyColumn(of: entity.name)
        if key == nil {
            try connection.execute(definition.createTable)
        } else if entity.storedProperties.contains(where: { !present.contains($0.name) }) {
            // The triggers name columns, so they are dropped before the table changes.
            try dropTriggers(of: recorded)
            if let key, key != definition.keyColumn, definition.keyColumn == RecordedTable.primaryKey {
                // An attribute uses the name of the primary key, which is therefore renamed.
                try connection.execute(
                    "ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(key)) TO \(quoted(definition.keyColumn))"
                )
            }
            try addColumns(definition)
        }
        try changeColumns(definition, plan)
        try makeIndexes(definition)
        let preservesValues = try MetaTable.text(.preservesValues, connection) == "on"
        try registry.register(entity, &recorded, preservesValues: preservesValues)
        try registry.registerLinks(of: entity, in: schema, &recorded, preservesValues: preservesValues)
        try registry.setDefinition(models.entitiesByName[entity.name] ?? entity, of: recorded)
    }
}
