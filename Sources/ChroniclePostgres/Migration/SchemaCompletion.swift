#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL
    import Foundation

    /// Creates the tables, columns, constraints and indexes of a schema that are missing in a database.
    ///
    /// The store keeps the signature of the schema with a digest of all definitions, so that opening it again only reads.
    /// If the digest differs, a program changed a definition; everything is then compared again, and missing definitions
    /// are created. This happens in one transaction under a lock: if several processes open a new store at the same time,
    /// one of them creates the tables.
    struct SchemaCompletion {
        /// The entities of the tables: ``models`` without inheritance.
        private(set) var schema: Schema
        /// The entities of the models.
        private(set) var models: Schema
        /// The tables' entities with the properties of this program only, if ``schema`` has those of others as well.
        private(set) var ownSchema: Schema?
        let configuration: PostgresConfiguration
        let schemaName: String
        /// The version of the schema, or `nil` for a schema without a version.
        private let version: StoreVersion?
        /// The stage of a migration plan that changes the schema, or `nil` if none does.
        let stage: SchemaPlan.Opening.Stage?
        /// See ``SchemaPlan/Opening/baseline``.
        let baseline: Schema?
        /// Whether the server is a standby server, where nothing can be created.
        let isStandby: Bool

        /// How to open the store so that it is completed.
        private var remedy: String { isStandby ? "on the primary server" : "with `allowsSave: true`" }

        init(
            _ schema: Schema, _ configuration: PostgresConfiguration, _ schemaName: String,
            version: StoreVersion? = nil, stage: SchemaPlan.Opening.Stage? = nil, baseline: Schema? = nil,
            isStandby: Bool = false
        ) {
            models = schema
            self.schema = schema.mergingSubentities()
            self.configuration = configuration
            self.schemaName = schemaName
            self.version = version
            self.stage = stage
            self.baseline = baseline
            self.isStandby = isStandby
        }

        /// Creates what is missing, and returns the layout.
        func complete(_ connection: Connection) throws -> StoreLayout {
            if try isComplete(connection) { return try layout(connection) }
            do {
                return try connection.transaction { connection in
                    try Self.lock(connection)
                    // Another process may have created everything while this one waited.
                    if try !isComplete(connection) {
                        try SealedCatalog.recordingChanges(connection) { try create(connection) }
                    }
                    return try layout(connection)
                }
            } catch let error as PostgresError where error.isPrivilegeViolation {
                // What is missing may not concern this program, such as a definition that another one changed.
                do { return try existingLayout(connection) } catch let reason as SwiftDataError
                    where reason == .loadIssueModelContainer
                {
                    throw SwiftDataError.loadIssueModelContainer.with(
                        detail:
                            "\(reason.detail ?? "the tables are not complete"); the role must not change the tables "
                            + "(\(error.message)), so connect as their owner once",
                        entityName: reason.entityName, propertyName: reason.propertyName, underlying: error)
                }
            } catch let error as PostgresError where error.isReadOnly {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "tables or columns of the models are missing, and the server is read-only; open the store once "
                        + "on the primary server",
                    underlying: error)
            }
        }

        /// Locks the definitions of the schema until the transaction ends.
        static func lock(_ connection: Connection) throws {
            try connection.run(
                "SELECT pg_advisory_xact_lock(hashtextextended(\(literal("chronicle " + (connection.settings.schemaName ?? ""))), 0))"
            )
        }

        /// Returns the layout of a store that is opened read-only.
        func existingLayout(_ connection: Connection) throws -> StoreLayout {
            guard try Self.hasStore(connection) else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the schema \(schemaName) contains no store; open it once \(remedy)")
            }
            if let format = try MetaTable.format(connection), format < MetaTable.currentFormat {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the tables have the format \(format) of an earlier version of Chronicle; open the store once "
                        + "as the owner of the tables, \(remedy), to upgrade them")
            }
            if let earlier = try MetaTable.text(.schemaName, connection), earlier != schemaName {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the schema of the store was renamed from \(earlier) to \(schemaName); open the store once as "
                        + "the owner of the tables, \(remedy), to adapt the triggers")
            }
            try version?.requireNotLater(MetaTable(connection))
            let layout: StoreLayout
            do { layout = try self.layout(connection) } catch let error as SwiftDataError
                where error == .loadIssueModelContainer && !configuration.isInspector
            {
                // A later version of the models may have renamed what is missing.
                _ = try DatabaseTables(self, connection).plan(
                    knownSchemas(connection), stage: stage, baseline: baseline)
                throw error
            }
            // The models are those of the catalog.
            if configuration.isInspector { return layout }
            try requireUnchangedDeclarations(connection, layout)
            try version?.requireCurrent(MetaTable(connection), storeIdentifier: layout.storeIdentifier)
            return layout
        }

        /// Returns whether the schema of the database contains a store.
        ///
        /// - Throws: `SwiftDataError.unsupportedFileVersion` if a newer version of Chronicle created it.
        static func hasStore(_ connection: Connection) throws -> Bool {
            try MetaTable.format(connection) != nil
        }

        private func isComplete(_ connection: Connection) throws -> Bool {
            guard try MetaTable.format(connection) ?? 0 >= MetaTable.currentFormat, try meetsSchema(connection) else {
                return false
            }
            guard let version else { return true }
            return try version.requireNotLater(MetaTable(connection)) == version
        }

        /// Returns whether nothing changed since the store was opened with the same declarations.
        private func meetsSchema(_ connection: Connection) throws -> Bool {
            guard try MetaTable.text(.schemaName, connection) == schemaName,
                let digest = try MetaTable.text(.completeFor(signature), connection),
                KnownSchemas.isInUse(
                    try MetaTable.text(.known(schemaKey), connection), models,
                    by: configuration.allowsSave && !isStandby ? PendingTransaction.bundle : nil)
            else { return false }
            return try digest == DatabaseSchema.digest(connection)
        }

        private var schemaKey: String { models.declarationKey(version?.identifier) }

        private func knownSchemas(_ connection: Connection) throws -> KnownSchemas {
            if configuration.isInspector { return KnownSchemas(inspecting: try MetaTable.knownSchemas(connection)) }
            return try KnownSchemas(
                MetaTable.knownSchemas(connection), opening: models, key: schemaKey,
                program: PendingTransaction.bundle,
                wasComplete: MetaTable.text(.completeFor(signature), connection) != nil)
        }

        /// Throws an error if the tables must be changed for the declarations of the schema.
        private func requireUnchangedDeclarations(_ connection: Connection, _ layout: StoreLayout) throws {
            if try meetsSchema(connection) { return }
            let tables = try DatabaseTables(self, connection)
            let plan = try tables.plan(knownSchemas(connection), stage: stage, baseline: baseline)
            guard try !tables.requireChanges(for: plan), try tables.checkDeclarations(plan).isEmpty else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "the tables must be changed for the models; open the store once \(remedy)",
                    storeIdentifier: layout.storeIdentifier)
            }
        }

        /// Everything whose change requires a change of the database.
        private var signature: String {
            // The number changes with the functions of the triggers, so that earlier stores get the present ones.
            var parts = ["history \(configuration.recordsHistory)", "recorder 6"]
            for entity in schema.entities {
                parts.append(definition(of: entity).shape)
                for property in entity.storedProperties {
                    let preservation = Preservation(property, preservesValues: false)
                    parts.append("\(property.name) \(property.previousName ?? "") \(preservation.signature)")
                }
            }
            parts += models.subentities.map { "\($0.name) inherits from \($0.superentityName ?? "")" }
            parts += schema.links.map(\.signature)
            // Of constant length, because it is the key of an index.
            let text = parts.joined(separator: "\n")
            return text.utf8.fnv1a + String(text.reversed()).utf8.fnv1a
        }

        /// Returns the layout of a store with all tables of the schema.
        ///
        /// - Throws: `SwiftDataError.loadIssueModelContainer` if a table or a column is missing.
        private func layout(_ connection: Connection) throws -> StoreLayout {
            guard let identifier = try MetaTable.text(.storeIdentifier, connection) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row 'store' of chronicle_meta is missing; restore it from a backup")
            }
            let recorded = try Catalog(connection).entities()
            let tracked = try TrackedLayout(connection)
            let tables = try DatabaseSchema(connection, includesViews: tracked != nil)
            func incomplete(_ what: String, _ entity: String, _ property: String? = nil) -> SwiftDataError {
                .loadIssueModelContainer.with(
                    detail: "the store has no \(what); open it once \(remedy)", entityName: entity,
                    propertyName: property, storeIdentifier: identifier)
            }
            try requireTrustedTables(tables, connection)
            for entity in schema.entities {
                guard let columns = tables.columns[entity.name] else {
                    throw incomplete("table of the model", entity.name)
                }
                for property in entity.storedProperties where columns[property.name] == nil {
                    throw incomplete("column of the property", entity.name, property.name)
                }
            }
            for links in schema.links where !tables.hasTable(links.name) {
                throw incomplete("table of the relationship", links.owner, links.property.name)
            }
            for entity in models.entities where !recorded.contains(where: { $0.name == entity.name }) {
                throw incomplete("entry of the model in its catalog", entity.name)
            }
            return try StoreLayout(
                storeIdentifier: identifier, schemaName: schemaName, schema: models, recorded: recorded,
                preservesValues: MetaTable.text(.preservesValues, connection) == "on", tracked: tracked)
        }

        // MARK: Creating definitions

        func definition(of entity: Schema.Entity) -> TableDefinition {
            TableDefinition(entity: entity, schema: schema, schemaName: schemaName)
        }

        /// Returns the qualified and quoted name of a table, an index or a function.
        func table(_ name: String) -> String { qualified(name, in: schemaName) }

        private func create(_ connection: Connection) throws {
            // Tables whose references are still to be checked cannot be changed.
            try connection.script("SET CONSTRAINTS ALL IMMEDIATE")
            try checkOtherTables(connection)
            let digest = try DatabaseSchema.digest(connection)
            // Before the first statement that changes a definition. An opening that changes none locks no table.
            defer { connection.willChangeDefinitions = nil }
            if try Self.hasStore(connection) {
                connection.willChangeDefinitions = DefinitionLock.acquire
            } else {
                try createStore(connection)
            }
            try HistoryLayout.noteChanges(connection)
            try version?.requireNotLater(MetaTable(connection))
            let catalog = Catalog(connection)
            var tables = try DatabaseTables(self, connection)
            let plan = try tables.plan(knownSchemas(connection), stage: stage, baseline: baseline)
            var shared = self
            shared.models = try tables.sharedModels(plan)
            if shared.models !== models {
                (shared.schema, shared.ownSchema) = (shared.models.mergingSubentities(), schema)
            }
            try renameEntities(plan, catalog)
            tables = try tables.reloaded()
            let conversions = try tables.checkDeclarations(plan)
            let numbers = try catalog.renamedNumbers(plan, schema)
            let transfer = try RelationshipTransfer(tables, plan)
            try renameProperties(plan, numbers, catalog)
            let values = try MissingValues(tables.reloaded(), plan)
            var required: [RequiredColumn] = []
            // The tables of other models remain as they are.
            let entities = shared.schema.entities.filter { schema.entitiesByName[$0.name] != nil }
            for entity in entities { required += try shared.complete(entity, conversions, catalog) }
            for entity in shared.models.subentities where schema.entitiesByName[entity.rootName] != nil {
                if let superentity = entity.superentityName { try catalog.registerSubentity(entity, superentity) }
            }
            try shared.completeLinks(plan, connection)
            // After all tables exist. The triggers depend on the foreign keys.
            for entity in entities {
                try completeForeignKeys(
                    shared.definition(of: entity).foreignKeys, of: entity.name,
                    columns: Set(entity.storedProperties.map(\.name)), connection
                ) { plan.hasColumn($0, of: entity.name) }
            }
            let recordsHistory = configuration.recordsHistory
            try HistoryLayout.install(
                connection, entities: try catalog.entities(), links: shared.schema.links,
                recordsHistory: recordsHistory)
            try MetaTable.set(.history, recordsHistory ? "on" : "off", connection)
            var moved: Set<String> = []
            // After the triggers exist that record the changes of rows.
            try recordingChanges(connection) {
                try values.set()
                for column in required { try setMissingValues(of: column, connection) }
                moved = try transfer.apply()
            }
            try recordPosition(ofRelationshipsOf: moved, catalog)
            try connection.run("SET CONSTRAINTS ALL IMMEDIATE", isPrepared: false)
            for column in required { try column.require(connection) }
            // After the values of removed properties are replaced.
            for entity in entities { try shared.addIndexes(of: entity, connection) }
            try version?.store(MetaTable(connection))
            try catalog.renameDefinitions(
                plan, except: shared.models.entities.filter { schema.entitiesByName[$0.rootName] != nil })
            let changesForms = try catalog.describe(plan)
            try MetaTable.set(.schemaName, schemaName, connection)
            try MetaTable.set(.files, TableFiles(connection).text, connection)
            if try MetaTable.format(connection) ?? 0 < MetaTable.currentFormat {
                try MetaTable.set(.format, String(MetaTable.currentFormat), connection)
            }
            // Changed definitions and types may no longer meet other schemas that the store met before.
            let newDigest = try DatabaseSchema.digest(connection)
            if changesForms || newDigest != digest { try MetaTable.removeCompletions(connection) }
            try MetaTable.set(.completeFor(signature), newDigest, connection)
            for (key, record) in plan.opening.schemas.changes { try MetaTable.set(.known(key), record, connection) }
            try connection.run("SET CONSTRAINTS ALL DEFERRED", isPrepared: false)
        }

        /// Records the position from which the history contains relationships as the new schema stores them: that of this
        /// transaction, or of the next one if it changes no rows.
        private func recordPosition(ofRelationshipsOf entities: Set<String>, _ catalog: Catalog) throws {
            guard !entities.isEmpty, configuration.recordsHistory else { return }
            let connection = catalog.connection
            // No other session writes at this time, so the pending transactions get the next positions.
            let position = try connection.run(
                """
                SELECT h.position + 1 + (SELECT count(*) FROM \(connection.schema).chronicle_pending AS p \
                WHERE p.transaction IS DISTINCT FROM pg_current_xact_id_if_assigned() AND EXISTS \
                (SELECT FROM \(connection.schema).chronicle_change AS c \
                WHERE c.transaction = p.transaction AND c.id > p.after)) FROM \(connection.schema).chronicle_history AS h
                """, isPrepared: false
            ).int64(0, 0)
            for entity in try catalog.entities() where entities.contains(entity.name) {
                try MetaTable.set(.relationships(entity.number), String(position), connection)
            }
        }

        /// Records the changes that `body` makes as a transaction of the history whose author is
        /// `MigrationStage.author`.
        private func recordingChanges(_ connection: Connection, _ body: () throws -> Void) throws {
            guard configuration.recordsHistory else { return try body() }
            let pending = PendingTransaction(
                editingState: EditingState(id: UUID(), author: MigrationStage.author))
            _ = try connection.pipeline(pending.begin)
            try connection.withModelPath(body)
        }

        private func createStore(_ connection: Connection) throws {
            try StoreRelations(connection).requireNone(connection)
            for statement in [MetaTable.createTable(connection.schema)]
                + Catalog.createTables(connection.schema)
            { try connection.script(statement) }
            try MetaTable.set(.storeIdentifier, UUID().uuidString, connection)
            try MetaTable.set(.preservesValues, configuration.preservesValues ? "on" : "off", connection)
            try MetaTable.set(.format, String(MetaTable.currentFormat), connection)
        }

        /// Throws an error if a role that is not trusted owns a table of the models or of links; see ``StoreRelations``.
        private func requireTrustedTables(_ tables: DatabaseSchema, _ connection: Connection) throws {
            let links = schema.links.map { ($0.name, $0.owner) }
            for (name, entity) in schema.entities.map({ ($0.name, $0.name) }) + links {
                guard let owner = tables.untrustedOwners[name] else { continue }
                throw StoreRelations.untrusted(name, owner, connection, entityName: entity)
            }
        }

        /// Throws an error for tables and views that another program created with the name of a model or of links.
        private func checkOtherTables(_ connection: Connection) throws {
            let tables = try DatabaseSchema(connection)
            try requireTrustedTables(tables, connection)
            let known =
                try Self.hasStore(connection) ? Set(Catalog(connection).entities().map(\.name)) : []
            for entity in schema.entities {
                let isOther = tables.hasTable(entity.name) && !known.contains(entity.name)
                guard isOther || tables.others.contains(entity.name) else { continue }
                throw SwiftDataError.notAChronicleStore.with(
                    detail:
                        "the schema \(schemaName) contains a table or a view with the name of the model that another "
                        + "program created; set the schemaName of the configuration to another one",
                    entityName: entity.name)
            }
            for links in schema.links where tables.others.contains(links.name) {
                throw SwiftDataError.notAChronicleStore.with(
                    detail:
                        "the schema \(schemaName) contains a view with the name of the relationship's table that another "
                        + "program created; set the schemaName of the configuration to another one",
                    entityName: links.owner, propertyName: links.property.name)
            }
        }
    }
#endif
